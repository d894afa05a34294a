"""PooledTable: one confusion table from the predictions of all splits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.credit._result import flow_labels
from infoprop.metrics import ConfusionCounts, InformationFlow


@dataclass(frozen=True)
class PooledTable:
    """The validation rows of all splits, end to end, waiting for predictions.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the training rows, ascending.
    labels : ndarray of shape (L,)
        Rows and columns of the table: `classes`, then labels that only validation rows have.
    truth : ndarray of shape (n_rows,)
        Numbers of the true labels.
    weights : ndarray of shape (n_rows,) or None
    n_samples : float
        Effective number of rows.
    share_scale : ndarray of shape (n_classes,)
        Number of splits over the number of those that learn the class. A mean of shares over all splits
        times this is the mean over the splits that have shares for the class to give, and sums to one.
    """

    classes: LabelArray
    labels: LabelArray
    truth: IntArray
    weights: FloatArray | None
    n_samples: float
    share_scale: FloatArray

    @classmethod
    def from_rows(
        cls,
        classes: LabelArray,
        learned: Sequence[BoolArray],
        truth: Sequence[LabelArray],
        weights: FloatArray | None,
    ) -> Self:
        """Prepare the table.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
        learned : sequence of masks of shape (n_classes,)
            Which classes the training rows of each split have.
        truth : sequence of arrays
            True labels of the rows that each split tests.
        weights : ndarray or None
            Weights of all these rows, end to end.
        """
        times = np.sum(learned, axis=0)
        scale = len(learned) / np.maximum(times, 1)
        y = np.concatenate(truth)
        if not len(y):
            return cls(classes, classes, np.empty(0, dtype=np.intp), weights, 0.0, scale)
        # The table of a classifier that always gives the first class has the labels of every table to come,
        # and is refused where they would be.
        constant = ConfusionCounts.from_predictions(
            y, np.repeat(classes[:1], len(y)), labels=flow_labels(classes, y), sample_weight=weights
        )
        position = {label: number for number, label in enumerate(constant.labels.tolist())}
        codes = np.array([position[label] for label in y.tolist()], dtype=np.intp)
        return cls(classes, constant.labels, codes, weights, constant.n_samples, scale)

    @property
    def is_empty(self) -> bool:
        """Whether there is no row to count."""
        return len(self.truth) == 0

    def counts(self, predicted: Sequence[LabelArray]) -> FloatArray:
        """Count predictions, one array per split, against the truth: (L, L), rows are true labels."""
        found = np.concatenate([self._numbers(labels) for labels in predicted])
        size = len(self.labels)
        cells = np.bincount(self.truth * size + found, weights=self.weights, minlength=size * size)
        return cells.astype(np.float64, copy=False).reshape(size, size)

    def flow(self, counts: FloatArray) -> InformationFlow:
        """Return what a table of these rows says."""
        return InformationFlow.from_counts(ConfusionCounts(self.labels, counts, self.n_samples))

    def _numbers(self, predicted: LabelArray) -> IntArray:
        numbers = np.searchsorted(self.classes, predicted).clip(max=len(self.classes) - 1)
        unknown = predicted[self.classes[numbers] != predicted]
        if len(unknown):
            raise DataError(
                f"The classifier predicts {unknown.tolist()[0]!r}, a label that it was never taught."
            )
        return np.asarray(numbers, dtype=np.intp)
