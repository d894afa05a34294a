"""Machines of the squared hinge as an elimination asks them: columns that go, weights and outputs.

A column that goes is a row and a column less of ``H theta = r`` (`_curvature_fast`) and of its factor;
Newton's method (`_newton_fast`) goes on from there. Invariant between calls: each machine stands at its
optimum on the columns left, and its answers are those of that optimum.

Reference: O. Chapelle, Training a support vector machine in the primal, Neural Computation 19 (2007).
"""

from typing import Any, NamedTuple

from infoprop._core._jit import njit, unowned_view
from infoprop.svm.active_set._machines_fast import BIAS
from infoprop.svm.solvers._curvature_fast import N_STEPS, curve_of, drop_columns
from infoprop.svm.solvers._newton_fast import SETTLED, outputs, settle


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
    validation_outputs = answers.f[q, n : splits.n_all[splits.split[q]]]
    outputs(rows, curve.first + n, m, curve.theta, 0.0, validation_outputs)


@njit
def drop_from_machines(rows, curves, answers, machines, splits, first, last, m, positions, workspace, status):
    """Move the machines ``first : last`` off the columns at `positions`, m of which were left.

    `status` tells of each whether it has settled, or what `settle` asks for.
    """
    rows, answers, machines, splits, workspace = unowned_view((rows, answers, machines, splits, workspace))
    after = m - positions.shape[0]
    for q in range(first, last):
        curve = curve_of(curves, q)
        status[q] = SETTLED
        # Columns without weight take nothing with them: the optimum stays.
        if drop_columns(curve, m, positions, workspace):
            curve.counts[N_STEPS] = 0
            status[q] = settle(rows, curve, after, workspace)
            if status[q] == SETTLED:
                write_machine(rows, curves, answers, machines, splits, q, after)
