"""Pivots: variables that enter and leave the free set of a machine, and the factor that follows.

The problem and its words are those of `_core_fast`. With the free set F and ``U' U = K_FF + shift 11'``, a
row i enters by ``U' z = K_Fi + shift``: its pivot is ``K_ii + shift - z . z``. Where that is zero, row i
depends on the free rows, ``K_i = sum_j z_j K_j``, and the *degenerate pivot* walks along the direction
(1, -z), on which nothing curves, down to the first bound. Whatever moves, ``sum beta`` stays.

Invariants between calls: `place`, `free`, `residual`, `U` and `ones` belong together as `_machines_fast`
states; `moved` holds the changes of beta that the store has not followed yet.

Reference: P. Gill, N. Gould, W. Murray, M. Saunders and M. Wright, A weighted Gram-Schmidt method for convex
quadratic programming, Mathematical Programming 30 (1984); of dependent rows: J. Nocedal and S. Wright,
Numerical Optimization (2006), section 16.5.
"""

import numpy as np

from infoprop._core._jit import njit_norefcount
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
from infoprop.svm.active_set._machines_fast import N_FREE, N_MOVED, SHIFT
from infoprop.svm.active_set._stores_fast import follow, gradient, gram_column, read_residual


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
    """Let the store follow all changes of beta since it did so last."""
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
        if length == np.inf:
            # No bound anywhere: infinite boxes come with a ridge on the diagonal, so rows that depend on each
            # other do so by rounding alone, and there is nothing to gain.
            return is_degenerate
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
    """Take all rows strictly inside their boxes into an empty free set; False if its arrays are too small.

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
