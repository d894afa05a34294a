"""Screening of columns: those worth least are followed, the others only bounded.

In a full pricing all weights ``w = X' beta`` are computed, and the columns with the least credit become
*candidates*: their weights are followed exactly. A screened weight has changed by at most ``|x| |beta - beta
at the full pricing|`` (Cauchy and Schwarz); while that cannot bring a screened column below the worst
candidate, only candidates are compared. Signs of screened weights are known too (those near zero are looked
at singly, when they may have turned), so ``sum |w|`` is a product with beta. Invariant: no screened column is
worth less than the candidate that goes, but for the rounding of credits.

Reference, of rules that work alike in solvers of the lasso: E. Ndiaye et al., Gap safe screening rules, JMLR
18 (2017).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_norefcount, njit_norefcount_sums
from infoprop.svm._vectors_fast import add_to, clear, select
from infoprop.svm.active_set._cholesky_fast import NOISE_FLOOR, four_inner, inner

# How many columns are followed: rows of so many numbers take an odd number of cache lines, and so do not
# drive each other out. And how many screened columns per machine have their signs followed. Of very many
# columns, one in so many: the more there are, the nearer they lie, and the sooner the bounds are too weak.
N_CANDIDATES = 392
N_NEAR = 128
COLUMNS_PER_CANDIDATE = 64
COLUMNS_PER_NEAR = 128
CACHE_LINE = 8


class Candidates(NamedTuple):
    """The columns that are followed, and what is known of the others.

    `left` are the columns not yet dropped (a dropped one is -1 until the next full pricing), `is_candidate`
    says which became candidates; `columns` are the candidates, as positions in `left`; `groups`, `X`, `w`
    hold their groups, their entries in training rows and their weights. Where some are screened, those that
    are kept are. `seen_w` are all weights at the full pricing, `seen_beta` the beta of that time,
    `seen_scale` the worth of a unit of weight; `drift` is how far beta is from there, `path` how far it has
    gone. `screened_sum` is the sum of the screened columns, each with its `sign`: that of its weight, zero
    for a candidate. `near` lists screened columns whose sign may turn: not before beta is `away` from where
    it was at the full pricing, nor before it has gone as far as `due`; `waiting` and `waiting_w` are
    workspace for those whose sign may have turned. `sizes`: entries of `left`, candidates, columns left.
    `limits`: credit of the least screened column that may go, longest screened column (-1 if there is none).
    `safe`: what the signs of all screened columns but the near ones can bear. `length`: of each column in the
    split where it is longest; `lengths`: of all columns left together, for each split.
    """

    left: Any
    is_candidate: Any
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
    screened_sum: Any
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
def new_candidates(XT, machines, n_splits, n_candidates):
    """Candidates before the first full pricing."""
    p, n_rows = XT.shape
    n_machines, n = machines.beta.shape
    width = min(p, n_candidates)
    n_near = max(N_NEAR, p // COLUMNS_PER_NEAR)
    sizes = np.array([p, 0, p])
    return Candidates(
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
        np.empty((n_machines, n_near), np.int64),
        np.empty((n_machines, n_near)),
        np.empty((n_machines, n_near)),
        np.empty(n_near, np.int64),
        np.empty(n_near),
        np.zeros(n_machines, np.int64),
        sizes,
        np.empty(2),
        np.empty(n_machines),
        np.empty(p),
        np.zeros(n_splits),
    )


@njit_norefcount
def price_all(XT, machines, splits, drops, candidates, scale, n_candidates, key, copy):
    """Compute all weights and choose the columns to follow."""
    p = _squeeze(candidates)
    _weigh_all(XT, machines, splits, candidates, p)
    clear(key[:p])
    for q in range(scale.shape[0]):
        w = candidates.seen_w[q, :p]
        total = total_size(w)
        worth = scale[q] / total if total > 0.0 else 0.0
        candidates.seen_scale[q] = worth
        add_sizes(w, worth, key)
    candidates.limits[0] = _mark_candidates(candidates, drops, key[:p], n_candidates, copy)
    _divide(XT, splits, drops, candidates, p)
    for q in range(scale.shape[0]):
        t = splits.split[q]
        candidates.path[q] = 0.0
        for i in range(splits.n[t]):
            candidates.seen_beta[q, i] = machines.beta[q, i]
        left, is_candidate, w = candidates.left[:p], candidates.is_candidate[:p], candidates.seen_w[q, :p]
        _sum_screened(
            XT,
            splits.start[t],
            left,
            is_candidate,
            w,
            candidates.sign[q],
            candidates.screened_sum[q, : splits.n[t]],
        )
        near, away, due = candidates.near[q], candidates.away[q], candidates.due[q]
        candidates.n_near[q], candidates.safe[q] = _list_near(
            left, is_candidate, w, candidates.limits[1], copy, near, away, due
        )


@njit_norefcount
def _weigh_all(XT, machines, splits, candidates, p):
    """Weights of all columns left, four columns at a time."""
    last = p - 1
    for t in range(splits.start.shape[0]):
        first, end = splits.start[t], splits.start[t] + splits.n[t]
        for a in range(0, p, 4):
            b, c, d = min(a + 1, last), min(a + 2, last), min(a + 3, last)
            x0 = XT[candidates.left[a], first:end]
            x1 = XT[candidates.left[b], first:end]
            x2 = XT[candidates.left[c], first:end]
            x3 = XT[candidates.left[d], first:end]
            for q in range(splits.first[t], splits.last[t]):
                w = candidates.seen_w[q]
                w[a], w[b], w[c], w[d] = four_inner(x0, x1, x2, x3, machines.beta[q, : splits.n[t]])


@njit_norefcount
def _squeeze(candidates):
    """Close the gaps that dropped columns left; returns how many are left."""
    kept = 0
    for a in range(candidates.sizes[0]):
        if candidates.left[a] >= 0:
            candidates.left[kept] = candidates.left[a]
            kept += 1
    candidates.sizes[0] = kept
    return kept


@njit_norefcount
def _mark_candidates(candidates, drops, key, n_candidates, copy):
    """Mark the columns with the least keys; returns the least of the others, of those that may go.

    Of equal keys the last is marked first, as it would go first.
    """
    p = key.shape[0]
    if p <= n_candidates:
        candidates.is_candidate[:p] = True
        return np.inf
    for a in range(p):
        if drops.is_kept[drops.group_of[candidates.left[a]]]:
            key[a] = np.inf
        copy[a] = key[a]
    bar = select(copy[:p], n_candidates - 1)
    n_open = n_candidates
    for a in range(p):
        candidates.is_candidate[a] = key[a] < bar
        n_open -= candidates.is_candidate[a]
    least = np.inf
    for a in range(p - 1, -1, -1):
        if key[a] == bar and n_open > 0 and bar < np.inf:
            candidates.is_candidate[a] = True
            n_open -= 1
        if not candidates.is_candidate[a]:
            least = min(least, key[a])
    return least


@njit_norefcount
def _divide(XT, splits, drops, candidates, p):
    """Gather the candidates; notes the longest of the others."""
    count = 0
    longest = -1.0
    for a in range(p):
        k = candidates.left[a]
        if candidates.is_candidate[a]:
            candidates.columns[count] = a
            candidates.groups[count] = drops.group_of[k]
            for q in range(candidates.w.shape[0]):
                candidates.w[q, count] = candidates.seen_w[q, a]
            count += 1
        else:
            longest = max(longest, candidates.length[k])
    candidates.sizes[1] = count
    candidates.limits[1] = longest
    for t in range(splits.start.shape[0]):
        _gather(
            XT,
            candidates.left,
            candidates.columns[:count],
            splits.start[t],
            splits.start[t] + splits.n[t],
            candidates.X,
        )


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
def _sum_screened(XT, first, left, is_candidate, w, sign, total):
    """Let the sum of a machine's screened columns follow those that came or went, and their signs."""
    n = total.shape[0]
    for a in range(w.shape[0]):
        k = left[a]
        # Arithmetic, as no branch could be foretold.
        new = (1.0 - is_candidate[a]) * (2.0 * (w[a] > 0.0) - 1.0)
        change = new - sign[k]
        if change != 0.0:
            sign[k] = new
            add_to(total, XT[k, first : first + n], change)


@njit_norefcount
def _list_near(left, is_candidate, w, longest, copy, near, away, due):
    """List the screened columns whose sign may turn soonest; returns how many, and what others bear."""
    p = w.shape[0]
    # Four times as many as are followed are below this, if sizes are spread evenly: few are sorted.
    most = near.shape[0]
    bar = 4.0 * most / p * total_size(w) / p
    count = 0
    for a in range(p):
        copy[count] = abs(w[a])
        count += (abs(w[a]) < bar) & (not is_candidate[a])
    if count > most:
        bar = select(copy[:count], most)
    count = 0
    for a in range(p):
        if abs(w[a]) < bar and not is_candidate[a]:
            near[count] = left[a]
            away[count] = abs(w[a]) / longest
            due[count] = away[count]
            count += 1
    return count, bar


@njit_norefcount
def _turn_signs(XT, first, beta, candidates, q, drift):
    """Price the columns near to machine q's zero that may have turned, now that beta is `drift` away."""
    near, away, due = candidates.near[q, : candidates.n_near[q]], candidates.away[q], candidates.due[q]
    path, longest = candidates.path[q], candidates.limits[1]
    waiting, w = candidates.waiting, candidates.waiting_w
    sign, total = candidates.sign[q], candidates.screened_sum[q, : beta.shape[0]]
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
def _reach(splits, candidates, worth):
    """How much the credit of a screened column may have fallen since the full pricing, at most.

    By ``sum_q worth_q |x . d_q|``, where d is the drift: with some signs s this is
    ``x . sum_q s_q worth_q d_q``, at most ``|x|`` times the root of ``sum_qr |worth_q d_q . worth_r d_r|``.
    Where machines drift in directions of their own, it is much less than what each could do alone, summed.
    """
    reach = 0.0
    for t in range(splits.start.shape[0]):
        n = splits.n[t]
        square = 0.0
        for q in range(splits.first[t], splits.last[t]):
            d = candidates.drift[q, :n]
            for r in range(splits.first[t], q):
                square += 2.0 * worth[q] * worth[r] * abs(inner(d, candidates.drift[r, :n]))
            square += worth[q] * worth[q] * inner(d, d)
        reach += candidates.limits[1] * np.sqrt(square)
    return reach


@njit_norefcount
def price_candidates(XT, machines, splits, candidates, scale, worth, key):
    """Credits of the candidates into `key`; returns the least that a screened column can have.

    -1 asks for a full pricing. The last part of `worth` is what insensitive machines share out evenly.
    """
    h = candidates.sizes[1]
    n_machines = scale.shape[0]
    clear(key[:h])
    worth[n_machines] = 0.0
    ratio = np.inf
    has_screened = candidates.limits[1] >= 0.0
    for q in range(n_machines):
        t = splits.split[q]
        n = splits.n[t]
        beta = machines.beta[q, :n]
        total = 0.0
        if has_screened:
            drift = candidates.drift[q, :n]
            for i in range(n):
                drift[i] = beta[i] - candidates.seen_beta[q, i]
            distance = np.sqrt(inner(drift, drift))
            if distance > 0.0 and candidates.limits[1] * distance >= candidates.safe[q]:
                return -1.0
            _turn_signs(XT, splits.start[t], beta, candidates, q, distance)
            total = inner(candidates.screened_sum[q, :n], beta)
        w = candidates.w[q, :h]
        total += total_size(w)
        worth[q] = 0.0
        if total > NOISE_FLOOR * np.sqrt(inner(beta, beta)) * candidates.lengths[t]:
            worth[q] = scale[q] / total
        else:
            worth[n_machines] += scale[q]
        add_sizes(w, worth[q], key)
        if candidates.seen_scale[q] > 0.0:
            ratio = min(ratio, worth[q] / candidates.seen_scale[q])
    if candidates.limits[0] == np.inf:
        return np.inf
    return (ratio * candidates.limits[0] if ratio < np.inf else 0.0) - _reach(splits, candidates, worth)


@njit_norefcount
def forget(candidates, c):
    """Column at candidate position c is gone; the last candidate takes its place."""
    last = candidates.sizes[1] - 1
    candidates.left[candidates.columns[c]] = -1
    candidates.columns[c] = candidates.columns[last]
    candidates.groups[c] = candidates.groups[last]
    for i in range(candidates.X.shape[0]):
        candidates.X[i, c] = candidates.X[i, last]
    for q in range(candidates.w.shape[0]):
        candidates.w[q, c] = candidates.w[q, last]
    candidates.sizes[1] = last
    candidates.sizes[2] -= 1
