"""Rows laid out in blocks for compiled code, straight from a matrix of rows."""

import numpy as np

from infoprop._core._jit import njit
from infoprop.mlp._evaluation_fast import Blocks

# Rows that are turned into a column's neighbours at a time: a cache line of numbers, and as many lines.
_TILE = 16


@njit
def deal(X, labels, weights, n_blocks, size, precision):
    """Return blocks of `size` rows, dealt out like cards: row i goes to block ``i % n_blocks``.

    `precision` is any array of the wanted one. Places that are left over have weight zero.
    """
    n, d = X.shape
    dealt = np.empty((n_blocks, d, size), precision.dtype)
    dealt_labels = np.zeros((n_blocks, size), np.int32)
    dealt_weights = np.zeros((n_blocks, size), precision.dtype)
    total = 0.0
    for i in range(n):
        total += weights[i]
    for b in range(n_blocks):
        n_rows = (n - b + n_blocks - 1) // n_blocks
        for r in range(n_rows):
            dealt_labels[b, r] = labels[r * n_blocks + b]
            dealt_weights[b, r] = weights[r * n_blocks + b] / total
        for first in range(0, n_rows, _TILE):
            last = min(first + _TILE, n_rows)
            for k in range(d):
                for r in range(first, last):
                    dealt[b, k, r] = X[r * n_blocks + b, k]
        dealt[b, :, n_rows:] = 0
    return Blocks(dealt, dealt_labels, dealt_weights)
