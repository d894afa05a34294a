"""The active-set method, once, for the dual of a machine over any store.

    min 1/2 beta' K beta - beta' y    subject to    low <= beta <= high,    sum beta = 0

The *free set* F lists the rows whose beta lies strictly inside its box; all others are at a bound. With
``r = K beta - y + b``, the step to the optimum of the free set solves the KKT system

    (K_FF + shift 11') d + 1 db = -r_F,    1' d = 0,

by the Cholesky factor ``U' U = K_FF + shift 11'``; the shift changes nothing where ``sum d = 0``, and makes
the factor exist for one free row more than dimensions. The *ratio test* (`max_step`) shortens the step to the
first bound that it meets; that row leaves F. At the optimum of F, *pricing* finds bounded rows that violate
the KKT conditions (r < 0 at the lower bound, r > 0 at the upper one), which enter F. When there are none,
beta is the optimum, to rounding.

Pivots are those of `_pivots_fast`. The store (`_stores_fast`) keeps what follows from beta. It follows
changes before it is asked something, not in every pivot: while rows leave the free set, nothing is asked.
`_machines_fast` states what holds between calls.

References: J. Nocedal and S. Wright, Numerical Optimization (2006), section 16.5, algorithm 16.3; K.
Scheinberg, An efficient implementation of an active set method for SVMs, JMLR 7 (2006), 2237-2257.
"""

import numpy as np

from infoprop._core._jit import njit_norefcount, njit_norefcount_sums
from infoprop.svm._vectors_fast import UNBALANCED
from infoprop.svm.active_set._machines_fast import BIAS, N_FREE, N_PIVOTS, TOL, TOTAL
from infoprop.svm.active_set._pivots_fast import direction, enter, leave, max_step, move, tell_store, walk
from infoprop.svm.active_set._stores_fast import all_gradients, price

# A beta this near to a bound, as a share of its box, is on it.
ON_BOUND = 1e-12
# Residuals below this share of the tolerance are not worth a step.
SETTLED = 1e-3
# How often the step to the optimum of a free set is repeated for what rounding has left of it: rows that all
# but depend on each other leave something to do.
MOST_REPEATS = 3
# Pivots after which rounding must have led astray; it takes about one for each row, more where rows are few.
FEWEST_PIVOTS = 1000
PIVOTS_PER_ROW = 20


@njit_norefcount
def _ends(machine, f):
    """Least f of the rows that can rise, and the row; largest f of those that can fall."""
    smallest = np.inf
    largest = -np.inf
    first = -1
    for i in range(machine.n):
        if machine.beta[i] < machine.high[i] and f[i] < smallest:
            smallest = f[i]
            first = i
        if machine.beta[i] > machine.low[i] and f[i] > largest:
            largest = f[i]
    return smallest, largest, first


@njit_norefcount
def start_free_set(machine, f, tol):
    """Without free rows: put b into the middle of what is optimal, or return a row to begin a free set with.

    f holds ``K beta - y`` of the training rows. The middle is that of `DualSolution.bias`.
    """
    smallest, largest, first = _ends(machine, f)
    if largest - smallest > tol:
        machine.numbers[BIAS] = -smallest
        return first
    if smallest == np.inf:
        smallest = largest
    elif largest == -np.inf:
        largest = smallest
    machine.numbers[BIAS] = -0.5 * (smallest + largest)
    return -1


@njit_norefcount
def all_at_bounds(machine):
    """Whether no row of the free set is strictly inside its box: then b may be anywhere in an interval."""
    for j in range(machine.counts[N_FREE]):
        i = machine.free[j]
        # An infinite box (squared hinge) has one bound, and beta is on it or not.
        box = machine.high[i] - machine.low[i]
        slack = ON_BOUND * box if box < np.inf else 0.0
        if machine.beta[i] - machine.low[i] > slack and machine.high[i] - machine.beta[i] > slack:
            return False
    return True


@njit_norefcount
def clear_free_set(machine, store, scratch):
    """Put the rows of a degenerate free set on their bounds, exactly, let them go, and centre b."""
    for j in range(machine.counts[N_FREE]):
        i = machine.free[j]
        above = machine.beta[i] - machine.low[i]
        is_low = above < machine.high[i] - machine.beta[i]
        move(machine, i, machine.low[i] if is_low else machine.high[i], scratch)
        machine.place[i] = -1
    machine.counts[N_FREE] = 0
    tell_store(machine, store, scratch)
    all_gradients(store, machine, scratch)
    start_free_set(machine, scratch.keys, np.inf)


@njit_norefcount_sums
def excess_of(machine):
    """By how much the sum of beta is too large, if that is more than rounding."""
    beta = machine.beta
    total = -machine.numbers[TOTAL]
    size = 0.0
    for i in range(machine.n):
        total += beta[i]
        size += abs(beta[i])
    return total if abs(total) > UNBALANCED * size else 0.0


@njit_norefcount
def step_on_free_set(machine, excess, scratch):
    """Go towards the optimum of the free set; returns the share of the way, and whether a row has left.

    The step also takes away the `excess` of the sum of beta over what it has to be: rows that change places
    with others they depend on keep that sum as far as rounding lets them.
    """
    d, m = scratch.d, machine.counts[N_FREE]
    largest = 0.0
    for j in range(m):
        largest = max(largest, abs(machine.residual[j]))
    if excess == 0.0 and largest <= SETTLED * machine.numbers[TOL]:
        return 1.0, False
    machine.counts[N_PIVOTS] += 1
    change = direction(machine, d)
    total = excess
    for j in range(m):
        total += d[j]
    for j in range(m):
        d[j] -= total / m
    length, blocker = max_step(machine, d)
    if length >= 1.0:
        length, blocker = 1.0, -1
    walk(machine, d, length, blocker, scratch)
    machine.numbers[BIAS] += length * change
    for j in range(m):
        machine.residual[j] *= 1.0 - length
    if blocker >= 0:
        leave(machine, blocker, scratch.work)
    return length, blocker >= 0


@njit_norefcount
def list_entering(machine, store, n_repeats, scratch):
    """Price at the optimum of a free set: how many rows enter; 0 at the optimum, -1 for one more step."""
    if machine.counts[N_FREE] == 0:
        all_gradients(store, machine, scratch)
        first = start_free_set(machine, scratch.keys, machine.numbers[TOL])
        scratch.entering[0] = first
        return 1 if first >= 0 else 0
    count = price(store, machine, scratch)
    if count > 0:
        return count
    if n_repeats < MOST_REPEATS:
        for j in range(machine.counts[N_FREE]):
            if abs(machine.residual[j]) > machine.numbers[TOL]:
                return -1
    if all_at_bounds(machine):
        clear_free_set(machine, store, scratch)
    return 0


@njit_norefcount
def pivots_for(n):
    """Largest number of pivots to the optimum of n rows; see `FEWEST_PIVOTS`."""
    return FEWEST_PIVOTS + PIVOTS_PER_ROW * n


@njit_norefcount
def settle(machine, store, scratch, max_pivots):
    """Pivot to the optimum; False if it takes too many pivots, or a free set larger than its arrays."""
    n_repeats = 0
    excess = excess_of(machine)
    for _ in range(max_pivots):
        if machine.counts[N_FREE] > 0:
            length, has_left = step_on_free_set(machine, excess, scratch)
            excess = 0.0 if length == 1.0 else excess * (1.0 - length)
            if has_left:
                continue
        tell_store(machine, store, scratch)
        count = list_entering(machine, store, n_repeats, scratch)
        if count == 0:
            return True
        if count < 0:
            n_repeats += 1
        elif machine.counts[N_FREE] + count > machine.free.shape[0]:
            return False
        for a in range(count):
            if enter(machine, store, scratch.entering[a], scratch):
                excess = excess_of(machine)
    tell_store(machine, store, scratch)
    return False
