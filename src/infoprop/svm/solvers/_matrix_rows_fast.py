"""Rows of a matrix as compiled code reads them.

Rows come as CSR arrays; a dense matrix is the same with ``indices = arange(n_features)`` and
``stride = n_features`` (the indices of row i then start at ``indptr[i] - i * stride``, its `shift`).
"""

from infoprop._core._jit import njit


@njit
def row_dot(data, indices, start, end, shift, w):
    """Product of one row with w."""
    total = 0.0
    for p in range(start, end):
        total += data[p] * w[indices[p - shift]]
    return total


@njit
def add_row(data, indices, start, end, shift, scale, w):
    """``w += scale x`` for one row x."""
    for p in range(start, end):
        w[indices[p - shift]] += scale * data[p]


@njit
def gradients(data, indices, indptr, stride, y, w, f):
    """``f = X w - y``."""
    for i in range(y.shape[0]):
        f[i] = row_dot(data, indices, indptr[i], indptr[i + 1], i * stride, w) - y[i]
