"""Splits: what one trains on, what it predicts, and the problems of its machines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from infoprop._core._matrices import taken_columns
from infoprop._core._typing import FloatArray, IntArray, LabelArray, Matrix
from infoprop.svm._machine import DualProblem
from infoprop.svm._sensitivity import sensitivity_shares


@dataclass(frozen=True)
class SplitProblem:
    """The machines of one split.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_train, n_columns)
        Rows to train on.
    X_test : array or CSR matrix of shape (n_test, n_columns)
        Rows to predict; may be none.
    classes : array of shape (n_classes,)
        Labels that the training rows have; two of them share one machine.
    problems : tuple of DualProblem
        One for each machine.
    """

    X: Matrix
    X_test: Matrix
    classes: LabelArray
    problems: tuple[DualProblem, ...]

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return len(self.problems)

    @cached_property
    def rows(self) -> Matrix:
        """Training rows, then rows to predict."""
        if self.X_test.shape[0] == 0:
            return self.X
        parts = [self.X, self.X_test]
        return sparse.vstack(parts, format="csr") if sparse.issparse(self.X) else np.concatenate(parts)

    def rows_on(self, columns: IntArray) -> Matrix:
        """Those rows on some columns, ascending; the others are not copied on the way."""
        own = taken_columns(self.X, columns), taken_columns(self.X_test, columns)
        return replace(self, X=own[0], X_test=own[1]).rows


@dataclass(frozen=True)
class MachineIndex:
    """How the machines of several splits follow one another, and their labels numbered."""

    classes: LabelArray
    split: IntArray
    positive: IntArray
    negative: IntArray
    first: IntArray
    last: IntArray

    @classmethod
    def of(cls, splits: Sequence[SplitProblem], classes: LabelArray) -> "MachineIndex":
        """Number the machines of `splits`; `classes` are the labels of all of them, ascending."""
        sizes = np.array([split.n_machines for split in splits])
        numbers = [np.searchsorted(classes, split.classes) for split in splits]
        last = np.cumsum(sizes)
        return cls(
            classes,
            np.repeat(np.arange(len(splits)), sizes),
            np.concatenate([own[-size:] for own, size in zip(numbers, sizes, strict=True)]),
            np.array([own[0] for own in numbers]),
            last - sizes,
            last,
        )

    def label_scale(self, n_labels: int) -> FloatArray:
        """One over the number of splits that have learned each of `n_labels` labels; zero if none has."""
        learned = np.bincount(self.positive, minlength=n_labels)
        alone = self.last - self.first == 1
        learned += np.bincount(self.negative[alone], minlength=n_labels)
        return np.divide(1.0, learned, out=np.zeros(n_labels), where=learned > 0)

    def mean_shares(self, sensitivities: FloatArray) -> FloatArray:
        """Shares of every class, mean over the splits: (n_classes, n_columns).

        Of sensitivities of all machines, (n_machines, n_columns). A class that a split has not learned counts
        as zero there.
        """
        shares = sensitivity_shares(sensitivities)
        total = np.zeros((len(self.classes), sensitivities.shape[1]))
        for t, (first, last) in enumerate(zip(self.first, self.last, strict=True)):
            total[self.positive[first:last]] += shares[first:last]
            if last - first == 1:
                total[self.negative[t]] += shares[first]
        return total / len(self.first)


def stacked_beta(parts: Sequence[FloatArray]) -> FloatArray:
    """Dual variables of all splits in one array: (n_machines, n); rows that a split has not got are zero."""
    n = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, n - part.shape[1]))) for part in parts])


def split_beta(beta: FloatArray | None, splits: Sequence[SplitProblem]) -> list[FloatArray]:
    """Undo :func:`stacked_beta`; None gives zeros."""
    if beta is None:
        return [np.zeros((split.n_machines, split.X.shape[0])) for split in splits]
    ends = np.cumsum([split.n_machines for split in splits])
    return [
        beta[end - split.n_machines : end, : split.X.shape[0]].copy()
        for split, end in zip(splits, ends, strict=True)
    ]
