"""Pair steps: sequential minimal optimisation over a whole Gram matrix that is kept.

The problem is ``min 1/2 beta' K beta - beta' y`` subject to ``low <= beta <= high`` and ``sum beta = 0``,
where ``beta = alpha * y``, so that one Gram matrix serves every machine. The state is `beta` and
``f = K beta - y``. A variable can rise if ``beta < high`` and fall if ``beta > low``; at the optimum no
variable that can fall has a larger f than one that can rise. A step moves one of each, by

    (f_j - f_i) / (K_ii + K_jj - 2 K_ij),

cut where one of them meets its bound: the sum of beta stays, and f follows by two rows of K.

Reference: R.-E. Fan, P.-H. Chen and C.-J. Lin, Working set selection using second order information for
training support vector machines, JMLR 6 (2005).
"""

import numpy as np

from infoprop._core._jit import njit

# Rows whose squared distance is below this coincide in feature space; a step between them would be rounding.
SMALLEST_CURVATURE = 1e-12
# Variables are looked through in runs of so many, on vectors; only where one is better, one by one.
RUN = 32


@njit
def _least(f, closed):
    """Least entry of f that is not closed, and where; -1 if all are."""
    m = f.shape[0]
    least = np.inf
    i = -1
    for start in range(0, m, RUN):
        end = min(start + RUN, m)
        count = 0
        for t in range(start, end):
            count += f[t] + closed[t] < least
        if count > 0:
            for t in range(start, end):
                if f[t] + closed[t] < least:
                    least = f[t]
                    i = t
    return least, i


@njit
def _count_from(f, closed, bar):
    """Number of entries of f from `bar` up that are not closed."""
    count = 0
    for t in range(f.shape[0]):
        count += f[t] - closed[t] >= bar
    return count


@njit
def _largest(f, closed):
    """Largest entry of f that is not closed."""
    largest = -np.inf
    for t in range(f.shape[0]):
        largest = max(largest, f[t] - closed[t])
    return largest


@njit
def _best_partner(f, closed, row, diagonal, i):
    """The variable that can fall with which i gains most, to second order, and the curvature there.

    Gains are ``difference^2 / curvature``, compared crosswise: no division in the loop.
    """
    m = f.shape[0]
    j = i
    best = 0.0
    best_curvature = 1.0
    for start in range(0, m, RUN):
        end = min(start + RUN, m)
        count = 0
        for t in range(start, end):
            difference = f[t] - closed[t] - f[i]
            curvature = max(diagonal[i] + diagonal[t] - 2.0 * row[t], SMALLEST_CURVATURE)
            gain = difference * difference
            count += (gain * best_curvature > best * curvature) & (difference > 0.0)
        if count > 0:
            for t in range(start, end):
                difference = f[t] - closed[t] - f[i]
                curvature = max(diagonal[i] + diagonal[t] - 2.0 * row[t], SMALLEST_CURVATURE)
                gain = difference * difference
                if (gain * best_curvature > best * curvature) & (difference > 0.0):
                    best = gain
                    best_curvature = curvature
                    j = t
    return j, best_curvature


@njit
def pair_steps(K, f, beta, low, high, tol, max_steps):
    """SMO on the block: the most violating riser with the partner of greatest second-order gain.

    Returns the number of steps and the gap that is left.
    """
    m = f.shape[0]
    diagonal = np.empty(m)
    # Infinite for variables that can not rise, or not fall.
    top = np.empty(m)
    bottom = np.empty(m)
    for t in range(m):
        diagonal[t] = K[t, t]
        top[t] = 0.0 if beta[t] < high[t] else np.inf
        bottom[t] = 0.0 if beta[t] > low[t] else np.inf
    steps = 0
    while True:
        smallest, i = _least(f, top)
        if i < 0 or steps >= max_steps or _count_from(f, bottom, smallest + tol) == 0:
            return steps, _largest(f, bottom) - smallest
        j, curvature = _best_partner(f, bottom, K[i], diagonal, i)
        step = (f[j] - smallest) / curvature
        limit_i = high[i] - beta[i]
        limit_j = beta[j] - low[j]
        if step < limit_i and step < limit_j:
            beta[i] += step
            beta[j] -= step
        else:
            step = min(limit_i, limit_j)
            beta[i] = high[i] if limit_i <= limit_j else beta[i] + step
            beta[j] = low[j] if limit_j <= limit_i else beta[j] - step
        top[i] = 0.0 if beta[i] < high[i] else np.inf
        top[j] = 0.0
        bottom[i] = 0.0
        bottom[j] = 0.0 if beta[j] > low[j] else np.inf
        row_i, row_j = K[i], K[j]
        for t in range(m):
            f[t] += step * (row_i[t] - row_j[t])
        steps += 1
