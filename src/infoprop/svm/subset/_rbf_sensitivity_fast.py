"""Sensitivities of rbf machines to columns (equation 5 of infoprop-2001), from kernel values.

With ``dK(x_i, x_j)/dx_i^k = -2 gamma (x_i^k - x_j^k) K_ij``, P = (beta x^k) K and totals = beta K,

    D_k = 2 gamma sum_i |beta_i| |x_i^k totals_i - P_i|

`margin_sensitivity` is the same for any kernel; from kernel values that are there it takes a half to a sixth
of the time. Sums over i may be taken in any order: bits depend on the compiler, not on the threads.

Reference: infoprop-2001, equation 5; of ranking features by a machine's own weights: I. Guyon, J. Weston, S.
Barnhill and V. Vapnik, Gene selection for cancer classification using support vector machines, Machine
Learning 46 (2002).
"""

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop._core._lapack_fast import multiply_symmetric
from infoprop.svm._vectors_fast import size_of
from infoprop.svm.active_set._cholesky_fast import NOISE_FLOOR, inner
from infoprop.svm.active_set._gram_store_fast import add_rows, list_nonzero

# A sum in single precision is off by a few roundings for the square root of its length.
DOUBT = 8.0 * 2.0**-24


@njit_sums
def _size_of_slopes(P, weighted, totals, weights):
    """``sum_i |weights_i P_i - weighted_i totals_i|``."""
    total = 0.0
    for i in range(P.shape[0]):
        total += abs(weights[i] * P[i] - weighted[i] * totals[i])
    return total


@njit
def _gather_half(K, support, A):
    """``A = K[support, support]``, from the diagonal on to the right."""
    m = A.shape[0]
    for a in range(m):
        row = K[support[a]]
        into = A[a]
        for c in range(a, m):
            into[c] = row[support[c]]


@njit
def _gather_columns(XT, middles, columns, support, weights, weighted):
    """Write columns at the support, around their middles, times the weights.

    Differences are all that counts, so columns may lie around zero, where less is lost to rounding.
    """
    for k in range(columns.shape[0]):
        x = XT[columns[k]]
        middle = middles[columns[k]]
        into = weighted[k]
        for i in range(support.shape[0]):
            into[i] = (x[support[i]] - middle) * weights[i]


@njit_sums
def _size_of_terms(weighted, terms):
    """``sum_i |weighted_i| terms_i``."""
    total = 0.0
    for i in range(weighted.shape[0]):
        total += abs(weighted[i]) * terms[i]
    return total


@njit
def _write_sensitivities(P, weighted, totals, weights, gamma, length, out):
    """``out_k = 2 gamma sum_i |weights_i P_ki - weighted_ki totals_i|``, or zero if that is mere rounding.

    length : sum of the lengths of the columns.
    """
    total = 0.0
    for k in range(out.shape[0]):
        out[k] = 2.0 * gamma * _size_of_slopes(P[k], weighted[k], totals, weights)
        total += out[k]
    if not total > NOISE_FLOOR * size_of(weights) * np.sqrt(inner(weights, weights)) * gamma * length:
        out[:] = 0.0


@njit
def rbf_sensitivities(K, XT, middles, length, columns, beta, totals, gamma, workspace, out, doubts):
    """What `margin_sensitivity` gives for an rbf machine, from kernel values.

    The link's slope is -gamma K. K : (n, n_all), symmetric where both belong to the support; XT : all
    columns, which lie around their `middles`; length : sum of the lengths of `columns` around them; beta :
    (n,); totals : ``beta K``, (n,); workspace : at least ``m (m + 2 n_columns)`` entries, where m is the
    size of the support, and 2 m more of single precision. Writes the sensitivities into out, (n_columns,).
    If the workspace is of single precision, so are they, in half the time, and `doubts` tells by how much
    they may be off; else it is empty.
    """
    p = columns.shape[0]
    is_rough = doubts.shape[0] > 0
    support = np.flatnonzero(beta)
    m = support.shape[0]
    weights = beta[support]
    n_rows = p + 1 if is_rough else p
    gram = workspace[: m * m].reshape(m, m)
    rest = workspace[m * m :]
    weighted = rest[: n_rows * m].reshape(n_rows, m)
    P = rest[n_rows * m : 2 * n_rows * m].reshape(n_rows, m)
    _gather_half(K, support, gram)
    _gather_columns(XT, middles, columns, support, weights, weighted)
    if is_rough:
        for i in range(m):
            weighted[p, i] = abs(weights[i])
    multiply_symmetric(weighted, gram, P)
    _write_sensitivities(P, weighted, totals[support], weights, gamma, length, out)
    if is_rough:
        for k in range(p):
            doubts[k] = 2.0 * gamma * DOUBT * np.sqrt(m) * _size_of_terms(weighted[k], P[p])


@njit
def rbf_sensitivity(K, x, beta, totals, gamma):
    """Sensitivity of one machine to one column x; totals : ``beta K``."""
    n = beta.shape[0]
    rows = np.empty(n, np.int64)
    weighted = np.empty(n)
    for j in range(n):
        weighted[j] = beta[j] * x[j]
    P = np.zeros(n)
    add_rows(K, rows, weighted, list_nonzero(weighted, rows), P)
    return 2.0 * gamma * _size_of_slopes(P, weighted, totals, beta)
