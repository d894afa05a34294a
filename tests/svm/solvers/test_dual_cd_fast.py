import numpy as np
import pytest

from infoprop.svm.solvers import _dual_cd_fast as fast
from reference.matrix_rows import csr_parts, dense_parts


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.5)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    return X, y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)


def lagrangian(X, y, beta, b, rho):
    w = X.T @ beta
    return 0.5 * w @ w - beta @ y + b * beta.sum() + 0.5 * rho * beta.sum() ** 2


@pytest.mark.parametrize("parts", [dense_parts, csr_parts])
def test_every_sweep_lowers_the_lagrangian_and_keeps_the_books(problem, parts):
    X, y, low, high = problem
    beta, w, total = np.zeros(30), np.zeros(6), 0.0
    order, bars = np.arange(30), np.array([np.inf, -np.inf])
    values = [lagrangian(X, y, beta, 0.3, 0.5)]
    for _ in range(5):
        bars[:] = np.inf, -np.inf
        n_active, total = fast.sweep(
            *parts(X), (X * X).sum(1), y, low, high, beta, w, 0.3, total, 0.5, order, 30, bars
        )
        values.append(lagrangian(X, y, beta, 0.3, 0.5))
    assert n_active == 30
    assert np.all(np.diff(values) < 0)
    np.testing.assert_allclose(w, X.T @ beta, atol=1e-12)
    assert total == pytest.approx(beta.sum())


def test_gap_is_the_distance_between_best_faller_and_best_riser():
    f = np.array([0.0, 1.0, -2.0, 3.0])
    low, high = np.zeros(4), np.ones(4)
    beta = np.array([0.5, 1.0, 1.0, 0.0])
    assert fast.gap_of(f, beta, low, high) == 1.0 - 0.0
