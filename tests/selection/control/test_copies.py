import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse

from infoprop.selection import RankStability, StabilitySelector
from infoprop.selection.control._copies import copy_orders

GENERATOR = np.random.default_rng(0)
Y = np.arange(40) % 2
X = GENERATOR.normal(size=(40, 60))
X[:, [3, 7, 9]] += 2.5 * Y[:, None]


def selector(**parameters):
    return StabilitySelector(**({"n_pairs": 5, "random_state": 0} | parameters))


@pytest.fixture(scope="module")
def fitted():
    return selector().fit(X, Y)


def test_copies_are_taken_where_columns_outnumber_the_rows(fitted):
    assert fitted.stability_.copy_scores.shape == (9, 60)
    assert selector().fit(X[:, :15], Y).stability_.copy_scores is None
    assert selector(n_copies=0).fit(X, Y).stability_.copy_scores is None
    assert selector(n_copies=2).fit(X[:, :15], Y).false_positives_.min() >= 0.5
    assert np.flatnonzero(fitted.support_).tolist() == [3, 7, 9]
    assert (fitted.false_positives_ >= 0.1).all()


def test_shuffled_labels_choose_nothing():
    labels = np.random.default_rng(3).permutation(Y)
    assert selector().fit(X, labels).n_features_ == 0


@pytest.mark.parametrize("kind", ["sparse", "pandas", "polars", "rows", "jobs"])
def test_the_same_for_any_storage_and_order_of_rows(fitted, kind):
    rows, labels, n_jobs = X, Y, None
    if kind == "sparse":
        rows = sparse.csr_array(X)
    elif kind == "pandas":
        rows = pd.DataFrame(X, index=np.arange(40)[::-1], columns=[f"c{k}" for k in range(60)])
    elif kind == "polars":
        rows = pl.DataFrame(X, schema=[f"c{k}" for k in range(60)])
    elif kind == "rows":
        order = np.random.default_rng(1).permutation(40)
        rows, labels = X[order], Y[order]
    else:
        n_jobs = 2
    with parallel_config("threading"):
        same = selector(n_jobs=n_jobs).fit(rows, labels)
    np.testing.assert_array_equal(same.stability_.copy_scores, fitted.stability_.copy_scores)
    np.testing.assert_array_equal(same.q_values_, fitted.q_values_)


def test_a_checkpoint_goes_on_with_the_same_bits(fitted, tmp_path):
    path = tmp_path / "halves"
    selector(n_pairs=5, checkpoint=path).fit(X, Y)
    again = selector(n_pairs=5, checkpoint=path).fit(X, Y)
    np.testing.assert_array_equal(again.stability_.copy_scores, fitted.stability_.copy_scores)


def test_groups_and_columns_to_keep_have_copies_and_none():
    found = selector(groups=[[0, 1], [3, 7]], keep=[9], fdr=0.2).fit(X, Y)
    assert np.isnan(found.stability_.copy_scores[:, found.stability_.names.index("x9")]).all()
    assert found.support_[[3, 7, 9]].all()


def test_rows_of_a_group_come_from_rows_of_a_group():
    groups = np.repeat(np.arange(10), 4)
    for order in copy_orders(X, Y, np.arange(40), groups, 3, seed=0):
        assert sorted(order) == list(range(40))
        assert (np.ptp(groups[order].reshape(10, 4), axis=1) == 0).all()


def test_copies_of_a_row_come_from_one_row_and_unused_rows_stay():
    twice = np.repeat(X[:20], 2, axis=0)
    order = copy_orders(twice, np.repeat(Y[:20], 2), np.arange(38), None, 1, seed=0)[0]
    np.testing.assert_array_equal(twice[order[0:38:2]], twice[order[1:38:2]])
    assert order[38:].tolist() == [38, 39]


def test_false_positives_count_the_copies_above():
    ranks = np.array([[[1, 3, 6], [2, 4, 5]]] * 8)
    stability = RankStability.from_searches(tuple("abc"), ranks)
    assert stability.false_positives[0] == 1.0
    assert (np.diff(stability.false_positives) >= 0.0).all()
    assert stability.false_positives[2] == 3.0
    np.testing.assert_array_equal(stability.ranks, ranks[:, 0])
