from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from infoprop.selection import KnockoffSelector, StabilitySelector
from infoprop.selection._preparation import prepared_rows
from infoprop.selection.control import _controlled
from infoprop.selection.control._controlled import eliminated, survival_scores
from infoprop.svm import OneVsRestSVC
from reference.evaluators import RefitSubsetModel, choose_columns

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(120, 9))
Y = (X[:, 0] + X[:, 1] > 0.0) + (X[:, 2] > 0.8)
EVEN = (np.abs(X[:, 3]) + np.abs(X[:, 5]) > 1.7).astype(int)
LINEAR = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", loss="squared_hinge", C=0.1))
CURVED = make_pipeline(SplineTransformer(n_knots=3, degree=2), *(step for _, step in LINEAR.steps))


def prepared(estimator, labels, groups=None, rows=X):
    owner = StabilitySelector(estimator, n_pairs=2, random_state=0)
    evaluator, _ = prepared_rows(owner, estimator, rows, labels, None, {})
    return evaluator, choose_columns(groups, None, 1, None, evaluator.feature_names)


@pytest.mark.parametrize("estimator", [LINEAR, CURVED], ids=["linear", "splines"])
@pytest.mark.parametrize("groups", [None, [[0, 4], [2, 5, 8]]], ids=["columns", "groups"])
def test_shares_and_order_are_those_of_classifiers_trained_anew(estimator, groups, monkeypatch):
    evaluator, choice = prepared(estimator, Y, groups)
    rows = np.arange(0, 120, 2)
    scores, order = survival_scores(evaluator, choice, rows, 0.3), eliminated(evaluator, choice, rows, 0.3)
    monkeypatch.setattr(_controlled, "with_splines", lambda *given: given[:2])
    monkeypatch.setattr(_controlled, "subset_model", RefitSubsetModel)
    np.testing.assert_allclose(scores, survival_scores(evaluator, choice, rows, 0.3), atol=1e-6)
    np.testing.assert_array_equal(order, eliminated(evaluator, choice, rows, 0.3))


def test_scores_are_steps_stood_times_shares():
    evaluator, choice = prepared(LINEAR, Y)
    rows, left = np.arange(120), list(range(9))
    n_stood, earned = np.zeros(9), np.zeros(9)
    # 9, 6, 4, 3, 2 and 1 columns.
    for n_left in (6, 4, 3, 2, 1, 0):
        shares = clone(LINEAR).fit(X[:, left], Y)[-1].credit_shares().mean(axis=0)
        n_stood[left] += 1
        earned[left] += shares
        left = sorted(left[place] for place in np.argsort(shares)[len(left) - n_left :])
    assert earned.sum() == pytest.approx(6.0)
    found = survival_scores(evaluator, choice, rows, 0.34)
    np.testing.assert_allclose(found, n_stood * earned, rtol=1e-6)


@pytest.mark.parametrize("storage", [np.asarray, lambda rows: pl.DataFrame(rows, orient="row")])
def test_splines_see_even_functions(storage):
    blind = StabilitySelector(LINEAR, n_pairs=10, random_state=0).fit(storage(X), EVEN)
    found = StabilitySelector(CURVED, n_pairs=10, random_state=0).fit(storage(X), EVEN)
    assert not blind.support_[[3, 5]].any()
    assert np.flatnonzero(found.support_).tolist() == [3, 5]
    assert found.score(storage(X), EVEN) > 0.9
    knockoffs = KnockoffSelector(CURVED, n_knockoffs=9, random_state=0).fit(storage(X), EVEN)
    assert knockoffs.support_[[3, 5]].all()


def test_weights_for_splines_are_left_to_the_pipeline():
    evaluator, choice = prepared(CURVED, Y)
    weighted = replace(evaluator, fit_parameters={"splinetransformer__sample_weight": np.ones(120)})
    assert _controlled.with_splines(weighted, choice, np.arange(120)) == (weighted, choice)
