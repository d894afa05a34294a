"""The outer loop of block SMO over rows of the Gram matrix; `_pair_steps_fast` states the problem.

In each outer step a block B of variables is solved for, the others standing still; then ``f += K[:, B]
(beta_B after - beta_B before)``. The gap ``max f of those that can fall - min f of those that can rise``
tells when to stop. Between calls ``sum beta = 0``, ``low <= beta <= high``, and f is right on the active
variables; those set aside (*shrinking*) are at a bound and satisfied, and are checked again at the end.

Reference: T. Joachims, Making large-scale SVM learning practical, Advances in Kernel Methods (1999).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import size_of
from infoprop.svm.solvers._blocks_fast import VIOLATORS, choose_block, count_free, solve_on

# What `advance` reports.
CONVERGED, NEEDS_ROWS, SHRUNK, STOPPED, STALLED, PAUSED = range(6)

# Positions in the array of counters.
N_ACTIVE, N_BLOCK, N_OUTER, N_STEPS, N_POLISH, N_IDLE, N_WORK, PAUSE_AT, IS_DEFINITE, N_COUNTERS = range(10)

# Outer steps that may be spent after `tol` is reached to land on the exact optimum of the final free set.
POLISH_STEPS = 6
POLISH_TOL = 1e-10
STEPS_BETWEEN_SHRINKS = 8
# Of no more variables than this, rows are read whole: that is faster than to pick the active ones out.
MOST_WHOLE = 8192
# More variables than this are not worth a factor, nor the exact optimum.
MOST_POLISHED = 256
# What is left of the gap when the next block is chosen: solving one block further pays less than another.
NEXT_GOAL = 0.1
# The same for blocks of kernel rows, which cost more to gather.
NEXT_KERNEL_GOAL = 0.03
# The same where not all rows can be kept: those of another block may have to be computed.
NEXT_RARE_GOAL = 0.01
# Pair steps lead a block as long as one for each variable leaves no more than this share of the gap. A goal
# so fine that rounding in f hides it is left to pivots.
FALLING = 0.3
FINE = 1e-6
# So many outer steps in a row that lower the objective by no more than rounding: nothing is left to gain.
MOST_IDLE = 10
ROUNDING = 1e-15
# Products after which Python gets to see Ctrl-C: some tenths of a second.
WORK_BETWEEN_PAUSES = 100_000_000


class BlockState(NamedTuple):
    """One machine on its way: ``f = K beta - y`` and the box, over all rows.

    `active` lists the variables that are not set aside, first `counters[N_ACTIVE]`; `block` those to be
    solved for, first `counters[N_BLOCK]`; `taken` is False between calls.
    """

    f: Any
    beta: Any
    low: Any
    high: Any
    active: Any
    block: Any
    taken: Any
    counters: Any


@njit
def scan(f, beta, low, high, active, n_active):
    """Return the smallest f among variables that can rise and the largest among those that can fall."""
    smallest = np.inf
    largest = -np.inf
    for a in range(n_active):
        t = active[a]
        if beta[t] < high[t] and f[t] < smallest:
            smallest = f[t]
        if beta[t] > low[t] and f[t] > largest:
            largest = f[t]
    return smallest, largest


@njit
def shrink(f, beta, low, high, active, n_active, smallest, largest):
    """Drop variables that are stuck at a bound and satisfied from the active ones; return how many stay."""
    kept = 0
    for a in range(n_active):
        t = active[a]
        stuck_low = beta[t] <= low[t] and f[t] > largest
        stuck_high = beta[t] >= high[t] and f[t] < smallest
        if not (stuck_low or stuck_high):
            active[kept] = t
            kept += 1
    return kept


@njit
def add_rows(rows, slot_of, block, change, f, active, n_active):
    """``f += K[:, block] change`` on the active variables, four rows at a time."""
    n = f.shape[0]
    used = np.empty(block.shape[0], np.int64)
    count = 0
    for a in range(block.shape[0]):
        if change[a] != 0.0:
            used[count] = a
            count += 1
    k = 0
    while k < count:
        width = min(4, count - k)
        c0 = change[used[k]]
        c1 = change[used[k + 1]] if width > 1 else 0.0
        c2 = change[used[k + 2]] if width > 2 else 0.0
        c3 = change[used[k + 3]] if width > 3 else 0.0
        r0 = rows[slot_of[block[used[k]]]]
        r1 = rows[slot_of[block[used[k + 1 if width > 1 else k]]]]
        r2 = rows[slot_of[block[used[k + 2 if width > 2 else k]]]]
        r3 = rows[slot_of[block[used[k + 3 if width > 3 else k]]]]
        if n_active == n:
            for t in range(n):
                f[t] += c0 * r0[t] + c1 * r1[t] + c2 * r2[t] + c3 * r3[t]
        else:
            for a in range(n_active):
                t = active[a]
                f[t] += c0 * r0[t] + c1 * r1[t] + c2 * r2[t] + c3 * r3[t]
        k += 4


@njit
def block_step(rows, slot_of, state, n_active, block, tol, max_steps):
    """Solve the block's own problem and carry the change to f.

    Returns the pair steps and pivots taken, and by how much the objective fell.
    """
    m = block.shape[0]
    K = np.empty((m, m))
    for a in range(m):
        row = rows[slot_of[block[a]]]
        for c in range(m):
            K[a, c] = row[block[c]]
    is_definite = state.counters[IS_DEFINITE] != 0
    falling = FALLING if tol >= FINE else 0.0
    change, n_pairs, n_pivots, gain = solve_on(
        K, block, state.f, state.beta, state.low, state.high, is_definite, falling, tol, max_steps
    )
    add_rows(rows, slot_of, block, change, state.f, state.active, n_active)
    return n_pairs, n_pivots, gain


@njit
def advance(rows, slot_of, state, tol, max_steps, max_work):
    """Take outer steps until the machine converges, runs out of steps, or asks for Gram rows.

    `rows[slot_of[t]]` is row t of the Gram matrix; a negative slot means it is not there. When
    NEEDS_ROWS comes back, ``block[:counters[N_BLOCK]]`` names the rows, and the same call continues.
    `max_work` bounds the products of all steps. PAUSED comes back now and then; the same call continues.
    """
    f, beta, low, high, active, block, taken, counters = state
    n = f.shape[0]
    while True:
        n_active = counters[N_ACTIVE]
        if counters[N_WORK] >= counters[PAUSE_AT]:
            counters[PAUSE_AT] = counters[N_WORK] + WORK_BETWEEN_PAUSES
            return PAUSED
        if counters[N_BLOCK] == 0:
            smallest, largest = scan(f, beta, low, high, active, n_active)
            gap = largest - smallest
            if gap < tol:
                polished = gap < min(tol, POLISH_TOL) or counters[N_POLISH] >= POLISH_STEPS
                if n_active < n:
                    return SHRUNK
                if polished:
                    return CONVERGED
                counters[N_POLISH] += 1
            if counters[N_STEPS] >= max_steps or counters[N_WORK] >= max_work:
                return CONVERGED if gap < tol and n_active == n else STOPPED
            counters[N_OUTER] += 1
            if n > MOST_WHOLE and counters[N_OUTER] % STEPS_BETWEEN_SHRINKS == 0 and gap >= tol:
                n_active = shrink(f, beta, low, high, active, n_active, smallest, largest)
                counters[N_ACTIVE] = n_active
            free = count_free(beta, low, high, active, n_active)
            size = VIOLATORS + free if gap < tol else 2 * VIOLATORS + free
            if gap < tol and size > MOST_POLISHED and n > block.shape[0]:
                return CONVERGED
            size = min(size, block.shape[0])
            counters[N_BLOCK] = choose_block(f, beta, low, high, active, n_active, taken, block, size)
            # In the order of the rows, which is that of memory.
            block[: counters[N_BLOCK]].sort()
        chosen = block[: counters[N_BLOCK]]
        for t in chosen:
            if slot_of[t] < 0:
                return NEEDS_ROWS
        smallest, largest = scan(f, beta, low, high, active, n_active)
        gap = largest - smallest
        share = NEXT_KERNEL_GOAL if rows.shape[0] == n else NEXT_RARE_GOAL
        goal = share * (max(gap, tol) if gap >= tol else POLISH_TOL)
        m = chosen.shape[0]
        allowed = min(max_steps - counters[N_STEPS], max(1, (max_work - counters[N_WORK]) // m))
        n_pairs, n_pivots, gain = block_step(rows, slot_of, state, n_active, chosen, goal, allowed)
        counters[N_STEPS] += n_pairs + n_pivots
        counters[N_WORK] += m * (n_pairs + m * n_pivots + n_active)
        counters[N_BLOCK] = 0
        if gain > ROUNDING * size_of(beta):
            counters[N_IDLE] = 0
        elif gap >= tol:
            counters[N_IDLE] += 1
            if counters[N_IDLE] == MOST_IDLE:
                return STALLED
