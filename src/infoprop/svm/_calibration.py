"""From outputs of a machine to probabilities."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit, log_expit

from infoprop._core._typing import FloatArray

# Newton's method takes about ten steps to the optimum, where the mean gradient is below the tolerance. A step
# that is shortened to less than the tolerance has met rounding.
_MOST_STEPS = 100
_TOL = 1e-10
# A ridge on the curvature, against outputs that are all the same.
_RIDGE = 1e-12
_LEAST_GAIN = 1e-4
# Outputs whose spread is below this share of their mean are all the same.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Sigmoid:
    r"""Platt's sigmoid, :math:`P(+1 \mid g) = 1 / (1 + e^{-(a g + b)})`.

    Parameters
    ----------
    slope : float
        :math:`a`.
    offset : float
        :math:`b`.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.svm._calibration import Sigmoid
    >>> outputs, is_positive = np.array([-2.0, -1.0, 0.5, 3.0]), np.array([False, False, True, True])
    >>> sigmoid = Sigmoid.fit(outputs, is_positive, np.ones(4))
    >>> round(float(1 / (1 + np.exp(-sigmoid.slope * 2.0 - sigmoid.offset))), 2)
    0.73
    """

    slope: float
    offset: float

    @classmethod
    def fit(cls, outputs: FloatArray, is_positive: FloatArray, weights: FloatArray) -> Self:
        r"""Fit the sigmoid of largest likelihood.

        The targets are not 1 and 0 but :math:`(N_+ + 1)/(N_+ + 2)` and :math:`1/(N_- + 2)`, which keeps the
        slope finite where the outputs separate the classes. Outputs are scaled to their spread first.

        Parameters
        ----------
        outputs : array of shape (n,)
        is_positive : array of shape (n,)
        weights : array of shape (n,)
        """
        positive = weights[is_positive].sum()
        negative = weights.sum() - positive
        targets = np.where(is_positive, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))
        centre = float(weights @ outputs / weights.sum())
        spread = float(np.sqrt(weights @ (outputs - centre) ** 2 / weights.sum()))
        spread = spread if spread > _ROUNDING * abs(centre) else 1.0
        g = np.column_stack([(outputs - centre) / spread, np.ones(len(outputs))])
        a, b = _newton(g, targets, weights, np.array([0.0, np.log((positive + 1.0) / (negative + 1.0))]))
        return cls(float(a / spread), float(b - a * centre / spread))


def _newton(g: FloatArray, targets: FloatArray, weights: FloatArray, theta: FloatArray) -> FloatArray:
    """Minimise the cross-entropy of two parameters, with steps halved until they gain."""
    loss = _loss(g, targets, weights, theta)
    for _ in range(_MOST_STEPS):
        p = expit(g @ theta)
        gradient = g.T @ (weights * (p - targets))
        if np.abs(gradient).max() <= _TOL * weights.sum():
            break
        curvature = (g * (weights * p * (1.0 - p))[:, None]).T @ g + _RIDGE * weights.sum() * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > _TOL:
            trial = theta - size * step
            gained = loss - _loss(g, targets, weights, trial)
            if gained >= _LEAST_GAIN * size * (gradient @ step):
                break
            size /= 2.0
        else:
            break
        theta, loss = trial, loss - gained
    return theta


def _loss(g: FloatArray, targets: FloatArray, weights: FloatArray, theta: FloatArray) -> float:
    z = g @ theta
    return float(-weights @ (targets * log_expit(z) + (1.0 - targets) * log_expit(-z)))
