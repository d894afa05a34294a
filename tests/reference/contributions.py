"""Covariance contributions by the definition, one row and one column at a time."""

import numpy as np


def covariance_contributions(f, terms, weights):
    """Cov(f, term) / Var(f) and the square of its standard error, with Kish's effective number of rows."""
    part = np.asarray(weights) / np.sum(weights)
    f = f - np.sum(part * f)
    variance = np.sum(part * f * f)
    n_effective = 1.0 / np.sum(part * part)
    values, variances = [], []
    for column in terms.T:
        products = f * (column - np.sum(part * column))
        mean = np.sum(part * products)
        values.append(mean / variance)
        spread = np.sum(part * (products - mean) ** 2)
        variances.append(spread / max(1.0, n_effective - 1.0) / variance**2)
    return np.array(values), np.array(variances)


def garrote_shares(values, variances):
    """|c| max(0, 1 - 2 v / c^2), normalised."""
    sizes = np.array(
        [abs(c) * max(0.0, 1.0 - 2.0 * v / c**2) for c, v in zip(values, variances, strict=True)]
    )
    return sizes / sizes.sum()
