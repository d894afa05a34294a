"""Stability of a selection: how alike the features are that it chooses from different rows."""

from dataclasses import dataclass
from math import nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from infoprop._core._checks import check_number
from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray


@dataclass(frozen=True)
class Stability:
    """How alike several choices of features are.

    Attributes
    ----------
    value : float
        1 for equal choices, about 0 for choices drawn at random; NaN where every choice holds all features or
        every choice none, so that there is nothing to agree about.
    lower, upper : float
        Ends of the interval for the stability of the selection itself, of which `value` is an estimate.
    n_sets : int
        Number of choices compared.

    Examples
    --------
    >>> from infoprop.selection import selection_stability
    >>> stability = selection_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(stability.value, 3), stability.n_sets
    (0.333, 3)
    """

    value: float
    lower: float
    upper: float
    n_sets: int


def selection_stability(supports: Any, *, confidence: float = 0.95) -> Stability:
    r"""Measure how alike the features are that a selection chooses from different rows.

    With M choices among d features, :math:`\hat p_f` the part of the choices that hold feature f and
    :math:`\bar k` the mean number of features in a choice, the estimate is

    .. math::
        \hat\Phi = 1 - \frac{\frac 1d \sum_f s_f^2}{\frac{\bar k}{d} (1 - \frac{\bar k}{d})},
        \qquad s_f^2 = \frac{M}{M - 1} \hat p_f (1 - \hat p_f).

    It is 1 if all choices are equal and has the mean 0 if features are drawn at random, whatever their
    number, and choices of different sizes may be compared. Its variance is, for many choices, close to

    .. math::
        v(\hat\Phi) = \frac{4}{M^2} \sum_i (\hat\Phi_i - \bar\Phi)^2, \qquad
        \hat\Phi_i = \frac{1}{\frac{\bar k}{d} (1 - \frac{\bar k}{d})} \left[ \frac 1d \sum_f z_{if} \hat p_f
        - \frac{k_i \bar k}{d^2} + \frac{\hat\Phi}{2} \left( \frac{2 k_i \bar k}{d^2} - \frac{k_i}{d}
        - \frac{\bar k}{d} + 1 \right) \right],

    which gives the interval :math:`\hat\Phi \pm z \sqrt{v}`, cut off where no estimate can lie, below
    :math:`-1/(M-1)` and above 1.

    Parameters
    ----------
    supports : array-like of shape (n_sets, n_features)
        Masks of the features chosen, one row for each choice: booleans, or 0 and 1. Two or more.
    confidence : float, default=0.95
        Probability that the interval holds the true stability.

    Returns
    -------
    Stability

    Notes
    -----
    The interval takes the choices for independent. Those of a cross-validation share rows, so that they are
    more alike than choices from fresh data would be, and the interval of few folds is a rough guide. If all
    choices are equal it has no width, which says that nothing was seen to vary, not that nothing can.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", Journal of Machine
    Learning Research 18 (174), 2018: the estimator of definition 4 and its asymptotic variance.

    Examples
    --------
    >>> from infoprop.selection import selection_stability
    >>> selection_stability([[True, True, False, False]] * 5).value
    1.0
    >>> stability = selection_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    >>> round(stability.value, 2), round(stability.lower, 2), round(stability.upper, 2)
    (0.5, 0.08, 0.92)
    """
    chosen = _checked(supports)
    level = check_number(
        "confidence", confidence, "selection_stability", low=0.0, high=1.0, low_open=True, high_open=True
    )
    n_sets = len(chosen)
    density = chosen.mean()
    if density in (0.0, 1.0):
        return Stability(nan, nan, nan, n_sets)
    spread = density * (1.0 - density)
    value = 1.0 - float(chosen.var(axis=0, ddof=1).mean() / spread)
    reach = NormalDist().inv_cdf(0.5 + level / 2.0) * _standard_error(chosen.astype(np.float64), value)
    lowest = -1.0 / (n_sets - 1)
    return Stability(value, max(value - reach, lowest), min(value + reach, 1.0), n_sets)


def _standard_error(chosen: FloatArray, value: float) -> float:
    """Square root of the variance of the estimate; terms that all choices have in common cancel out."""
    n_sets, n_features = chosen.shape
    density = chosen.mean()
    part = chosen.mean(axis=1)
    agreement = chosen @ chosen.mean(axis=0) / n_features
    own = agreement - part * density + value / 2.0 * (2.0 * part * density - part)
    own /= density * (1.0 - density)
    return 2.0 / n_sets * sqrt(float(((own - own.mean()) ** 2).sum()))


def _checked(supports: Any) -> BoolArray:
    given = np.asarray(supports)
    if given.ndim != 2 or len(given) < 2 or given.shape[1] == 0:
        raise DataError(
            "selection_stability compares two or more choices among the same features: 'supports' must have "
            f"the shape (n_sets, n_features), n_sets >= 2. Got shape {given.shape}."
        )
    if given.dtype != np.bool_ and not np.isin(given, (0, 1)).all():
        raise DataError(
            "The 'supports' of selection_stability must be masks: True and False, or 1 and 0, for every "
            "feature. Turn lists of column numbers into masks first."
        )
    return given.astype(np.bool_)
