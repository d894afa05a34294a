"""Other people's methods: ranked once, asked for every size, learning from the rows they are given alone."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import RFE, SelectKBest, f_classif
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from infoprop.selection import FeatureSelector
from infoprop.workflow import _peers
from infoprop.workflow._peers import AutomaticColumns, BorutaColumns, RankedColumns

SCORES = [
    _peers.screen_scores,
    _peers.forest_scores,
    _peers.elimination_scores,
    _peers.information_scores,
    _peers.variance_scores,
    _peers.penalty_scores,
    pytest.param(_peers.relief_scores, id="relief"),
    pytest.param(_peers.redundancy_scores, id="redundancy"),
]


@pytest.fixture(scope="module")
def rows():
    """Two columns that tell three classes apart, a copy of the first, a constant, and noise."""
    generator = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = generator.standard_normal((90, 8))
    X[:, 2] += 4 * (y == 1)
    X[:, 5] += 4 * (y == 2)
    X[:, 6] = 1.0
    return X, np.array(["a", "b", "c"])[y]


def needed(score):
    pytest.importorskip(
        {"relief_scores": "skrebate", "redundancy_scores": "mrmr"}.get(score.__name__, "numpy")
    )


@pytest.mark.parametrize("score", SCORES)
def test_columns_that_matter_come_first(score, rows):
    needed(score)
    ranked = RankedColumns(score, StandardScaler(), n_wanted=3).fit(*rows)
    assert np.flatnonzero(ranked.support_at(2)).tolist() == [2, 5]
    assert ranked.support_at(3).sum() == 3


@pytest.mark.parametrize("score", SCORES)
def test_group_stands_where_the_best_of_its_columns_stands(score, rows):
    needed(score)
    groups = ["x", "x", "x", "y", "z", "y", "u", "v"]
    ranked = RankedColumns(score, StandardScaler(), n_wanted=2, groups=groups).fit(*rows)
    assert np.flatnonzero(ranked.support_at(2)).tolist() == [0, 1, 2, 3, 5]


@pytest.mark.parametrize("score", SCORES)
def test_same_seed_gives_the_same_ranking(score, rows):
    needed(score)
    one, other = (RankedColumns(score, n_wanted=5, random_state=3).fit(*rows) for _ in range(2))
    assert [one.support_at(k).tolist() for k in range(1, 6)] == [
        other.support_at(k).tolist() for k in range(1, 6)
    ]


@pytest.mark.parametrize(
    "score",
    [
        _peers.screen_scores,
        _peers.forest_scores,
        _peers.elimination_scores,
        _peers.information_scores,
        _peers.variance_scores,
        _peers.penalty_scores,
    ],
)
def test_methods_without_a_package_of_their_own_read_sparse_rows(score, rows):
    X = sparse.csr_matrix(np.round(np.abs(rows[0])))
    assert RankedColumns(score, n_wanted=2).fit(X, rows[1]).support_at(2).sum() == 2


def test_automatic_columns_are_those_of_the_front_door(rows):
    X, y = rows
    found = AutomaticColumns(StandardScaler(), n_features_to_select=2, random_state=0).fit(X, y)
    assert np.flatnonzero(found.support_).tolist() == [2, 5]
    alone = FeatureSelector(n_features_to_select=2, random_state=0).fit(StandardScaler().fit_transform(X), y)
    assert found.support_.tolist() == alone.support_.tolist()
    groups = ["x", "x", "x", "y", "z", "y", "u", "v"]
    found = AutomaticColumns(None, n_features_to_select=2, groups=groups, random_state=0).fit(X, y)
    assert np.flatnonzero(found.support_).tolist() == [0, 1, 2, 3, 5]


def test_sizes_are_those_of_scikit_learns_own_selectors(rows):
    X, y = StandardScaler().fit_transform(rows[0][:, :6]), rows[1]
    ranked = RankedColumns(_peers.elimination_scores).fit(X, y)
    scored = RankedColumns(_peers.variance_scores).fit(X, y)
    for size in range(1, 6):
        alone = RFE(SVC(kernel="linear"), n_features_to_select=size).fit(X, y)
        assert ranked.support_at(size).tolist() == alone.get_support().tolist()
        assert (
            scored.support_at(size).tolist()
            == SelectKBest(f_classif, k=size).fit(X, y).get_support().tolist()
        )


def test_boruta_keeps_what_beats_shuffled_copies(rows):
    pytest.importorskip("boruta")
    kept = BorutaColumns(StandardScaler(), max_iter=12, random_state=0).fit(*rows).support_
    assert set(np.flatnonzero(kept)) <= {2, 5}
    assert kept.dtype == np.bool_


def test_holes_are_filled_by_the_preparation(rows):
    from sklearn.impute import SimpleImputer

    X = rows[0].copy()
    X[::7, 0] = np.nan
    ranked = RankedColumns(_peers.variance_scores, SimpleImputer()).fit(X, rows[1])
    assert np.flatnonzero(ranked.support_at(2)).tolist() == [2, 5]
