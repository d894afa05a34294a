import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.solvers import _dual_cd_fast as fast
from reference.engine import matrix_rows


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.5)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    return X, y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)


def lagrangian(X, y, beta, b, rho, ridge):
    w = X.T @ beta
    return 0.5 * w @ w + 0.5 * ridge * beta @ beta - beta @ y + b * beta.sum() + 0.5 * rho * beta.sum() ** 2


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_every_sweep_lowers_the_lagrangian_and_keeps_the_books(problem, container, ridge):
    X, y, low, high = problem
    rows, own = matrix_rows(container(X)), np.full(30, ridge)
    task = fast.DualTask(y, low, high, own, (X * X).sum(1) + own)
    beta, w, total = np.zeros(30), np.zeros(6), 0.0
    order, bars = np.arange(30), np.array([np.inf, -np.inf])
    values = [lagrangian(X, y, beta, 0.3, 0.5, ridge)]
    for _ in range(5):
        bars[:] = np.inf, -np.inf
        n_active, total = fast.sweep(rows, task, beta, w, 0.3, total, 0.5, order, 30, bars)
        values.append(lagrangian(X, y, beta, 0.3, 0.5, ridge))
    assert n_active == 30
    assert np.all(np.diff(values) < 0)
    np.testing.assert_allclose(w, X.T @ beta, atol=1e-12)
    assert total == pytest.approx(beta.sum())


def test_gap_is_the_distance_between_best_faller_and_best_riser():
    f = np.array([0.0, 1.0, -2.0, 3.0])
    low, high = np.zeros(4), np.ones(4)
    beta = np.array([0.5, 1.0, 1.0, 0.0])
    assert fast.gap_of(f, beta, low, high) == 1.0 - 0.0


@pytest.mark.parametrize("upper", [1.0, np.inf])
def test_balance_brings_the_sum_to_zero_within_the_box(upper):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 4))
    y = np.where(np.arange(20) < 8, 1.0, -1.0)
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    for scale in (0.1, 0.9):
        beta = y * rng.uniform(0.0, scale, 20)
        beta[:2], beta[-9:] = min(1.0, upper), 0.0
        w = X.T @ beta
        task = fast.DualTask(y, low, high, np.zeros(20), np.ones(20))
        assert abs(fast.balance(matrix_rows(X), task, beta, w)) < 1e-9
        assert np.all((low <= beta) & (beta <= high))
        np.testing.assert_allclose(w, X.T @ beta, atol=1e-12)


def test_active_are_the_free_and_those_that_violate_or_nearly_do():
    low, high = np.zeros(5), np.ones(5)
    beta = np.array([0.5, 0.0, 0.0, 1.0, 1.0])
    f = np.array([9.0, 0.2, 0.4, -0.4, 0.1])
    order = np.empty(5, dtype=np.int64)
    task = fast.DualTask(low, low, high, low, high)
    n_active = fast.choose_active(task, beta, f, 0.0, 0.3, order)
    assert sorted(order[:n_active]) == [0, 1, 4]
    assert sorted(order) == [0, 1, 2, 3, 4]
