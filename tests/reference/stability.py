"""Stability of feature sets, by pairs and by formulas written out term by term."""

import itertools

import numpy as np


def stability_by_pairs(supports):
    """One minus the mean disagreement of two sets over that of two random sets of such sizes."""
    sets = [list(map(int, row)) for row in supports]
    n_features = len(sets[0])
    differing = [
        sum(one != other for one, other in zip(first, second, strict=True)) / (2 * n_features)
        for first, second in itertools.combinations(sets, 2)
    ]
    density = sum(map(sum, sets)) / (len(sets) * n_features)
    return 1 - (sum(differing) / len(differing)) / (density * (1 - density))


def stability_variance(supports):
    """Variance of the estimate, with every term of the published formula."""
    Z = np.asarray(supports, dtype=float)
    n_sets, d = Z.shape
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    k_mean = k.mean()
    scale = k_mean / d * (1 - k_mean / d)
    value = stability_by_pairs(supports)
    own = []
    for i in range(n_sets):
        agreement = sum(Z[i, f] * p[f] for f in range(d)) / d
        size = 2 * k_mean * k[i] / d**2 - k[i] / d - k_mean / d + 1
        own.append((agreement - k[i] * k_mean / d**2 + value / 2 * size) / scale)
    return 4 / n_sets**2 * sum((one - np.mean(own)) ** 2 for one in own)


def jackknife_variance(supports):
    """Variance of the estimate from leaving out one set at a time: another way to nearly the same number."""
    Z = np.asarray(supports)
    n_sets = len(Z)
    values = []
    for i in range(n_sets):
        others = np.delete(Z, i, axis=0)
        density = others.mean()
        values.append(1 - others.var(axis=0, ddof=1).mean() / (density * (1 - density)))
    return (n_sets - 1) / n_sets * sum((value - np.mean(values)) ** 2 for value in values)
