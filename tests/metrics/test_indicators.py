import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.metrics import InformationFlow
from infoprop.metrics._indicators import share_each
from reference import information as reference
from reference.information import square_tables

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "infoprop2001.json").read_text())


def credits_of(counts, correction=None):
    flow = InformationFlow.from_confusion(counts, correction=correction)
    return flow.indicator_credits, flow.information


@pytest.mark.parametrize("matrix", "abc")
def test_credits_of_the_paper_matrices(matrix):
    expected = GOLDEN["confusion_matrices"][matrix]
    credits, _ = credits_of(expected["table"])
    np.testing.assert_allclose(credits, expected["indicator_credits"], atol=5e-5)


@given(square_tables(), st.sampled_from([None, "miller-madow"]))
def test_credits_are_not_negative_and_add_up(counts, correction):
    credits, information = credits_of(counts, correction)
    assert credits.shape == (len(counts),)
    assert (credits >= 0).all()
    assert credits.sum() == pytest.approx(information, abs=1e-12)


@given(square_tables())
def test_credits_agree_with_the_slow_twin(counts):
    np.testing.assert_allclose(credits_of(counts)[0], reference.indicator_credits(counts), atol=1e-9)


@given(square_tables(), st.data())
def test_permuting_labels_permutes_credits_to_the_bit(counts, data):
    order = data.draw(st.permutations(range(len(counts))))
    permuted = np.array(counts)[np.ix_(order, order)]
    assert credits_of(permuted)[0].tolist() == credits_of(counts)[0][order].tolist()


@pytest.mark.parametrize("counts", [[[4]], [[1, 1], [1, 1]], [[2, 0], [2, 0]]])
def test_indicators_that_tell_nothing_get_nothing(counts):
    assert credits_of(counts)[0].tolist() == [0.0] * len(counts)


def test_an_indicator_that_never_fires_gets_nothing():
    credits, information = credits_of([[3, 0, 0], [0, 3, 0], [1, 1, 0]])
    assert credits[2] == 0
    assert information > 0


def test_many_tables_at_once_are_shared_like_each_alone():
    rng = np.random.default_rng(0)
    tables = rng.integers(0, 30, (20, 4, 4)).astype(float)
    tables[0, :, 1] = 0.0
    tables[1, 2] = 0.0
    tables[2] = np.diag([3.0, 2.0, 1.0, 0.0])
    tables[3] = 5.0
    expected = [credits_of(table)[0] for table in tables]
    np.testing.assert_allclose(share_each(tables), expected, atol=1e-12)
