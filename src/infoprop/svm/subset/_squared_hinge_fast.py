"""Backward elimination with machines of the squared hinge."""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, unowned_view
from infoprop.svm.active_set._pivots_fast import BIAS
from infoprop.svm.solvers._curvature_fast import N_STEPS, curve_of, drop_columns
from infoprop.svm.solvers._newton_fast import SETTLED, outputs, settle
from infoprop.svm.subset._feature_elimination_fast import choose_counted
from infoprop.svm.subset._votes_fast import count_votes


@njit
def forget_columns(left, n_left, drops, is_left, groups, positions):
    """Take the columns of `groups` off the list; writes where they stood, last first; returns how many."""
    n_gone = 0
    for j in range(n_left - 1, -1, -1):
        for g in groups:
            if drops.group_of[left[j]] == g:
                positions[n_gone] = j
                n_gone += 1
                is_left[left[j]] = False
                break
    kept = 0
    for j in range(n_left):
        if is_left[left[j]]:
            left[kept] = left[j]
            kept += 1
    return n_gone


class Answers(NamedTuple):
    """What the machines have learned: weights of all columns, and outputs less b for the validation rows."""

    w: Any
    f: Any


@njit
def write_machine(rows, curves, answers, machines, splits, q, m):
    """Write the answers and the bias of machine q, which stands at its optimum on m columns."""
    curve = curve_of(curves, q)
    w = answers.w[q]
    for k in range(w.shape[0]):
        w[k] = 0.0
    for j in range(m):
        w[rows.left[j]] = curve.theta[j + 1]
    machines.numbers[q, BIAS] = curve.theta[0]
    n = curve.g.shape[0]
    validation_outputs = answers.f[q, n : splits.n_all[machines.split[q]]]
    outputs(rows, curve.first + n, m, curve.theta, 0.0, validation_outputs)


@njit
def choose_groups(answers, machines, splits, drops, lengths, is_left, made, step, record):
    """Count votes, credit all columns, and record the worst groups of one step; returns how many go."""
    answers, machines, splits = unowned_view((answers, machines, splits))
    drops, record = unowned_view((drops, record))
    count_votes(answers.f, machines, splits, np.empty(answers.w.shape[0]), record.tables[step])
    return choose_counted(answers.w, machines, splits, drops, lengths, is_left, made, step, record)


@njit
def drop_from_machines(rows, curves, answers, machines, splits, first, last, m, positions, room, status):
    """Move the machines ``first : last`` off the columns at `positions`, m of which were left.

    `status` tells of each whether it has settled, or what `settle` asks for.
    """
    rows, answers, machines, splits, room = unowned_view((rows, answers, machines, splits, room))
    after = m - positions.shape[0]
    for q in range(first, last):
        curve = curve_of(curves, q)
        status[q] = SETTLED
        # Columns without weight take nothing with them: the optimum stays.
        if drop_columns(curve, m, positions, room):
            curve.counts[N_STEPS] = 0
            status[q] = settle(rows, curve, after, room)
            if status[q] == SETTLED:
                write_machine(rows, curves, answers, machines, splits, q, after)
