"""Sensitivities of rbf machines to columns (equation 5 of infoprop-2001), from kernel values.

With ``dK(x_i, x_j)/dx_i^k = -2 gamma (x_i^k - x_j^k) K_ij``, P = (beta x^k) K and totals = beta K,

    D_k = 2 gamma sum_i |beta_i| |x_i^k totals_i - P_i|
"""

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop._core._lapack_fast import multiply_symmetric
from infoprop.svm._vectors_fast import size_of
from infoprop.svm.active_set._cholesky_fast import NOISE_FLOOR, inner
from infoprop.svm.active_set._gram_store_fast import add_rows, list_nonzero

# A sum in single precision is off by a few roundings for the square root of its length.
DOUBT = 8.0 * 2.0**-24


# Columns are multiplied four at a time.
N_SPARE_ROWS = 8


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
    (n,); totals : ``beta K``, (n,); workspace : at least ``m (m + 2 n_columns + N_SPARE_ROWS)`` entries,
    where m is the size of the support. Writes the sensitivities into out, (n_columns,). If the workspace is
    of single precision, so are they, in half the time, and `doubts` tells by how much they may be off; else
    it is empty.
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


@njit_sums
def _inner_of_four_and_two(x0, x1, x2, x3, y0, y1):
    """Products of four vectors with two others; each is read once."""
    a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
    b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0
    for t in range(y0.shape[0]):
        a0 += x0[t] * y0[t]
        a1 += x1[t] * y0[t]
        a2 += x2[t] * y0[t]
        a3 += x3[t] * y0[t]
        b0 += x0[t] * y1[t]
        b1 += x1[t] * y1[t]
        b2 += x2[t] * y1[t]
        b3 += x3[t] * y1[t]
    return a0, a1, a2, a3, b0, b1, b2, b3


@njit
def _multiply(W, K, support, P):
    """``P = W K[support, support]``, by four rows of W and two of K, which are at hand then.

    W and P have a multiple of four rows.
    """
    m = support.shape[0]
    y0 = np.empty(m)
    y1 = np.empty(m)
    for i in range(0, m, 2):
        # The last row may be alone.
        j = min(i + 1, m - 1)
        row0, row1 = K[support[i]], K[support[j]]
        for t in range(m):
            y0[t] = row0[support[t]]
        for t in range(m):
            y1[t] = row1[support[t]]
        for k in range(0, W.shape[0], 4):
            a0, a1, a2, a3, b0, b1, b2, b3 = _inner_of_four_and_two(
                W[k], W[k + 1], W[k + 2], W[k + 3], y0, y1
            )
            P[k, i], P[k + 1, i], P[k + 2, i], P[k + 3, i] = a0, a1, a2, a3
            P[k, j], P[k + 1, j], P[k + 2, j], P[k + 3, j] = b0, b1, b2, b3


@njit
def few_sensitivities(K, XT, middles, length, columns, beta, totals, gamma, workspace, out):
    """Do what :func:`rbf_sensitivities` does in double precision, for few columns: no Gram matrix is kept.

    workspace : at least ``m (2 n_columns + N_SPARE_ROWS)`` entries, where m is the size of the support.
    """
    p = columns.shape[0]
    n_rows = 4 * ((p + 3) // 4)
    support = np.flatnonzero(beta)
    m = support.shape[0]
    weights = beta[support]
    weighted = workspace[: n_rows * m].reshape(n_rows, m)
    P = workspace[n_rows * m : 2 * n_rows * m].reshape(n_rows, m)
    _gather_columns(XT, middles, columns, support, weights, weighted)
    weighted[p:] = 0.0
    _multiply(weighted, K, support, P)
    _write_sensitivities(P, weighted, totals[support], weights, gamma, length, out)
