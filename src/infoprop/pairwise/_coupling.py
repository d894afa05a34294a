"""Class probabilities from those of all pairs of classes."""

import numpy as np

from infoprop._core._typing import FloatArray, IntArray

# A pair that is quite sure would forbid a class for good, whatever the others say.
LEAST = 1e-7

# Entries of the systems that are solved at a time.
BLOCK_ENTRIES = 1 << 20


def coupled_probabilities(r: FloatArray, first: IntArray, second: IntArray, n_classes: int) -> FloatArray:
    """Class probabilities that agree best with those of the pairs.

    For every row, ``min_p sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2`` with ``sum_i p_i = 1``: the linear
    system ``[[Q, 1], [1', 0]] [p, b] = [0, 1]`` of T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability estimates
    for multi-class classification by pairwise coupling", JMLR 5, 2004 (their second method, equation 21),
    with ``Q_ii = sum_{s != i} r_si^2`` and ``Q_ij = -r_ji r_ij``. Its solution is never negative.

    Parameters
    ----------
    r : ndarray of shape (n_rows, n_pairs)
        Probability of the first class of each pair, given that it is one of the two.
    first, second : ndarray of shape (n_pairs,)
        Numbers of the classes of each pair; every two classes are a pair once.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    Examples
    --------
    >>> first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> r = p[first] / (p[first] + p[second])
    >>> coupled_probabilities(r[None, :], first, second, 3).round(12)
    array([[0.5, 0.3, 0.2]])
    """
    if n_classes == 2:
        return np.column_stack([r[:, 0], 1.0 - r[:, 0]])
    size = max(1, BLOCK_ENTRIES // (n_classes + 1) ** 2)
    blocks = [_coupled(r[start : start + size], first, second, n_classes) for start in range(0, len(r), size)]
    return np.concatenate(blocks) if blocks else np.empty((0, n_classes))


def _coupled(r: FloatArray, first: IntArray, second: IntArray, n_classes: int) -> FloatArray:
    beats = np.zeros((len(r), n_classes, n_classes))
    beats[:, first, second] = r.clip(LEAST, 1.0 - LEAST)
    beats[:, second, first] = 1.0 - beats[:, first, second]
    system = np.ones((len(r), n_classes + 1, n_classes + 1))
    system[:, :n_classes, :n_classes] = -beats * beats.transpose(0, 2, 1)
    own = np.arange(n_classes)
    system[:, own, own] = np.square(beats).sum(axis=1)
    system[:, n_classes, n_classes] = 0.0
    target = np.zeros((len(r), n_classes + 1, 1))
    target[:, n_classes] = 1.0
    p = np.linalg.solve(system, target)[:, :n_classes, 0].clip(0.0, 1.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))
