r"""What chance would give: the tail of a squared correlation.

Between two variables of n rows that have nothing to do with each other, :math:`r^2` follows the beta
distribution with parameters 1/2 and (n - 2)/2, exactly if one of them is normal, and closely if not both have
heavy tails. Where both do (a rare word and a rare class), Bennett's inequality bounds the tail instead:
with :math:`x = n |r|` for standardised variables and b the largest product of their absolute values,
:math:`P \le 2 \exp\left(-\frac{n}{b^2} h\left(\frac{b x}{n}\right)\right)`,
:math:`h(u) = (1 + u) \log(1 + u) - u`; it holds for sampling without replacement, too.
"""

import numpy as np
from scipy.special import betainc, betaln, gammaincc, gammaln

from infoprop._core._typing import FloatArray

# How far the kurtosis of n products may be from the normal's before the beta tail is no longer trusted.
HEAVY = 1.0
# Below this the beta integral loses digits; its leading term takes over.
SMALLEST = 1e-280


def log_tail(r_squared: FloatArray, n_rows: float) -> FloatArray:
    """Return log P(a squared correlation of independent rows >= `r_squared`)."""
    half = 0.5 * max(n_rows - 2.0, 1.0)
    rest = np.clip(1.0 - r_squared, 1e-300, 1.0)
    tail = betainc(half, 0.5, rest)
    leading = half * np.log(rest) - 0.5 * np.log(np.clip(r_squared, 1e-300, 1.0))
    leading -= np.log(half) + betaln(half, 0.5)
    exact = np.log(np.maximum(tail, SMALLEST))
    return np.where(tail > SMALLEST, exact, np.minimum(leading, exact))


def log_bennett(r_squared: FloatArray, n_rows: float, largest: FloatArray) -> FloatArray:
    """Return the logarithm of Bennett's bound; `largest` is the greatest product in a row."""
    excess = largest * np.sqrt(r_squared)
    rate = (1.0 + excess) * np.log1p(excess) - excess
    return np.minimum(np.log(2.0) - n_rows / np.maximum(largest, 1e-9) ** 2 * rate, 0.0)


def log_sum_tail(chi_squared: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return log P(a chi-squared variable of so many degrees of freedom >= `chi_squared`)."""
    half, x = 0.5 * np.maximum(freedom, 1.0), 0.5 * chi_squared
    tail = gammaincc(half, x)
    # Where the integral is lost, its bound for x beyond the mean is close.
    far = np.maximum(x, half + 1.0)
    leading = (half - 1.0) * np.log(far) - far - gammaln(half) - np.log1p(-(half - 1.0) / far)
    return np.where(tail > SMALLEST, np.log(np.maximum(tail, SMALLEST)), np.minimum(leading, 0.0))


def log_chance(r_squared: FloatArray, n_rows: float, values: FloatArray, target: FloatArray) -> FloatArray:
    """Return log p of squared correlations between columns and one target.

    Parameters
    ----------
    r_squared : array of shape (n_columns,)
    n_rows : float
        Degrees of freedom of the rows; fewer than there are rows after a fit.
    values : array of shape (n_samples, n_columns)
        What was correlated, standardised.
    target : array of shape (n_samples,)
        With what, standardised.
    """
    beta = log_tail(r_squared, n_rows)
    kurtosis = np.mean(values**4, axis=0) - 3.0
    heavy = kurtosis * (float(np.mean(target**4)) - 3.0) / len(target) > HEAVY
    if not heavy.any():
        return beta
    largest = np.abs(values).max(axis=0) * np.abs(target).max()
    return np.where(heavy, np.maximum(beta, log_bennett(r_squared, n_rows, largest)), beta)
