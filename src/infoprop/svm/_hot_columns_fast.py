"""The columns worth least are followed, the others only bounded.

At a look, all weights are computed and the columns with the least credit become *hot*: their weights are
followed exactly. A cold weight has changed by at most ``|x| |beta - beta at the look|``; while that cannot
bring a cold column below the worst hot one, only hot columns are compared. Signs of cold weights are known
too (those near zero are looked at singly, when they may have turned), so ``sum |w|`` is a product with beta.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.svm._block_fast import select
from infoprop.svm._factor_fast import INAUDIBLE, four_inner, inner
from infoprop.svm._vectors_fast import add_to, clear

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
    whose sign may turn, `due` how far beta may have gone until then; `waiting` and `waiting_w` are room for
    those that are due. `sizes`: entries of `left`, hot columns, columns left. `limits`: credit of the least
    cold column that may go, longest cold column (-1 if none is cold). `safe`: what the signs of all cold
    columns but the near ones can bear. `length`: of each column in the team where it is longest; `lengths`:
    of all columns left together, for each team.
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
        np.empty(N_NEAR, np.int64),
        np.empty(N_NEAR),
        np.zeros(n_machines, np.int64),
        sizes,
        np.empty(2),
        np.empty(n_machines),
        np.empty(p),
        np.zeros(n_teams),
    )


@njit
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
        _sum_cold(XT, hot, q, teams.start[t], teams.n[t], p)
        _list_near(hot, q, copy, p)


@njit
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


@njit
def _squeeze(hot):
    """Close the gaps that dropped columns left; returns how many are left."""
    kept = 0
    for a in range(hot.sizes[0]):
        if hot.left[a] >= 0:
            hot.left[kept] = hot.left[a]
            kept += 1
    hot.sizes[0] = kept
    return kept


@njit
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


@njit
def _divide(XT, teams, drops, hot, p):
    """Gather the hot columns; notes the longest of the others."""
    count = 0
    longest = -1.0
    for a in range(p):
        k = hot.left[a]
        if hot.is_hot[a]:
            hot.columns[count] = a
            hot.groups[count] = drops.group_of[k]
            for t in range(teams.start.shape[0]):
                for i in range(teams.start[t], teams.start[t] + teams.n[t]):
                    hot.X[i, count] = XT[k, i]
            for q in range(hot.w.shape[0]):
                hot.w[q, count] = hot.seen_w[q, a]
            count += 1
        else:
            longest = max(longest, hot.length[k])
    hot.sizes[1] = count
    hot.limits[1] = longest


@njit
def _sum_cold(XT, hot, q, first, n, p):
    """Let the sum of the cold columns of machine q follow those that became hot or cold, and their signs."""
    total = hot.cold_sum[q]
    for a in range(p):
        k = hot.left[a]
        # Arithmetic, as no branch could be foretold.
        sign = (1.0 - hot.is_hot[a]) * (2.0 * (hot.seen_w[q, a] > 0.0) - 1.0)
        change = sign - hot.sign[q, k]
        if change != 0.0:
            hot.sign[q, k] = sign
            x = XT[k, first : first + n]
            for i in range(n):
                total[i] += change * x[i]


@njit
def _list_near(hot, q, copy, p):
    """List the cold columns of machine q whose sign may turn soonest."""
    w = hot.seen_w[q]
    # Four times as many as there is room for are below this, if sizes are spread evenly: few are sorted.
    bar = 4.0 * N_NEAR / p * total_size(w[:p]) / p
    count = 0
    for a in range(p):
        copy[count] = abs(w[a])
        count += (abs(w[a]) < bar) & (not hot.is_hot[a])
    if count > N_NEAR:
        bar = select(copy[:count], N_NEAR)
    hot.safe[q] = bar
    count = 0
    for a in range(p):
        if abs(w[a]) < bar and not hot.is_hot[a]:
            hot.near[q, count] = hot.left[a]
            hot.due[q, count] = abs(w[a]) / hot.limits[1]
            count += 1
    hot.n_near[q] = count


@njit
def _turn_signs(XT, hot, beta, q, first):
    """Look at the near columns that may have turned."""
    near, due, sign, total = hot.near[q], hot.due[q], hot.sign[q], hot.cold_sum[q]
    waiting, w = hot.waiting, hot.waiting_w
    path = hot.path[q]
    count = 0
    for b in range(hot.n_near[q]):
        waiting[count] = b
        count += due[b] <= path
    n = beta.shape[0]
    end = first + n
    for a in range(0, count, 4):
        b, c, d = min(a + 1, count - 1), min(a + 2, count - 1), min(a + 3, count - 1)
        x0 = XT[near[waiting[a]], first:end]
        x1 = XT[near[waiting[b]], first:end]
        x2 = XT[near[waiting[c]], first:end]
        x3 = XT[near[waiting[d]], first:end]
        w[a], w[b], w[c], w[d] = four_inner(x0, x1, x2, x3, beta)
    for a in range(count):
        due[waiting[a]] = path + abs(w[a]) / hot.limits[1]
        k = near[waiting[a]]
        if w[a] * sign[k] < 0.0:
            sign[k] = -sign[k]
            add_to(total[:n], XT[k, first:end], 2.0 * sign[k])


@njit_sums
def total_size(w):
    """``sum |w|``."""
    total = 0.0
    for c in range(w.shape[0]):
        total += abs(w[c])
    return total


@njit
def add_sizes(w, worth, key):
    """``key += worth |w|``."""
    for c in range(w.shape[0]):
        key[c] += worth * abs(w[c])


@njit
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


@njit
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
            bound = hot.limits[1] * np.sqrt(inner(drift, drift))
            if bound > 0.0 and bound >= hot.safe[q]:
                return -1.0
            _turn_signs(XT, hot, beta, q, teams.start[t])
            total = inner(hot.cold_sum[q, :n], beta)
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


@njit
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
