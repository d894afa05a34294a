"""Covariance contributions by the definition, one row and one column at a time, and as they are found."""

import numpy as np

from infoprop.credit._contributions import indicators_of
from infoprop.credit._covariance import covariance_contributions as contributions_of
from infoprop.credit._covariance import labelled_rows
from infoprop.credit._groups import ColumnGroups
from infoprop.credit._unwrapping import unwrapped


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


def class_gaps(is_class, terms, weights):
    """Cov(s, term) and the square of its standard error, with Kish's effective number of rows."""
    part = np.asarray(weights) / np.sum(weights)
    s = is_class - np.sum(part * is_class)
    n_effective = 1.0 / np.sum(part * part)
    gaps, variances = [], []
    for column in terms.T:
        products = s * (column - np.sum(part * column))
        mean = np.sum(part * products)
        gaps.append(mean)
        variances.append(np.sum(part * (products - mean) ** 2) / max(1.0, n_effective - 1.0))
    return np.array(gaps), np.array(variances)


def garrote_shares(values, variances, gaps=None, gap_variances=None):
    """|g| max(0, 1 - 3 v / c^2) max(0, 1 - 3 u / g^2) where g has the sign of c, normalised.

    Without gaps |c| and the first factor.
    """
    sizes = []
    for k, (c, v) in enumerate(zip(values, variances, strict=True)):
        factor = max(0.0, 1.0 - 3.0 * v / c**2)
        if gaps is None:
            sizes.append(abs(c) * factor)
        elif gaps[k] * c > 0:
            sizes.append(abs(gaps[k]) * factor * max(0.0, 1.0 - 3.0 * gap_variances[k] / gaps[k] ** 2))
        else:
            sizes.append(0.0)
    return np.array(sizes) / np.sum(sizes)


def indicators(model, rows):
    """What a fitted model says of these rows, taken apart: one indicator for each class, or for two."""
    return indicators_of(unwrapped(model, rows))


def measured(model, rows, weights, membership=None, y=None):
    """The contributions that infoprop finds, with the labels of these rows if there are any."""
    own = indicators(model, rows)
    labels = None if y is None else labelled_rows(own, model.classes_, y)
    return contributions_of(own, weights, membership, labels)


def column_groups(groups, n_columns):
    """Groups of columns that are called x0, x1, ..."""
    return ColumnGroups.from_specification(groups, [f"x{k}" for k in range(n_columns)])
