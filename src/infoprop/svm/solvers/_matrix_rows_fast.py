"""Rows of a matrix as compiled code reads them: ``x_i . w``, ``w += scale x_i``, ``X w``.

Sparse rows come as the arrays of a CSR matrix, with a `stride` of zero. Dense rows lie one after another in
`data`; `stride` is their length, and `indices` is not read. In both cases row i takes the entries from
``indptr[i]`` to ``indptr[i + 1]``.

Reference: Y. Saad, Iterative Methods for Sparse Linear Systems (2003), of compressed sparse rows.
"""

from typing import Any, NamedTuple

from infoprop._core._jit import njit, njit_norefcount, njit_norefcount_sums, prefetch
from infoprop.svm._vectors_fast import sparse_dot


class MatrixRows(NamedTuple):
    """Rows of a CSR matrix (``stride`` 0) or of a dense one (``stride`` columns)."""

    data: Any
    indices: Any
    indptr: Any
    stride: Any


# Numbers in a line of the cache.
CACHE_LINE = 8


@njit
def fetch_row(data, indices, start, end, stride):
    """Have a row that is next in a random order brought into the cache while another is worked on."""
    for p in range(start, end, CACHE_LINE):
        prefetch(data, p)
    if stride == 0:
        for p in range(start, end, 2 * CACHE_LINE):
            prefetch(indices, p)


@njit_norefcount_sums
def row_dot(data, indices, start, end, stride, w):
    """Product of one row with w."""
    if stride == 0:
        return sparse_dot(data, indices, start, end, w)
    total = 0.0
    for k in range(stride):
        total += data[start + k] * w[k]
    return total


@njit_norefcount
def add_row(data, indices, start, end, stride, scale, w):
    """``w += scale x`` for one row x."""
    if stride > 0:
        for k in range(stride):
            w[k] += scale * data[start + k]
    else:
        x, places = data[start:end], indices[start:end]
        for p in range(x.shape[0]):
            w[places[p]] += scale * x[p]


@njit
def outputs(rows, w, out):
    """``out = X w``."""
    data, indices, indptr, stride = rows
    for i in range(out.shape[0]):
        out[i] = row_dot(data, indices, indptr[i], indptr[i + 1], stride, w)
