"""All machines that keep their Gram matrices: free sets built anew, columns that come or go, optimum."""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit_norefcount
from infoprop.svm.active_set._cholesky_fast import factored, forward, inner
from infoprop.svm.active_set._gram_store_fast import (
    MOST_PIVOTS,
    change_column,
    change_gram,
    enter,
    read_residual,
    settle,
)
from infoprop.svm.active_set._machines_fast import machine_of
from infoprop.svm.active_set._pivots_fast import N_FREE, SHIFT

# Once products have changed by this share since the free sets were built, rounding shows.
OFF_SCALE = 1e-4


class GramState(NamedTuple):
    """Machines of all splits: columns XT, (n_columns, n_rows), Gram matrices K, and ``f = K' beta - y``."""

    XT: Any
    K: Any
    f: Any
    machines: Any
    splits: Any
    scratch: Any


@njit_norefcount
def build_free_sets(K, f, machines, splits, scratch):
    """Take all rows strictly inside their boxes into the free sets and go to the optimum."""
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, splits, q)
        t = machines.split[q]
        gram = K[t, : machine.n]
        own = f[q, : splits.n_all[t]]
        if not enter_all(machine, gram, own, scratch):
            for i in range(machine.n):
                if machine.low[i] < machine.beta[i] < machine.high[i]:
                    enter(machine, gram, own, i, scratch)
    return settle_all(K, f, machines, splits, scratch)


@njit_norefcount
def enter_all(machine, K, f, scratch):
    """Take all rows strictly inside their boxes into an empty free set at once.

    Returns False, with the free set still empty, if they depend on each other.
    """
    m = 0
    for i in range(machine.n):
        if machine.low[i] < machine.beta[i] < machine.high[i]:
            machine.free[m] = i
            m += 1
    U, shift = machine.U, machine.numbers[SHIFT]
    for a in range(m):
        row = K[machine.free[a]]
        into = U[a]
        for c in range(a, m):
            into[c] = row[machine.free[c]] + shift
    if not factored(U, m):
        return False
    for j in range(m):
        machine.ones[j] = 1.0
        machine.place[machine.free[j]] = j
    forward(U, m, machine.ones)
    machine.counts[N_FREE] = m
    read_residual(machine, f)
    return True


@njit_norefcount
def settle_all(K, f, machines, splits, scratch):
    """Pivot all machines to their optimum; False if one needs too many pivots."""
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, splits, q)
        n_all = splits.n_all[machines.split[q]]
        gram = K[machines.split[q], : machine.n]
        if not settle(machine, gram, f[q, :n_all], scratch, MOST_PIVOTS):
            return False
    return True


@njit_norefcount
def change_all(K, f, machines, splits, x, sign, scratch):
    """Let column x, given for the rows of all splits, come (+1) or go (-1)."""
    for t in range(splits.start.shape[0]):
        end = splits.start[t] + splits.n_all[t]
        change_gram(K[t, : splits.n[t]], x[splits.start[t] : end], sign)
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, splits, q)
        n_all = splits.n_all[machines.split[q]]
        gram = K[machines.split[q], : machine.n]
        own = x[machine.start : machine.start + n_all]
        change_column(machine, gram, f[q, :n_all], own, sign, scratch)


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
