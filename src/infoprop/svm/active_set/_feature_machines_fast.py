"""Machines of the feature store on their way to the optimum: built anew, or moved off columns that go.

A column x of weight ``w_k = x . beta`` that goes takes ``w_k x`` from the residuals and ``x_F x_F'`` from the
factored matrix; pivots lead to the new optimum. Invariant: ``w = X' beta`` on the columns left, and zero on
the others.

Reference: C. Diehl and G. Cauwenberghs, SVM incremental learning, adaptation and optimization, IJCNN (2003).
"""

from typing import Any, NamedTuple

from infoprop._core._jit import njit, njit_norefcount, unowned_view
from infoprop.svm.active_set._core_fast import pivots_for, settle
from infoprop.svm.active_set._feature_store_fast import FeatureStore
from infoprop.svm.active_set._machines_fast import N_FREE, N_WAITING, REACH, machine_of
from infoprop.svm.active_set._pivots_fast import change_factor, enter_interior

# Pivots after which a moved machine is left to the solver: next to none where the free set is tiny, as
# few columns and many rows make for many pivots.
FEWEST_PIVOTS = 8
PIVOTS_PER_ROW = 24
TINY_FREE_SET = 4


class Columns(NamedTuple):
    """Entries of columns that go: rows that hold them, values, and where those of each column begin."""

    holders: Any
    values: Any
    starts: Any


@njit_norefcount
def drop_column(machine, store, k, holders, values, scratch):
    """Follow column k, which has gone from the rows that hold it."""
    weight, x = store.w[k], scratch.column
    for a in range(holders.shape[0]):
        i = holders[a] - machine.start
        if 0 <= i < machine.n:
            x[i] = values[a]
    store.w[k] = 0.0
    for j in range(machine.counts[N_FREE]):
        machine.residual[j] -= weight * x[machine.free[j]]
    change_factor(machine, store, x, -1.0, scratch)
    for a in range(holders.shape[0]):
        i = holders[a] - machine.start
        if 0 <= i < machine.n:
            x[i] = 0.0


@njit
def move_machine(stores, columns, machines, q, gone, is_new, scratch):
    """Take machine q to its optimum; False if the solver should go on, or the free set outgrows its arrays.

    From a free set to be built, if it `is_new`; else from the present one, off the columns that are `gone`.
    `stores` is the store of all machines: stacked, but for the rows, which they share.
    """
    stores, columns, scratch = unowned_view((stores, columns, scratch))
    machine = machine_of(machines, q)
    store = FeatureStore(stores.rows, stores.w[q], stores.seen[q], stores.candidates[q], stores.queue[q])
    machine.counts[N_WAITING] = 0
    if is_new:
        # Nothing is known of any row: the first pricing is a full one.
        machine.numbers[REACH] = 0.0
        return enter_interior(machine, store, scratch) and settle(
            machine, store, scratch, pivots_for(machine.n)
        )
    is_moved = False
    for a, k in enumerate(gone):
        is_moved = is_moved or store.w[k] != 0.0
        own = slice(columns.starts[a], columns.starts[a + 1])
        drop_column(machine, store, k, columns.holders[own], columns.values[own], scratch)
    if not is_moved:
        # Columns without weight take nothing with them: the optimum stays.
        return True
    most = FEWEST_PIVOTS + PIVOTS_PER_ROW * max(0, machine.counts[N_FREE] - TINY_FREE_SET)
    return settle(machine, store, scratch, most)
