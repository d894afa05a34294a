"""Rows: training data in the layout that compiled code reads, one block of rows after another."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.mlp._evaluation_fast import Blocks

_LANES = 16
_LARGEST_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to train on or to validate with.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Of any layout.
    labels : array of shape (n_rows,)
        Numbers of the classes, from 0.
    weights : array of shape (n_rows,)
        Positive or zero; only their ratios matter to the loss, their sum divides the penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.mlp._rows import Rows
    >>> rows = Rows(np.eye(3), np.array([0, 1, 1]), np.ones(3))
    >>> rows.on(np.array([0, 2])).X.shape, rows.take(np.array([0])).labels
    ((3, 2), array([0]))
    """

    X: FloatArray
    labels: IntArray
    weights: FloatArray

    def on(self, columns: IntArray) -> "Rows":
        """Return the same rows with some of the columns."""
        return Rows(self.X[:, columns], self.labels, self.weights)

    def take(self, numbers: IntArray) -> "Rows":
        """Return some of the rows."""
        return Rows(self.X[numbers], self.labels[numbers], self.weights[numbers])

    @cached_property
    def block_size(self) -> int:
        """Rows in a block, a whole number of vectors."""
        n_blocks = max(1, -(-self.labels.size // _LARGEST_BLOCK))
        return max(1, -(-self.labels.size // (n_blocks * _LANES))) * _LANES

    def blocks(self, dtype: type, size: int) -> Blocks:
        """Return the rows in blocks of `size`, in one precision; their weights sum to one.

        Rows are dealt out like cards: a few blocks tell of all rows even if these are sorted.
        """
        key = dtype, size
        if key not in self._dealt:
            self._dealt[key] = self._deal(dtype, size)
        return self._dealt[key]

    def _deal(self, dtype: type, size: int) -> Blocks:
        """Row i goes to block ``i % n_blocks``; places that are left over have weight zero."""
        n_blocks = -(-self.labels.size // size)
        X: Any = np.zeros((n_blocks, self.X.shape[1], size), dtype=dtype)
        labels = np.zeros((n_blocks, size), dtype=np.int32)
        weights: Any = np.zeros((n_blocks, size), dtype=dtype)
        # One by one, so that the sum does not depend on how many numbers NumPy adds at a time.
        shares = self.weights / np.cumsum(self.weights)[-1]
        for b in range(n_blocks):
            own = slice(b, None, n_blocks)
            n_rows = len(self.labels[own])
            X[b, :, :n_rows] = self.X[own].T
            labels[b, :n_rows] = self.labels[own]
            weights[b, :n_rows] = shares[own]
        return Blocks(X, labels, weights)

    @cached_property
    def _dealt(self) -> dict[tuple[type, int], Blocks]:
        return {}


@cache
def no_blocks(dtype: type, n_features: int) -> Blocks:
    """Return the blocks of no rows."""
    X: Any = np.zeros((0, n_features, 0), dtype=dtype)
    return Blocks(X, np.zeros((0, 0), dtype=np.int32), np.zeros((0, 0), dtype=dtype))
