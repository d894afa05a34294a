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

The store (`_stores_fast`) keeps what follows from beta. It hears of changes when it is asked something, not
in every pivot: while rows leave the free set, nobody asks. `_machines_fast` states what holds between calls.

References: J. Nocedal and S. Wright, Numerical Optimization (2006), chapter 16; K. Scheinberg, An efficient
implementation of an active set method for SVMs, JMLR 7 (2006).
"""

import numpy as np

from infoprop._core._jit import njit_norefcount, njit_norefcount_sums
from infoprop.svm.active_set._cholesky_fast import (
    DEPENDENT,
    append,
    backward,
    downdate,
    factored,
    forward,
    inner,
    remove,
    update,
)
from infoprop.svm.active_set._machines_fast import BIAS, N_FREE, N_MOVED, N_PIVOTS, SHIFT, TOL
from infoprop.svm.active_set._stores_fast import (
    all_gradients,
    follow,
    gradient,
    gram_column,
    price,
    read_residual,
)

# A beta this near to a bound, as a share of its box, is on it.
ON_BOUND = 1e-12
# Residuals below this share of the tolerance are not worth a step.
SETTLED = 1e-3
# A sum of beta that is a smaller share of its terms is as good as zero.
UNBALANCED = 1e-12
# How often the step to the optimum of a free set is repeated for what rounding has left of it: rows that all
# but depend on each other leave something to do.
MOST_REPEATS = 3
# Pivots after which the way is lost; it takes about one for each row, more where there are few.
FEWEST_PIVOTS = 1000
PIVOTS_PER_ROW = 20


@njit_norefcount
def direction(machine, d):
    """Write the step to the optimum of the free set into d; returns the change of b."""
    m = machine.counts[N_FREE]
    for j in range(m):
        d[j] = -machine.residual[j]
    forward(machine.U, m, d)
    ones = machine.ones[:m]
    change = inner(ones, d[:m]) / inner(ones, ones)
    for j in range(m):
        d[j] -= change * ones[j]
    backward(machine.U, m, d)
    return change


@njit_norefcount
def max_step(machine, d):
    """The ratio test: how many times d fits into the box of the free set, and the position that stops it."""
    beta, low, high, free = machine.beta, machine.low, machine.high, machine.free
    length = np.inf
    blocker = -1
    for j in range(machine.counts[N_FREE]):
        i = free[j]
        if d[j] > 0.0:
            here = (high[i] - beta[i]) / d[j]
        elif d[j] < 0.0:
            here = (low[i] - beta[i]) / d[j]
        else:
            continue
        if here < length:
            length = here
            blocker = j
    return length, blocker


@njit_norefcount
def move(machine, i, value, scratch):
    """Give row i another beta, and note the change for the store."""
    change = value - machine.beta[i]
    if change != 0.0:
        machine.beta[i] = value
        scratch.moved[i] += change
        if not scratch.is_moved[i]:
            scratch.is_moved[i] = True
            scratch.rows[machine.counts[N_MOVED]] = i
            machine.counts[N_MOVED] += 1


@njit_norefcount
def walk(machine, d, length, blocker, scratch):
    """Move beta on the free set by `length` times d; the blocker, if any, ends on its bound."""
    for j in range(machine.counts[N_FREE]):
        i = machine.free[j]
        low, high = machine.low[i], machine.high[i]
        value = min(max(machine.beta[i] + length * d[j], low), high)
        if j == blocker:
            value = high if d[j] > 0.0 else low
        move(machine, i, value, scratch)


@njit_norefcount
def tell_store(machine, store, scratch):
    """Let the store follow all changes of beta that it has not heard of."""
    count = machine.counts[N_MOVED]
    if count > 0:
        follow(store, machine, scratch.rows, scratch.moved, count)
        for i in scratch.rows[:count]:
            scratch.moved[i] = 0.0
            scratch.is_moved[i] = False
        machine.counts[N_MOVED] = 0


@njit_norefcount
def leave(machine, position, work):
    """Take a row, now on its bound, out of the free set."""
    m = machine.counts[N_FREE]
    machine.place[machine.free[position]] = -1
    remove(machine.U, machine.ones, m, position, work)
    for a in range(position, m - 1):
        machine.free[a] = machine.free[a + 1]
        machine.residual[a] = machine.residual[a + 1]
        machine.place[machine.free[a]] = a
    machine.counts[N_FREE] = m - 1


@njit_norefcount
def enter(machine, store, i, scratch):
    """Take row i into the free set.

    If it depends on the rows there, ``K_i = sum_j z_j K_j``, nothing curves along their common direction: a
    *degenerate pivot* walks it downhill until one of them leaves, or until row i has reached its other bound.
    Returns whether there was one.
    """
    z, d = scratch.z, scratch.d
    is_degenerate = False
    while True:
        m = machine.counts[N_FREE]
        own = gram_column(store, machine, i, scratch) + machine.numbers[SHIFT]
        for j in range(m):
            z[j] += machine.numbers[SHIFT]
        g = gradient(store, machine, i)
        forward(machine.U, m, z)
        pivot = own - inner(z[:m], z[:m])
        if pivot > DEPENDENT * own:
            append(machine.U, machine.ones, m, z, pivot)
            machine.free[m] = i
            machine.place[i] = m
            machine.residual[m] = g
            machine.counts[N_FREE] = m + 1
            return is_degenerate
        is_degenerate = True
        backward(machine.U, m, z)
        sign = -1.0 if g > inner(z[:m], machine.residual[:m]) else 1.0
        for j in range(m):
            d[j] = -sign * z[j]
        length, blocker = max_step(machine, d)
        end = machine.high[i] if sign > 0.0 else machine.low[i]
        if sign * (end - machine.beta[i]) <= length:
            length, blocker = sign * (end - machine.beta[i]), -1
        else:
            end = machine.beta[i] + sign * length
        walk(machine, d, length, blocker, scratch)
        move(machine, i, end, scratch)
        if blocker >= 0:
            leave(machine, blocker, scratch.work)
        # In exact arithmetic no gradient has changed; dependent but for rounding is not quite dependent.
        tell_store(machine, store, scratch)
        read_residual(store, machine)
        if blocker < 0:
            return is_degenerate


@njit_norefcount
def enter_interior(machine, store, scratch):
    """Take all rows strictly inside their boxes into an empty free set; False if it has no room for them.

    All at once, by one factor. If they depend on each other, one by one: some of them leave again.
    """
    m = 0
    for i in range(machine.n):
        if machine.low[i] < machine.beta[i] < machine.high[i]:
            if m < machine.free.shape[0]:
                machine.free[m] = i
            m += 1
    if m <= machine.free.shape[0] and _factor_free_set(machine, store, m, scratch):
        read_residual(store, machine)
        return True
    for i in range(machine.n):
        if machine.low[i] < machine.beta[i] < machine.high[i]:
            if machine.counts[N_FREE] == machine.free.shape[0]:
                return False
            enter(machine, store, i, scratch)
    return True


@njit_norefcount
def _factor_free_set(machine, store, m, scratch):
    """Make the factor of the first m rows that `free` lists; False if they depend on each other."""
    U, shift = machine.U, machine.numbers[SHIFT]
    for a in range(m):
        # The first a + 1 rows count as free while the column of the last of them is asked for.
        machine.counts[N_FREE] = a + 1
        gram_column(store, machine, machine.free[a], scratch)
        for c in range(a + 1):
            U[c, a] = scratch.z[c] + shift
    machine.counts[N_FREE] = 0
    if not factored(U, m):
        return False
    for j in range(m):
        machine.ones[j] = 1.0
        machine.place[machine.free[j]] = j
    forward(U, m, machine.ones)
    machine.counts[N_FREE] = m
    return True


@njit_norefcount
def change_factor(machine, store, x, sign, scratch):
    """Let the free set follow a column x, given for its rows, that has come to K (+1) or gone from it (-1).

    Residuals and store have followed. Where the rows of the free set depend on each other without x, nothing
    curves along that direction: walk it downhill until one of them leaves.
    """
    z, d = scratch.z, scratch.d
    while True:
        m = machine.counts[N_FREE]
        is_held = False
        for j in range(m):
            z[j] = x[machine.free[j]]
            is_held = is_held or z[j] != 0.0
        if not is_held:
            return
        if sign > 0.0:
            update(machine.U, machine.ones, 0, m, z, 0.0)
            return
        forward(machine.U, m, z)
        if 1.0 - inner(z[:m], z[:m]) > DEPENDENT:
            downdate(machine.U, machine.ones, m, z, scratch.work)
            return
        backward(machine.U, m, z)
        slope = inner(machine.residual[:m], z[:m])
        for j in range(m):
            d[j] = -z[j] if slope > 0.0 else z[j]
        length, blocker = max_step(machine, d)
        walk(machine, d, length, blocker, scratch)
        leave(machine, blocker, scratch.work)
        tell_store(machine, store, scratch)
        read_residual(store, machine)


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
        slack = ON_BOUND * (machine.high[i] - machine.low[i])
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
def excess_of(beta, n):
    """What the sum of beta has too much, if it is more than rounding."""
    total = 0.0
    size = 0.0
    for i in range(n):
        total += beta[i]
        size += abs(beta[i])
    return total if abs(total) > UNBALANCED * size else 0.0


@njit_norefcount
def step_on_free_set(machine, excess, scratch):
    """Go towards the optimum of the free set; returns the share of the way, and whether a row has left.

    The step also takes away the `excess` of the sum of beta, which ought to be zero: rows that change places
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
    """Number of pivots that lead to the optimum of n rows, unless the way is lost."""
    return FEWEST_PIVOTS + PIVOTS_PER_ROW * n


@njit_norefcount
def settle(machine, store, scratch, max_pivots):
    """Pivot to the optimum; False if it takes too many pivots, or a free set larger than its arrays."""
    n_repeats = 0
    excess = excess_of(machine.beta, machine.n)
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
                excess = excess_of(machine.beta, machine.n)
    tell_store(machine, store, scratch)
    return False
