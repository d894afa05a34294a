"""What the paper compares with: filters that rank features one by one, and projections onto new features.

A filter maps the training rows to one score per feature, higher is better. Counting filters see each feature
in bins of equal frequency; the projections see it as it is.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats.contingency import crosstab
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

N_BINS = 10
N_NEIGHBOURS = 10
BETA = 0.5
MOST_ROWS = 1000
"""Relief-F asks no more than so many rows for their neighbours, as its inventors do on large data."""


def contingency_tables(X: Any, y: Any) -> list[Any]:
    """One table of counts per feature, bins by classes; a feature with few values has a bin for each."""
    return [crosstab(bins, y).count.astype(np.float64) for bins in _binned(X).T]


def _binned(X: Any) -> Any:
    binned = np.empty(X.shape)
    for column, values in enumerate(X.T):
        distinct = np.unique(values)
        if len(distinct) <= N_BINS:
            binned[:, column] = np.searchsorted(distinct, values)
            continue
        # Borders between ranks, not widths: features here have long tails.
        borders = np.unique(np.quantile(values, np.arange(1, N_BINS) / N_BINS))
        binned[:, column] = np.searchsorted(borders, values, side="right")
    return binned


def information_gain(X: Any, y: Any) -> Any:
    """Mutual information of each binned feature with the class, ``H(Y) - H(Y|X_k)`` in bits."""
    return np.array([_information(table) for table in contingency_tables(X, y)])


def gain_ratio(X: Any, y: Any) -> Any:
    """Information gain divided by the feature's own entropy; 0 for a constant feature."""
    return np.array([_information(t) / max(_bits(t.sum(axis=1)), 1e-12) for t in contingency_tables(X, y)])


def chi_squared(X: Any, y: Any) -> Any:
    """Chi-squared statistic of each binned feature with the class, ``sum (n - e)^2 / e``.

    Shared variance, which is chi-squared over ``n (min(bins, classes) - 1)``, ranks the same wherever
    features have at least as many bins as there are classes.
    """
    statistics = []
    for table in contingency_tables(X, y):
        independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        statistics.append(float(((table - independent) ** 2 / independent).sum()))
    return np.array(statistics)


def mifs(X: Any, y: Any) -> Any:
    """Battiti's MIFS: features taken one by one, as ranks, the first highest.

    Each maximises ``I(Y;X_k) - beta sum_s I(X_k;X_s)`` over the features s taken before it, in bits of binned
    features; ``beta = 0.5``, the lowest value that Battiti recommends.
    """
    binned = _binned(X)
    worth = information_gain(X, y)
    ranks = np.zeros(X.shape[1])
    left = list(range(X.shape[1]))
    for rank in range(X.shape[1], 0, -1):
        taken = max(left, key=lambda column: round(float(worth[column]), 12))
        ranks[taken] = rank
        left.remove(taken)
        for column in left:
            worth[column] -= BETA * _information(_joint_counts(binned[:, column], binned[:, taken]))
    return ranks


def _joint_counts(first: Any, second: Any) -> Any:
    """Counts of all pairs of bins; there are too many pairs of features to let `crosstab` sort each."""
    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    pairs = (first * n_second + second).astype(np.intp)
    return np.bincount(pairs, minlength=n_first * n_second).reshape(n_first, n_second)


def _information(table: Any) -> float:
    return _bits(table.sum(axis=0)) + _bits(table.sum(axis=1)) - _bits(table.ravel())


def _bits(counts: Any) -> float:
    shares = counts[counts > 0] / counts.sum()
    return -float(shares @ np.log2(shares))


def relief_f(X: Any, y: Any) -> Any:
    """Relief-F: how much more a feature differs towards the nearest rows of other classes than of its own.

    ``w_k = mean_i [ sum_{c != y_i} P(c)/(1 - P(y_i)) d_k(i, misses of c) - d_k(i, hits) ]``, where ``d_k`` is
    the mean of ``|x_ik - x_jk| / range_k`` over the 10 nearest rows in Manhattan distance.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)

    Returns
    -------
    array of shape (n_features,)
    """
    ranges = np.ptp(X, axis=0)
    scaled = X / np.where(ranges > 0.0, ranges, 1.0)
    asked = np.arange(len(y))
    if len(y) > MOST_ROWS:
        asked = np.sort(np.random.RandomState(0).permutation(len(y))[:MOST_ROWS])
    distances = cdist(scaled[asked], scaled, metric="cityblock")
    distances[np.arange(len(asked)), asked] = np.inf
    weights = np.zeros(X.shape[1])
    for label, count in zip(*np.unique(y, return_counts=True), strict=True):
        members = np.flatnonzero(y == label)
        own = y[asked] == label
        others = 1.0 - np.array([np.mean(y == each) for each in y[asked]])
        factor = np.where(own, -1.0, count / len(y) / others)
        weights += factor @ _mean_difference(scaled, asked, members, distances)
    return weights / len(asked)


def _mean_difference(scaled: Any, asked: Any, members: Any, distances: Any) -> Any:
    """Mean difference, feature by feature, of each asked row to its nearest `members`."""
    # A row is no neighbour of itself, so a class has one neighbour less for its own rows.
    n_neighbours = min(N_NEIGHBOURS, len(members) - 1)
    if n_neighbours < 1:
        return np.zeros((len(asked), scaled.shape[1]))
    nearest = np.argsort(distances[:, members], axis=1, kind="stable")[:, :n_neighbours]
    return np.abs(scaled[asked, None, :] - scaled[members[nearest]]).mean(axis=1)


def ranked(scores: Any) -> Any:
    """Feature numbers, best first; equal scores go to the lower number."""
    return np.argsort(-np.round(scores, 12), kind="stable")


def principal_components(X: Any, y: Any, n_components: int) -> Any:
    """Projection onto the directions of largest variance, fitted."""
    return PCA(n_components=n_components, svd_solver="full").fit(X)


def discriminants(X: Any, y: Any, n_components: int) -> Any:
    """Projection onto Fisher's discriminants, fitted; there is one less than there are classes."""
    return LinearDiscriminantAnalysis(n_components=n_components).fit(X, y)


FILTERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "information gain": information_gain,
    "gain ratio": gain_ratio,
    "chi-squared": chi_squared,
    "relief-F": relief_f,
    "MIFS": mifs,
}

PROJECTIONS: Mapping[str, Callable[[Any, Any, int], Any]] = {
    "PCA": principal_components,
    "LDA": discriminants,
}
