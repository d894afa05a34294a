import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from infoprop.exceptions import DataError, ParameterError
from infoprop.selection import RowFolds
from infoprop.svm import OneVsRestSVC
from infoprop.workflow._judging import Holdout, check_classes, judge, judging_rows
from infoprop.workflow._preparation import Problem
from infoprop.workflow._steps import Steps

WATCH = Steps().watch


def rows_of(X, y):
    return Problem(X, y, tuple(f"x{k}" for k in range(X.shape[1])), "kind")


def labelled(y, is_test=None):
    return Problem(np.arange(len(y), dtype=float)[:, None], np.array(y), ("x",), "kind", is_test)


@pytest.mark.parametrize(
    ("y", "options", "error", "sentence"),
    [
        (["a"] * 9, {}, DataError, "holds a single class \\('a'\\)"),
        (np.arange(20.0), {}, DataError, "20 distinct values in 20 rows, most of them once"),
        ([0, 1] * 5, {"validation": 6}, ParameterError, "more folds than the largest class has rows"),
        ([0, 1] * 5, {"validation": 0.05}, ParameterError, "2 classes need at least 2 rows on each side"),
    ],
)
def test_rows_that_cannot_be_learned_and_judged_are_refused(y, options, error, sentence):
    with pytest.raises(error, match=sentence):
        check_classes(labelled(y), options.get("validation", 0.25), OneVsRestSVC())


def test_held_out_rows_keep_the_classes_proportions():
    problem = labelled([0] * 60 + [1] * 20)
    judging = judging_rows(problem, 0.25, 0)
    assert isinstance(judging, Holdout)
    assert np.bincount(problem.y[judging.judge]).tolist() == [15, 5]
    np.testing.assert_array_equal(np.sort(np.concatenate([judging.train, judging.judge])), np.arange(80))


def test_a_single_row_of_a_class_is_learned():
    judging = judging_rows(labelled([0] * 10 + [1] * 10 + [2]), 0.25, 0)
    assert 20 in judging.train


def test_same_seed_draws_the_same_rows():
    problem = labelled([0, 1] * 30)
    first, second = (judging_rows(problem, 0.25, 3) for _ in range(2))
    other = judging_rows(problem, 0.25, 4)
    np.testing.assert_array_equal(first.judge, second.judge)
    assert first.judge.tolist() != other.judge.tolist()
    assert isinstance(judging_rows(problem, 3, 0), RowFolds)


def test_copies_of_a_row_stay_on_one_side():
    X = np.repeat(np.arange(40.0), 2)[:, None]
    problem = Problem(X, np.repeat(np.arange(40) % 2, 2), ("x",), "kind")
    held = judging_rows(problem, 0.25, 0)
    for train, test in [(held.train, held.judge), *judging_rows(problem, 4, 0).split(X, problem.y)]:
        assert not set(X[train, 0]) & set(X[test, 0])


def test_one_class_to_learn_from_is_refused():
    problem = labelled([0, 0, 1, 1], np.array([False, False, True, True]))
    with pytest.raises(DataError, match="training rows of the split column hold a single class"):
        judging_rows(problem, "split", 0)


@pytest.mark.parametrize("jobs", [None, 2])
def test_folds_say_what_scikit_learn_says(jobs):
    X, y = load_wine(return_X_y=True)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    # Processes take seconds to start; threads share the work in the same way.
    with parallel_config("threading"):
        judged = judge(GaussianNB(), rows_of(X, y), folds, jobs, WATCH, with_probabilities=True)
    np.testing.assert_array_equal(judged.rows, np.arange(len(y)))
    np.testing.assert_array_equal(judged.predicted, cross_val_predict(GaussianNB(), X, y, cv=folds))
    expected = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    np.testing.assert_allclose(judged.probabilities, expected)
    assert judged.flow.n_samples == len(y)
    assert (judged.n_folds, judged.n_done) == (4, 4)


def test_class_that_a_fold_never_met_is_impossible_to_it():
    X, y = load_wine(return_X_y=True)
    y = np.where(np.arange(len(y)) == 0, 9, y)
    rows = np.arange(len(y))
    judged = judge(
        GaussianNB(), rows_of(X, y), Holdout(rows[1:], rows[:1]), None, WATCH, with_probabilities=True
    )
    assert judged.classes.tolist() == [0, 1, 2, 9]
    assert judged.probabilities[0, 3] == 0.0
    assert judged.true.tolist() == [9]


class Interrupted(ClassifierMixin, BaseEstimator):
    """Is interrupted in its third training."""

    n_trained = 0

    def fit(self, X, y):
        Interrupted.n_trained += 1
        if Interrupted.n_trained == 3:
            raise KeyboardInterrupt
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("may_stop", [True, False])
def test_interruption_leaves_the_folds_that_are_done(monkeypatch, may_stop):
    monkeypatch.setattr(Interrupted, "n_trained", 0)
    X, y = np.zeros((40, 1)), np.arange(40) % 2
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    if not may_stop:
        with pytest.raises(KeyboardInterrupt):
            judge(Interrupted(), rows_of(X, y), folds, None, WATCH)
        return
    judged = judge(Interrupted(), rows_of(X, y), folds, None, WATCH, may_stop=True)
    assert (judged.n_done, judged.n_folds, len(judged.rows)) == (2, 4, 20)
    assert judged.probabilities is None
