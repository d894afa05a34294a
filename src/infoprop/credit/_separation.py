"""Average separation: how far rows of different classes are apart in each feature."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from infoprop._core._exceptions import DataError
from infoprop._core._typing import FloatArray
from infoprop._core._weights import check_weights
from infoprop.credit._origins import single_origins
from infoprop.credit._shares import scattered
from infoprop.credit._unwrapping import unwrapped


def average_separation(X: Any, y: Any, *, estimator: Any = None, sample_weight: Any = None) -> FloatArray:
    r"""Return the mean distance between rows of different classes, feature by feature.

    .. math:: \gamma_j = \frac{\sum_{y_k \ne y_l} |x_{kj} - x_{lj}|}{\#\{(k, l): y_k \ne y_l\}}

    For two classes this is equation 11 of the paper divided by the number of pairs, which does not change the
    ranking. For more classes, equation 11 summed over all pairs of classes and summed over all classes
    against their rest are the same sum (the second counts every pair of rows twice), and it is this one.

    It is the ranking that gradient angles are compared with. It takes noise for structure: a feature of wide
    noise has large distances. It is in units of the feature, so features must be on one scale.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels, at least two different ones.
    estimator : fitted classifier, default=None
        If it is a pipeline, distances are measured in what reaches its last step (after a scaler, in units of
        the scaled column) and given back to the columns of X. Steps must map columns one to one or select
        them. None measures the columns as they are.
    sample_weight : array-like of shape (n_samples,), default=None
        A row of weight two counts as two rows.

    Returns
    -------
    ndarray of shape (n_features,)
        At least zero.

    Notes
    -----
    Cost: O(n (log n + n_classes)) for each feature, not the n squared of the double sum. A pair of rows is
    counted at each gap between neighbouring values that lies between them, so that the sum has only
    non-negative terms. In sparse columns all zeros are handled as one.

    References
    ----------
    L. Hermes, J. M. Buhmann, "Feature selection for support vector machines", International Conference on
    Pattern Recognition, 2000, equation 11.

    Examples
    --------
    >>> from infoprop.credit import average_separation
    >>> average_separation([[0, 1], [0, 5], [2, 1], [2, 5]], [0, 0, 1, 1])
    array([2., 2.])
    """
    y = column_or_1d(y)
    check_consistent_length(X, y)
    n_features = int(np.shape(X)[1])
    origins = np.arange(n_features)
    if estimator is not None:
        inner = unwrapped(estimator, X)
        X, origins = inner.rows, origins if inner.origins is None else single_origins(inner.origins)
    X = check_array(X, accept_sparse="csc", dtype=np.float64)
    weights = np.ones(len(y)) if sample_weight is None else check_weights(sample_weight, len(y))
    classes, numbers = np.unique(y[weights > 0.0], return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"average_separation compares rows of different classes; the rows with a positive weight have "
            f"{len(classes)} class."
        )
    by_class = np.zeros((len(y), len(classes)))
    by_class[np.flatnonzero(weights > 0.0), numbers] = weights[weights > 0.0]
    totals = by_class.sum(axis=0)
    n_pairs = (totals.sum() ** 2 - totals @ totals) / 2.0
    sums = [_separation(*_column(X, k, by_class, totals)) for k in range(X.shape[1])]
    return scattered(np.array([sums], dtype=np.float64) / n_pairs, origins, n_features)[0]


def _column(X: Any, k: int, by_class: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values of a column and the weight of each class at each of them; the zeros of a CSC column are one."""
    if not sparse.issparse(X):
        return X[:, k], by_class
    stored = slice(X.indptr[k], X.indptr[k + 1])
    values, rows = X.data[stored], X.indices[stored]
    present = by_class[rows]
    # Subtracting weights may leave less than nothing, by rounding.
    absent = np.maximum(totals - present.sum(axis=0), 0.0)
    return np.append(values, 0.0), np.vstack([present, absent])


def _separation(values: FloatArray, by_class: FloatArray) -> float:
    r"""Sum of :math:`w_k w_l |x_k - x_l|` over pairs of different classes.

    Over the sorted values, :math:`\sum_t (x_{t+1} - x_t) \sum_{r \ne s} L_r(t) R_s(t)`, with L and R the
    weight of each class up to and after position t.
    """
    order = np.argsort(values, kind="stable")
    left = np.cumsum(by_class[order], axis=0)
    right = left[-1] - left[:-1]
    left = left[:-1]
    crossing = left.sum(axis=1) * right.sum(axis=1) - np.einsum("tr,tr->t", left, right)
    return float(np.diff(values[order]) @ crossing)
