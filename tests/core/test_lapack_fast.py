import numpy as np
import pytest

from infoprop._core import _lapack_fast as fast


def positive(m=30, seed=0):
    A = np.random.default_rng(seed).normal(size=(m, 2 * m))
    return A @ A.T / m


def test_a_factor_is_that_of_cholesky():
    A = positive()
    L = A.copy()
    assert fast.factor(L)
    np.testing.assert_allclose(np.tril(L.T), np.linalg.cholesky(A), atol=1e-13)


def test_a_matrix_that_is_not_positive_has_no_factor():
    assert not fast.factor(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("n_rows", [1, 4])
def test_triangular_systems(n_rows):
    A = positive()
    exact, L = np.linalg.cholesky(A), A.copy()
    fast.factor(L)
    B = np.random.default_rng(1).normal(size=(n_rows, len(A)))
    for is_turned, triangle in [(False, exact), (True, exact.T)]:
        solved = B.copy()
        fast.solve_lower(L, solved, is_turned)
        np.testing.assert_allclose(solved, np.linalg.solve(triangle, B.T).T, atol=1e-12)


def test_symmetric_systems():
    M = positive()
    M[3], M[:, 3] = -M[3], -M[:, 3]
    M[5, 5] = -1.0
    b = np.arange(30.0)
    solved = b.copy()
    assert fast.solve_symmetric(M.copy(), solved)
    np.testing.assert_allclose(M @ solved, b, atol=1e-10)


def test_a_system_without_a_solution():
    assert not fast.solve_symmetric(np.ones((2, 2)), np.ones(2))


@pytest.mark.parametrize(("precision", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-13)])
def test_products_with_half_of_a_symmetric_matrix(precision, rtol):
    A = positive().astype(precision)
    B = np.random.default_rng(1).random((4, len(A))).astype(precision)
    half, out = np.triu(A), np.full_like(B, np.nan)
    half[np.tril_indices(len(A), -1)] = np.nan
    fast.multiply_symmetric(B, half, out)
    np.testing.assert_allclose(out, B @ A, rtol=rtol, atol=rtol)
