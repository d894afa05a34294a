"""The columns worth least are followed, the others only bounded.

At a look, all weights are computed and the columns with the least credit become *hot*: their weights are
followed exactly. A cold weight has changed by at most ``|x| |beta - beta at the look|``; while that cannot
bring a cold column below the worst hot one, only hot columns are compared. Signs of cold weights are known
too (those near zero are looked at singly), so ``sum |w|`` is a product with beta.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.svm._block_fast import select
from infoprop.svm._factor_fast import INAUDIBLE, inner
from infoprop.svm._vectors_fast import distance

# How many columns are followed, and how many cold ones per machine have their signs watched.
N_HOT = 512
N_NEAR = 256


class Hot(NamedTuple):
    """The columns that are followed, and what is known of the others.

    `left` are the columns not yet dropped (a dropped one is -1 until the next look), `is_hot` says which were
    hot at the look; `columns` are the hot ones, as positions in `left`; `groups`, `X` and `w` hold their
    groups, entries and weights. Where some are cold, those that are kept are. `seen_w` are all weights at the
    look, `seen_beta` the beta of that time, `seen_scale` the worth of a unit of weight. `cold_sum` is the sum
    of the cold columns, each with the sign of its weight; `near` lists cold columns whose sign may turn.
    `sizes`: entries of `left`, hot columns, columns left. `limits`: credit of the least cold column that may
    go, longest cold column (-1 if none is cold). `safe`: what the signs of all cold columns but the near ones
    can bear. `lengths`: of all columns left together, for each team.
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
    sign: Any
    cold_sum: Any
    near: Any
    n_near: Any
    sizes: Any
    limits: Any
    safe: Any
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
        np.empty((n_machines, p)),
        np.empty((n_machines, n)),
        np.empty((n_machines, N_NEAR), np.int64),
        np.zeros(n_machines, np.int64),
        sizes,
        np.empty(2),
        np.empty(n_machines),
        np.zeros(n_teams),
    )


@njit
def look(XT, machines, teams, drops, hot, scale, n_hot, key, copy):
    """Compute all weights and choose the columns to follow."""
    p = _squeeze(hot)
    n_machines = scale.shape[0]
    for a in range(p):
        key[a] = 0.0
    for q in range(n_machines):
        t = machines.team[q]
        first = teams.start[t]
        beta = machines.beta[q, : teams.n[t]]
        w = hot.seen_w[q]
        total = 0.0
        for a in range(p):
            w[a] = inner(XT[hot.left[a], first : first + teams.n[t]], beta)
            total += abs(w[a])
        for i in range(teams.n[t]):
            hot.seen_beta[q, i] = beta[i]
        worth = scale[q] / total if total > 0.0 else 0.0
        hot.seen_scale[q] = worth
        for a in range(p):
            key[a] += worth * abs(w[a])
    hot.limits[0] = _mark_hot(hot, drops, key[:p], n_hot, copy)
    _divide(XT, teams, drops, hot, p)
    for q in range(n_machines):
        t = machines.team[q]
        _sum_cold(XT, hot, q, teams.start[t], teams.n[t], copy, p)


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
        x = XT[hot.left[a]]
        if hot.is_hot[a]:
            hot.columns[count] = a
            hot.groups[count] = drops.group_of[hot.left[a]]
            for i in range(x.shape[0]):
                hot.X[i, count] = x[i]
            for q in range(hot.w.shape[0]):
                hot.w[q, count] = hot.seen_w[q, a]
            count += 1
        else:
            for t in range(teams.start.shape[0]):
                own = x[teams.start[t] : teams.start[t] + teams.n[t]]
                longest = max(longest, inner(own, own))
    hot.sizes[1] = count
    hot.limits[1] = np.sqrt(longest) if longest >= 0.0 else -1.0


@njit
def _sum_cold(XT, hot, q, first, n, copy, p):
    """Add up the cold columns of machine q with their signs, and list those whose sign may turn soonest."""
    total = hot.cold_sum[q]
    for i in range(n):
        total[i] = 0.0
    count = 0
    for a in range(p):
        if not hot.is_hot[a]:
            w = hot.seen_w[q, a]
            sign = 1.0 if w > 0.0 else -1.0
            hot.sign[q, a] = sign
            x = XT[hot.left[a], first : first + n]
            for i in range(n):
                total[i] += sign * x[i]
            copy[count] = abs(w)
            count += 1
    hot.safe[q] = select(copy[:count], N_NEAR) if count > N_NEAR else np.inf
    count = 0
    for a in range(p):
        if not hot.is_hot[a] and abs(hot.seen_w[q, a]) < hot.safe[q]:
            hot.near[q, count] = a
            count += 1
    hot.n_near[q] = count


@njit
def _turn_signs(XT, hot, beta, q, first, bound):
    """Look at the near columns that may have turned."""
    n = beta.shape[0]
    for b in range(hot.n_near[q]):
        a = hot.near[q, b]
        if abs(hot.seen_w[q, a]) <= bound:
            x = XT[hot.left[a], first : first + n]
            if inner(x, beta) * hot.sign[q, a] < 0.0:
                hot.sign[q, a] = -hot.sign[q, a]
                total = hot.cold_sum[q]
                for i in range(n):
                    total[i] += 2.0 * hot.sign[q, a] * x[i]


@njit_sums
def total_size(w):
    """``sum |w|``."""
    total = 0.0
    for c in range(w.shape[0]):
        total += abs(w[c])
    return total


@njit
def weigh_hot(XT, machines, teams, hot, scale, worth, key):
    """Credits of the hot columns into `key`; returns the least that a cold column can have.

    -1 asks for a look. The last part of `worth` is what insensitive machines share out evenly.
    """
    h = hot.sizes[1]
    n_machines = scale.shape[0]
    for c in range(h):
        key[c] = 0.0
    worth[n_machines] = 0.0
    reach = 0.0
    ratio = np.inf
    has_cold = hot.limits[1] >= 0.0
    for q in range(n_machines):
        t = machines.team[q]
        beta = machines.beta[q, : teams.n[t]]
        total = 0.0
        bound = 0.0
        if has_cold:
            bound = hot.limits[1] * distance(beta, hot.seen_beta[q])
            if bound > 0.0 and bound >= hot.safe[q]:
                return -1.0
            _turn_signs(XT, hot, beta, q, teams.start[t], bound)
            total = inner(hot.cold_sum[q, : teams.n[t]], beta)
        w = hot.w[q]
        total += total_size(w[:h])
        worth[q] = 0.0
        if total > INAUDIBLE * np.sqrt(inner(beta, beta)) * hot.lengths[t]:
            worth[q] = scale[q] / total
        else:
            worth[n_machines] += scale[q]
        for c in range(h):
            key[c] += worth[q] * abs(w[c])
        reach += worth[q] * bound
        if hot.seen_scale[q] > 0.0:
            ratio = min(ratio, worth[q] / hot.seen_scale[q])
    if hot.limits[0] == np.inf:
        return np.inf
    return (ratio * hot.limits[0] if ratio < np.inf else 0.0) - reach


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
