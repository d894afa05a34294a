"""The measures as functions of labels."""

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._typing import FloatArray
from infoprop._core._weights import check_weights, effective_number
from infoprop.metrics._bounds import ErrorBounds, bound_error
from infoprop.metrics._confusion import ConfusionCounts
from infoprop.metrics._indicators import share_information
from infoprop.metrics._information import (
    Correction,
    check_correction,
    corrected_entropy,
    measure_information,
)
from infoprop.metrics._labels import LabelsLike, encode_labels


def class_entropy(
    y: LabelsLike, *, sample_weight: ArrayLike | None = None, correction: Correction = None
) -> float:
    """Entropy of labels, ``H(Y) = -sum_i P(i) log2 P(i)``, in bits: how much there is to know.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of any hashable type.
    sample_weight : array-like of shape (n_samples,), optional
        Weights >= 0.
    correction : None or "miller-madow", default=None
        "miller-madow" adds ``(m - 1) / (2 n ln 2)`` bits for m labels that occur and n effective rows; the
        result may exceed log2 m.

    Returns
    -------
    float
        Bits, >= 0.

    References
    ----------
    .. [1] V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass
       support vector machines", SIAM International Conference on Data Mining, 2001, section 3.1 (``H_d``).

    Examples
    --------
    >>> from infoprop.metrics import class_entropy
    >>> class_entropy(["a", "a", "b", "c"])
    1.5
    """
    check_correction(correction, "class_entropy")
    encoded = encode_labels(y, "y")
    weights = np.ones(len(encoded.codes))
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(encoded.codes))
        used = weights > 0
        weights, encoded = weights[used], encoded._replace(codes=encoded.codes[used])
    totals = np.bincount(encoded.codes, weights=weights)
    return corrected_entropy(totals.tolist(), effective_number(weights), correction)


def output_information(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: ArrayLike | None = None,
    correction: Correction = None,
) -> float:
    """Information that predictions give about the class, ``I(Y;Yf) = H(Y) - H(Y|Yf)``, in bits.

    Always ``0 <= I <= H(Y)``. What counts is not whether a prediction is right but how certain it makes the
    class: predictions that swap two classes without fail give all there is to know.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable type.
    labels : array-like of shape (M,), optional
        All labels there are; see :meth:`ConfusionCounts.from_predictions`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights >= 0; their scale does not matter.
    correction : None or "miller-madow", default=None
        The plain value is too high on few rows. "miller-madow" takes ``H(Y) + H(Yf) - H(Y,Yf)`` with
        ``(m - 1) / (2 n ln 2)`` added to each entropy (m non-empty cells, n effective rows), clipped into
        [0, H(Y)]. Here a weight of k is not k copies: n is Kish's number, ``(sum w)^2 / sum w^2``.

    Returns
    -------
    float
        Bits.

    References
    ----------
    .. [1] V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass
       support vector machines", SIAM International Conference on Data Mining, 2001, equation 2.

    Examples
    --------
    >>> from infoprop.metrics import output_information
    >>> output_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    check_correction(correction, "output_information")
    table = ConfusionCounts.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return measure_information(table, correction).information


def relative_output_information(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: ArrayLike | None = None,
    correction: Correction = None,
) -> float:
    """Share of the class entropy that predictions resolve, ``I(Y;Yf) / H(Y)``, in [0, 1].

    0 where there is a single class and so nothing to know.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable type.
    labels : array-like of shape (M,), optional
        All labels there are; see :meth:`ConfusionCounts.from_predictions`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights >= 0; their scale does not matter.
    correction : None or "miller-madow", default=None
        Correct both entropies for few rows; see :func:`output_information`.

    Returns
    -------
    float
        A share, without unit.

    References
    ----------
    .. [1] V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass
       support vector machines", SIAM International Conference on Data Mining, 2001, section 3.2.

    Examples
    --------
    >>> from infoprop.metrics import relative_output_information
    >>> round(relative_output_information([0, 0, 1, 1], [0, 0, 1, 0]), 4)
    0.3113
    """
    check_correction(correction, "relative_output_information")
    table = ConfusionCounts.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return measure_information(table, correction).relative


def indicator_credits(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: ArrayLike | None = None,
    correction: Correction = None,
) -> FloatArray:
    """Output information shared out among the class indicators, in bits.

    Indicator j fires when label j is predicted. Its credit is ``I u_j / sum_i u_i`` with
    ``u_j = P(Yf = j) (log2 M - H(Y|Yf = j))``: the more often it fires and the less doubt it then leaves, the
    more it gets. Credits are >= 0 and add up to I(Y;Yf); they are all zero if every u_j is.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable type.
    labels : array-like of shape (M,), optional
        All labels there are; see :meth:`ConfusionCounts.from_predictions`. M is their number.
    sample_weight : array-like of shape (n_samples,), optional
        Weights >= 0; their scale does not matter.
    correction : None or "miller-madow", default=None
        Correct I for few rows, see :func:`output_information`; the u_j stay plain.

    Returns
    -------
    ndarray of shape (M,)
        Bits, in the order of `labels` (by default the sorted labels that occur).

    References
    ----------
    .. [1] V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass
       support vector machines", SIAM International Conference on Data Mining, 2001, equation 3.

    Examples
    --------
    >>> from infoprop.metrics import indicator_credits
    >>> indicator_credits(["a", "a", "b", "b"], ["a", "a", "b", "b"]).tolist()
    [0.5, 0.5]
    """
    check_correction(correction, "indicator_credits")
    table = ConfusionCounts.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return share_information(table, measure_information(table, correction).information)


def error_bounds(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ErrorBounds:
    """Bounds on the error rate from the information in the output; see :class:`ErrorBounds` for the formulas.

    They hold for the frequencies seen, so there is no correction for few rows: corrected entropies belong to
    no distribution, and the error could leave the bounds.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable type.
    labels : array-like of shape (M,), optional
        All labels there are; see :meth:`ConfusionCounts.from_predictions`. More labels, looser lower bounds.
    sample_weight : array-like of shape (n_samples,), optional
        Weights >= 0; their scale does not matter.

    Returns
    -------
    ErrorBounds

    References
    ----------
    .. [1] V. Sindhwani et al., "Feature selection in MLPs and SVMs based on maximum output information", IEEE
       Transactions on Neural Networks 15 (4), 2004, section II-C, equations 2 and 3.

    Examples
    --------
    >>> from infoprop.metrics import error_bounds
    >>> bounds = error_bounds(["a", "a", "b", "c"], ["a", "b", "b", "c"])
    >>> bounds.lower <= bounds.error <= bounds.upper
    True
    """
    table = ConfusionCounts.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return bound_error(table)
