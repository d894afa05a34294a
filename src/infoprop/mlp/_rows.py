"""Rows: training data in the layout that compiled code reads, one block of rows after another."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.mlp._evaluation_fast import Blocks

_LANES = 16
_LARGEST_BLOCK = 128


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
    """

    X: FloatArray
    labels: IntArray
    weights: FloatArray

    @classmethod
    def none(cls, n_features: int) -> "Rows":
        """Return no rows at all."""
        return cls(np.zeros((0, n_features)), np.zeros(0, dtype=np.intp), np.zeros(0))

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
        """Return the rows in blocks of `size`, in one precision; their weights sum to one."""
        n, d = self.X.shape
        n_blocks = -(-n // size)
        padded = np.zeros((n_blocks * size, d), dtype=dtype)
        padded[:n] = self.X
        X = np.ascontiguousarray(padded.reshape(n_blocks, size, d).transpose(0, 2, 1))
        labels = np.zeros((n_blocks, size), dtype=np.int32)
        labels.ravel()[:n] = self.labels
        weights = np.zeros((n_blocks, size), dtype=dtype)
        weights.ravel()[:n] = self.weights / self.weights.sum() if n else 0.0
        return Blocks(X, labels, weights)
