from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from infoprop.pairwise import _coupling
from infoprop.pairwise._coupling import coupled_probabilities
from infoprop.pairwise._voting import class_pairs
from reference.pairwise import coupled, objective


def as_pairs(values, n_classes):
    return dict(zip(combinations(range(n_classes), 2), values, strict=True))


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_probabilities_are_those_of_the_iteration(n_classes):
    random = np.random.default_rng(n_classes)
    first, second = class_pairs(n_classes)
    r = random.uniform(0.05, 0.95, (6, len(first)))
    got = coupled_probabilities(r, first, second, n_classes)
    for row, p in zip(r, got, strict=True):
        np.testing.assert_allclose(p, coupled(as_pairs(row, n_classes), n_classes), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_pairs_that_agree_give_back_the_probabilities_they_came_from(n_classes):
    p = np.random.default_rng(0).dirichlet(np.ones(n_classes), size=20).clip(1e-3)
    p /= p.sum(axis=1, keepdims=True)
    first, second = class_pairs(n_classes)
    r = p[:, first] / (p[:, first] + p[:, second])
    np.testing.assert_allclose(coupled_probabilities(r, first, second, n_classes), p, atol=1e-10)


@given(st.integers(3, 5), st.data())
def test_no_other_probabilities_agree_better(n_classes, data):
    first, second = class_pairs(n_classes)
    share = st.floats(0.01, 0.99)
    r = np.array(data.draw(st.lists(share, min_size=len(first), max_size=len(first))))
    p = coupled_probabilities(r[None], first, second, n_classes)[0]
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0)
    least = objective(p, as_pairs(r, n_classes))
    for other in np.random.default_rng(0).dirichlet(np.ones(n_classes), size=20):
        near = 0.9 * p + 0.1 * other
        assert objective(near, as_pairs(r, n_classes)) >= least - 1e-12


@given(st.integers(3, 6), st.data())
def test_pairs_that_are_quite_sure_still_give_probabilities(n_classes, data):
    first, second = class_pairs(n_classes)
    r = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(first), max_size=len(first))))
    p = coupled_probabilities(r[None], first, second, n_classes)[0]
    assert np.isfinite(p).all()
    assert p.sum() == pytest.approx(1.0)
    wins = np.bincount(np.where(r == 1.0, first, second), minlength=n_classes)
    if wins.max() == n_classes - 1:
        assert p[np.argmax(wins)] > 0.999


def test_numbering_the_classes_otherwise_gives_the_same():
    first, second = class_pairs(4)
    r = np.random.default_rng(1).uniform(0.1, 0.9, (5, 6))
    turned = r.copy()
    table = np.zeros((5, 4, 4))
    table[:, first, second], table[:, second, first] = r, 1.0 - r
    order = np.array([2, 0, 3, 1])
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        turned[:, pair] = table[:, order[i], order[j]]
    np.testing.assert_allclose(
        coupled_probabilities(turned, first, second, 4),
        coupled_probabilities(r, first, second, 4)[:, order],
        atol=1e-12,
    )


def test_blocks_change_nothing(monkeypatch):
    first, second = class_pairs(5)
    r = np.random.default_rng(2).uniform(0.1, 0.9, (50, 10))
    whole = coupled_probabilities(r, first, second, 5)
    monkeypatch.setattr(_coupling, "BLOCK_ENTRIES", 100)
    np.testing.assert_allclose(coupled_probabilities(r, first, second, 5), whole, atol=1e-14)
    assert coupled_probabilities(r[:0], first, second, 5).shape == (0, 5)
