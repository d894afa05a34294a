"""Linear machines on columns of any scale: optimal, or honest about it."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from infoprop._core._matrices import centred
from infoprop.svm import OneVsRestSVC
from infoprop.svm.solvers._interior import solve_interior
from reference.engine import DualProblem

TOL = 1e-3


def labelled(n, d, k, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.argmax(X @ rng.standard_normal((d, k)) + 0.5 * rng.standard_normal((n, k)), axis=1)
    y[:k] = np.arange(k)
    return X, y


def with_column(scale):
    def change(X):
        return np.concatenate([scale * X[:, :1], X[:, 1:]], axis=1)

    return change


SCALES = {
    "column x 1e-12": with_column(1e-12),
    "column x 1e3": with_column(1e3),
    "column x 1e6": with_column(1e6),
    "column x 1e12": with_column(1e12),
    "column x 1e90": with_column(1e90),
    "all + 1e6": lambda X: X + 1e6,
    "all + 1e8": lambda X: X + 1e8,
    "all x 1e-9": lambda X: X * 1e-9,
    "all x 1e9": lambda X: X * 1e9,
    "one scale for each": lambda X: X * 10.0 ** np.linspace(-6, 6, X.shape[1]),
    "twice the same": lambda X: np.concatenate([X, 1e6 * X], axis=1),
    "constant": lambda X: np.concatenate([X, np.full((len(X), 1), 1e12)], axis=1),
    "rounded": np.round,
}


def check_optimal(model, X, y, C):
    """Weights and multipliers belong to each other, and no row is on the wrong side of its conditions."""
    rows = centred(X)
    outputs = rows @ model.coef_.T
    labels = model.classes_ if len(model.machines_) > 1 else model.classes_[1:]
    for label, machine, w, own in zip(labels, model.machines_, model.coef_, outputs.T, strict=True):
        signs = np.where(y == label, 1.0, -1.0)
        alpha = np.zeros(len(y))
        alpha[machine.support] = machine.alpha
        assert (alpha <= C * (1 + 1e-9)).all()
        beta = signs * alpha
        assert abs(beta.sum()) <= 1e-6 * alpha.sum()
        terms = alpha @ np.abs(rows) + np.abs(w)
        assert (np.abs(beta @ rows - w) <= 1e-4 * terms).all()
        f = own - signs
        rising, falling = f[beta < np.where(signs > 0, C, 0)], f[beta > np.where(signs > 0, 0, -C)]
        assert falling.max() - rising.min() < 2 * TOL + 1e-9 * np.abs(own).max()


def cases():
    """Every way to solve every table. Soaked: more rows, and a small C."""
    for solver, C, shape, scale in product(
        ["auto", "smo", "cd"], [1.0, 1e3], [(60, 2, 2), (40, 60, 3), (120, 6, 4)], SCALES
    ):
        marks = [pytest.mark.soak] if C == 1.0 or shape[0] == 120 else []
        yield pytest.param(scale, shape, C, solver, marks=marks, id=f"{solver}-{C}-{shape}-{scale}")


@pytest.mark.parametrize(("scale", "shape", "C", "solver"), list(cases()))
def test_machines_on_columns_of_any_scale_are_optimal_or_say_so(scale, shape, C, solver):
    X, y = labelled(*shape)
    X = SCALES[scale](X)
    model = OneVsRestSVC(kernel="linear", C=C, solver=solver)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    if all(machine.converged for machine in model.machines_):
        check_optimal(model, X, y, C)
    else:
        assert [warning.category for warning in caught] == [ConvergenceWarning]


@pytest.mark.parametrize("scale", ["column x 1e6", "column x 1e12", "all + 1e8", "all x 1e9"])
def test_columns_of_extreme_scale_are_no_obstacle(scale):
    X, y = labelled(300, 5, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OneVsRestSVC(kernel="linear").fit(SCALES[scale](X), y)
    assert model.score(SCALES[scale](X), y) > 0.85


@pytest.mark.parametrize("shift", [1e3, 1e6, 1e8])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_shift_of_the_columns_changes_no_weight(shift, loss):
    X, y = labelled(80, 3, 3)
    X = np.round(X * 2**10) / 2**10
    plain = OneVsRestSVC(kernel="linear", loss=loss).fit(X, y)
    shifted = OneVsRestSVC(kernel="linear", loss=loss).fit(X + shift, y)
    np.testing.assert_allclose(shifted.coef_, plain.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(
        shifted.decision_function(X + shift), plain.decision_function(X), atol=1e-6 + 1e-14 * shift
    )
    np.testing.assert_allclose(shifted.credit_shares(), plain.credit_shares(), atol=1e-6)


@pytest.mark.parametrize("shift", [1e4, 1e8])
def test_a_shift_of_the_columns_changes_no_gaussian_kernel(shift):
    X, y = labelled(80, 3, 3)
    X = np.round(X * 2**10) / 2**10
    plain, shifted = OneVsRestSVC().fit(X, y), OneVsRestSVC().fit(X + shift, y)
    assert shifted.machines_[0].kernel.gamma == pytest.approx(plain.machines_[0].kernel.gamma, rel=1e-6)
    np.testing.assert_allclose(shifted.decision_function(X + shift), plain.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("shape", [(50, 4), (20, 60)])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_the_interior_point_lies_between_the_objectives_of_libsvm(shape, C):
    X, y = labelled(*shape, 2)
    signs = np.where(y == 1, 1.0, -1.0)
    problem = DualProblem(signs, np.full(len(y), C))
    solution = solve_interior(centred(X), problem, TOL)
    peer = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)
    losses = np.maximum(0.0, 1.0 - signs * peer.decision_function(X))
    theirs = 0.5 * float(peer.coef_[0] @ peer.coef_[0]) + C * losses.sum()
    assert solution.converged
    # Both objectives of libsvm, which stops somewhere near the optimum, have it between them.
    below = np.abs(peer.dual_coef_).sum() - 0.5 * float(peer.coef_[0] @ peer.coef_[0])
    assert below * (1 - 1e-9) <= -solution.objective(problem) <= theirs * (1 + 1e-9)


def test_sparse_rows_of_extreme_scale_are_solved_too():
    X, y = labelled(80, 4, 2)
    X = with_column(1e6)(np.where(np.abs(X) < 0.5, 0.0, X))
    dense = OneVsRestSVC(kernel="linear").fit(X, y)
    thin = OneVsRestSVC(kernel="linear").fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_ * [1e6, 1, 1, 1], dense.coef_ * [1e6, 1, 1, 1], atol=5e-3)


def test_a_machine_that_stops_early_names_the_columns_of_extreme_scale():
    X, y = labelled(60, 4, 2)
    X[:, 2] *= 1e7
    with pytest.warns(ConvergenceWarning, match=r"Scale the features: column 2 is much larger"):
        OneVsRestSVC(kernel="linear", solver="cd", max_iter=1).fit(X, y)


def test_a_machine_that_stops_early_has_other_advice_where_no_column_is_extreme():
    X, y = labelled(60, 4, 2)
    with pytest.warns(ConvergenceWarning, match="Scale the features, lower C, or raise max_iter"):
        OneVsRestSVC(solver="smo", max_iter=1).fit(X, y)
