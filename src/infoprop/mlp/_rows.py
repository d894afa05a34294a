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
    >>> from infoprop.mlp import Rows
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
        if dtype != np.float64:
            X, labels, weights = self.blocks(np.float64, size)
            with np.errstate(over="ignore"):
                return Blocks(X.astype(dtype), labels, weights.astype(dtype))
        if size not in self._double:
            n, d = self.X.shape
            n_blocks = -(-n // size)
            padded = np.zeros((n_blocks * size, d))
            padded[:n] = self.X
            labels = np.zeros(n_blocks * size, dtype=np.int32)
            labels[:n] = self.labels
            weights = np.zeros(n_blocks * size)
            weights[:n] = self.weights / self.weights.sum()
            self._double[size] = Blocks(
                np.ascontiguousarray(padded.reshape(size, n_blocks, d).transpose(1, 2, 0)),
                np.ascontiguousarray(labels.reshape(size, n_blocks).T),
                np.ascontiguousarray(weights.reshape(size, n_blocks).T),
            )
        return self._double[size]

    @cached_property
    def _double(self) -> dict[int, Blocks]:
        return {}


@cache
def no_blocks(dtype: type, n_features: int) -> Blocks:
    """Return the blocks of no rows."""
    X: Any = np.zeros((0, n_features, 0), dtype=dtype)
    return Blocks(X, np.zeros((0, 0), dtype=np.int32), np.zeros((0, 0), dtype=dtype))
