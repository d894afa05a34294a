"""Backward elimination with machines of the squared hinge."""

from infoprop._core._jit import borrowed, njit
from infoprop.svm._curvature_fast import N_STEPS, curve_of, drop_columns
from infoprop.svm._newton_fast import SETTLED, settle
from infoprop.svm._pivots_fast import BIAS


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


@njit
def write_machine(rows, curves, weights, machines, q, m):
    """Write weights, bias and dual variables of machine q, which stands at its optimum on m columns."""
    curve = curve_of(rows, curves, q)
    w, beta = weights.w[q], machines.beta[q]
    for k in range(w.shape[0]):
        w[k] = 0.0
    for j in range(m):
        w[rows.left[j]] = curve.theta[j + 1]
    machines.numbers[q, BIAS] = curve.theta[0]
    y, g, cost, is_active = curve.y, curve.g, curve.cost, curve.is_active
    for i in range(g.shape[0]):
        slack = max(0.0, 1.0 - y[i] * g[i])
        beta[i] = cost[i] * slack * y[i] if is_active[i] else 0.0


@njit
def drop_from_machines(rows, curves, weights, machines, first, last, m, positions, room, status):
    """Move the machines ``first : last`` off the columns at `positions`, m of which were left.

    `status` tells of each whether it has settled, or what `settle` asks for.
    """
    rows, weights, machines, room = borrowed((rows, weights, machines, room))
    after = m - positions.shape[0]
    for q in range(first, last):
        curve = curve_of(rows, curves, q)
        status[q] = SETTLED
        # Columns without weight take nothing with them: the optimum stays.
        if drop_columns(curve, m, positions, room):
            curve.counts[N_STEPS] = 0
            status[q] = settle(rows, curve, after, room)
            if status[q] == SETTLED:
                write_machine(rows, curves, weights, machines, q, after)
