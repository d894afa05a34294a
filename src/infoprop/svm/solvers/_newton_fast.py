"""Newton's method for linear machines with the squared hinge, on the weights.

``1/2 |w|^2 + 1/2 sum_i cost_i max(0, 1 - y_i (w . x_i + b))^2`` is quadratic as long as no row crosses its
margin. A step goes to the minimum of the present quadratic; rows that have crossed their margins there enter
the curvature or leave it. If none has, that is the optimum.

Reference: S. S. Keerthi and D. DeCoste, A modified finite Newton method for fast solution of large scale
linear SVMs, JMLR 6 (2005).
"""

import numpy as np

from infoprop._core._jit import njit, njit_sums, unowned_view
from infoprop.svm._vectors_fast import clear, distance
from infoprop.svm.active_set._cholesky_fast import inner
from infoprop.svm.solvers._curvature_fast import (
    IS_STALE,
    MOST_STEPS,
    N_STEPS,
    copy,
    correct,
    curve_of,
    follow,
    refactor,
)

# Full steps end soon but might run in circles; after so many the length of each is searched for.
FREE_STEPS = 12
MOST_CUTS = 60
# A row has crossed its margin if it is beyond by more than this share of the terms of its output.
ROUNDING = 1e-13
# Steps that lower the objective by less than this share of it are rounding.
STILL = 1e-24
# All outputs are computed where more than one row in so many may have crossed its margin.
MANY_NEAR = 4

# What `settle` reports.
SETTLED, NEEDS_CURVATURE, LOST = range(3)


@njit
def outputs(rows, first, m, theta, constant, out):
    """``out = x . w + constant``, four columns at a time, so that `out` is not read so often."""
    by_column, left = rows.by_column, rows.left
    n = out.shape[0]
    end = first + n
    for i in range(n):
        out[i] = constant
    j = 0
    while j + 3 < m:
        x0 = by_column[left[j], first:end]
        x1 = by_column[left[j + 1], first:end]
        x2 = by_column[left[j + 2], first:end]
        x3 = by_column[left[j + 3], first:end]
        w0, w1, w2, w3 = theta[j + 1], theta[j + 2], theta[j + 3], theta[j + 4]
        for i in range(n):
            out[i] += w0 * x0[i] + w1 * x1[i] + w2 * x2[i] + w3 * x3[i]
        j += 4
    while j < m:
        x0 = by_column[left[j], first:end]
        w0 = theta[j + 1]
        for i in range(n):
            out[i] += w0 * x0[i]
        j += 1


@njit
def settle(rows, curve, m, workspace):
    """Go to the optimum on the first m columns left.

    Returns SETTLED, or LOST, or NEEDS_CURVATURE if so many rows have changed sides that H and r are better
    computed anew; the same call then continues.
    """
    counts, theta = curve.counts, curve.theta
    while counts[N_STEPS] < counts[MOST_STEPS]:
        if counts[IS_STALE]:
            refactor(curve, m)
        copy(theta, workspace.end[: m + 1])
        gain = correct(curve, m, workspace)
        if not gain < np.inf:
            return LOST
        # What rounding leaves of a long step.
        correct(curve, m, workspace)
        n_changed = _list_changed(rows, curve, m, workspace)
        is_there = n_changed == 0
        if not is_there and counts[N_STEPS] >= FREE_STEPS:
            if not _search(rows, curve, m, workspace, gain):
                return SETTLED
            n_changed = _list_changed(rows, curve, m, workspace)
        counts[N_STEPS] += 1
        copy(workspace.end, theta[: m + 1])
        if is_there:
            return SETTLED
        if not follow(rows, curve, m, workspace, n_changed):
            return NEEDS_CURVATURE
    return LOST


@njit_sums
def _objective(curve, m):
    total = 0.0
    for j in range(1, m + 1):
        total += curve.theta[j] * curve.theta[j]
    for i in range(curve.g.shape[0]):
        slack = max(0.0, 1.0 - curve.y[i] * curve.g[i])
        total += curve.cost[i] * slack * slack
    return 0.5 * total


@njit_sums
def _slope(y, cost, g, ends, length):
    """First and second derivative of the loss at `length` on the way from the outputs g to `ends`."""
    slope = 0.0
    bend = 0.0
    for i in range(g.shape[0]):
        change = ends[i] - g[i]
        slack = 1.0 - y[i] * (g[i] + length * change)
        own = cost[i] if slack > 0.0 else 0.0
        slope -= own * slack * y[i] * change
        bend += own * change * change
    return slope, bend


@njit
def lowest(y, cost, g, ends, begin, straight):
    """Where on the way from the outputs g to `ends` the objective is lowest, in lengths of this way.

    `begin` and `straight` are the slope of ``1/2 |w|^2`` at the start and its second derivative. The slope of
    the objective is made of straight pieces and rises: Newton's method between bounds that close in.
    """
    low = 0.0
    high = np.inf
    length = 1.0
    for _ in range(MOST_CUTS):
        slope, bend = _slope(y, cost, g, ends, length)
        slope += begin + length * straight
        bend += straight
        if slope > 0.0:
            high = length
        else:
            low = length
        better = length - slope / bend if bend > 0.0 else low
        if not low <= better <= high:
            better = 0.5 * (low + high)
        if abs(better - length) <= ROUNDING * length:
            break
        length = better
    return length


@njit
def _search(rows, curve, m, workspace, gain):
    """Shorten or lengthen a step to the lowest point on its line; False if it gains nothing but rounding."""
    step, theta, g, ends = workspace.step, curve.theta, curve.g, workspace.outputs[: curve.g.shape[0]]
    write_outputs(rows, curve, m, theta)
    if gain <= STILL * _objective(curve, m):
        return False
    outputs(rows, curve.first, m, workspace.end, workspace.end[0], ends)
    for j in range(m + 1):
        step[j] = workspace.end[j] - theta[j]
    w = step[1 : m + 1]
    length = lowest(curve.y, curve.cost, g, ends, inner(w, theta[1 : m + 1]), inner(w, w))
    for j in range(m + 1):
        workspace.end[j] = theta[j] + length * step[j]
    return True


@njit
def write_outputs(rows, curve, m, theta):
    """Compute the outputs for theta."""
    outputs(rows, curve.first, m, theta, theta[0], curve.g)
    spread(rows.left, m, theta, curve.seen)


@njit
def spread(left, m, theta, out):
    """Write b and the weights of all columns, zeros for those that are gone."""
    clear(out)
    out[0] = theta[0]
    for j in range(m):
        out[left[j] + 1] = theta[j + 1]


@njit
def _list_changed(rows, curve, m, workspace):
    """List the rows that have crossed their margins at the end of the step; returns how many.

    No output changes by more than ``|(1, x)|`` times the way from where the outputs were computed. Rows that
    were on their sides there, farther from their margins, need not be asked; where few are, all outputs are
    computed anew.
    """
    y, is_active, changed = curve.y, curve.is_active, workspace.changed
    n = y.shape[0]
    theta = workspace.spread
    spread(rows.left, m, workspace.end, theta)
    way = distance(theta, curve.seen)
    bar = ROUNDING * (1.0 + np.sqrt(inner(theta, theta)))
    norms = rows.norms[curve.first : curve.first + n]
    n_near = _list_near(curve, norms, way + bar, changed)
    asks_all = n_near * MANY_NEAR > n
    if asks_all:
        write_outputs(rows, curve, m, workspace.end)
        n_near = n
    w = theta[1:]
    count = 0
    for a in range(n_near):
        i = a if asks_all else changed[a]
        g = curve.g[i] if asks_all else inner(rows.by_row[curve.first + i], w) + theta[0]
        slack = 1.0 - y[i] * g
        changed[count] = i
        count += slack < -bar * norms[i] if is_active[i] else slack > bar * norms[i]
    return count


@njit
def _list_near(curve, norms, way, near):
    """List the rows that were on the other side or may have crossed on a way so long; returns how many."""
    y, g, is_active = curve.y, curve.g, curve.is_active
    count = 0
    for i in range(y.shape[0]):
        slack = 1.0 - y[i] * g[i]
        near[count] = i
        # No branches: this runs over all rows.
        count += (abs(slack) <= way * norms[i]) | ((slack > 0.0) != is_active[i])
    return count


@njit
def find_active(rows, curves, q, m):
    """Find which rows of machine q are active where its weights are."""
    curve = curve_of(curves, q)
    write_outputs(rows, curve, m, curve.theta)
    for i in range(curve.g.shape[0]):
        curve.is_active[i] = curve.y[i] * curve.g[i] < 1.0


@njit
def settle_one(rows, curves, q, m, workspace):
    """Go to the optimum of machine q; see `settle`."""
    rows, workspace = unowned_view(rows), unowned_view(workspace)
    return settle(rows, curve_of(curves, q), m, workspace)


@njit
def write_beta(rows, curves, q, m, beta):
    """Write the dual variables of machine q, which stands at its optimum."""
    curve = curve_of(curves, q)
    write_outputs(rows, curve, m, curve.theta)
    y, g, cost, is_active = curve.y, curve.g, curve.cost, curve.is_active
    for i in range(g.shape[0]):
        slack = max(0.0, 1.0 - y[i] * g[i])
        beta[i] = cost[i] * slack * y[i] if is_active[i] else 0.0
