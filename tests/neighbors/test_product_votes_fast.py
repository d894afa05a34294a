"""Votes by matrix products against their definition and against adding columns one by one."""

import numpy as np
import pytest

from infoprop.neighbors import NeighborRows, _votes, votes
from reference.neighbors import plain_votes


def problem(seed, n=60, d=6, n_folds=4):
    """Rows with many ties, a scale for every fold, and masks of at least one column."""
    random = np.random.default_rng(seed)
    X = random.random((n, d))
    X[::2] = X[::2].round(1)
    folds = np.arange(n) % n_folds
    trains = random.random(n) < 0.7
    scales = random.random((n_folds, d)).round(1) + 0.1
    codes = random.integers(0, 3, n)
    rows = NeighborRows(X[trains], codes[trains], folds[trains], X, folds, scales, 3)
    masks = random.random((20, d)) < 0.5
    masks[0] = True
    return rows, masks[masks.any(axis=1)]


@pytest.mark.parametrize("seed", range(4))
def test_products_give_the_votes_of_the_definition(seed):
    rows, masks = problem(seed)
    assert _votes._suits_products(rows, masks, 1)
    np.testing.assert_array_equal(votes(rows, masks), plain_votes(rows, masks))


@pytest.mark.parametrize("seed", range(4))
def test_products_give_the_votes_of_added_columns_to_the_last_tie(seed, monkeypatch):
    rows, masks = problem(seed, n=150, d=9)
    rows.X_train[1::3] = rows.X_train[::3][: len(rows.X_train[1::3])]
    by_products = votes(rows, masks)
    monkeypatch.setattr(_votes, "MANY", len(masks) + 1)
    np.testing.assert_array_equal(votes(rows, masks), by_products)


def test_blocks_of_subsets_change_nothing(monkeypatch):
    rows, masks = problem(7)
    whole = votes(rows, masks)
    monkeypatch.setattr(_votes, "BLOCK_DISTANCES", 1)
    np.testing.assert_array_equal(votes(rows, masks), whole)


def test_where_nobody_may_vote_there_is_no_class():
    rows, masks = problem(3)
    alone = NeighborRows(
        rows.X_train,
        rows.codes,
        np.zeros(len(rows.codes), dtype=np.intp),
        rows.X_test,
        rows.test_folds,
        rows.scales,
        3,
    )
    found = votes(alone, masks)
    assert (found[:, rows.test_folds == 0] == -1).all()
    assert (found[:, rows.test_folds != 0] >= 0).all()


def test_few_or_small_or_empty_subsets_and_several_neighbours_are_added_up():
    rows, masks = problem(1)
    assert not _votes._suits_products(rows, masks, 2)
    assert not _votes._suits_products(rows, masks[:3], 1)
    assert not _votes._suits_products(rows, np.vstack([masks, np.zeros_like(masks[:1])]), 1)
    wide = np.zeros((20, 40), dtype=bool)
    wide[:, 0] = True
    assert not _votes._suits_products(rows, wide, 1)
