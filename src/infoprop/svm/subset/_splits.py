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
from infoprop.svm.active_set._machines_fast import SplitIndex


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
    truth : array of shape (n_test,)
        Numbers of the labels of the rows to predict.
    test_weights : array of shape (n_test,)
        Their weights in the confusion table.
    """

    X: Matrix
    X_test: Matrix
    classes: LabelArray
    problems: tuple[DualProblem, ...]
    truth: IntArray
    test_weights: FloatArray

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


def split_index(splits: Sequence[SplitProblem], classes: LabelArray, n_labels: int) -> SplitIndex:
    """Number splits and machines for compiled code.

    `classes` are the labels that some split has learned, ascending, the first of `n_labels` in the table.
    """
    n = np.array([split.X.shape[0] for split in splits])
    n_all = n + np.array([split.X_test.shape[0] for split in splits])
    start = np.cumsum(n_all) - n_all
    truth, weight = np.zeros(n_all.sum(), dtype=np.int64), np.zeros(n_all.sum())
    for t, split in enumerate(splits):
        validation_rows = slice(start[t] + n[t], start[t] + n_all[t])
        truth[validation_rows], weight[validation_rows] = split.truth, split.test_weights
    sizes = np.array([split.n_machines for split in splits])
    last = np.cumsum(sizes)
    numbers = [np.searchsorted(classes, split.classes) for split in splits]
    positive = np.concatenate([own[-size:] for own, size in zip(numbers, sizes, strict=True)])
    negative = np.array([own[0] for own in numbers])
    learned = np.bincount(positive, minlength=n_labels)
    learned += np.bincount(negative[sizes == 1], minlength=n_labels)
    return SplitIndex(
        start=start,
        n=n,
        n_all=n_all,
        first=last - sizes,
        last=last,
        split=np.repeat(np.arange(len(splits)), sizes),
        positive=positive,
        negative=negative,
        truth=truth,
        weight=weight,
        label_scale=np.divide(1.0, learned, out=np.zeros(n_labels), where=learned > 0),
        n_classes=len(classes),
    )


def mean_shares(splits: SplitIndex, sensitivities: FloatArray) -> FloatArray:
    """Shares of every class, mean over the splits: (n_classes, n_columns).

    Of sensitivities of all machines, (n_machines, n_columns). A class that a split has not learned counts as
    zero there.
    """
    shares = sensitivity_shares(sensitivities)
    total = np.zeros((splits.n_classes, sensitivities.shape[1]))
    for first, last, negative in zip(splits.first, splits.last, splits.negative, strict=True):
        total[splits.positive[first:last]] += shares[first:last]
        if last - first == 1:
            total[negative] += shares[first]
    return total / len(splits.first)


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
