"""The classifier of a selector, where it starts from the machines that the search has moved."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from infoprop.selection import BackwardEliminationSelector
from infoprop.svm import OneVsRestSVC
from infoprop.svm.active_set import _state
from reference.engine import NO_START, LinearSolver, PrimalSolver, SMOSolver, Start

X, Y = load_wine(return_X_y=True)
X = scale(X)


@pytest.fixture
def taken(monkeypatch):
    """Classifiers that have started from the machines of a search."""
    classifiers = []
    fit = OneVsRestSVC._fit

    def noted(classifier, X, y, sample_weight, start=NO_START, groups=None):
        if start.beta is not None:
            classifiers.append(classifier)
        return fit(classifier, X, y, sample_weight, start, groups)

    monkeypatch.setattr(OneVsRestSVC, "_fit", noted)
    return classifiers


def selector(estimator=None, **parameters):
    defaults = {"n_features_to_select": 3, "criterion": "margin", "validation": None}
    estimator = OneVsRestSVC(tol=1e-10) if estimator is None else estimator
    return BackwardEliminationSelector(estimator, **{**defaults, **parameters})


def assert_like_a_fresh_one(chosen, rows=X, y=Y, **weights):
    fresh = OneVsRestSVC(**chosen.estimator_.get_params()).fit(rows[:, chosen.support_], y, **weights)
    asked = X[:, chosen.support_]
    np.testing.assert_allclose(
        chosen.estimator_.decision_function(asked), fresh.decision_function(asked), atol=1e-8
    )
    for own, other in zip(chosen.estimator_.machines_, fresh.machines_, strict=True):
        np.testing.assert_array_equal(own.support, other.support)
        np.testing.assert_allclose(own.alpha, other.alpha, atol=1e-8)
        np.testing.assert_allclose(own.support_vectors, other.support_vectors)
        assert own.margin == pytest.approx(other.margin)
        assert own.objective == pytest.approx(other.objective)
        assert own.kernel.gamma == pytest.approx(other.kernel.gamma)
        assert own.converged


@pytest.mark.parametrize(
    "estimator",
    [
        OneVsRestSVC(tol=1e-10),
        OneVsRestSVC(kernel="linear", tol=1e-10),
        OneVsRestSVC(kernel="poly", degree=2, coef0=1.0, tol=1e-10),
        OneVsRestSVC(
            kernel={0: "rbf", 1: {"kernel": "rbf", "gamma": 0.2}, 2: "anova"},
            normalize_margin=False,
            tol=1e-10,
        ),
    ],
)
def test_it_is_the_one_that_training_anew_gives(taken, estimator):
    chosen = selector(estimator).fit(X, Y)
    assert taken == [chosen.estimator_]
    assert_like_a_fresh_one(chosen)


def test_two_classes_and_given_rows(taken):
    two = Y < 2
    chosen = selector(criterion="information", validation="given").fit(X[two], Y[two], X_val=X, y_val=Y)
    assert taken == [chosen.estimator_]
    assert_like_a_fresh_one(chosen, X[two], Y[two])


def test_weights_some_of_them_zero(taken):
    weights = np.arange(178) % 4 / 2.0
    chosen = selector().fit(X, Y, sample_weight=weights)
    assert taken == [chosen.estimator_]
    used = weights > 0
    assert_like_a_fresh_one(chosen, X[used], Y[used], sample_weight=weights[used])


def test_names_of_columns(taken):
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(13)])
    chosen = selector().fit(frame, Y)
    assert taken == [chosen.estimator_]
    assert chosen.estimator_.feature_names_in_.tolist() == frame.columns[chosen.support_].tolist()
    assert chosen.predict(frame).tolist() == selector().fit(X, Y).predict(X).tolist()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_start_that_is_no_optimum_leads_there_all_the_same(kernel):
    fresh = OneVsRestSVC(kernel=kernel, tol=1e-10).fit(X, Y)
    beta = np.random.default_rng(0).normal(size=(3, len(Y)))
    for start in (beta, beta[:, :-1]):
        led = OneVsRestSVC(kernel=kernel, tol=1e-10)._fit(X, Y, None, Start(start))
        np.testing.assert_allclose(led.decision_function(X), fresh.decision_function(X), atol=1e-8)


def test_machines_that_a_cold_solver_has_led(taken, monkeypatch):
    monkeypatch.setattr(_state, "_MOST_ROWS", 10)
    chosen = selector().fit(X, Y)
    assert taken == [chosen.estimator_]
    assert_like_a_fresh_one(chosen)


@pytest.mark.parametrize(
    "parameters",
    [
        {"validation": 0.25, "random_state": 0},
        {"validation": 3, "random_state": 0},
        {"estimator": make_pipeline(StandardScaler(), OneVsRestSVC())},
        {"n_features_to_select": "auto", "criterion": "information", "validation": 0.25, "random_state": 0},
    ],
)
def test_other_rows_other_scales_and_other_columns_are_trained_on(taken, parameters):
    chosen = selector(**parameters).fit(X, Y)
    assert not taken
    assert chosen.score(X, Y) > 0.8


def test_a_size_on_the_path_is_trained_on(taken):
    chosen = selector(n_features_to_select="auto", criterion="information", validation="given")
    chosen.fit(X, Y, X_val=X, y_val=Y)
    assert chosen.n_features_ > 1
    assert not taken
    assert_like_a_fresh_one(chosen)


def test_a_finished_search_hands_over_the_same_bits(taken, tmp_path):
    first, again = (selector(checkpoint=tmp_path / "journal").fit(X, Y) for _ in range(2))
    assert len(taken) == 2
    for other in (again, selector().fit(X, Y)):
        assert (
            other.estimator_.decision_function(X[:, other.support_]).tobytes()
            == first.estimator_.decision_function(X[:, first.support_]).tobytes()
        )


@pytest.mark.parametrize(
    ("rows", "solver"),
    [
        (X, "primal"),
        (np.hstack([X[:60]] * 6), "smo"),
        (sparse.csr_array(X), "smo"),
        (sparse.csr_array(np.tile(X, (8, 1))), "cd"),
    ],
    ids=["tall", "wide", "sparse", "many sparse rows"],
)
def test_the_solver_of_the_search_trains_the_classifier(monkeypatch, rows, solver):
    # One job compiles one cold solver.
    used = set()
    for name, kind in {"primal": PrimalSolver, "smo": SMOSolver, "cd": LinearSolver}.items():

        def noted(own, *given, _name=name, _solve=kind.solve, **named):
            used.add(_name)
            return _solve(own, *given, **named)

        monkeypatch.setattr(kind, "solve", noted)
    linear = OneVsRestSVC(kernel="linear")
    y = np.resize(Y, rows.shape[0])
    selector(linear, validation=0.25, random_state=0, step="halving").fit(rows, y)
    assert used == {solver}
