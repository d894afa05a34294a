"""The problem of one block of variables: which to take, and how to solve for them.

The problem is ``min 1/2 beta' K beta - beta' y`` subject to ``low <= beta <= high`` and ``sum beta = 0``,
where ``beta = alpha * y``, so that one Gram matrix serves every machine. The state is `beta` and
``f = K beta - y``. A variable can rise if ``beta < high`` and fall if ``beta > low``; at the optimum no
variable that can fall has a larger f than one that can rise.
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import select
from infoprop.svm.active_set._free_step_fast import free_step

# A block holds the free variables and about so many violators: few rows are asked for that never move.
VIOLATORS = 64
# Below this the two rows of a pair coincide in feature space.
SMALLEST_CURVATURE = 1e-12
# Variables are looked through in runs of so many, on vectors; only where one is better, one by one.
RUN = 32
# How much cheaper the cube of a factorisation is than the square of the pair steps.
WALKS_PER_PAIR_STEP = 60
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


@njit
def solve_block(K, f, beta, low, high, tol, max_steps):
    """Alternate pair steps and steps on the free set until the block's own gap is below tol."""
    m = f.shape[0]
    everyone = np.arange(m)
    steps = 0
    burst = m
    for _ in range(MOST_ROUNDS):
        done, gap = pair_steps(K, f, beta, low, high, tol, min(burst, max_steps - steps))
        steps += done
        if gap < tol or steps >= max_steps:
            break
        # Every walk that ends at a bound clears one variable out of the way. Where many are, pair steps alone
        # would crawl; the walks may take about as long as the pair steps did.
        work = 0
        while work < WALKS_PER_PAIR_STEP * burst * m:
            n_free = count_free(beta, low, high, everyone, m)
            if free_step(K, f, beta, low, high):
                break
            work += n_free * n_free * n_free
        else:
            burst *= 2
    return steps


@njit
def solve_on(K, block, f, beta, low, high, tol, max_steps):
    """Solve for the block's beta, K being its Gram matrix; f is left to the caller.

    Returns the change of beta, the pair steps taken, and by how much the objective fell.
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
    steps = solve_block(K, after, moved, block_low, block_high, tol, max_steps)
    change = np.empty(m)
    gain = 0.0
    for a in range(m):
        t = block[a]
        change[a] = moved[a] - beta[t]
        gain -= 0.5 * change[a] * (f[t] + after[a])
        beta[t] = moved[a]
    return change, steps, gain
