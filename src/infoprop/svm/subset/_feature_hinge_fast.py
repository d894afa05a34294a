"""Machines of the feature store as an elimination asks them: labels of validation rows, columns that go.

A label is the class of the largest output ``x . w_q + b_q``. No output changes by more than ``|(x, 1)|``
times the distance that ``(w_q, b_q)`` has gone, so labels with a larger gap to the next class need not be
looked at again.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums, unowned_view
from infoprop.svm.active_set._feature_store_fast import drop_column, row_times, settle, weights_of
from infoprop.svm.active_set._machines_fast import machine_of
from infoprop.svm.active_set._pair_steps_fast import select
from infoprop.svm.active_set._pivots_fast import BIAS, N_FREE
from infoprop.svm.subset._votes_fast import vote

# Pivots after which the machine is left to the solver: none to speak of where the free set is tiny.
FEWEST_PIVOTS = 8
PIVOTS_PER_ROW = 24
TINY_FREE_SET = 4
FEWEST_FOLLOWED = 64


class Columns(NamedTuple):
    """The same entries by columns: rows that hold them, values, and where they lie in the rows' data."""

    holders: Any
    values: Any
    positions: Any
    starts: Any


class ValidationLabels(NamedTuple):
    """Labels of the validation rows, and which of them may change soonest.

    As with training rows: labels other than those of `candidates` hold while weights and biases of a split's
    machines have moved less than `reach` in all since the last full pricing. `lengths` of all columns
    together, for each split, tell weights from rounding.
    """

    labels: Any
    candidates: Any
    n_candidates: Any
    reach: Any
    seen: Any
    lengths: Any


@njit_sums
def _moved(w, bias, seen):
    p = w.shape[0]
    total = (bias - seen[p]) * (bias - seen[p])
    for k in range(p):
        total += (w[k] - seen[k]) * (w[k] - seen[k])
    return np.sqrt(total)


@njit
def count_votes(rows, weights, machines, splits, validation, gaps, counts):
    """Confusion counts of the validation rows; `gaps` is scratch for as many rows as there are."""
    rows, weights, machines, splits = unowned_view((rows, weights, machines, splits))
    validation = unowned_view(validation)
    outputs = np.empty(weights.w.shape[0])
    for i in range(counts.shape[0]):
        for j in range(counts.shape[0]):
            counts[i, j] = 0.0
    for t in range(splits.start.shape[0]):
        first = splits.start[t] + splits.n[t]
        end = splits.start[t] + splits.n_all[t]
        moved = 0.0
        for q in range(splits.first[t], splits.last[t]):
            moved += _moved(weights.w[q], machines.numbers[q, BIAS], validation.seen[q])
        mine = slice(splits.first[t], splits.last[t])
        own, labels = outputs[mine], machines.positive[mine]
        if moved >= validation.reach[t]:
            _label_all(rows, weights, machines, splits, validation, outputs, gaps, t, first, end)
        else:
            for h in range(validation.n_candidates[t]):
                row = validation.candidates[first + h]
                _write_outputs(rows, weights, machines, splits, outputs, t, row)
                validation.labels[row], _ = vote(own, labels, splits.negative[t])
        for row in range(first, end):
            counts[splits.truth[row], validation.labels[row]] += splits.weight[row]


@njit
def _write_outputs(rows, weights, machines, splits, outputs, t, row):
    for q in range(splits.first[t], splits.last[t]):
        outputs[q] = row_times(rows, row, weights.w[q]) + machines.numbers[q, BIAS]


@njit
def _label_all(rows, weights, machines, splits, validation, outputs, gaps, t, first, end):
    """Label all validation rows of a split and choose those to follow."""
    count = end - first
    mine = slice(splits.first[t], splits.last[t])
    own, labels = outputs[mine], machines.positive[mine]
    for row in range(first, end):
        _write_outputs(rows, weights, machines, splits, outputs, t, row)
        validation.labels[row], gap = vote(own, labels, splits.negative[t])
        gaps[row - first] = max(0.0, gap) / rows.norms[row]
    wanted = max(FEWEST_FOLLOWED, count // 8)
    validation.reach[t] = select(gaps[:count].copy(), wanted) if wanted < count else np.inf
    followed = 0
    for row in range(first, end):
        if gaps[row - first] < validation.reach[t]:
            validation.candidates[first + followed] = row
            followed += 1
    validation.n_candidates[t] = followed
    p = weights.w.shape[1]
    for q in range(splits.first[t], splits.last[t]):
        for k in range(p):
            validation.seen[q, k] = weights.w[q, k]
        validation.seen[q, p] = machines.numbers[q, BIAS]


@njit
def clear_columns(rows, columns, gone):
    """Take the columns that are `gone` out of the rows."""
    for k in gone:
        for a in range(columns.starts[k], columns.starts[k + 1]):
            rows.data[columns.positions[a]] = 0.0


@njit
def drop_from_machine(rows, columns, weights, machines, splits, q, gone, scratch, slack):
    """Move machine q off the columns that are gone; False if the solver should go on."""
    rows, columns, scratch = unowned_view(rows), unowned_view(columns), unowned_view(scratch)
    machine = machine_of(machines, splits, q)
    own = unowned_view(weights_of(weights, q))
    is_moved = False
    for k in gone:
        is_moved = is_moved or own.w[k] != 0.0
        first = columns.starts[k]
        end = columns.starts[k + 1]
        holders = columns.holders[first:end]
        drop_column(machine, rows, own.w, k, holders, columns.values[first:end], scratch)
    if not is_moved:
        # Columns without weight take nothing with them: the optimum stays.
        return True
    most = FEWEST_PIVOTS + PIVOTS_PER_ROW * max(0, machine.counts[N_FREE] - TINY_FREE_SET)
    return settle(machine, rows, own, scratch, slack, most)
