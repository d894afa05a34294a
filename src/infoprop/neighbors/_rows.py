"""NeighborRows: who asks, who votes, and in which units distances are added."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoprop._core._typing import FloatArray, IntArray

# Sums of whole numbers up to here are exact as floats, and up to there as integers.
EXACT = 2.0**52
EXACT_WHOLE = 2.0**60

# A column whose largest squared difference is fewer units is not seen finely enough: a part in a million of
# its range would be nothing.
FINE = 2.0**40


@dataclass(frozen=True)
class NeighborRows:
    """Training rows that vote, and rows that are asked about; nobody votes on the own fold.

    Parameters
    ----------
    X_train : ndarray of shape (n_train, n_columns)
        Finite numbers; at least one row.
    codes : ndarray of shape (n_train,)
        Class numbers, from zero.
    train_folds : ndarray of shape (n_train,)
        A row does not vote on rows of its own fold. -1 is nobody's fold.
    X_test : ndarray of shape (n_test, n_columns)
    test_folds : ndarray of shape (n_test,)
        At least zero.
    scales : ndarray of shape (n_folds, n_columns) or (1, n_columns)
        What differences are multiplied by when rows of a fold are asked about: scalers learn from the rows
        that vote. One row serves all folds.
    n_classes : int
    """

    X_train: FloatArray
    codes: IntArray
    train_folds: IntArray
    X_test: FloatArray
    test_folds: IntArray
    scales: FloatArray
    n_classes: int

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.X_train.shape[1])

    @cached_property
    def n_slots(self) -> int:
        """Smallest power of two above every row number."""
        return 1 << max(0, len(self.X_train) - 1).bit_length()

    @cached_property
    def per_unit(self) -> float:
        """Units in a squared distance of one, a power of two; zero if columns differ too much in size.

        The largest distance there can be is at most `EXACT` units, and `EXACT_WHOLE` in slots.
        """
        if not len(self.X_test):
            return 0.0
        low = np.minimum(self.X_train.min(axis=0), self.X_test.min(axis=0))
        high = np.maximum(self.X_train.max(axis=0), self.X_test.max(axis=0))
        largest = np.square((high - low) * np.abs(self.scales).max(axis=0))
        total = float(largest.sum())
        if total == 0.0:
            return 0.0
        most = min(EXACT, EXACT_WHOLE / self.n_slots)
        per_unit = float(2.0 ** np.floor(np.log2(most / total) - 1.0))
        return per_unit if (largest[largest > 0.0] * per_unit >= FINE).all() else 0.0
