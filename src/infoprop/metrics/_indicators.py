"""How many of the classifier's bits each of its class indicators earned."""

from math import fsum, log2

import numpy as np

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
