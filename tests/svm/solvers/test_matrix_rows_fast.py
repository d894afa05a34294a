"""Products with rows, dense and sparse, against NumPy; rows of every length up to nine."""

import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.solvers._matrix_rows_fast import add_row, outputs
from reference.engine import matrix_rows


@pytest.mark.parametrize("is_sparse", [False, True])
def test_products_and_sums_of_rows(is_sparse: bool) -> None:
    rng = np.random.default_rng(0)
    X = np.array([np.where(np.arange(9) < length, rng.normal(size=9), 0.0) for length in range(10)])
    X = X[:, rng.permutation(9)]
    w, weights, out = rng.normal(size=9), rng.normal(size=10), np.empty(10)
    rows = matrix_rows(sparse.csr_matrix(X) if is_sparse else X)
    outputs(rows, w, out)
    np.testing.assert_allclose(out, X @ w, atol=1e-15)
    expected = w + weights @ X
    for i, weight in enumerate(weights):
        add_row(rows.data, rows.indices, rows.indptr[i], rows.indptr[i + 1], rows.stride, weight, w)
    np.testing.assert_allclose(w, expected, atol=1e-14)
