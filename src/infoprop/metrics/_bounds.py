"""Bounds on the error of a classifier from the information in its output."""

from dataclasses import dataclass
from math import fsum, log2

import numpy as np

from infoprop._core._typing import FloatArray
from infoprop.metrics._confusion import ConfusionCounts
from infoprop.metrics._information import (
    conditional_entropy,
    entropy,
    indicator_entropies,
    indicator_probabilities,
)


@dataclass(frozen=True)
class ErrorBounds:
    """Where the information in a classifier's output puts its error rate.

    ``lower <= error <= upper`` and ``lower_without_error <= error <= upper_without_error`` always hold.

    Attributes
    ----------
    error : float
        Observed error rate ``P_e = P(Y != Yf)``.
    lower, upper : float
        The extended Fano bounds of [1]_, equations 2 and 3; they use P_e itself.
    upper_as_printed : float
        Equation 3 as printed, which can fall below the error; 1 where its denominator is zero.
    lower_without_error, upper_without_error : float
        The forms that need no P_e: from H(Y|Yf), and from H(Y|Yf = j) and which label is the most frequent
        among the rows predicted as j.

    Notes
    -----
    Let E be 1 where the classifier errs and M the number of labels. E is a function of (Y, Yf), so the chain
    rule splits what remains unknown into "is it wrong?" and "if so, what is it then?"::

        H(Y|Yf) = H(E|Yf) + sum_j P(Yf = j, E = 1) H(Y|E = 1, Yf = j)

    *Lower.* ``H(E|Yf) <= H(E) = h(P_e)``, and an error leaves at most M - 1 labels, so
    ``H(Y|Yf) <= h(P_e) + P_e log2(M - 1)``. Solved for the last P_e this is equation 2,
    ``P_e >= (H(Y|Yf) - h(P_e)) / log2(M - 1)``, and ``H(Y|Yf) = H(Y) - I``.

    *Upper.* Each entropy in the sum is at least the smallest of them over the labels j that were predicted
    wrongly at least once, so ``P_e <= (H(Y|Yf) - H(E|Yf)) / min_j H(Y|E = 1, Yf = j)``. Equation 3 prints
    ``h(P_e)`` in the place of ``H(E|Yf)``. As ``h(P_e) >= H(E|Yf)`` the printed value is smaller and need not
    be a bound; it is one when errors are equally frequent in all predicted labels.

    *Lower, without P_e.* ``h(p) + p log2(M - 1)`` grows for p up to 1 - 1/M, where it reaches log2 M; the
    smallest p for which it is at least H(Y|Yf) is a lower bound. With two labels it solves
    ``h(p) = H(Y|Yf)``.

    *Upper, without P_e.* Among the rows predicted as j the error is one minus the share of label j. If j is
    the most frequent label there, that is at most ``H(Y|Yf = j) / 2`` (Hellman and Raviv); if not, the
    entropy says nothing about the error however certain it makes the label, and only 1 remains. The bound is
    the mean over predicted labels of ``min(1, H(Y|Yf = j) / 2)`` or 1.

    Where a denominator is zero (with two labels it always is) the equation says nothing, and `lower` and
    `upper` are the forms without P_e. Without any error `upper` and `upper_as_printed` are 0.

    References
    ----------
    .. [1] V. Sindhwani et al., "Feature selection in MLPs and SVMs based on maximum output information", IEEE
       Transactions on Neural Networks 15 (4), 2004, section II-C, equations 2 and 3.

    Examples
    --------
    >>> from infoprop.metrics import error_bounds
    >>> bounds = error_bounds([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 0])
    >>> round(bounds.lower, 4), bounds.error, round(bounds.upper, 4)
    (0.25, 0.25, 0.4056)
    """

    error: float
    lower: float
    upper: float
    upper_as_printed: float
    lower_without_error: float
    upper_without_error: float


def error_rate(table: ConfusionCounts) -> float:
    """Share of the weight off the diagonal."""
    return fsum(_off_diagonal(table).ravel().tolist()) / table.total


def bound_error(table: ConfusionCounts) -> ErrorBounds:
    """Derive all bounds from one table; see :class:`ErrorBounds`."""
    error = error_rate(table)
    unknown = conditional_entropy(table)
    lower_without_error = _invert_fano(unknown, table.n_labels)
    upper_without_error = _bound_by_columns(table)
    lower = lower_without_error
    if table.n_labels > 2:
        lower = (unknown - binary_entropy(error)) / log2(table.n_labels - 1)
    upper, printed = _bound_by_errors(table, unknown - binary_entropy(error))
    if upper is None:
        upper = upper_without_error
    # The inequalities are exact: beyond the error a bound can go by rounding only.
    return ErrorBounds(
        error=error,
        lower=min(max(lower, 0.0), error),
        upper=max(min(upper, 1.0), error),
        upper_as_printed=printed,
        lower_without_error=min(lower_without_error, error),
        upper_without_error=max(min(upper_without_error, 1.0), error),
    )


def binary_entropy(probability: float) -> float:
    """h(p) = -p log2 p - (1 - p) log2 (1 - p), in bits."""
    return entropy((probability, 1.0 - probability))


def _off_diagonal(table: ConfusionCounts) -> FloatArray:
    wrong = table.counts.copy()
    np.fill_diagonal(wrong, 0.0)
    return wrong


def _bound_by_errors(table: ConfusionCounts, printed_numerator: float) -> tuple[float | None, float]:
    """Equation 3, sound and as printed; None and 1 where its denominator is zero."""
    columns = [column for column in _off_diagonal(table).T.tolist() if any(column)]
    if not columns:
        return 0.0, 0.0
    entropies = [entropy(column) for column in columns]
    smallest = min(entropies)
    if smallest == 0:
        return None, 1.0
    # H(Y|Yf) - H(E|Yf), summed as what it is: the difference would lose digits.
    numerator = fsum(
        fsum(column) / table.total * bits for column, bits in zip(columns, entropies, strict=True)
    )
    return numerator / smallest, printed_numerator / smallest


def _invert_fano(unknown: float, n_labels: int) -> float:
    """Smallest p with h(p) + p log2(M - 1) >= `unknown`, from below, by bisection."""
    if n_labels == 1 or unknown <= 0:
        return 0.0
    slope = log2(n_labels - 1)
    low, high = 0.0, 1.0 - 1.0 / n_labels
    while low < (middle := (low + high) / 2) < high:
        if binary_entropy(middle) + middle * slope >= unknown:
            high = middle
        else:
            low = middle
    return low


def _bound_by_columns(table: ConfusionCounts) -> float:
    # A tie must stay a tie when weights are scaled, which rounds each of their sums anew.
    is_own_most_frequent = np.diag(table.counts) >= table.counts.max(axis=0) * (1 - 1e-9)
    halves = np.minimum(indicator_entropies(table) / 2, 1.0)
    bounds = indicator_probabilities(table) * np.where(is_own_most_frequent, halves, 1.0)
    return fsum(bounds.tolist())
