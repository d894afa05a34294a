"""What dense arrays and CSR matrices have in common, for code that takes both."""

from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, Matrix


def row_norms_squared(X: Matrix) -> FloatArray:
    """Return ``x_i . x_i`` for every row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


def canonical(X: Matrix) -> Matrix:
    """Sum duplicate entries of a CSR matrix, on a copy: compiled loops count on distinct columns."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def csr_parts(X: Any) -> tuple[Any, Any, Any]:
    """Return the three arrays of a CSR matrix in the order that compiled code takes them."""
    return X.data, X.indices, X.indptr
