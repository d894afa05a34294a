"""What dense arrays and CSR matrices have in common, for code that takes both."""

from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import DataError
from infoprop._core._typing import FloatArray, IntArray, Matrix

# Largest size of a value. Its square, 1e200, can still be summed over all rows and columns that memory holds,
# and multiplied by costs and multipliers, far below the largest double, 1.8e308.
LARGEST_VALUE = 1e100
# A mean of so many times the spread of a column costs products of rows more than a third of their digits.
_FAR = 1e3
# Rows that tell of most columns that they are near zero, or spread.
_FEW_ROWS = 16


def row_norms_squared(X: Matrix) -> FloatArray:
    """Return ``x_i . x_i`` for every row."""
    if sparse.issparse(X):
        return np.asarray(X.power(2).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


def column_norms_squared(X: Matrix) -> FloatArray:
    """Return ``x_k . x_k`` for every column."""
    if sparse.issparse(X):
        return np.asarray(X.power(2).sum(axis=0), dtype=np.float64).ravel()
    return np.einsum("ij,ij->j", X, X)


def canonical(X: Matrix) -> Matrix:
    """Sum duplicate entries of a CSR matrix, on a copy: compiled loops count on distinct columns."""
    if sparse.issparse(X) and not X.has_canonical_format:
        # Turned twice, entries come back in order sooner than by sorting.
        X = X.tocsc().tocsr()
        X.sum_duplicates()
    return X


def csr_parts(X: Any) -> tuple[Any, Any, Any]:
    """Return the three arrays of a CSR matrix in the order that compiled code takes them."""
    return X.data, X.indices, X.indptr


def taken_columns(X: Matrix, columns: IntArray) -> Matrix:
    """Return `columns` of X, ascending; X itself if these are all."""
    if len(columns) == X.shape[1]:
        return X
    # An index would give the columns side by side, to be turned into rows by another copy.
    return X[:, columns] if sparse.issparse(X) else X.take(columns, axis=1)


def check_magnitude(X: Any, owner: str) -> None:
    """Refuse numbers so large that sums of their squares overflow; missing values and texts may be there."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind not in "fiu" or values.size == 0:
        return
    largest = max(float(values.max()), -float(values.min()))
    if np.isnan(largest):
        # These pass over missing values, and take longer.
        largest = max(float(np.fmax.reduce(values, axis=None)), -float(np.fmin.reduce(values, axis=None)))
    if largest > LARGEST_VALUE:
        at = int(np.flatnonzero(np.abs(values.ravel()) == largest)[0])
        column = int(X.tocoo().col[at]) if sparse.issparse(X) else at % X.shape[1]
        raise DataError(
            f"{owner} needs values of at most {LARGEST_VALUE:g} in size, because squares of larger ones "
            f"overflow. Got {largest:g} in column {column}; divide that column by a constant first."
        )


def centred(X: FloatArray, n: int | None = None) -> FloatArray:
    """Return X less the column means of its first n rows (None: all); constant columns become zeros exactly.

    The bias is free, so that a constant added to a column changes no weight.
    """
    own = X - X[0]
    own -= own[:n].mean(axis=0)
    return own


def is_far_from_zero(X: Matrix) -> bool:
    """Whether a column of dense rows is so far from zero that products of rows are mostly its mean.

    Sparse rows are never: most of their entries are zero, and centring would fill them.
    """
    if sparse.issparse(X):
        return False
    # A column that is zero somewhere never is.
    few = X[:: max(1, len(X) // _FEW_ROWS)]
    asked = np.flatnonzero(np.ptp(few, axis=0) < 2.0 / _FAR * np.abs(X[0]))
    if not len(asked):
        return False
    spread = np.ptp(X[:, asked], axis=0)
    if (spread == 0.0).any():
        # Of a constant column the spread of the others decides how much it matters.
        spread[spread == 0.0] = np.ptp(X, axis=0).max()
    return bool((np.abs(X[:, asked].mean(axis=0)) > _FAR * spread)[spread > 0.0].any())
