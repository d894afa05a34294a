"""Pivots of an active-set method on the dual of one machine, whatever its rows are stored as.

    min 1/2 beta' K beta - beta' y    subject to    low <= beta <= high,    sum beta = 0

The *free set* F lists the rows whose beta lies strictly inside its box; all others are at a bound. With
``r = K beta - y + b``, the step to the optimum of the free set solves the KKT system

    (K_FF + shift 11') d + 1 db = -r_F,    1' d = 0,

by the Cholesky factor ``U' U = K_FF + shift 11'``; the shift changes nothing where ``sum d = 0``, and makes
the factor exist for one free row more than dimensions. The *ratio test* (`max_step`) shortens the step to the
first bound that it meets; that row leaves F. At the optimum of F, *pricing* finds a bounded row that violates
the KKT conditions (r < 0 at the lower bound, r > 0 at the upper one), which enters F. When there is none,
beta is the optimum, exactly. Kept between pivots: ``free[place[i]] = i`` for rows of F, place = -1 for the
others; the factor and ``U' ones = (1, ..., 1)`` belong to F in its order; `residual` is r on F.

References: J. Nocedal and S. Wright, Numerical Optimization (2006), chapter 16; K. Scheinberg, An efficient
implementation of an active set method for SVMs, JMLR 7 (2006).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit_norefcount
from infoprop.svm.active_set._cholesky_fast import DEPENDENT, append, backward, forward, inner, remove

# A beta this near to a bound, as a share of its box, is on it.
ON_BOUND = 1e-12

# Positions in `counts`.
N_FREE = 0
N_PIVOTS = 1
N_CANDIDATES = 2
N_COUNTS = 3

# Positions in `numbers`.
BIAS = 0
TOL = 1
SHIFT = 2
REACH = 3
N_NUMBERS = 4


class Machine(NamedTuple):
    """State of one machine; rows are numbered within its split, training rows first.

    `place` is a row's position in the free set or -1; `residual` is ``K beta - y + b`` on the free set, zero
    at the optimum; `start` is where the split's rows begin among all rows and `n` how many of them it trains
    on.
    """

    y: Any
    beta: Any
    low: Any
    high: Any
    free: Any
    place: Any
    residual: Any
    U: Any
    ones: Any
    counts: Any
    numbers: Any
    start: Any
    n: Any


class Scratch(NamedTuple):
    """Workspace: three vectors on the free set and one over the columns."""

    z: Any
    d: Any
    work: Any
    row: Any


@njit_norefcount
def direction(machine, d):
    """Write the step to the optimum of the free set into d; returns the changes of b and of ``|w|^2``."""
    m = machine.counts[N_FREE]
    for j in range(m):
        d[j] = -machine.residual[j]
    forward(machine.U, m, d)
    ones = machine.ones[:m]
    change = inner(ones, d[:m]) / inner(ones, ones)
    for j in range(m):
        d[j] -= change * ones[j]
    size = inner(d[:m], d[:m])
    backward(machine.U, m, d)
    return change, size


@njit_norefcount
def fits(machine, d):
    """Whether d as a whole stays strictly inside the box of the free set."""
    beta, low, high, free = machine.beta, machine.low, machine.high, machine.free
    inside = True
    for j in range(machine.counts[N_FREE]):
        i = free[j]
        moved = beta[i] + d[j]
        inside &= (moved > low[i]) & (moved < high[i])
    return inside


@njit_norefcount
def max_step(machine, d):
    """How many times d fits into the box of the free set, and the position that stops it first."""
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
def walk(machine, d, length, blocker):
    """Move beta on the free set by `length` times d; the blocker, if any, ends on its bound."""
    beta, low, high, free = machine.beta, machine.low, machine.high, machine.free
    for j in range(machine.counts[N_FREE]):
        i = free[j]
        beta[i] = min(max(beta[i] + length * d[j], low[i]), high[i])
    if blocker >= 0:
        i = free[blocker]
        beta[i] = high[i] if d[blocker] > 0.0 else low[i]


@njit_norefcount
def shorten_residual(machine, length):
    """Residuals after a part of the step to the free set's optimum."""
    for j in range(machine.counts[N_FREE]):
        machine.residual[j] *= 1.0 - length


@njit_norefcount
def join(machine, i, z, own, g):
    """Append row i to the free set if it does not depend on the rows there.

    z holds its products with them, `own` that with itself, g its residual. Returns False if it depends on
    them; z then holds the combination of them that it equals.
    """
    m = machine.counts[N_FREE]
    forward(machine.U, m, z)
    pivot = own - inner(z[:m], z[:m])
    if pivot <= DEPENDENT * own:
        backward(machine.U, m, z)
        return False
    append(machine.U, machine.ones, m, z, pivot)
    machine.free[m] = i
    machine.place[i] = m
    machine.residual[m] = g
    machine.counts[N_FREE] = m + 1
    return True


@njit_norefcount
def degenerate_pivot(machine, i, z, g, d):
    """Write the direction along which row i and the rows it equals change places, downhill.

    Returns the sign of row i's own change, how far the box lets them go, and who stops them: a position in
    the free set, or -1 for row i itself.
    """
    m = machine.counts[N_FREE]
    sign = -1.0 if g > inner(z[:m], machine.residual[:m]) else 1.0
    for j in range(m):
        d[j] = -sign * z[j]
    length, blocker = max_step(machine, d)
    own_step = machine.high[i] - machine.beta[i] if sign > 0.0 else machine.beta[i] - machine.low[i]
    if own_step <= length:
        return sign, own_step, -1
    return sign, length, blocker


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
def start_free_set(machine, f):
    """Without free rows: put b into the middle of what is optimal, or return a row to begin a free set with.

    f holds ``K beta - y`` of the training rows.
    """
    smallest, largest, first = _ends(machine, f)
    if largest - smallest > machine.numbers[TOL]:
        machine.numbers[BIAS] = -smallest
        return first
    _centre(machine, smallest, largest)
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
def clear_free_set(machine, d):
    """Put the rows of a degenerate free set on their bounds, exactly, and let them go.

    Writes by how much they moved into d and returns how many there are; `free` still lists them.
    """
    m = machine.counts[N_FREE]
    for j in range(m):
        i = machine.free[j]
        above = machine.beta[i] - machine.low[i]
        bound = machine.low[i] if above < machine.high[i] - machine.beta[i] else machine.high[i]
        d[j] = bound - machine.beta[i]
        machine.beta[i] = bound
        machine.place[i] = -1
    machine.counts[N_FREE] = 0
    return m


@njit_norefcount
def centre_bias(machine, f):
    """Put b into the middle of what is optimal, as `DualSolution.bias` does."""
    smallest, largest, _ = _ends(machine, f)
    _centre(machine, smallest, largest)


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
def _centre(machine, smallest, largest):
    if smallest == np.inf:
        smallest = largest
    elif largest == -np.inf:
        largest = smallest
    machine.numbers[BIAS] = -0.5 * (smallest + largest)
