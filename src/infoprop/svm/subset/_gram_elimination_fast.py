"""Backward elimination with machines that keep their Gram matrices.

Where single columns go one by one, most weights need not be known: see `_screening_fast`.
"""

import numpy as np

from infoprop._core._jit import njit, njit_norefcount, unowned_view
from infoprop.svm.active_set._cholesky_fast import inner
from infoprop.svm.active_set._gram_machines_fast import add_lengths, change_all, is_off_scale
from infoprop.svm.active_set._gram_store_fast import MOST_PIVOTS, add_rows, settle
from infoprop.svm.active_set._machines_fast import machine_of
from infoprop.svm.subset._screening_fast import forget, new_candidates, price_all, price_candidates
from infoprop.svm.subset._votes_fast import DECIMALS, choose_worst, count_votes, weigh_machines


@njit
def drop_from_machines(XT, K, f, machines, splits, candidates, columns, count, scratch, before):
    """Move all machines off `columns`; False if they have to be built anew."""
    n_machines = machines.beta.shape[0]
    for q in range(n_machines):
        for i in range(before.shape[1]):
            before[q, i] = machines.beta[q, i]
    for c in range(count):
        add_lengths(XT[columns[c]], splits, -1.0, candidates.lengths)
        change_all(K, f, machines, splits, XT[columns[c]], -1.0, scratch)
    if is_off_scale(K, machines, splits):
        return False
    h = candidates.sizes[1]
    rows = np.empty(before.shape[1], np.int64)
    change = np.empty(before.shape[1])
    for q in range(n_machines):
        machine = machine_of(machines, splits, q)
        t = machines.split[q]
        n_all = splits.n_all[t]
        if not settle(machine, K[t, : machine.n], f[q, :n_all], scratch, MOST_PIVOTS):
            return False
        moved = 0
        for i in range(machine.n):
            rows[moved] = i
            change[moved] = machine.beta[i] - before[q, i]
            moved += change[moved] != 0.0
        candidates.path[q] += np.sqrt(inner(change[:moved], change[:moved]))
        add_rows(candidates.X[machine.start :], rows, change, moved, 1.0, candidates.w[q, :h])
    return True


@njit
def _choose(key, even, candidates, drops, count, chosen, values, groups):
    """Write the worst `count` groups of the candidates and their credits; every column has `even` more."""
    h = candidates.sizes[1]
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
def _weigh_and_choose(
    XT, machines, splits, drops, candidates, scale, n_candidates, count, work, chosen, values, groups
):
    """Choose the worst groups; a full pricing comes first if screened columns might be worse."""
    key, copy, worth = work
    # What insensitive machines have to give, they give evenly to the columns left.
    last = scale.shape[0]
    floor = -1.0
    if candidates.sizes[1] > 0:
        floor = price_candidates(XT, machines, splits, candidates, scale, worth, key)
        if floor >= 0.0:
            even = worth[last] / candidates.sizes[2]
            _choose(key, even, candidates, drops, count, chosen, values, groups)
            floor += even - values[count - 1]
    if floor <= 2.0 / DECIMALS:
        price_all(XT, machines, splits, drops, candidates, scale, n_candidates, key, copy)
        price_candidates(XT, machines, splits, candidates, scale, worth, key)
        _choose(key, worth[last] / candidates.sizes[2], candidates, drops, count, chosen, values, groups)


@njit_norefcount
def _forget_groups(candidates, drops, groups, chosen, columns):
    """Take the columns of `groups` off the candidate list; writes their numbers and returns how many."""
    if drops.is_single and groups.shape[0] == 1:
        columns[0] = candidates.left[candidates.columns[chosen[0]]]
        forget(candidates, chosen[0])
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
def eliminate(XT, K, f, machines, splits, drops, record, scratch, n_candidates):
    """Drop the worst groups, step after step; returns the number of steps made.

    XT holds the columns: (n_columns, n_rows of all splits).
    """
    n_machines = machines.beta.shape[0]
    p = XT.shape[0]
    candidates = new_candidates(XT, machines, splits.start.shape[0], n_candidates)
    for k in range(p):
        candidates.length[k] = add_lengths(XT[k], splits, 1.0, candidates.lengths)
    work = (np.empty(p), np.empty(p), np.empty(n_machines + 1))
    chosen = np.empty(p, np.int64)
    columns = np.empty(p, np.int64)
    before = np.empty(machines.beta.shape)
    return _eliminate(
        XT,
        K,
        f,
        machines,
        splits,
        drops,
        record,
        scratch,
        n_candidates,
        candidates,
        work,
        chosen,
        columns,
        before,
    )


@njit
def _eliminate(
    XT,
    K,
    f,
    machines,
    splits,
    drops,
    record,
    scratch,
    n_candidates,
    candidates,
    work,
    chosen,
    columns,
    before,
):
    XT, K, f, machines, splits = unowned_view((XT, K, f, machines, splits))
    drops, record, scratch, candidates, work = unowned_view((drops, record, scratch, candidates, work))
    chosen, columns, before = unowned_view((chosen, columns, before))
    n_machines = machines.beta.shape[0]
    scale = np.empty(n_machines)
    outputs = np.empty(n_machines)
    shares = np.empty(record.tables.shape[1])
    made = 0
    for step in range(drops.counts.shape[0]):
        table = record.tables[step]
        count_votes(f, machines, splits, outputs, table)
        information = weigh_machines(machines, splits, table, drops.uses_information, shares, scale)
        count = drops.counts[step]
        groups = record.dropped[made : made + count]
        values = record.credits[made : made + count]
        _weigh_and_choose(
            XT, machines, splits, drops, candidates, scale, n_candidates, count, work, chosen, values, groups
        )
        if drops.uses_information and information == 0.0:
            for c in range(count):
                values[c] = 0.0
        n_gone = _forget_groups(candidates, drops, groups, chosen, columns)
        made += count
        if not drop_from_machines(XT, K, f, machines, splits, candidates, columns, n_gone, scratch, before):
            return step
    return drops.counts.shape[0]
