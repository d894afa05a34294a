"""ConfusionCounts: the one weighted count table that every metric reads."""

from dataclasses import dataclass
from functools import cached_property
from math import fsum, isfinite
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop._core._weights import check_weights, effective_number
from infoprop.metrics._labels import EncodedLabels, LabelsLike, encode_labels, label_array, order_labels

MAX_LABELS = 10_000
"""A table of more labels would not fit in memory; it nearly always comes from targets of a regression."""


@dataclass(frozen=True, eq=False)
class ConfusionCounts(FrozenArrays):
    """Weighted counts of true against predicted labels.

    Build it with :meth:`from_predictions` or :meth:`from_table`.

    Attributes
    ----------
    labels : ndarray of shape (M,)
        The labels, in the order of rows and columns.
    counts : ndarray of shape (M, M)
        ``counts[i, j]`` is the sum of the weights of the rows of true label i that were predicted as
        label j (``q_ij`` in [1]_).
    n_samples : float
        Effective number of rows, ``(sum w)^2 / sum w^2`` (Kish); the number of rows without weights; the
        sum of the table when it was given as a table.

    References
    ----------
    .. [1] V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass
       support vector machines", SIAM International Conference on Data Mining, 2001, section 3.1.

    Examples
    --------
    >>> from infoprop.metrics import ConfusionCounts
    >>> table = ConfusionCounts.from_predictions(["cat", "cat", "dog"], ["cat", "dog", "dog"])
    >>> table.labels.tolist(), table.counts.tolist()
    (['cat', 'dog'], [[1.0, 1.0], [0.0, 1.0]])
    """

    labels: LabelArray
    counts: FloatArray
    n_samples: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_table(self.counts)
        if self.labels.shape != self.counts.shape[:1]:
            raise DataError(
                f"labels must have one entry per row of the table, {self.counts.shape[0]}. "
                f"Got shape {self.labels.shape}."
            )

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        *,
        labels: LabelsLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count the pairs of true and predicted labels.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Labels of any hashable type; types may be mixed. Labels that are equal in Python are the same.
        labels : array-like of shape (M,), optional
            Labels and their order; they must cover all that occur. Default: those that occur, sorted
            (numbers, then strings, then other types, then None).
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0. A row of weight zero is as if absent.

        Returns
        -------
        ConfusionCounts
        """
        true, predicted = encode_labels(y_true, "y_true"), encode_labels(y_pred, "y_pred")
        n_rows = len(true.codes)
        if len(predicted.codes) != n_rows:
            raise DataError(
                f"y_true and y_pred must have the same length. Got {n_rows} and {len(predicted.codes)}."
            )
        weights, n_samples = None, float(n_rows)
        if sample_weight is not None:
            weights = check_weights(sample_weight, n_rows)
            used = weights > 0
            weights, true, predicted = weights[used], _rows(true, used), _rows(predicted, used)
            n_samples = effective_number(weights)
        names = _given_labels(labels) if labels is not None else order_labels(_occurring(true, predicted))
        if len(names) > MAX_LABELS:
            raise DataError(
                f"{len(names)} distinct labels are more than a confusion table can hold ({MAX_LABELS}); "
                "labels must be classes, not numbers to be regressed on."
            )
        size = len(names)
        cells = _positions(true, names) * size + _positions(predicted, names)
        counts = np.bincount(cells, weights=weights, minlength=size * size).astype(np.float64, copy=False)
        return cls(label_array(names), counts.reshape(size, size), n_samples)

    @classmethod
    def from_table(cls, table: ArrayLike, *, labels: LabelsLike | None = None) -> Self:
        """Take counts as they are.

        Parameters
        ----------
        table : array-like of shape (M, M)
            Finite counts >= 0, not all zero: rows are true labels, columns are predicted labels.
        labels : array-like of shape (M,), optional
            Names of rows and columns. Default: ``0, ..., M - 1``.

        Returns
        -------
        ConfusionCounts
        """
        try:
            counts = np.asarray(table, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("A confusion table must be a square array of numbers.") from None
        _check_table(counts)
        names = np.arange(len(counts)) if labels is None else label_array(_given_labels(labels))
        return cls(names, counts, fsum(counts.ravel().tolist()))

    def merged(self, other: Self) -> Self:
        """Table of the rows of both, as for blocks of rows that do not fit into memory together.

        Parameters
        ----------
        other : ConfusionCounts
            Of other rows; its labels may be others, too.

        Returns
        -------
        ConfusionCounts
            Of all labels of both, sorted as by :meth:`from_predictions` unless both have the same.

        Examples
        --------
        >>> from infoprop.metrics import ConfusionCounts, InformationFlow
        >>> first = ConfusionCounts.from_predictions(["cat", "dog"], ["cat", "dog"])
        >>> second = ConfusionCounts.from_predictions(["cat", "eel"], ["eel", "eel"])
        >>> both = first.merged(second)
        >>> both.labels.tolist(), both.counts.tolist()
        (['cat', 'dog', 'eel'], [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> InformationFlow.from_counts(both).information
        1.0
        """
        own, others = self.labels.tolist(), other.labels.tolist()
        names = own if own == others else order_labels(dict.fromkeys([*own, *others]))
        counts = np.zeros((len(names), len(names)))
        for part, labels in ((self, own), (other, others)):
            places = [names.index(label) for label in labels]
            counts[np.ix_(places, places)] += part.counts
        return type(self)(label_array(names), counts, _effective_rows(self, other))

    @property
    def n_labels(self) -> int:
        """Number of labels M, the side of the table."""
        return len(self.labels)

    @cached_property
    def total(self) -> float:
        """Sum of the table."""
        return fsum(self.counts.ravel().tolist())

    @cached_property
    def true_totals(self) -> FloatArray:
        """Sum of each row, shape (M,): the weight of each true label."""
        return _row_sums(self.counts)

    @cached_property
    def predicted_totals(self) -> FloatArray:
        """Sum of each column, shape (M,): the weight of each predicted label."""
        return _row_sums(self.counts.T)


def _check_table(counts: FloatArray) -> None:
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.size == 0:
        raise DataError(f"A confusion table must be square and not empty. Got shape {counts.shape}.")
    if not np.isfinite(counts).all():
        raise DataError("A confusion table must be finite; it holds NaN or infinite values.")
    if (counts < 0).any():
        raise DataError(f"A confusion table must not be negative. Got {counts.min():g}.")
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    if total == 0 or not isfinite(total):
        raise DataError(f"A confusion table must have a positive, finite sum. Got {total:g}.")


def _effective_rows(*parts: ConfusionCounts) -> float:
    """Effective number of rows of all parts together: from sums of weights and of squares."""
    if all(part.n_samples == part.total for part in parts):
        return fsum(part.total for part in parts)
    squares = fsum(part.total**2 / part.n_samples for part in parts)
    return fsum(part.total for part in parts) ** 2 / squares


def _row_sums(counts: FloatArray) -> FloatArray:
    # fsum rounds once, whatever the order: relabelling cannot move the last bit.
    sums = np.array([fsum(row) for row in counts.tolist()])
    sums.setflags(write=False)
    return sums


def _given_labels(labels: LabelsLike) -> list[object]:
    encoded = encode_labels(labels, "labels")
    if len(encoded.values) != len(encoded.codes):
        raise ParameterError("The 'labels' parameter must name each label once. Got some more than once.")
    return [encoded.values[code] for code in encoded.codes]


def _rows(encoded: EncodedLabels, used: BoolArray) -> EncodedLabels:
    """Keep the rows in `used` and forget the labels that occur in no other."""
    occurring, codes = np.unique(encoded.codes[used], return_inverse=True)
    return EncodedLabels([encoded.values[code] for code in occurring], codes)


def _occurring(true: EncodedLabels, predicted: EncodedLabels) -> list[object]:
    return list(dict.fromkeys(true.values + predicted.values))


def _positions(encoded: EncodedLabels, names: list[object]) -> IntArray:
    position = {name: number for number, name in enumerate(names)}
    absent = [value for value in encoded.values if value not in position]
    if absent:
        shown = ", ".join(repr(value) for value in absent[:5]) + (", ..." if len(absent) > 5 else "")
        raise ParameterError(f"The 'labels' parameter must name every label that occurs. Missing: {shown}.")
    places = np.array([position[value] for value in encoded.values], dtype=np.intp)
    return places[encoded.codes]
