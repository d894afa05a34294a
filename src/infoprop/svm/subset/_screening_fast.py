"""The columns worth least are followed, the others only bounded.

At a look, all weights are computed and the columns with the least credit become *hot*: their weights are
followed exactly. A cold weight has changed by at most ``|x| |beta - beta at the look|``; while that cannot
bring a cold column below the worst hot one, only hot columns are compared. Signs of cold weights are known
too (those near zero are looked at singly, when they may have turned), so ``sum |w|`` is a product with beta.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_norefcount, njit_norefcount_sums
from infoprop.svm._vectors_fast import add_to, clear
from infoprop.svm.active_set._cholesky_fast import INAUDIBLE, four_inner, inner
from infoprop.svm.active_set._pair_steps_fast import select

# How many columns are followed: rows of so many numbers take an odd number of cache lines, and so do not
# drive each other out. And how many cold columns per machine have their signs watched.
N_HOT = 392
N_NEAR = 128


class Hot(NamedTuple):
    """The columns that are followed, and what is known of the others.

    `left` are the columns not yet dropped (a dropped one is -1 until the next look), `is_hot` says which were
    hot at the look; `columns` are the hot ones, as positions in `left`; `groups`, `X` and `w` hold their
    groups, their entries in training rows and their weights. Where some are cold, those that are kept are.
    `seen_w` are all weights at the look, `seen_beta` the beta of that time, `seen_scale` the worth of a unit
    of weight; `drift` is how far beta is from there, `path` how far it has gone. `cold_sum` is the sum of the
    cold columns, each with its `sign`: that of its weight, zero for a hot column. `near` lists cold columns
    whose sign may turn: not before beta is `away` from where it was at the look, nor before it has gone as
    far as `due`; `waiting` and `waiting_w` are room for those whose sign may have turned. `sizes`: entries of
    `left`, hot columns, columns left. `limits`: credit of the least cold column that may go, longest cold
    column (-1 if none is cold). `safe`: what the signs of all cold columns but the near ones can bear.
    `length`: of each column in the team where it is longest; `lengths`: of all columns left together, for
    each team.
    """

    left: Any
    is_hot: Any
    columns: Any
    groups: Any
    X: Any
    w: Any
    seen_w: Any
    seen_beta: Any
    seen_scale: Any
    drift: Any
    path: Any
    sign: Any
    cold_sum: Any
    near: Any
    away: Any
    due: Any
    waiting: Any
    waiting_w: Any
    n_near: Any
    sizes: Any
    limits: Any
    safe: Any
    length: Any
    lengths: Any


@njit
def new_hot(XT, machines, n_teams, n_hot):
    p, n_rows = XT.shape
    n_machines, n = machines.beta.shape
    width = min(p, n_hot)
    sizes = np.zeros(3, np.int64)
    sizes[0] = p
    sizes[2] = p
    return Hot(
        np.arange(p),
        np.empty(p, np.bool_),
        np.empty(p, np.int64),
        np.empty(width, np.int64),
        np.empty((n_rows, width)),
        np.empty((n_machines, width)),
        np.empty((n_machines, p)),
        np.empty((n_machines, n)),
        np.empty(n_machines),
        np.zeros((n_machines, n)),
        np.zeros(n_machines),
        np.zeros((n_machines, p)),
        np.zeros((n_machines, n)),
        np.empty((n_machines, N_NEAR), np.int64),
        np.empty((n_machines, N_NEAR)),
        np.empty((n_machines, N_NEAR)),
        np.empty(N_NEAR, np.int64),
        np.empty(N_NEAR),
        np.zeros(n_machines, np.int64),
        sizes,
        np.empty(2),
        np.empty(n_machines),
        np.empty(p),
        np.zeros(n_teams),
    )


@njit_norefcount
def look(XT, machines, teams, drops, hot, scale, n_hot, key, copy):
    """Compute all weights and choose the columns to follow."""
    p = _squeeze(hot)
    _weigh_all(XT, machines, teams, hot, p)
    clear(key[:p])
    for q in range(scale.shape[0]):
        w = hot.seen_w[q, :p]
        total = total_size(w)
        worth = scale[q] / total if total > 0.0 else 0.0
        hot.seen_scale[q] = worth
        add_sizes(w, worth, key)
    hot.limits[0] = _mark_hot(hot, drops, key[:p], n_hot, copy)
    _divide(XT, teams, drops, hot, p)
    for q in range(scale.shape[0]):
        t = machines.team[q]
        hot.path[q] = 0.0
        for i in range(teams.n[t]):
            hot.seen_beta[q, i] = machines.beta[q, i]
        left, is_hot, w = hot.left[:p], hot.is_hot[:p], hot.seen_w[q, :p]
        _sum_cold(XT, teams.start[t], left, is_hot, w, hot.sign[q], hot.cold_sum[q, : teams.n[t]])
        near, away, due = hot.near[q], hot.away[q], hot.due[q]
        hot.n_near[q], hot.safe[q] = _list_near(left, is_hot, w, hot.limits[1], copy, near, away, due)


@njit_norefcount
def _weigh_all(XT, machines, teams, hot, p):
    """Weights of all columns left, four columns at a time."""
    last = p - 1
    for t in range(teams.start.shape[0]):
        first, end = teams.start[t], teams.start[t] + teams.n[t]
        for a in range(0, p, 4):
            b, c, d = min(a + 1, last), min(a + 2, last), min(a + 3, last)
            x0 = XT[hot.left[a], first:end]
            x1 = XT[hot.left[b], first:end]
            x2 = XT[hot.left[c], first:end]
            x3 = XT[hot.left[d], first:end]
            for q in range(teams.first[t], teams.last[t]):
                w = hot.seen_w[q]
                w[a], w[b], w[c], w[d] = four_inner(x0, x1, x2, x3, machines.beta[q, : teams.n[t]])


@njit_norefcount
def _squeeze(hot):
    """Close the gaps that dropped columns left; returns how many are left."""
    kept = 0
    for a in range(hot.sizes[0]):
        if hot.left[a] >= 0:
            hot.left[kept] = hot.left[a]
            kept += 1
    hot.sizes[0] = kept
    return kept


@njit_norefcount
def _mark_hot(hot, drops, key, n_hot, copy):
    """Mark the columns with the least keys; returns the least of the others, of those that may go.

    Of equal keys the last is marked first, as it would go first.
    """
    p = key.shape[0]
    if p <= n_hot:
        hot.is_hot[:p] = True
        return np.inf
    for a in range(p):
        if drops.is_kept[drops.group_of[hot.left[a]]]:
            key[a] = np.inf
        copy[a] = key[a]
    bar = select(copy[:p], n_hot - 1)
    room = n_hot
    for a in range(p):
        hot.is_hot[a] = key[a] < bar
        room -= hot.is_hot[a]
    least = np.inf
    for a in range(p - 1, -1, -1):
        if key[a] == bar and room > 0 and bar < np.inf:
            hot.is_hot[a] = True
            room -= 1
        if not hot.is_hot[a]:
            least = min(least, key[a])
    return least


@njit_norefcount
def _divide(XT, teams, drops, hot, p):
    """Gather the hot columns; notes the longest of the others."""
    count = 0
    longest = -1.0
    for a in range(p):
        k = hot.left[a]
        if hot.is_hot[a]:
            hot.columns[count] = a
            hot.groups[count] = drops.group_of[k]
            for q in range(hot.w.shape[0]):
                hot.w[q, count] = hot.seen_w[q, a]
            count += 1
        else:
            longest = max(longest, hot.length[k])
    hot.sizes[1] = count
    hot.limits[1] = longest
    for t in range(teams.start.shape[0]):
        _gather(XT, hot.left, hot.columns[:count], teams.start[t], teams.start[t] + teams.n[t], hot.X)


@njit_norefcount
def _gather(XT, left, columns, first, end, X):
    """Write the columns ``left[columns]`` into X, in rows `first` to `end`; four at a time fill its lines."""
    last = columns.shape[0] - 1
    for a in range(0, columns.shape[0], 4):
        b, c, d = min(a + 1, last), min(a + 2, last), min(a + 3, last)
        x0, x1 = XT[left[columns[a]]], XT[left[columns[b]]]
        x2, x3 = XT[left[columns[c]]], XT[left[columns[d]]]
        for i in range(first, end):
            X[i, a] = x0[i]
            X[i, b] = x1[i]
            X[i, c] = x2[i]
            X[i, d] = x3[i]


@njit_norefcount
def _sum_cold(XT, first, left, is_hot, w, sign, total):
    """Let the sum of a machine's cold columns follow those that became hot or cold, and their signs."""
    n = total.shape[0]
    for a in range(w.shape[0]):
        k = left[a]
        # Arithmetic, as no branch could be foretold.
        new = (1.0 - is_hot[a]) * (2.0 * (w[a] > 0.0) - 1.0)
        change = new - sign[k]
        if change != 0.0:
            sign[k] = new
            add_to(total, XT[k, first : first + n], change)


@njit_norefcount
def _list_near(left, is_hot, w, longest, copy, near, away, due):
    """List a machine's cold columns whose sign may turn soonest; returns how many, and what others bear."""
    p = w.shape[0]
    # Four times as many as there is room for are below this, if sizes are spread evenly: few are sorted.
    bar = 4.0 * N_NEAR / p * total_size(w) / p
    count = 0
    for a in range(p):
        copy[count] = abs(w[a])
        count += (abs(w[a]) < bar) & (not is_hot[a])
    if count > N_NEAR:
        bar = select(copy[:count], N_NEAR)
    count = 0
    for a in range(p):
        if abs(w[a]) < bar and not is_hot[a]:
            near[count] = left[a]
            away[count] = abs(w[a]) / longest
            due[count] = away[count]
            count += 1
    return count, bar


@njit_norefcount
def _turn_signs(XT, first, beta, near, away, due, path, drift, longest, waiting, w, sign, total):
    """Look at the near columns that may have turned, now that beta is `drift` away after a `path`."""
    count = 0
    for b in range(near.shape[0]):
        waiting[count] = b
        count += (away[b] <= drift) & (due[b] <= path)
    n = beta.shape[0]
    end = first + n
    for a in range(0, count, 4):
        b, c, d = min(a + 1, count - 1), min(a + 2, count - 1), min(a + 3, count - 1)
        x0 = XT[near[waiting[a]], first:end]
        x1 = XT[near[waiting[b]], first:end]
        x2 = XT[near[waiting[c]], first:end]
        x3 = XT[near[waiting[d]], first:end]
        w[a], w[b], w[c], w[d] = four_inner(x0, x1, x2, x3, beta)
    per_length = 1.0 / longest
    for a in range(count):
        due[waiting[a]] = path + abs(w[a]) * per_length
        k = near[waiting[a]]
        if w[a] * sign[k] < 0.0:
            sign[k] = -sign[k]
            add_to(total, XT[k, first:end], 2.0 * sign[k])


@njit_norefcount_sums
def total_size(w):
    """``sum |w|``."""
    total = 0.0
    for c in range(w.shape[0]):
        total += abs(w[c])
    return total


@njit_norefcount
def add_sizes(w, worth, key):
    """``key += worth |w|``."""
    for c in range(w.shape[0]):
        key[c] += worth * abs(w[c])


@njit_norefcount
def _reach(teams, hot, worth):
    """How much the credit of a cold column may have fallen since the look, at most.

    By ``sum_q worth_q |x . d_q|``, where d is the drift: with some signs s this is
    ``x . sum_q s_q worth_q d_q``, at most ``|x|`` times the root of ``sum_qr |worth_q d_q . worth_r d_r|``.
    Where machines drift in directions of their own, it is much less than what each could do alone, summed.
    """
    reach = 0.0
    for t in range(teams.start.shape[0]):
        n = teams.n[t]
        square = 0.0
        for q in range(teams.first[t], teams.last[t]):
            d = hot.drift[q, :n]
            for r in range(teams.first[t], q):
                square += 2.0 * worth[q] * worth[r] * abs(inner(d, hot.drift[r, :n]))
            square += worth[q] * worth[q] * inner(d, d)
        reach += hot.limits[1] * np.sqrt(square)
    return reach


@njit_norefcount
def weigh_hot(XT, machines, teams, hot, scale, worth, key):
    """Credits of the hot columns into `key`; returns the least that a cold column can have.

    -1 asks for a look. The last part of `worth` is what insensitive machines share out evenly.
    """
    h = hot.sizes[1]
    n_machines = scale.shape[0]
    clear(key[:h])
    worth[n_machines] = 0.0
    ratio = np.inf
    has_cold = hot.limits[1] >= 0.0
    for q in range(n_machines):
        t = machines.team[q]
        n = teams.n[t]
        beta = machines.beta[q, :n]
        total = 0.0
        if has_cold:
            drift = hot.drift[q, :n]
            for i in range(n):
                drift[i] = beta[i] - hot.seen_beta[q, i]
            distance = np.sqrt(inner(drift, drift))
            if distance > 0.0 and hot.limits[1] * distance >= hot.safe[q]:
                return -1.0
            near, cold_sum = hot.near[q, : hot.n_near[q]], hot.cold_sum[q, :n]
            _turn_signs(
                XT,
                teams.start[t],
                beta,
                near,
                hot.away[q],
                hot.due[q],
                hot.path[q],
                distance,
                hot.limits[1],
                hot.waiting,
                hot.waiting_w,
                hot.sign[q],
                cold_sum,
            )
            total = inner(cold_sum, beta)
        w = hot.w[q, :h]
        total += total_size(w)
        worth[q] = 0.0
        if total > INAUDIBLE * np.sqrt(inner(beta, beta)) * hot.lengths[t]:
            worth[q] = scale[q] / total
        else:
            worth[n_machines] += scale[q]
        add_sizes(w, worth[q], key)
        if hot.seen_scale[q] > 0.0:
            ratio = min(ratio, worth[q] / hot.seen_scale[q])
    if hot.limits[0] == np.inf:
        return np.inf
    return (ratio * hot.limits[0] if ratio < np.inf else 0.0) - _reach(teams, hot, worth)


@njit_norefcount
def forget(hot, c):
    """Column at hot position c is gone; the last hot one takes its place."""
    last = hot.sizes[1] - 1
    hot.left[hot.columns[c]] = -1
    hot.columns[c] = hot.columns[last]
    hot.groups[c] = hot.groups[last]
    for i in range(hot.X.shape[0]):
        hot.X[i, c] = hot.X[i, last]
    for q in range(hot.w.shape[0]):
        hot.w[q, c] = hot.w[q, last]
    hot.sizes[1] = last
    hot.sizes[2] -= 1
