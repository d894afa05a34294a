from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.selection.elimination._rules import RULES, best_size


def path(information, standard_error=0.1):
    information = np.array(information, dtype=float)
    return SimpleNamespace(
        n_features=np.arange(len(information), 0, -1),
        information=information,
        standard_error=np.broadcast_to(standard_error, information.shape),
    )


def test_the_smallest_of_the_best_sizes():
    assert best_size(path([0.5, 0.9, 0.9, 0.2]), "best", 0.0) == 2
    assert best_size(path([0.9, 0.9 + 1e-15, 0.1]), "best", 0.0) == 2
    assert best_size(path([0.0, 0.0, 0.0]), "best", 0.0) == 1


def test_one_standard_error_of_the_best_may_be_given_up():
    assert best_size(path([0.9, 0.8, 0.7], 0.1), "one-se", 0.0) == 2
    assert best_size(path([0.9, 0.79, 0.7], 0.1), "one-se", 0.0) == 3
    assert best_size(path([0.9, 0.9, 0.8], [0.5, 0.01, 0.5]), "one-se", 0.0) == 2


def test_a_part_of_the_best_may_be_given_up():
    assert best_size(path([1.0, 0.96, 0.95, 0.94]), "tolerance", 0.05) == 2
    assert best_size(path([1.0, 0.5, 0.0]), "tolerance", 1.0) == 1
    assert best_size(path([1.0, 1.0, 0.5]), "tolerance", 0.0) == 2


CURVES = st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1)), min_size=1, max_size=12)


@given(CURVES, st.floats(0, 1), st.floats(0, 1))
def test_giving_up_more_never_asks_for_more_features(curve, one, other):
    curve = path(*zip(*curve, strict=True))
    small, large = sorted((one, other))
    best = best_size(curve, "best", 0.5)
    assert best_size(curve, "tolerance", 0.0) == best
    assert best_size(curve, "tolerance", large) <= best_size(curve, "tolerance", small) <= best
    assert best_size(curve, "one-se", 0.0) <= best


@given(CURVES, st.sampled_from(RULES))
def test_the_size_delivers_enough_and_no_smaller_one_does(curve, rule):
    curve = path(*zip(*curve, strict=True))
    size = best_size(curve, rule, 0.1)
    most = curve.information.max()
    given_up = {"best": 0.0, "one-se": curve.standard_error.max(), "tolerance": 0.1 * most}[rule]
    delivered = dict(zip(curve.n_features.tolist(), curve.information.tolist(), strict=True))
    assert delivered[size] >= most - given_up - 1e-11
    if rule != "one-se":
        assert all(delivered[k] < most - given_up + 1e-11 for k in range(1, size))


def test_rules_have_names():
    assert RULES == ("best", "one-se", "tolerance")
    assert best_size(path([0.3]), "best", 0.0) == pytest.approx(1)
