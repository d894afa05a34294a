import numpy as np
import pytest

from infoprop.svm.active_set import _free_step_fast as fast


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9, 33])
def test_factor_and_solve_agree_with_numpy(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    A = A @ A.T + 0.1 * np.eye(n)
    x = rng.normal(size=n)
    U = A.copy()
    tiny = fast.factor(U)
    np.testing.assert_allclose(np.triu(U).T @ np.triu(U), A, atol=1e-10)
    solution = x.copy()
    fast.solve_factored(U, tiny, 0.0, solution)
    np.testing.assert_allclose(solution, np.linalg.solve(A, x), rtol=1e-8)


def test_a_free_set_step_reaches_the_optimum_of_the_free_variables():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 8))
    K = A @ A.T + np.eye(8)
    y = np.where(rng.random(8) < 0.5, 1.0, -1.0)
    beta = np.zeros(8)
    low, high = np.full(8, -1e3), np.full(8, 1e3)
    f = K @ beta - y
    assert fast.free_step(K, f, beta, low, high)
    assert beta.sum() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(f, K @ beta - y, atol=1e-10)
    assert np.ptp(f) < 1e-10


def test_a_free_set_step_stops_at_the_first_bound():
    K = np.eye(4)
    y = np.array([1.0, 1.0, -1.0, -1.0])
    beta = np.zeros(4)
    low, high = np.full(4, -0.2), np.array([0.1, 5.0, 5.0, 5.0])
    low[2:] = -5.0
    f = -y.copy()
    assert not fast.free_step(K, f, beta, low, high)
    assert beta[0] == 0.1
    np.testing.assert_allclose(f, beta - y)


def test_dependent_rows_are_left_alone_unless_there_is_something_to_gain():
    A = np.ones((2, 2))
    U = A.copy()
    tiny = fast.factor(U)
    consistent = np.array([2.0, 2.0])
    fast.solve_factored(U, tiny, 1e-9, consistent)
    np.testing.assert_allclose(consistent, [2.0, 0.0])
    downhill = np.array([2.0, 3.0])
    fast.solve_factored(U, tiny, 1e-9, downhill)
    assert downhill[1] > 1e9


def test_a_free_set_with_one_row_more_than_dimensions_is_solved_exactly():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 5))
    K = X @ X.T
    y = np.where(np.arange(6) % 2, 1.0, -1.0)
    beta, low, high = np.zeros(6), np.full(6, -1e6), np.full(6, 1e6)
    f = -y.copy()
    assert fast.free_step(K, f, beta, low, high)
    assert np.ptp(K @ beta - y) < 1e-9
