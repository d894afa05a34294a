"""Exact descent on the primal of a linear machine with far more rows than columns.

``1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w . x_i + b))`` is quadratic between kinks, where a row crosses the
margin. The *free set* is a list of independent rows that are kept on their kinks. A step goes towards the
minimum of the present piece on the free set, through all kinks on the way as long as the slope stays
negative: the rows passed change sides, the one that stops the descent joins the free set. At the minimum of a
free set, rows whose multipliers are outside their boxes leave it. If there are none, that is the optimum, and
the multipliers of the free set together with the bounds of the other rows solve the dual.

Reference: J. Nocedal and S. Wright, Numerical Optimization (2006), section 16.5, for the active set; of a
descent through the kinks of a piecewise quadratic, R. Fletcher, Practical Methods of Optimization (1987), of
non-differentiable optimization.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.svm.active_set._cholesky_fast import DEPENDENT, append, backward, forward, inner, remove

# A step whose square is below this share of |w|^2 is rounding.
STILL = 1e-18
# Changes of outputs below this share of |step| are rounding.
LEVEL = 1e-12
# Multipliers may be outside their boxes by this share of them.
OUTSIDE = 1e-10

# Positions in `numbers`.
BIAS, EXCESS, SHIFT, N_FREE, ENTERS_SEVERAL, N_STEPS, N_NUMBERS = range(7)


class Task(NamedTuple):
    """Rows, the same by columns, signs and bounds of the dual variables, and those of fixed rows.

    Of rows that are left out because their sides are known, `fixed_pull` is ``X' beta`` and `fixed_excess`
    ``sum beta``. See `_pair_steps_fast`."""

    X: Any
    columns: Any
    y: Any
    low: Any
    high: Any
    fixed_pull: Any
    fixed_excess: Any


class Point(NamedTuple):
    """Where the descent stands.

    `g` is ``X w + b - y``, `side` the sign that g has or may take (zero on the free set), `beta` the dual
    variables that follow from the sides (zero on the free set), `pull` is ``X' beta - w``; `numbers` holds b,
    ``sum beta``, the constant added to the Gram matrix of the free set, and what a pause is left with.
    """

    w: Any
    pull: Any
    g: Any
    side: Any
    beta: Any
    numbers: Any


class FreeSet(NamedTuple):
    """Rows on their kinks: their entries, a factor of their Gram matrix, their places, multipliers."""

    members: Any
    place: Any
    rows: Any
    U: Any
    ones: Any
    multipliers: Any
    work: Any


class LineSearch(NamedTuple):
    """Change of w and g along a step; where rows cross their kinks, what that adds to the slope, who does."""

    step: Any
    change: Any
    crossing: Any
    steepening: Any
    order: Any


@njit
def solve_primal(task, point, free, search, max_steps, pause_at):
    """Descend from ``point.w`` to the optimum; returns the number of steps, negative if that was not enough.

    At the end ``point.beta`` solves the dual. Zero comes back after `pause_at` steps; call again.
    """
    numbers = point.numbers
    if numbers[N_STEPS] == 0.0:
        for i in range(task.X.shape[0]):
            numbers[SHIFT] = max(numbers[SHIFT], inner(task.X[i], task.X[i]))
        if numbers[SHIFT] == 0.0:
            numbers[SHIFT] = 1.0
        numbers[ENTERS_SEVERAL] = 1.0
        numbers[N_FREE] = _begin(task, point, free, search)
    several = numbers[ENTERS_SEVERAL] > 0.0
    m = int(numbers[N_FREE])
    for n_steps in range(int(numbers[N_STEPS]), max_steps):
        if n_steps == pause_at:
            numbers[N_STEPS], numbers[N_FREE], numbers[ENTERS_SEVERAL] = n_steps, m, several
            return 0
        bias_change = _aim(task, point, free, search, m)
        size = inner(search.step, search.step)
        if m <= task.X.shape[1] and size > STILL * inner(point.w, point.w):
            length, stopper, n_passed = _search(task, point, search, bias_change, size)
            _walk(task, point, free, search, m, length, bias_change, n_passed)
            if stopper >= 0:
                # Rows that came off a kink together may at once hold each other there: then one at a time.
                several = several and length > 0.0
                if not _join(task, point, free, m, stopper):
                    return -n_steps - 1
                m += 1
            if stopper >= 0 or n_passed > 0:
                continue
        left = _release(task, point, free, m, several)
        if left == m:
            for j in range(m):
                point.beta[free.members[j]] = free.multipliers[j]
            return n_steps + 1
        m = left if left > 0 else _begin(task, point, free, search)
    return -max_steps


@njit
def _begin(task, point, free, search):
    """Put b where it is best for w, all rows on their sides, and the row that decides b on the free set."""
    n, d = task.X.shape
    g, beta = point.g, point.beta
    times(task.columns, point.w, 0.0, g)
    total = 0.0
    for i in range(n):
        g[i] -= task.y[i]
        search.crossing[i] = -g[i]
        search.steepening[i] = task.high[i] - task.low[i]
        search.order[i] = i
        free.place[i] = -1
        if task.y[i] > 0.0:
            total += search.steepening[i]
    slope = -total - task.fixed_excess
    _, row, n_passed = first_ascent(search.crossing, search.steepening, search.order, n, slope, 0.0)
    point.numbers[BIAS] = -g[row]
    point.numbers[EXCESS] = task.fixed_excess
    for k in range(d):
        point.pull[k] = task.fixed_pull[k] - point.w[k]
    # Rows are passed as b rises from far below, where it is the positive ones that violate the margin.
    for a in range(n):
        i = search.order[a]
        g[i] += point.numbers[BIAS]
        point.side[i] = -1.0 if a >= n_passed else 1.0
        beta[i] = search.steepening[i] * task.y[i] if point.side[i] != task.y[i] else 0.0
        if beta[i] != 0.0:
            _add_beta(task.X[i], beta[i], point)
        else:
            # A row without a box has no kink.
            point.side[i] *= search.steepening[i] > 0.0
    _join(task, point, free, 0, row)
    return 1


@njit
def _add_beta(x, change, point):
    point.numbers[EXCESS] += change
    pull = point.pull
    for k in range(x.shape[0]):
        pull[k] += change * x[k]


@njit_sums
def times(columns, w, constant, out):
    """``out = X w + constant``, X given by columns; eight at a time, so that `out` is not read so often."""
    d, n = columns.shape
    for i in range(n):
        out[i] = constant
    eights = d - d % 8
    for k in range(0, eights, 8):
        w0, w1, w2, w3 = w[k], w[k + 1], w[k + 2], w[k + 3]
        w4, w5, w6, w7 = w[k + 4], w[k + 5], w[k + 6], w[k + 7]
        x0, x1, x2, x3 = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
        x4, x5, x6, x7 = columns[k + 4], columns[k + 5], columns[k + 6], columns[k + 7]
        for i in range(n):
            first = w0 * x0[i] + w1 * x1[i] + w2 * x2[i] + w3 * x3[i]
            out[i] += first + w4 * x4[i] + w5 * x5[i] + w6 * x6[i] + w7 * x7[i]
    for k in range(eights, d):
        a, column = w[k], columns[k]
        for i in range(n):
            out[i] += a * column[i]


@njit
def _aim(task, point, free, search, m):
    """Write the step to the minimum of the piece on the free set, and multipliers there; returns b's change.

    With ``A = X_F X_F' + shift``: ``A mu + h = -X_F pull`` and ``sum mu = -excess`` give the multipliers mu
    and ``h = change of b + shift excess``.
    """
    mu, step = free.multipliers, search.step
    for j in range(m):
        mu[j] = -inner(free.rows[j], point.pull)
    forward(free.U, m, mu)
    ones = free.ones[:m]
    h = (inner(ones, mu[:m]) + point.numbers[EXCESS]) / inner(ones, ones)
    for j in range(m):
        mu[j] -= h * ones[j]
    backward(free.U, m, mu)
    for k in range(step.shape[0]):
        step[k] = point.pull[k]
    for j in range(m):
        x = free.rows[j]
        for k in range(x.shape[0]):
            step[k] += mu[j] * x[k]
    return h - point.numbers[SHIFT] * point.numbers[EXCESS]


@njit
def _search(task, point, search, bias_change, size):
    """How far to go, who stops the descent there (or -1), and how many rows in `order` are passed."""
    change, crossing, steepening, order = search.change, search.crossing, search.steepening, search.order
    times(task.columns, search.step, bias_change, change)
    _cross(point.g, change, point.side, LEVEL * np.sqrt(size), crossing)
    count = 0
    for i in range(crossing.shape[0]):
        if crossing[i] < 1.0:
            crossing[i] = max(0.0, crossing[i])
            steepening[i] = (task.high[i] - task.low[i]) * abs(change[i])
            order[count] = i
            count += 1
    return first_ascent(crossing, steepening, order, count, -size, size)


@njit
def _cross(g, change, side, level, crossing):
    """Where each row's g becomes zero, in steps; beyond 1 for those that do not come nearer to zero."""
    for i in range(g.shape[0]):
        crossing[i] = -g[i] / change[i] if change[i] * side[i] < -level else 2.0


@njit
def first_ascent(crossing, steepening, order, count, slope, curvature):
    """Where ``slope + curvature t + (sum of steepening up to t)`` ceases to be negative.

    Returns t, at most 1 if there is curvature; the row whose kink that is, or -1 between kinks; and how many
    rows are crossed before, which are the first in `order` afterwards. Takes time in proportion to `count`.
    """
    first = 0
    end = count
    while first < end:
        t = crossing[order[(first + end) // 2]]
        n_less = first
        n_more = end
        less = 0.0
        equal = 0.0
        a = first
        while a < n_more:
            i = order[a]
            if crossing[i] < t:
                less += steepening[i]
                order[a] = order[n_less]
                order[n_less] = i
                n_less += 1
                a += 1
            elif crossing[i] > t:
                n_more -= 1
                order[a] = order[n_more]
                order[n_more] = i
            else:
                equal += steepening[i]
                a += 1
        here = slope + curvature * t + less
        if here >= 0.0:
            end = n_less
        elif here + equal >= 0.0:
            a = n_less
            here += steepening[order[a]]
            while here < 0.0 and a + 1 < n_more:
                a += 1
                here += steepening[order[a]]
            return t, order[a], a
        else:
            slope += less + equal
            first = n_more
    if curvature == 0.0:
        return 0.0, order[count - 1], count - 1
    return min(1.0, max(0.0, -slope / curvature)), -1, first


@njit
def _walk(task, point, free, search, m, length, bias_change, n_passed):
    """Go along the step; rows that are passed change sides."""
    w, pull, step, g, change = point.w, point.pull, search.step, point.g, search.change
    for k in range(w.shape[0]):
        w[k] += length * step[k]
        pull[k] -= length * step[k]
    point.numbers[BIAS] += length * bias_change
    for i in range(g.shape[0]):
        g[i] += length * change[i]
    for j in range(m):
        g[free.members[j]] = 0.0
    for a in range(n_passed):
        i = search.order[a]
        point.side[i] = -point.side[i]
        other = task.low[i] + task.high[i] - point.beta[i]
        _add_beta(task.X[i], other - point.beta[i], point)
        point.beta[i] = other


@njit
def _join(task, point, free, m, i):
    """Take row i into the free set; False if it depends on the rows there."""
    x = task.X[i]
    z = free.work
    shift = point.numbers[SHIFT]
    for j in range(m):
        z[j] = inner(free.rows[j], x) + shift
    forward(free.U, m, z)
    own = inner(x, x) + shift
    pivot = own - inner(z[:m], z[:m])
    if pivot <= DEPENDENT * own:
        return False
    append(free.U, free.ones, m, z, pivot)
    kept = free.rows[m]
    for k in range(x.shape[0]):
        kept[k] = x[k]
    free.members[m] = i
    free.place[i] = m
    point.g[i] = 0.0
    point.side[i] = 0.0
    if point.beta[i] != 0.0:
        _add_beta(x, -point.beta[i], point)
        point.beta[i] = 0.0
    return True


@njit
def _release(task, point, free, m, several):
    """Let rows go whose multipliers are outside their boxes: all, or the farthest; returns how many stay."""
    farthest = 0.0
    for j in range(m):
        farthest = max(farthest, _outside(task, free, j))
    for j in range(m - 1, -1, -1):
        outside = _outside(task, free, j)
        if outside > 0.0 and (several or outside == farthest):
            i = free.members[j]
            bound = task.low[i] if free.multipliers[j] < task.low[i] else task.high[i]
            point.beta[i] = bound
            point.side[i] = task.y[i] if bound == 0.0 else -task.y[i]
            _add_beta(task.X[i], bound, point)
            _leave(free, m, j)
            m -= 1
            if not several:
                break
    return m


@njit
def _outside(task, free, j):
    """How far the multiplier at position j is outside its box, in boxes; zero if it is inside."""
    i = free.members[j]
    box = task.high[i] - task.low[i]
    beyond = max(task.low[i] - free.multipliers[j], free.multipliers[j] - task.high[i])
    if beyond <= OUTSIDE * box:
        return 0.0
    return beyond / box if box > 0.0 else np.inf


@njit
def _leave(free, m, position):
    """Take the row at `position` out of the free set."""
    free.place[free.members[position]] = -1
    remove(free.U, free.ones, m, position, free.work)
    for a in range(position, m - 1):
        free.members[a] = free.members[a + 1]
        free.place[free.members[a]] = a
        free.multipliers[a] = free.multipliers[a + 1]
        here, below = free.rows[a], free.rows[a + 1]
        for k in range(here.shape[0]):
            here[k] = below[k]
