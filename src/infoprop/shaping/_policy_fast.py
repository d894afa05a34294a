"""Log-loss of the best straight line in the log odds of every column, fitted to its table."""

import numpy as np

from infoprop._core._jit import njit

_MOST_STEPS = 50
_RIDGE = 1e-6


@njit
def line_losses(starts, values, positives, negatives, first, last, losses):
    """Write the log-loss (nats) of ``log odds = a + b v`` of columns `first` to `last` into `losses`.

    Newton's method with halved steps, on values of mean 0 and deviation 1; missing values are left out. A
    trace of a penalty on b gives separable classes a finite line.
    """
    for j in range(first, last):
        stop = starts[j + 1]
        if np.isnan(values[stop - 1]):
            stop -= 1
        losses[j] = _line_loss(
            values[starts[j] : stop], positives[starts[j] : stop], negatives[starts[j] : stop]
        )


@njit
def _line_loss(values, positives, negatives):
    if values.shape[0] == 0:
        return 0.0
    mean, deviation = _mean_and_deviation(values, positives, negatives)
    if not np.isfinite(mean) or not np.isfinite(deviation):
        return np.inf
    scale = 1.0 / deviation if deviation > 0.0 else 0.0
    a = b = 0.0
    loss = _loss(values, positives, negatives, mean, scale, a, b)
    for _ in range(_MOST_STEPS):
        step_a, step_b, decrease = _newton_step(values, positives, negatives, mean, scale, a, b)
        if not decrease > 1e-9:
            break
        share = 1.0
        next_loss = _loss(values, positives, negatives, mean, scale, a + step_a, b + step_b)
        while not next_loss <= loss and share > 1e-6:
            share *= 0.5
            next_loss = _loss(
                values, positives, negatives, mean, scale, a + share * step_a, b + share * step_b
            )
        if not next_loss < loss:
            break
        a, b, loss = a + share * step_a, b + share * step_b, next_loss
    return loss


@njit
def _mean_and_deviation(values, positives, negatives):
    total = mean = square = 0.0
    for i in range(values.shape[0]):
        total += positives[i] + negatives[i]
        mean += (positives[i] + negatives[i]) * values[i]
    mean /= total
    for i in range(values.shape[0]):
        square += (positives[i] + negatives[i]) * (values[i] - mean) ** 2
    return mean, np.sqrt(square / total)


@njit
def _loss(values, positives, negatives, mean, scale, a, b):
    loss = 0.5 * _RIDGE * b * b
    for i in range(values.shape[0]):
        odds = a + b * (values[i] - mean) * scale
        tail = np.log1p(np.exp(-abs(odds)))
        loss += positives[i] * (tail + max(-odds, 0.0)) + negatives[i] * (tail + max(odds, 0.0))
    return loss


@njit
def _newton_step(values, positives, negatives, mean, scale, a, b):
    """Step in a and b, and how much the quadratic model says it gains."""
    slope_a, slope_b = 0.0, _RIDGE * b
    curve_a, curve_ab, curve_b = _RIDGE, 0.0, _RIDGE
    for i in range(values.shape[0]):
        x = (values[i] - mean) * scale
        p = 1.0 / (1.0 + np.exp(-(a + b * x)))
        weight = positives[i] + negatives[i]
        residual = weight * p - positives[i]
        curve = weight * p * (1.0 - p)
        slope_a += residual
        slope_b += residual * x
        curve_a += curve
        curve_ab += curve * x
        curve_b += curve * x * x
    determinant = curve_a * curve_b - curve_ab * curve_ab
    step_a = -(curve_b * slope_a - curve_ab * slope_b) / determinant
    step_b = -(curve_a * slope_b - curve_ab * slope_a) / determinant
    return step_a, step_b, -0.5 * (slope_a * step_a + slope_b * step_b)
