"""InformationFlow: all that a confusion table says about a classifier, computed once."""

from dataclasses import dataclass
from typing import Self

from numpy.typing import ArrayLike

from infoprop._core._frozen import FrozenArrays
from infoprop._core._numbers import aligned, aligned_percent
from infoprop._core._typing import FloatArray, LabelArray
from infoprop.metrics._bounds import ErrorBounds, bound_error
from infoprop.metrics._confusion import ConfusionCounts
from infoprop.metrics._indicators import share_information
from infoprop.metrics._information import (
    Correction,
    check_correction,
    indicator_entropies,
    indicator_probabilities,
    information_error,
    measure_information,
)
from infoprop.metrics._labels import LabelsLike
from infoprop.metrics._rendering import FlowTable, render_html, render_text


@dataclass(frozen=True, eq=False, repr=False)
class InformationFlow(FrozenArrays):
    """The bits that flow from the true class Y to the predicted class Yf.

    Build it with :meth:`from_predictions` or :meth:`from_confusion`. Arrays are read-only.

    Attributes
    ----------
    labels : ndarray of shape (M,)
        Labels, in the order of all arrays below.
    counts : ndarray of shape (M, M)
        Weighted counts; rows are true labels, columns predicted ones.
    class_entropy : float
        H(Y) in bits, corrected if `correction` says so.
    information : float
        Output information ``I(Y;Yf) = H(Y) - H(Y|Yf)`` in bits ([1]_, equation 2), corrected likewise.
    relative_information : float
        ``I(Y;Yf) / H(Y)``, 0 for a single class.
    indicator_probabilities : ndarray of shape (M,)
        ``P(Yf = j)``, how often each indicator fires.
    indicator_entropies : ndarray of shape (M,)
        ``H(Y|Yf = j)`` in bits, the doubt left when it fires; 0 for one that never does. Never corrected.
    indicator_credits : ndarray of shape (M,)
        Each indicator's part of `information` in bits ([1]_, equation 3); >= 0, they add up to it.
    error_rate : float
        ``P(Y != Yf)``.
    error_bounds : ErrorBounds
        Bounds on the error from the plain, uncorrected entropies ([2]_, equations 2 and 3).
    correction : None or "miller-madow"
        How entropies were corrected for few rows.
    n_samples : float
        Effective number of rows.

    References
    ----------
    .. [1] V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass
       support vector machines", SIAM International Conference on Data Mining, 2001.
    .. [2] V. Sindhwani et al., "Feature selection in MLPs and SVMs based on maximum output information", IEEE
       Transactions on Neural Networks 15 (4), 2004.

    Examples
    --------
    >>> from infoprop.metrics import InformationFlow
    >>> flow = InformationFlow.from_confusion([[15, 0, 5], [0, 15, 5], [0, 0, 20]])
    >>> round(flow.information, 4), flow.indicator_credits.round(4).tolist()
    (0.9591, [0.3962, 0.3962, 0.1667])
    """

    labels: LabelArray
    counts: FloatArray
    class_entropy: float
    information: float
    relative_information: float
    indicator_probabilities: FloatArray
    indicator_entropies: FloatArray
    indicator_credits: FloatArray
    error_rate: float
    error_bounds: ErrorBounds
    correction: Correction
    n_samples: float

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        *,
        labels: LabelsLike | None = None,
        sample_weight: ArrayLike | None = None,
        correction: Correction = None,
    ) -> Self:
        """Measure predictions against the truth.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Labels of any hashable type.
        labels : array-like of shape (M,), optional
            All labels and their order; see :meth:`ConfusionCounts.from_predictions`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; their scale changes nothing but `counts`.
        correction : None or "miller-madow", default=None
            See :func:`output_information`.

        Returns
        -------
        InformationFlow
        """
        check_correction(correction, "InformationFlow")
        table = ConfusionCounts.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        return cls.from_counts(table, correction=correction)

    @classmethod
    def from_confusion(
        cls, table: ArrayLike, *, labels: LabelsLike | None = None, correction: Correction = None
    ) -> Self:
        """Measure a confusion table: rows true labels, columns predicted ones.

        Parameters
        ----------
        table : array-like of shape (M, M)
            Finite counts >= 0, not all zero.
        labels : array-like of shape (M,), optional
            Names of rows and columns. Default: ``0, ..., M - 1``.
        correction : None or "miller-madow", default=None
            See :func:`output_information`; the number of rows is the sum of the table.

        Returns
        -------
        InformationFlow
        """
        check_correction(correction, "InformationFlow")
        return cls.from_counts(ConfusionCounts.from_table(table, labels=labels), correction=correction)

    @classmethod
    def from_counts(cls, table: ConfusionCounts, *, correction: Correction = None) -> Self:
        """Measure counts that were made before."""
        check_correction(correction, "InformationFlow")
        measured = measure_information(table, correction)
        bounds = bound_error(table)
        return cls(
            labels=table.labels,
            counts=table.counts,
            class_entropy=measured.class_entropy,
            information=measured.information,
            relative_information=measured.relative,
            indicator_probabilities=indicator_probabilities(table),
            indicator_entropies=indicator_entropies(table),
            indicator_credits=share_information(table, measured.information),
            error_rate=bounds.error,
            error_bounds=bounds,
            correction=correction,
            n_samples=table.n_samples,
        )

    @property
    def accuracy(self) -> float:
        """``1 - error_rate``."""
        return 1.0 - self.error_rate

    @property
    def standard_error(self) -> float:
        """Standard error of the plain information, in bits, by the delta method.

        With ``r_ij = log2(p_ij / (p_i p_j))`` and n effective rows, ``I = sum_ij p_ij r_ij`` and
        ``Var(I) = (sum_ij p_ij r_ij^2 - I^2) / n``. It is 0 where every answer tells the same number of bits.
        """
        return information_error(ConfusionCounts(self.labels, self.counts, self.n_samples))

    @property
    def conditional_entropy(self) -> float:
        """``H(Y|Yf) = H(Y) - I(Y;Yf)`` in bits: what remains unknown once the output is seen."""
        return self.class_entropy - self.information

    def __repr__(self) -> str:
        names = ("information", "class_entropy", "relative_information", "accuracy")
        figures = ", ".join(f"{name}={aligned(getattr(self, name), 4)}" for name in names)
        return f"InformationFlow({figures}, n_labels={len(self.labels)}, n_samples={self.n_samples:g})"

    def __str__(self) -> str:
        return render_text(self._headline(), self._table())

    def _repr_html_(self) -> str:
        return render_html(self._headline(), self._table())

    def _headline(self) -> tuple[str, ...]:
        corrected = "" if self.correction is None else ", Miller-Madow corrected"
        bounds = self.error_bounds
        known, delivered, error = (
            aligned(value, 4) for value in (self.class_entropy, self.information, self.error_rate)
        )
        ends = (bounds.lower, bounds.upper, bounds.lower_without_error, bounds.upper_without_error)
        low, high, lowest, highest = (aligned(value, 4) for value in ends)
        return (
            f"Output information {delivered} of {known} bits "
            f"({aligned_percent(self.relative_information)}{corrected})",
            f"Accuracy {aligned_percent(self.accuracy)} on {self.n_samples:.6g} rows; error {error}, "
            f"bounds {low} to {high} (without the error: {lowest} to {highest})",
        )

    def _table(self) -> FlowTable:
        return FlowTable(
            labels=self.labels,
            counts=self.counts,
            footer={
                "P(Yf=j)": self.indicator_probabilities,
                "H(Y|Yf=j) bits": self.indicator_entropies,
                "credit bits": self.indicator_credits,
            },
        )
