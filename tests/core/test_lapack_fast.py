import numpy as np
import pytest

from infoprop._core import _lapack_fast as fast


def positive(m=30, seed=0):
    A = np.random.default_rng(seed).normal(size=(m, 2 * m))
    return A @ A.T / m


@pytest.mark.parametrize(("precision", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-13)])
def test_products_with_half_of_a_symmetric_matrix(precision, rtol):
    A = positive().astype(precision)
    B = np.random.default_rng(1).random((4, len(A))).astype(precision)
    half, out = np.triu(A), np.full_like(B, np.nan)
    half[np.tril_indices(len(A), -1)] = np.nan
    fast.multiply_symmetric(B, half, out)
    np.testing.assert_allclose(out, B @ A, rtol=rtol, atol=rtol)
