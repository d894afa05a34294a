import numpy as np
import pytest
from scipy import sparse

from infoprop.svm import _cd_fast as fast


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.5)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    return X, y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)


def dense_parts(X):
    n, d = X.shape
    return X.ravel(), np.arange(d, dtype=np.int32), np.arange(n + 1) * d, d


def csr_parts(X):
    X = sparse.csr_array(X)
    return X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64), 0


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


@pytest.mark.parametrize("parts", [dense_parts, csr_parts])
def test_face_direction_solves_the_bordered_system(problem, parts):
    X, *_ = problem
    X = X[:, :]
    free = np.array([2, 5, 9, 11])
    rng = np.random.default_rng(1)
    gradient, step, Xstep = rng.normal(size=4), np.empty(4), np.empty(6)
    X[free] += rng.normal(size=(4, 6))
    change = fast.face_direction(*parts(X), (X * X).sum(1), gradient, free, 0.7, 1e-12, 100, step, Xstep)
    K = X[free] @ X[free].T
    bordered = np.block([[K, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    expected = np.linalg.solve(bordered, np.r_[-gradient, 0.7])
    np.testing.assert_allclose(np.r_[step, change], expected, atol=1e-9)
    np.testing.assert_allclose(Xstep, X[free].T @ step, atol=1e-10)


def test_gap_is_the_distance_between_best_faller_and_best_riser():
    f = np.array([0.0, 1.0, -2.0, 3.0])
    low, high = np.zeros(4), np.ones(4)
    beta = np.array([0.5, 1.0, 1.0, 0.0])
    assert fast.gap_of(f, beta, low, high) == 1.0 - 0.0
