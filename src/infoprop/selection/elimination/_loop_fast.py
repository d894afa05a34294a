"""The loop "drop the worst" in one piece, over machines that keep their Gram matrices.

There a step takes microseconds, less than a call from Python. Where single columns go one by one, most
weights need not be known: see `_screening_fast`. The same, slow and plain, is the loop in `_search`. A step
drops the groups worth least, ``sum_q scale_q |w_qk| / sum_p |w_qp|`` (`_ranking_fast`), and settles all
machines without them. Invariant between steps: machines are at their optimum, and candidates follow their
weights.

Reference: I. Guyon et al., Gene selection for cancer classification using support vector machines, Machine
Learning 46 (2002).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_norefcount, unowned_view
from infoprop.metrics._indicators_fast import DECIMALS
from infoprop.selection.elimination._ranking_fast import choose_worst, weigh_machines
from infoprop.selection.elimination._screening_fast import forget, new_candidates, price_all, price_candidates
from infoprop.svm.active_set._cholesky_fast import inner
from infoprop.svm.active_set._core_fast import pivots_for, settle
from infoprop.svm.active_set._gram_machines_fast import add_lengths, change_all, is_off_scale, store_of
from infoprop.svm.active_set._gram_store_fast import add_rows, list_nonzero
from infoprop.svm.active_set._machines_fast import machine_of
from infoprop.svm.subset._votes_fast import count_votes


class Work(NamedTuple):
    """Keys of columns, a copy, worth of machines, positions chosen, columns that go, old beta."""

    key: Any
    copy: Any
    worth: Any
    chosen: Any
    columns: Any
    before: Any


@njit
def drop_from_machines(state, candidates, count, work):
    """Move all machines off the first `count` columns of the work; False if they have to be built anew."""
    XT, K, f, machines, splits, scratch = state
    before = work.before
    n_machines = machines.beta.shape[0]
    for q in range(n_machines):
        for i in range(before.shape[1]):
            before[q, i] = machines.beta[q, i]
    for c in range(count):
        x = XT[work.columns[c]]
        add_lengths(x, splits, -1.0, candidates.lengths)
        change_all(K, f, machines, splits, x, -1.0, scratch)
    if is_off_scale(K, machines, splits):
        return False
    h = candidates.sizes[1]
    rows = scratch.asked
    for q in range(n_machines):
        machine = machine_of(machines, q)
        store = store_of(K, f, splits, q)
        if not settle(machine, store, scratch, pivots_for(machine.n)):
            return False
        change = before[q, : machine.n]
        for i in range(machine.n):
            change[i] = machine.beta[i] - change[i]
        candidates.path[q] += np.sqrt(inner(change, change))
        n_moved = list_nonzero(change, rows)
        add_rows(candidates.X[machine.start :], rows, change, n_moved, candidates.w[q, :h])
    return True


@njit
def _choose(even, candidates, drops, work, values, groups):
    """Write the worst groups of the candidates and their credits; every column has `even` more."""
    h, count = candidates.sizes[1], groups.shape[0]
    key, chosen = work.key, work.chosen
    for c in range(h):
        key[c] += even
    if drops.is_single:
        choose_worst(key[:h], candidates.groups[:h], drops.is_kept, count, chosen, values)
        for c in range(count):
            groups[c] = candidates.groups[chosen[c]]
        return
    n_groups = drops.is_kept.shape[0]
    sums = np.empty(n_groups)
    for g in range(n_groups):
        sums[g] = np.inf
    for c in range(h):
        g = candidates.groups[c]
        sums[g] = key[c] if sums[g] == np.inf else sums[g] + key[c]
    choose_worst(sums, np.arange(n_groups), drops.is_kept, count, groups, values)


@njit_norefcount
def _price_and_choose(state, drops, candidates, scale, n_candidates, work, values, groups):
    """Choose the worst groups; a full pricing comes first if screened columns might be worse."""
    XT, machines, splits = state.XT, state.machines, state.splits
    key, worth = work.key, work.worth
    # What insensitive machines have to give, they give evenly to the columns left.
    last = scale.shape[0]
    floor = -1.0
    if candidates.sizes[1] > 0:
        floor = price_candidates(XT, machines, splits, candidates, scale, worth, key)
        if floor >= 0.0:
            even = worth[last] / candidates.sizes[2]
            _choose(even, candidates, drops, work, values, groups)
            floor += even - values[values.shape[0] - 1]
    # Credits are compared rounded: screened columns within two roundings might be chosen.
    if floor <= 2.0 / DECIMALS:
        price_all(XT, machines, splits, drops, candidates, scale, n_candidates, key, work.copy)
        price_candidates(XT, machines, splits, candidates, scale, worth, key)
        _choose(worth[last] / candidates.sizes[2], candidates, drops, work, values, groups)


@njit_norefcount
def _forget_groups(candidates, drops, groups, work):
    """Take the columns of `groups` off the candidate list; writes their numbers and returns how many."""
    columns = work.columns
    if drops.is_single and groups.shape[0] == 1:
        c = work.chosen[0]
        columns[0] = candidates.left[candidates.columns[c]]
        forget(candidates, c)
        return 1
    n_gone = 0
    for c in range(candidates.sizes[1] - 1, -1, -1):
        for g in groups:
            if candidates.groups[c] == g:
                columns[n_gone] = candidates.left[candidates.columns[c]]
                n_gone += 1
                forget(candidates, c)
                break
    return n_gone


@njit
def eliminate(state, drops, record, n_candidates):
    """Drop the worst groups, step after step; returns the number of steps made.

    state : `GramState`; n_candidates : columns to follow at most.
    """
    p, n_machines = state.XT.shape[0], state.machines.beta.shape[0]
    candidates = new_candidates(state.XT, state.machines, state.splits.start.shape[0], n_candidates)
    for k in range(p):
        candidates.length[k] = add_lengths(state.XT[k], state.splits, 1.0, candidates.lengths)
    work = Work(
        np.empty(p),
        np.empty(p),
        np.empty(n_machines + 1),
        np.empty(p, np.int64),
        np.empty(p, np.int64),
        np.empty(state.machines.beta.shape),
    )
    return _eliminate(state, drops, record, n_candidates, candidates, work)


@njit
def _eliminate(state, drops, record, n_candidates, candidates, work):
    state, drops, record = unowned_view((state, drops, record))
    candidates, work = unowned_view((candidates, work))
    machines, splits = state.machines, state.splits
    n_machines = machines.beta.shape[0]
    scale = np.empty(n_machines)
    outputs = np.empty(n_machines)
    shares = np.empty(record.tables.shape[1])
    made = 0
    for step in range(drops.counts.shape[0]):
        table = record.tables[step]
        count_votes(state.f, machines.numbers, splits, outputs, table)
        by_credit = drops.uses_information
        information = weigh_machines(splits, table, by_credit, shares, scale)
        count = drops.counts[step]
        groups = record.dropped[made : made + count]
        values = record.credits[made : made + count]
        _price_and_choose(state, drops, candidates, scale, n_candidates, work, values, groups)
        if by_credit and information == 0.0:
            for c in range(count):
                values[c] = 0.0
        n_gone = _forget_groups(candidates, drops, groups, work)
        made += count
        if not drop_from_machines(state, candidates, n_gone, work):
            return step
    return drops.counts.shape[0]
