"""How many of the classifier's bits each of its class indicators earned."""

from math import fsum, log, log2

import numpy as np
from scipy.special import xlogy

from infoprop._core._typing import FloatArray
from infoprop.metrics._confusion import ConfusionCounts
from infoprop.metrics._information import indicator_entropies, indicator_probabilities


def share_information(table: ConfusionCounts, information: float) -> FloatArray:
    """Credit of each indicator in bits, shape (M,): ``information * u_j / sum(u)``, all zero if sum(u) = 0.

    ``u_j = P(Yf = j) (log2 M - H(Y|Yf = j))`` is the usefulness of indicator j against one that leaves all M
    labels equally likely.
    """
    # H(Y|j) <= log2 M; rounding alone could make a usefulness negative.
    certainty = np.maximum(log2(table.n_labels) - indicator_entropies(table), 0.0)
    usefulness = indicator_probabilities(table) * certainty
    total = fsum(usefulness.tolist())
    if total == 0:
        return np.zeros(table.n_labels)
    shares: FloatArray = usefulness / total
    return information * shares


def share_each(counts: FloatArray) -> FloatArray:
    """Bits that the indicators of many tables earn, as `share_information` finds them up to rounding.

    Parameters
    ----------
    counts : ndarray of shape (n_tables, M, M)
        None of them empty.

    Returns
    -------
    ndarray of shape (n_tables, M)
    """
    total = counts.sum(axis=(1, 2), keepdims=True)
    shares = counts / total
    predicted, true = shares.sum(axis=1), shares.sum(axis=2)
    # P(j) H(Y|j) = - sum_i p_ij log2(p_ij / p_j).
    doubt = np.maximum(xlogy(predicted, predicted) - xlogy(shares, shares).sum(axis=1), 0.0) / log(2)
    information = np.maximum(-xlogy(true, true).sum(axis=1) / log(2) - doubt.sum(axis=1), 0.0)
    usefulness = np.maximum(predicted * log2(counts.shape[1]) - doubt, 0.0)
    total_usefulness = usefulness.sum(axis=1)
    scale = np.divide(
        information, total_usefulness, out=np.zeros_like(information), where=total_usefulness > 0
    )
    return np.asarray(usefulness * scale[:, None])
