"""What dense arrays and CSR matrices have in common, for code that takes both."""

from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, IntArray, Matrix


def row_norms_squared(X: Matrix) -> FloatArray:
    """Return ``x_i . x_i`` for every row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


def column_norms_squared(X: Matrix) -> FloatArray:
    """Return ``x_k . x_k`` for every column."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=0), dtype=np.float64).ravel()
    return np.einsum("ij,ij->j", X, X)


def canonical(X: Matrix) -> Matrix:
    """Sum duplicate entries of a CSR matrix, on a copy: compiled loops count on distinct columns."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def csr_parts(X: Any) -> tuple[Any, Any, Any]:
    """Return the three arrays of a CSR matrix in the order that compiled code takes them."""
    return X.data, X.indices, X.indptr


def taken_columns(X: Matrix, columns: IntArray) -> Matrix:
    """Return `columns` of X, ascending; X itself if these are all."""
    if len(columns) == X.shape[1]:
        return X
    return X[:, columns] if sparse.issparse(X) else np.ascontiguousarray(X[:, columns])
