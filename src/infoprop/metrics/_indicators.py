"""How many of the classifier's bits each of its class indicators earned.

Compiled loops have the formula once more (`_indicators_fast`): a step takes microseconds there, and `fsum`,
which makes the sums here the same in any order of the labels, cannot be compiled.
"""

from math import fsum, log, log2

import numpy as np
from scipy.special import xlogy

from infoprop._core._typing import FloatArray
from infoprop.metrics._confusion import ConfusionCounts
from infoprop.metrics._information import indicator_entropies, indicator_probabilities


def share_information(table: ConfusionCounts, information: float) -> FloatArray:
    """Credit of each indicator of a table in bits, shape (M,); see :func:`shared`."""
    found = shared(np.array([information]), indicator_probabilities(table), indicator_entropies(table))
    return np.asarray(found[0])


def shared(information: FloatArray, probabilities: FloatArray, entropies: FloatArray) -> FloatArray:
    """Credits of the indicators, ``information * u_j / sum(u)``, all zero if sum(u) = 0 (equation 3).

    ``u_j = P(Yf = j) (log2 M - H(Y|Yf = j))`` is the usefulness of indicator j against one that leaves all M
    labels equally likely.

    Parameters
    ----------
    information : ndarray of shape (n_tables,)
        In bits.
    probabilities, entropies : ndarray of shape (n_tables, M)
        ``P(Yf = j)``, and ``H(Y|Yf = j)`` in bits; or of shape (M,) for one table.

    Returns
    -------
    ndarray of shape (n_tables, M)
    """
    # H(Y|j) <= log2 M; rounding alone could make a usefulness negative.
    usefulness = np.atleast_2d(probabilities * np.maximum(log2(entropies.shape[-1]) - entropies, 0.0))
    totals = np.array([[fsum(row)] for row in usefulness.tolist()])
    shares = np.divide(usefulness, totals, out=np.zeros_like(usefulness), where=totals > 0)
    return np.asarray(information[:, None] * shares)


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
    cells = counts / counts.sum(axis=(1, 2), keepdims=True)
    predicted, true = cells.sum(axis=1), cells.sum(axis=2)
    # P(j) H(Y|j) = - sum_i p_ij log2(p_ij / p_j).
    doubt = np.maximum(xlogy(predicted, predicted) - xlogy(cells, cells).sum(axis=1), 0.0) / log(2)
    information = np.maximum(-xlogy(true, true).sum(axis=1) / log(2) - doubt.sum(axis=1), 0.0)
    entropies = np.divide(doubt, predicted, out=np.zeros_like(doubt), where=predicted > 0)
    return shared(information, predicted, entropies)
