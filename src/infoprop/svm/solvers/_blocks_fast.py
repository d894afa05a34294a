"""Blocks of variables that a cold solver solves for, the others standing still.

The problem is that of `_pair_steps_fast`. A block holds the worst violators and the free variables, and its
problem is the same, over its own part of the Gram matrix: with ``f_B = (K beta - y)_B`` at the start,

    min 1/2 d' K_BB d + d' f_B    subject to    low <= beta_B + d <= high,    sum d = 0.

Pair steps lead it near its optimum, the active-set core (`_core_fast`) from there: bounded variables that
violate the conditions enter the free set, those that meet a bound leave it. Invariants: ``sum beta`` stays,
beta stays in its box, and the objective never rises.

Reference: T. Joachims, Making large-scale SVM learning practical, Advances in Kernel Methods (1999).
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import select
from infoprop.svm.active_set._gram_machines_fast import settle_alone
from infoprop.svm.active_set._pair_steps_fast import pair_steps

# A block holds the free variables and about so many violators: few rows are asked for that never move.
VIOLATORS = 64
# Rounding may keep a block's gap above its goal; the outer loop then goes on with another block.
MOST_ROUNDS = 20


@njit
def count_free(beta, low, high, active, n_active):
    """Number of active variables strictly inside their box."""
    count = 0
    for a in range(n_active):
        t = active[a]
        if low[t] < beta[t] < high[t]:
            count += 1
    return count


@njit
def choose_block(f, beta, low, high, active, n_active, taken, block, size):
    """Fill `block` with at most `size` variables, the worst violators and the free ones; returns how many.

    All free variables enter if they fit, so that a step on their common free set is one of the whole problem.
    """
    if n_active <= size:
        for a in range(n_active):
            block[a] = active[a]
        return n_active
    rising = np.empty(n_active)
    falling = np.empty(n_active)
    nearest = np.empty(n_active)
    free = 0
    for a in range(n_active):
        t = active[a]
        rising[a] = f[t] if beta[t] < high[t] else np.inf
        falling[a] = -f[t] if beta[t] > low[t] else np.inf
        free += low[t] < beta[t] < high[t]
    count = 0
    quota = max(1, size // 8 if free > size // 2 else (size - free) // 2)
    count = _take_smallest(rising, active, taken, block, count, min(size, count + quota))
    count = _take_smallest(falling, active, taken, block, count, min(size, count + quota))
    # Those nearest to violating come first when the free variables do not all fit.
    middle = 0.5 * (f[block[0]] + f[block[count - 1]])
    for a in range(n_active):
        t = active[a]
        nearest[a] = -abs(f[t] - middle) if low[t] < beta[t] < high[t] else np.inf
    count = _take_smallest(nearest, active, taken, block, count, size)
    for b in range(count):
        taken[block[b]] = False
    return count


@njit
def _take_smallest(key, active, taken, block, count, limit):
    """Append to `block` the untaken variables with the smallest finite keys, ties by position."""
    wanted = limit - count
    n = key.shape[0]
    if wanted <= 0:
        return count
    finite = 0
    for a in range(n):
        if taken[active[a]]:
            key[a] = np.inf
        elif key[a] < np.inf:
            finite += 1
    if finite == 0:
        return count
    bar = np.inf
    if finite > wanted:
        bar = select(key.copy(), wanted - 1)
    for a in range(n):
        if key[a] < bar and count < limit:
            block[count] = active[a]
            taken[active[a]] = True
            count += 1
    # Ties at the bar come in the order of their positions.
    for a in range(n):
        if key[a] == bar and key[a] < np.inf and count < limit:
            block[count] = active[a]
            taken[active[a]] = True
            count += 1
    return count


@njit
def solve_block(K, f, beta, low, high, is_definite, falling, tol, max_steps):
    """Pair steps, then pivots, until the block's own gap is below tol; returns how many of each.

    Pair steps go on as long as one for each variable leaves no more than the share `falling` of the gap;
    where they crawl, pivots pay. A pivot goes over the factor, and so counts as many of the `max_steps` as
    there are variables. A Gram matrix with negative eigenvalues has several optima: pair steps alone lead to
    the nearest one.
    """
    m = f.shape[0]
    n_pairs = 0
    n_pivots = 0
    burst = m
    _, before = pair_steps(K, f, beta, low, high, tol, 0)
    for _ in range(MOST_ROUNDS):
        left = max_steps - n_pairs - m * n_pivots
        done, gap = pair_steps(K, f, beta, low, high, tol, min(burst, left))
        n_pairs += done
        left -= done
        if gap < tol or left <= 0:
            break
        is_falling = gap <= falling * before
        before = gap
        if is_falling:
            continue
        if not is_definite:
            burst *= 2
            continue
        # Where many variables are on their way to bounds, more pair steps clear them faster than pivots.
        done, is_settled = settle_alone(K, f, beta, low, high, tol, min(m, 1 + left // m))
        n_pivots += done
        if is_settled or max_steps <= n_pairs + m * n_pivots:
            break
        burst *= 2
    return n_pairs, n_pivots


@njit
def solve_on(K, block, f, beta, low, high, is_definite, falling, tol, max_steps):
    """Solve for the block's beta, K being its Gram matrix; f is left to the caller.

    Returns the change of beta, the pair steps and pivots taken, and by how much the objective fell.
    """
    m = block.shape[0]
    after = np.empty(m)
    moved = np.empty(m)
    block_low = np.empty(m)
    block_high = np.empty(m)
    for a in range(m):
        t = block[a]
        after[a] = f[t]
        moved[a] = beta[t]
        block_low[a] = low[t]
        block_high[a] = high[t]
    n_pairs, n_pivots = solve_block(
        K, after, moved, block_low, block_high, is_definite, falling, tol, max_steps
    )
    change = np.empty(m)
    gain = 0.0
    for a in range(m):
        t = block[a]
        change[a] = moved[a] - beta[t]
        gain -= 0.5 * change[a] * (f[t] + after[a])
        beta[t] = moved[a]
    return change, n_pairs, n_pivots, gain
