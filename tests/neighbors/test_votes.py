"""Votes of nearest neighbours against their definition and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from infoprop.neighbors import NeighborRows, grown_votes, votes
from infoprop.neighbors._whole_votes_fast import FAR
from reference.neighbors import plain_votes


def own_rows(X, codes, folds, scales=None, trains=None):
    """Rows that are asked about by those of other folds; `trains` says who votes at all."""
    trains = np.ones(len(X), dtype=bool) if trains is None else trains
    scales = np.ones((1, X.shape[1])) if scales is None else scales
    return NeighborRows(
        X[trains], codes[trains], folds[trains], X, folds, scales, int(codes[trains].max(initial=0)) + 1
    )


def problem(seed, n=90, d=5, n_classes=3):
    """Rows, class numbers and random masks, the first of them empty, the second full."""
    random = np.random.default_rng(seed)
    masks = random.random((12, d)) < 0.5
    masks[0], masks[1] = False, True
    return random.random((n, d)), random.integers(0, n_classes, n), masks


@pytest.mark.parametrize("n_neighbors", [1, 2, 5, 200])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_votes_are_those_of_the_definition(n_neighbors, is_weighted):
    X, codes, masks = problem(0)
    rows = own_rows(X, codes, np.arange(len(X)) % 4)
    found = votes(rows, masks, n_neighbors, is_weighted=is_weighted)
    assert (found == plain_votes(rows, masks, n_neighbors, is_weighted)).all()


@pytest.mark.parametrize("n_neighbors", [1, 20])
@pytest.mark.parametrize("shortest", [0, 10**9])
def test_long_work_is_done_by_a_thread_that_can_be_stopped(monkeypatch, n_neighbors, shortest):
    X, codes, masks = problem(0)
    rows, grown = own_rows(X, codes, np.arange(len(X)) % 4), (np.array([0]), np.array([1, 2]), n_neighbors)
    expected = votes(rows, masks, n_neighbors), grown_votes(rows, *grown)
    begun = []
    monkeypatch.setattr("infoprop.neighbors._votes.SHORT", shortest)
    monkeypatch.setattr("infoprop.neighbors._votes.stoppable", lambda work: begun.append(work) or work())
    found = votes(rows, masks, n_neighbors), grown_votes(rows, *grown)
    assert all((one == other).all() for one, other in zip(found, expected, strict=True))
    assert len(begun) == (2 if shortest == 0 else 0)


@pytest.mark.parametrize("n_rows", [1, 2, 64, 65, 300])
@pytest.mark.parametrize(("n_neighbors", "is_weighted"), [(1, False), (2, False), (5, True), (16, True)])
def test_few_neighbors_are_found_one_by_one(n_rows, n_neighbors, is_weighted):
    X, codes, masks = problem(9, n=n_rows)
    X[::3] = X.round(1)[::3]
    rows = own_rows(X, codes, np.arange(n_rows) % 3, np.random.default_rng(9).random((3, 5)))
    assert rows.n_slots >= n_rows > rows.n_slots // 2
    assert n_rows == 1 or rows.per_unit > 0.0
    asked = masks[masks.any(axis=1)]
    found = votes(rows, asked, n_neighbors, is_weighted=is_weighted)
    assert (found == plain_votes(rows, asked, n_neighbors, is_weighted)).all()


def test_rows_at_no_distance_vote_alone_where_distances_count():
    X, codes = np.array([[0.0], [0.0], [0.5], [0.5], [0.5], [1.0]]), np.array([0, 0, 1, 1, 1, 1])
    rows = own_rows(X, codes, np.arange(6))
    column = np.array([[True]])
    assert votes(rows, column, 4, is_weighted=True)[0, :2].tolist() == [0, 0]
    assert votes(rows, column, 4)[0, :2].tolist() == [1, 1]


def test_distances_in_units_stay_below_those_of_rows_that_may_not_vote():
    X, codes, masks = problem(10, n=2000)
    rows = own_rows(1e6 * X, codes, np.arange(2000))
    largest = np.square(np.ptp(1e6 * X, axis=0)).sum()
    assert 2.0**57 < largest * rows.per_unit * rows.n_slots < FAR
    assert (votes(rows, masks[1:2]) != -1).all()


@settings(max_examples=40)
@given(
    n=st.integers(2, 140),
    d=st.integers(1, 4),
    k=st.integers(1, 4),
    seed=st.integers(0, 999),
    weighted=st.booleans(),
)
def test_ties_go_to_the_first_row_and_the_first_class(n, d, k, seed, weighted):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n, d)) / 2.0
    rows = own_rows(X, random.integers(0, 3, n), np.arange(n))
    masks = random.random((4, d)) < 0.6
    assert (votes(rows, masks, k, is_weighted=weighted) == plain_votes(rows, masks, k, weighted)).all()


@pytest.mark.parametrize("n_neighbors", [1, 3, 6])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_are_those_of_scikit_learn(n_neighbors, weights):
    X, codes, masks = problem(1)
    folds = np.arange(len(X)) % 3
    found = votes(own_rows(X, codes, folds), masks[1:], n_neighbors, is_weighted=weights == "distance")
    for mask, answer in zip(masks[1:], found, strict=True):
        for fold in range(3):
            peer = KNeighborsClassifier(n_neighbors, weights=weights)
            peer.fit(X[folds != fold][:, mask], codes[folds != fold])
            assert (peer.predict(X[folds == fold][:, mask]) == answer[folds == fold]).all()


def test_a_pair_of_classes_votes_on_the_rows_of_all_classes():
    X, codes, masks = problem(2)
    rows = own_rows(X, codes, np.arange(len(X)), trains=codes < 2)
    found = votes(rows, masks)
    assert found.shape == (12, 90)
    assert set(np.unique(found)) == {0, 1}
    assert (found == plain_votes(rows, masks)).all()


def test_every_fold_has_its_own_scale():
    X, codes, masks = problem(3)
    scales = np.random.default_rng(3).random((4, 5)) * 10.0
    rows = own_rows(X, codes, np.arange(len(X)) % 4, scales)
    assert (votes(rows, masks, 3) == plain_votes(rows, masks, 3)).all()


def test_a_fold_of_its_own_hides_nothing():
    X, codes, masks = problem(4)
    rows = NeighborRows(X, codes, np.full(90, -1), X, np.zeros(90, dtype=int), np.ones((1, 5)), 3)
    assert (votes(rows, masks[1:2]) == codes).all()


def test_where_nobody_may_vote_there_is_no_class():
    X, codes, masks = problem(5)
    assert (votes(own_rows(X, codes, np.zeros(90, dtype=int)), masks, 3) == -1).all()
    assert (votes(own_rows(X, codes, np.zeros(90, dtype=int)), masks) == -1).all()


def test_columns_in_another_order_give_the_same_votes():
    random = np.random.default_rng(6)
    # Thirds are no binary fractions: sums of them in another order differ in their last bits.
    X, codes = random.integers(0, 4, (120, 8)) / 3.0, random.integers(0, 4, 120)
    masks, order = random.random((20, 8)) < 0.7, random.permutation(8)
    there = votes(own_rows(X, codes, np.arange(120)), masks)
    assert (votes(own_rows(X[:, order], codes, np.arange(120)), masks[:, order]) == there).all()


def test_columns_of_very_different_size_are_all_seen():
    X, codes, _ = problem(7)
    sizes = np.array([1e-7, 1.0, 1e8, 1e-3, 1e3])
    plain, stretched = own_rows(X, codes, np.arange(90)), own_rows(X * sizes, codes, np.arange(90))
    assert plain.per_unit > 0.0
    assert stretched.per_unit == 0.0
    singles = np.eye(5, dtype=bool)
    assert (votes(plain, singles) == votes(stretched, singles)).all()


@pytest.mark.parametrize("n_neighbors", [1, 3])
@pytest.mark.parametrize("standing", [[], [2], [0, 2, 3], [0, 1, 2, 3, 5, 6, 7]])
def test_growing_by_a_column_gives_the_votes_on_the_grown_subset(standing, n_neighbors):
    random = np.random.default_rng(8)
    rows = own_rows(random.integers(0, 4, (100, 9)) / 3.0, random.integers(0, 3, 100), np.arange(100) % 7)
    candidates = np.setdiff1d(np.arange(9), standing)[::-1]
    masks = np.zeros((len(candidates), 9), dtype=bool)
    masks[:, standing] = True
    masks[np.arange(len(candidates)), candidates] = True
    grown = grown_votes(rows, np.array(standing, dtype=int), candidates, n_neighbors)
    assert (grown == votes(rows, masks, n_neighbors)).all()
