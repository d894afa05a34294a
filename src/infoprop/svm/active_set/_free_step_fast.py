"""Steps on the free variables, by a Cholesky factor of their Gram matrix.

Steps keep the sum of beta, so a constant may be added to the Gram matrix without changing them. It is: a
linear machine typically has one free variable more than dimensions, and its Gram matrix alone is singular.
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import size_of, total_of
from infoprop.svm.active_set._cholesky_fast import reduce_row

# Pivots below this share of the largest are rounding.
DEFICIENT = 1e-13
# What f may be off by, as a share of the largest Gram entry times sum |beta|.
ROUNDING_OF_F = 1e-15


@njit
def factor(A):
    """Cholesky factor of A in its upper triangle, in place; returns what stands in for pivots of rounding.

    A row with such a pivot depends on those before it. It keeps nothing but the stand-in.
    """
    n = A.shape[0]
    floor = 0.0
    for i in range(n):
        if A[i, i] > floor:
            floor = A[i, i]
    floor *= DEFICIENT
    tiny = np.sqrt(floor) if floor > 0.0 else 1.0
    for i in range(n):
        row = A[i, i:]
        reduce_row(A, i, n)
        if row[0] > floor:
            root = np.sqrt(row[0])
            scale = 1.0 / root
        else:
            root = tiny
            scale = 0.0
        for j in range(row.shape[0]):
            row[j] *= scale
        row[0] = root
    return tiny


@njit
def solve_factored(U, tiny, noise, x):
    """Overwrite x with the solution of ``U' U x = x``.

    Along a direction of no curvature there is nothing to solve for if what is left of x is `noise`;
    if it is more, the solution is long, and the caller's walk to the nearest bound does the rest.
    """
    n = x.shape[0]
    for i in range(n):
        row = U[i, i:]
        rest = x[i:]
        if row[0] <= tiny and abs(rest[0]) <= noise:
            rest[0] = 0.0
        rest[0] /= row[0]
        solved = rest[0]
        for j in range(1, row.shape[0]):
            rest[j] -= row[j] * solved
    for i in range(n - 1, -1, -1):
        row = U[i, i:]
        rest = x[i:]
        total = rest[0]
        for j in range(1, row.shape[0]):
            total -= row[j] * rest[j]
        rest[0] = total / row[0]


@njit
def free_step(K, f, beta, low, high):
    """Walk towards the optimum over the free variables, as far as the box allows; True if it was reached."""
    m = f.shape[0]
    free = np.empty(m, np.int64)
    n_free = 0
    for t in range(m):
        if low[t] < beta[t] < high[t]:
            free[n_free] = t
            n_free += 1
    if n_free < 2:
        return True
    A = np.empty((n_free, n_free))
    largest = 0.0
    middle = 0.0
    for a in range(n_free):
        largest = max(largest, K[free[a], free[a]])
        middle += f[free[a]] / n_free
    for a in range(n_free):
        for c in range(n_free):
            A[a, c] = K[free[a], free[c]] + largest
    tiny = factor(A)
    step = np.empty(n_free)
    ones = np.ones(n_free)
    for a in range(n_free):
        step[a] = middle - f[free[a]]
    solve_factored(A, tiny, ROUNDING_OF_F * largest * size_of(beta), step)
    solve_factored(A, tiny, 1e-9, ones)
    shift = total_of(step) / total_of(ones)
    excess = 0.0
    for a in range(n_free):
        step[a] -= shift * ones[a]
        excess += step[a]
    # The step has to keep the sum of beta to the last bit that matters.
    for a in range(n_free):
        step[a] -= excess / n_free
    change = np.zeros(m)
    for a in range(n_free):
        row = K[free[a]]
        move = step[a]
        for c in range(m):
            change[c] += move * row[c]
    slope = 0.0
    curvature = 0.0
    for a in range(n_free):
        slope += step[a] * f[free[a]]
        curvature += step[a] * change[free[a]]
    if not slope < 0.0:
        return True
    # One, but for rounding; less where the kernel is not positive definite.
    best = -slope / curvature if curvature > 0.0 else np.inf
    length = min(best, _max_step(free[:n_free], step, beta, low, high))
    if length == np.inf:
        return True
    for a in range(n_free):
        t = free[a]
        reached = beta[t] + length * step[a]
        if length < best:
            if step[a] > 0.0 and (high[t] - beta[t]) / step[a] <= length:
                reached = high[t]
            elif step[a] < 0.0 and (low[t] - beta[t]) / step[a] <= length:
                reached = low[t]
        beta[t] = min(max(reached, low[t]), high[t])
    for c in range(m):
        f[c] += length * change[c]
    return length == best


@njit
def _max_step(free, step, beta, low, high):
    """How many times `step` fits into the box."""
    longest = np.inf
    for a in range(free.shape[0]):
        t = free[a]
        if step[a] > 0.0:
            longest = min(longest, (high[t] - beta[t]) / step[a])
        elif step[a] < 0.0:
            longest = min(longest, (low[t] - beta[t]) / step[a])
    return longest
