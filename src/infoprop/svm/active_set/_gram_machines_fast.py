"""Machines over Gram stores: free sets built anew, columns that come or go, the way to the optimum.

Linear machines follow a column x, which comes (+1) or goes (-1), by ``K += sign x x'``,
``f += sign (x . beta) x`` and a rank-one change of the factor. Kernel machines get a K that is all new.
Invariants: ``f = K' beta - y`` between calls; machines that have settled are at their optimum.

Reference: C. Diehl and G. Cauwenberghs, SVM incremental learning, adaptation and optimization, IJCNN (2003).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_norefcount, unowned_view
from infoprop.svm.active_set._cholesky_fast import inner
from infoprop.svm.active_set._core_fast import pivots_for, settle, start_free_set
from infoprop.svm.active_set._gram_store_fast import GramStore, add_rows, list_nonzero, read_residual
from infoprop.svm.active_set._machines_fast import (
    BIAS,
    N_PIVOTS,
    SHIFT,
    TOL,
    TOTAL,
    UNIT_OF_ROUNDING,
    machine_of,
    new_machine,
    new_scratch,
)
from infoprop.svm.active_set._pair_steps_fast import pair_steps
from infoprop.svm.active_set._pivots_fast import change_factor, enter_interior

# Once products have changed by this share since the free sets were built, rounding shows.
OFF_SCALE = 1e-4
# Pair steps come first where beta may be far from the optimum, until outputs violate the conditions by no
# more than this: a row that belongs on a bound gets there in one of them, and takes two pivots or three.
ROUGH = 0.1


class GramState(NamedTuple):
    """Machines of all splits: columns XT, (n_columns, n_rows), Gram matrices K, and ``f = K' beta - y``."""

    XT: Any
    K: Any
    f: Any
    machines: Any
    splits: Any
    scratch: Any


@njit
def store_of(K, f, splits, q):
    """The Gram store of machine q, a view of those of all splits."""
    K, f = unowned_view((K, f))
    t = splits.split[q]
    return GramStore(K[t, : splits.n[t]], f[q, : splits.n_all[t]])


@njit_norefcount
def settle_all(K, f, machines, splits, is_new, scratch):
    """Pivot all machines to their optimum, from free sets to be built if `is_new`; False if one fails."""
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, q)
        store = store_of(K, f, splits, q)
        if is_new and not enter_interior(machine, store, scratch):
            return False
        if not settle(machine, store, scratch, pivots_for(machine.n)):
            return False
    return True


@njit_norefcount
def change_all(K, f, machines, splits, x, sign, scratch):
    """Let column x, given for the rows of all splits, come (+1) or go (-1)."""
    for t in range(splits.start.shape[0]):
        own = x[splits.start[t] : splits.start[t] + splits.n_all[t]]
        for i in range(splits.n[t]):
            row = K[t, i]
            if own[i] != 0.0:
                for a in range(own.shape[0]):
                    row[a] += sign * own[i] * own[a]
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, q)
        store = store_of(K, f, splits, q)
        own = x[machine.start : machine.start + store.f.shape[0]]
        w = sign * inner(own[: machine.n], machine.beta[: machine.n])
        for a in range(own.shape[0]):
            store.f[a] += w * own[a]
        read_residual(store, machine)
        change_factor(machine, store, own, sign, scratch)


@njit_norefcount
def add_lengths(x, splits, sign, lengths):
    """Add (+1) or take away (-1) a column's length in each split's training rows; returns the largest."""
    longest = 0.0
    for t in range(lengths.shape[0]):
        own = x[splits.start[t] : splits.start[t] + splits.n[t]]
        length = np.sqrt(inner(own, own))
        lengths[t] += sign * length
        longest = max(longest, length)
    return longest


@njit_norefcount
def is_off_scale(K, machines, splits):
    """Whether columns that make up most of the products have gone or come since the free sets were built."""
    largest = 0.0
    for t in range(splits.start.shape[0]):
        for i in range(splits.n[t]):
            largest = max(largest, K[t, i, i])
    built = machines.numbers[0, SHIFT]
    return 0.0 < largest < OFF_SCALE * built or built < OFF_SCALE * largest


@njit_norefcount
def begin(machine, f, largest_free_set):
    """Put b where rounding does no harm; False if more rows than `largest_free_set` are inside boxes."""
    total = 0.0
    count = 0
    for i in range(machine.n):
        if machine.low[i] < machine.beta[i] < machine.high[i]:
            total += f[i]
            count += 1
    if count > 0:
        machine.numbers[BIAS] = -total / count
    else:
        start_free_set(machine, f, np.inf)
    return count <= largest_free_set


@njit
def pivot_to_optima(K, beta, machines, tol, units, largest_free_set, scratch, f):
    """Take all machines from `beta` to their optimum over a K that is all new; False if one gets lost.

    K : (n, n_all), training rows first; beta : (n_machines, n); f : (n_machines, n_all), where ``K beta - y``
    is written, y being zero for validation rows. Residuals below `tol`, or so many `units` of f's
    largest term, are rounding. More free variables than `largest_free_set` are too many to pivot on.
    """
    K, f, scratch = unowned_view((K, f, scratch))
    n, rows = beta.shape[1], scratch.asked
    largest = 0.0
    for i in range(n):
        largest = max(largest, K[i, i])
    for q in range(f.shape[0]):
        machine = machine_of(machines, q)
        for a in range(f.shape[1]):
            f[q, a] = -machine.y[a] if a < n else 0.0
        add_rows(K, rows, beta[q], list_nonzero(beta[q], rows), f[q])
        store = GramStore(K, f[q, :n])
        for i in range(n):
            machine.beta[i] = beta[q, i]
            machine.place[i] = -1
        n_pairs, _ = pair_steps(K, store.f, machine.beta, machine.low, machine.high, ROUGH, n)
        # What rounding leaves of f grows with beta as it is now.
        size = 0.0
        for i in range(n):
            size += abs(machine.beta[i])
        machine.counts[:] = 0
        machine.counts[N_PIVOTS] = n_pairs
        machine.numbers[TOL] = max(tol, units * largest * size)
        machine.numbers[SHIFT] = largest if largest > 0.0 else 1.0
        if not begin(machine, store.f, largest_free_set) or not enter_interior(machine, store, scratch):
            return False
        if not settle(machine, store, scratch, pivots_for(n)):
            return False
        if f.shape[1] > n:
            for i in range(n):
                scratch.copy[i] = machine.beta[i] - beta[q, i]
            add_rows(K[:, n:], rows, scratch.copy, list_nonzero(scratch.copy, rows), f[q, n:])
    return True


@njit
def settle_alone(K, f, beta, low, high, tol, max_pivots):
    """Pivot one machine from any beta, whose sum stays, to a gap below tol.

    K : (n, n); beta and ``f = K beta - y``, of shape (n,), follow. Returns the number of pivots, and whether
    they got there.
    """
    n = f.shape[0]
    # A Gram store keeps K beta - y, so y is not asked for, and f stands in its place.
    machine, scratch = new_machine(f, beta, low, high, n + 1), new_scratch(n + 1, n, 0)
    counts, numbers = machine.counts, machine.numbers
    store = GramStore(K, f)
    largest = 0.0
    size = 0.0
    for i in range(n):
        largest = max(largest, K[i, i])
        size += abs(beta[i])
        numbers[TOTAL] += beta[i]
    # Both ends of the gap may be off by the tolerance.
    numbers[TOL] = max(0.5 * tol, UNIT_OF_ROUNDING * largest * size)
    numbers[SHIFT] = largest if largest > 0.0 else 1.0
    begin(machine, f, n)
    is_settled = enter_interior(machine, store, scratch) and settle(machine, store, scratch, max_pivots)
    return counts[N_PIVOTS], is_settled
