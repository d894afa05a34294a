"""The curvature of a machine with the squared hinge: computed row by row, factored, and followed.

With ``theta = (b, w)`` and rows ``(1, x)``, the loss of the *active* rows, those inside their margins, is
quadratic and has its minimum where ``H theta = r``: ``H = diag(0, 1, ..., 1) + sum cost x x'`` and
``r = sum cost y x`` over these rows, cost being 2 C times the weight of the row. ``U' U = H`` in upper
triangles, as in `_cholesky_fast`. Invariant between calls: H and r are those of the rows marked active; U
belongs to H, or is marked as old.

Reference: S. S. Keerthi and D. DeCoste, A modified finite Newton method for fast solution of large scale
linear SVMs, JMLR 6 (2005).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, unowned_view
from infoprop.svm.active_set._cholesky_fast import (
    backward,
    downdate,
    forward,
    inner,
    reduce_row,
    remove,
    update,
)

# A factor follows changes of single rows if they are fewer than this share of its columns, and not too many.
ROWS_PER_COLUMN = 0.12
MOST_FOLLOWED = 24
# What is left of a pivot's root where a row may still be taken out of a factor.
SAFE = 1e-3
# Products of entries from which H is better computed anew, by blocks, if many of its rows change; and columns
# from which this also holds for its factor.
LONG_WORK = 1_000_000
MANY_ROWS = 0.25
MANY_COLUMNS = 256

# Positions in `counts`.
N_STEPS, IS_STALE, MOST_STEPS, N_COUNTS = range(4)


class Rows(NamedTuple):
    """Training rows of all splits, by rows and by columns; the first of `left` are the columns in use.

    `norms` holds ``|(1, x)|`` of each row.
    """

    by_row: Any
    by_column: Any
    left: Any
    norms: Any


class Curve(NamedTuple):
    """State of one machine: signs and costs, H and its factor, r, theta, active rows.

    The outputs g are those for `seen`, b and the weights of all columns when they were last computed. The
    rows are ``first : first + n``. Of several machines, stacked, everything has one more axis, the first.
    """

    y: Any
    cost: Any
    H: Any
    U: Any
    r: Any
    theta: Any
    g: Any
    seen: Any
    is_active: Any
    counts: Any
    first: Any
    n: Any


class Workspace(NamedTuple):
    """Vectors for one machine at a time: a step, its end, this with zeros for columns that are gone, outputs
    there, rows that change, and the entries of some of them."""

    step: Any
    end: Any
    spread: Any
    outputs: Any
    changed: Any
    changes: Any


@njit
def curve_of(curves, q):
    """State of machine q, a view of those of all."""
    curves = unowned_view(curves)
    n = curves.n[q]
    return Curve(
        curves.y[q, :n],
        curves.cost[q, :n],
        curves.H[q],
        curves.U[q],
        curves.r[q],
        curves.theta[q],
        curves.g[q, :n],
        curves.seen[q],
        curves.is_active[q, :n],
        curves.counts[q],
        curves.first[q],
        n,
    )


@njit
def copy(x, out):
    for i in range(out.shape[0]):
        out[i] = x[i]


@njit
def refactor(curve, m):
    """Factor H. No pivot of a column is below 1, but for rounding where columns depend on one another.

    Without active rows nothing holds b, which then stays where it is.
    """
    U = curve.U
    for i in range(m + 1):
        copy(curve.H[i, i : m + 1], U[i, i : m + 1])
    for i in range(m + 1):
        row = U[i, i : m + 1]
        reduce_row(U, i, m + 1)
        root = np.sqrt(max(1.0, row[0])) if i > 0 or row[0] <= 0.0 else np.sqrt(row[0])
        scale = 1.0 / root
        for j in range(row.shape[0]):
            row[j] *= scale
        row[0] = root
    curve.counts[IS_STALE] = 0


@njit
def correct(curve, m, workspace):
    """Take `end` to the minimum of the present quadratic; returns twice what that lowers it by."""
    step, end = workspace.step[: m + 1], workspace.end[: m + 1]
    for j in range(m + 1):
        step[j] = curve.r[j]
    for i in range(m + 1):
        row = curve.H[i, i : m + 1]
        rest = step[i:]
        rest[0] -= inner(row, end[i:])
        own = end[i]
        for j in range(1, row.shape[0]):
            rest[j] -= own * row[j]
    forward(curve.U, m + 1, step)
    gain = inner(step, step)
    backward(curve.U, m + 1, step)
    for j in range(m + 1):
        end[j] += step[j]
    return gain


@njit
def follow(rows, curve, m, workspace, n_changed):
    """Let the listed rows change sides, in H and r too; False if these are better computed anew."""
    for a in range(n_changed):
        i = workspace.changed[a]
        curve.is_active[i] = not curve.is_active[i]
    is_followed = n_changed < min(ROWS_PER_COLUMN * m, MOST_FOLLOWED)
    is_long = n_changed * m * m > LONG_WORK and n_changed > MANY_ROWS * _count(curve.is_active)
    if is_long or (m > MANY_COLUMNS and not is_followed):
        return False
    a = 0
    while a < n_changed:
        width = min(4, n_changed - a)
        _take_changes(rows, curve, m, workspace, a, width)
        _add_changes(curve, m, workspace.changes)
        if is_followed:
            for c in range(width):
                is_followed = is_followed and _turn(curve, m, workspace, c)
        a += 4
    if not is_followed:
        curve.counts[IS_STALE] = 1
    return True


@njit
def _count(is_active):
    count = 0
    for i in range(is_active.shape[0]):
        count += is_active[i]
    return count


@njit
def _take_changes(rows, curve, m, workspace, a, width):
    """Copy up to four changed rows ``(1, x)``, with their signed costs and signs behind; zeros for none."""
    changes, left = workspace.changes, rows.left
    for c in range(4):
        change = changes[c]
        if c >= width:
            for j in range(change.shape[0]):
                change[j] = 0.0
            continue
        i = workspace.changed[a + c]
        x = rows.by_row[curve.first + i]
        change[0] = 1.0
        for j in range(m):
            change[j + 1] = x[left[j]]
        change[m + 1] = curve.cost[i] if curve.is_active[i] else -curve.cost[i]
        change[m + 2] = curve.y[i]


@njit
def _add_changes(curve, m, changes):
    """Add four rows to H and r, each times its cost."""
    x0, x1, x2, x3 = changes[0], changes[1], changes[2], changes[3]
    c0, c1, c2, c3 = x0[m + 1], x1[m + 1], x2[m + 1], x3[m + 1]
    for i in range(m + 1):
        row = curve.H[i, i : m + 1]
        y0, y1, y2, y3 = x0[i : m + 1], x1[i : m + 1], x2[i : m + 1], x3[i : m + 1]
        a0, a1, a2, a3 = c0 * y0[0], c1 * y1[0], c2 * y2[0], c3 * y3[0]
        for j in range(row.shape[0]):
            row[j] += a0 * y0[j] + a1 * y1[j] + a2 * y2[j] + a3 * y3[j]
        curve.r[i] += a0 * x0[m + 2] + a1 * x1[m + 2] + a2 * x2[m + 2] + a3 * x3[m + 2]


@njit
def _turn(curve, m, workspace, c):
    """Carry the factor along with one row; False if it has to be computed anew."""
    change = workspace.changes[c]
    cost = change[m + 1]
    root = np.sqrt(abs(cost))
    x = change[: m + 1]
    for j in range(m + 1):
        x[j] *= root
    # `step` and `end` have been used and stand in for the vectors that come along unused.
    if cost >= 0.0:
        update(curve.U, workspace.end, 0, m + 1, x, 0.0)
        return True
    forward(curve.U, m + 1, x)
    if inner(x, x) > 1.0 - SAFE:
        return False
    downdate(curve.U, workspace.end, m + 1, x, workspace.step)
    return True


@njit
def drop_columns(curve, m, positions, workspace):
    """Take the columns at `positions`, descending, out of H, r and theta; returns whether they had weight."""
    had_weight = False
    follows = positions.shape[0] == 1 and not curve.counts[IS_STALE]
    for position in positions:
        p = position + 1
        had_weight = had_weight or curve.theta[p] != 0.0
        if follows:
            remove(curve.U, workspace.end, m + 1, p, workspace.step)
        for i in range(m):
            above = i < p
            row = curve.H[i if above else i + 1, p if above else i + 1 : m + 1]
            here = curve.H[i, p if above else i : m + 1]
            shift = 1 if above else 0
            for j in range(row.shape[0] - shift):
                here[j] = row[j + shift]
        for j in range(p, m):
            curve.r[j] = curve.r[j + 1]
            curve.theta[j] = curve.theta[j + 1]
        m -= 1
    if not follows:
        curve.counts[IS_STALE] = 1
    return had_weight
