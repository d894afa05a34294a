import pickle
from functools import partial

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from infoprop.exceptions import ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    KnockoffSelector,
    StabilitySelector,
)
from infoprop.svm import OneVsRestSVC
from reference.evaluators import LabelledRows


def problem(n_rows=120, n_columns=12, n_classes=2, seed=0):
    """Columns 1, 4 and 6 tell the class."""
    generator = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = generator.normal(size=(n_rows, n_columns))
    X[:, [1, 4, 6]] += 1.2 * generator.choice([-1.0, 1.0], size=(n_classes, 3))[y]
    X[:, 6] += 0.8 * y
    return X, y


X, Y = problem()


def selector(**parameters):
    return StabilitySelector(**({"n_pairs": 6, "random_state": 0} | parameters))


@pytest.fixture(scope="module")
def fitted():
    return selector().fit(X, Y)


def test_what_tells_the_class_is_found(fitted):
    assert np.flatnonzero(fitted.support_).tolist() == [1, 4, 6]
    assert (fitted.q_values_[fitted.support_] <= 0.1).all()
    assert (fitted.q_values_[~fitted.support_] > 0.1).all()
    assert fitted.transform(X).shape == (120, 3)
    assert fitted.score(X, Y) > 0.8
    assert fitted.ranking_[fitted.support_].tolist() == [1, 1, 1]
    assert fitted.stability_.n_pairs == 6


def test_halves_rank_as_an_elimination_of_their_rows_does(fitted):
    rows = LabelledRows(X, Y)
    first = selector()._plan(X, rows, False, {}, fitted._seed()).splits[0]
    for half, rows in enumerate((first.train, first.test)):
        alone = BackwardEliminationSelector(
            fitted._prototype(), n_features_to_select=1, step=0.2, criterion="margin", validation=None
        ).fit(X[rows], Y[rows])
        ranks = np.empty(12, dtype=int)
        ranks[alone.path_.best_first] = np.arange(1, 13)
        np.testing.assert_array_equal(fitted.stability_.ranks[half], ranks)


@pytest.mark.parametrize("other", ["jobs", "sparse"])
def test_the_same_for_any_number_of_jobs_and_any_storage(fitted, other):
    rows = sparse.csr_array(X) if other == "sparse" else X
    with parallel_config("threading"):
        same = selector(n_jobs=2 if other == "jobs" else None).fit(rows, Y)
    np.testing.assert_array_equal(same.stability_.ranks, fitted.stability_.ranks)
    np.testing.assert_array_equal(same.support_, fitted.support_)


def test_other_ways_to_decide_use_the_same_ranks(fitted):
    by_size = selector(n_features_to_select=5).fit(X, Y)
    assert by_size.n_features_ == 5
    np.testing.assert_array_equal(by_size.support_, fitted.support_at(5))
    np.testing.assert_array_equal(by_size.stability_.ranks, fitted.stability_.ranks)
    other = fitted.at(5)
    np.testing.assert_array_equal(other.support_, by_size.support_)
    np.testing.assert_array_equal(other.predict(X), by_size.predict(X))
    assert other.q_values_ is not None
    loose = selector(max_false_positives=5.0).fit(X, Y)
    np.testing.assert_array_equal(loose.support_, fitted.false_positives_ <= 5.0)


def test_nothing_found_is_an_answer():
    labels = np.random.default_rng(5).permutation(Y)
    found = selector(fdr=0.05).fit(X, labels, sample_weight=np.where(labels == 0, 3.0, 1.0))
    assert found.n_features_ == 0
    assert isinstance(found.estimator_, DummyClassifier)
    assert (found.predict(X) == 0).all()
    np.testing.assert_allclose(found.decision_function(X), np.log(1.0 / 3.0))
    with pytest.warns(UserWarning, match="No features were selected"):
        assert found.transform(X).shape == (120, 0)
    assert found.credit_shares().shape == (2, 12)
    frame = pl.DataFrame(X, schema=[f"c{k}" for k in range(12)])
    assert selector(fdr=0.05).fit(frame, labels).predict(frame).shape == (120,)


def test_groups_and_columns_to_keep():
    groups = [[0, 1], [4, 6]]
    found = selector(groups=groups, keep=[11]).fit(X, Y)
    assert np.flatnonzero(found.support_).tolist() == [0, 1, 4, 6, 11]
    assert found.q_values_[0] == found.q_values_[1]
    assert np.isnan(found.q_values_[11])
    assert len(found.stability_.names) == 10
    nothing_else = selector(keep=[0]).fit(X[:, [0, 2, 3, 5, 7]], Y)
    assert np.flatnonzero(nothing_else.support_).tolist() == [0]


def test_rows_of_a_group_are_in_one_half(fitted):
    rows = np.repeat(np.arange(60), 2)
    found = selector().fit(np.repeat(X[:60], 2, axis=0), np.repeat(Y[:60], 2), groups=rows)
    assert found.stability_.ranks.shape == (12, 12)
    assert found.support_[[1, 4, 6]].any()


@pytest.mark.parametrize("kind", [selector, partial(KnockoffSelector, n_tested=4, random_state=0)])
def test_row_groups_are_routed_to_the_halves(kind):
    rows = np.repeat(np.arange(40), 3)
    plain = kind().fit(X, Y, groups=rows)
    with config_context(enable_metadata_routing=True):
        routed = kind().fit(X, Y, groups=rows, sample_weight=np.ones(120))
        assert kind().fit(X, Y).n_features_in_ == 12
    np.testing.assert_array_equal(routed.q_values_, plain.q_values_)


@pytest.mark.parametrize(
    "search",
    ["credit", "l1", CreditSelector(OneVsRestSVC(kernel="linear"))],
    ids=["credit", "l1", "selector"],
)
def test_other_searches_rank_the_halves(search):
    found = selector(search=search, n_pairs=5).fit(X, Y)
    assert found.support_[[1, 4, 6]].sum() >= 2
    assert set(found.stability_.best_first[:3]) == {1, 4, 6}


def test_a_time_limit_ends_with_the_pairs_that_are_done():
    found = selector(time_limit=1e-9, n_features_to_select=3).fit(X, Y)
    assert found.stability_.n_pairs == 1
    assert found.n_features_ == 3


def test_three_classes():
    rows, labels = problem(n_classes=3, seed=2)
    found = selector(n_pairs=5).fit(rows, labels)
    assert found.support_[[1, 4, 6]].any()
    assert found.predict(rows).shape == labels.shape


def test_it_survives_pickling_and_cloning(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.q_values_, fitted.q_values_)
    assert again.stability_ == fitted.stability_
    assert not hasattr(clone(fitted), "support_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fdr": 0.0}, "'fdr' parameter of StabilitySelector"),
        ({"n_pairs": 0}, "'n_pairs' parameter of StabilitySelector"),
        ({"search": "forward"}, "'search' parameter of StabilitySelector"),
        ({"step": 0}, "'step' parameter of StabilitySelector"),
        ({"max_false_positives": -1}, "'max_false_positives' parameter of StabilitySelector"),
        ({"max_false_positives": 1, "n_features_to_select": 2}, "not both"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(parameters, message):
    with pytest.raises(ParameterError, match=message):
        selector(**parameters).fit(X, Y)
