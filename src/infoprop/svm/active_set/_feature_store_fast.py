"""The feature store: pivots of a linear machine that keeps its weights, for many rows, dense or sparse.

No Gram matrix: ``w = X' beta``, and ``g_i = x_i . w + b - y_i`` is computed where it is asked for. Pricing is
partial. A full pricing computes g of all rows; those nearest to violating their bound, and the free set, are
*candidates* and followed. No g changes by more than ``|(w, b) - (w, b) at the full pricing|`` times ``|(x,
1)|`` (Cauchy and Schwarz), so the others cannot violate while that distance is below `REACH`. `_pivots_fast`
states the problem and the references; partial pricing is that of the simplex method (I. Maros, Computational
Techniques of the Simplex Method, 2003, chapter 9).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.svm.active_set._cholesky_fast import DEPENDENT, backward, downdate, forward, inner
from infoprop.svm.active_set._pair_steps_fast import select
from infoprop.svm.active_set._pivots_fast import (
    BIAS,
    N_CANDIDATES,
    N_FREE,
    N_PIVOTS,
    REACH,
    SHIFT,
    TOL,
    all_at_bounds,
    centre_bias,
    clear_free_set,
    degenerate_pivot,
    direction,
    join,
    leave,
    max_step,
    shorten_residual,
    start_free_set,
    walk,
)

# So many bounded rows are followed: twice as many as are free, within limits.
FEWEST_CANDIDATES = 64
MOST_CANDIDATES = 512
# So many rows that want to leave their bounds are served before the others are asked again.
LONGEST_QUEUE = 32
# Residuals below this share of the tolerance are not worth a step.
SETTLED = 1e-3


class Rows(NamedTuple):
    """All rows of all splits as CSR arrays, or dense with a `stride`, and ``|(x, 1)|`` of each."""

    data: Any
    indices: Any
    indptr: Any
    stride: Any
    norms: Any


class Weights(NamedTuple):
    """Weights of one machine.

    `seen` has them and b at the last full pricing, `candidates` the rows that are followed.
    """

    w: Any
    seen: Any
    candidates: Any


class AllWeights(NamedTuple):
    """Weights of all machines, stacked; see `Weights`."""

    w: Any
    seen: Any
    candidates: Any


@njit
def weights_of(weights, q):
    """Weights of machine q."""
    return Weights(weights.w[q], weights.seen[q], weights.candidates[q])


@njit_sums
def row_product(data, indices, start, end, stride, w):
    """Product of w with the row whose entries are ``start:end``."""
    if stride > 0:
        return inner(data[start:end], w)
    total = 0.0
    for p in range(start, end):
        total += data[p] * w[indices[p]]
    return total


@njit
def row_times(rows, i, w):
    """``x_i . w``."""
    return row_product(rows.data, rows.indices, rows.indptr[i], rows.indptr[i + 1], rows.stride, w)


@njit
def products(rows, first, numbers, count, w, out):
    """``out_a = x_i . w`` for the rows ``first + numbers_a``; all from `first` on if there are no numbers.

    One call for many rows: handing a row's arrays from function to function takes longer than a short row.
    """
    data, indices, indptr, stride = rows.data, rows.indices, rows.indptr, rows.stride
    for a in range(count):
        i = first + (numbers[a] if numbers.shape[0] > 0 else a)
        out[a] = row_product(data, indices, indptr[i], indptr[i + 1], stride, w)


@njit
def add_row(rows, i, scale, w):
    """``w += scale x_i``."""
    start = rows.indptr[i]
    end = rows.indptr[i + 1]
    if rows.stride > 0:
        x = rows.data[start:end]
        for k in range(x.shape[0]):
            w[k] += scale * x[k]
    else:
        data, indices = rows.data, rows.indices
        for p in range(start, end):
            w[indices[p]] += scale * data[p]


@njit
def gradient(machine, rows, w, i):
    """``x_i . w + b - y_i`` of a row of the machine's split."""
    return row_times(rows, machine.start + i, w) - machine.y[i] + machine.numbers[BIAS]


@njit
def read_residual(machine, rows, w):
    """Residuals of the free set from the weights."""
    m = machine.counts[N_FREE]
    products(rows, machine.start, machine.free, m, w, machine.residual)
    for j in range(m):
        machine.residual[j] += machine.numbers[BIAS] - machine.y[machine.free[j]]


@njit
def add_free_rows(rows, first, free, m, d, length, w):
    """``w += length X[free]' d``."""
    data, indices, indptr = rows.data, rows.indices, rows.indptr
    if rows.stride > 0:
        for j in range(m):
            scale = length * d[j]
            x = data[indptr[first + free[j]] : indptr[first + free[j] + 1]]
            for k in range(x.shape[0]):
                w[k] += scale * x[k]
    else:
        for j in range(m):
            scale = length * d[j]
            for p in range(indptr[first + free[j]], indptr[first + free[j] + 1]):
                w[indices[p]] += scale * data[p]


@njit
def step(machine, rows, w, d, length, blocker):
    """Walk on the free set and carry the weights along."""
    walk(machine, d, length, blocker)
    add_free_rows(rows, machine.start, machine.free, machine.counts[N_FREE], d, length, w)


@njit
def drop_column(machine, rows, w, k, holders, values, scratch):
    """Follow column k, which has gone from the rows that hold it."""
    z, d = scratch.z, scratch.d
    weight = w[k]
    while _spread(machine, holders, values, z):
        m = machine.counts[N_FREE]
        for j in range(m):
            d[j] = z[j]
        forward(machine.U, m, z)
        if 1.0 - inner(z[:m], z[:m]) > DEPENDENT:
            for j in range(m):
                machine.residual[j] -= weight * d[j]
            downdate(machine.U, machine.ones, m, z, scratch.work)
            break
        # Without the column the rows of the free set depend on each other; see `_gram_store_fast`.
        backward(machine.U, m, z)
        slope = inner(machine.residual[:m], z[:m]) - weight * inner(d[:m], z[:m])
        for j in range(m):
            d[j] = -z[j] if slope > 0.0 else z[j]
        length, blocker = max_step(machine, d)
        step(machine, rows, w, d, length, blocker)
        leave(machine, blocker, scratch.work)
        read_residual(machine, rows, w)
        _spread(machine, holders, values, z)
        for j in range(machine.counts[N_FREE]):
            machine.residual[j] += weight * z[j]
    w[k] = 0.0


@njit
def _spread(machine, holders, values, z):
    """Write a column's entries in the rows of the free set into z; False if there are none."""
    for j in range(machine.counts[N_FREE]):
        z[j] = 0.0
    found = False
    for a in range(holders.shape[0]):
        i = holders[a] - machine.start
        if 0 <= i < machine.n and machine.place[i] >= 0:
            z[machine.place[i]] = values[a]
            found = found or values[a] != 0.0
    return found


@njit
def enter(machine, rows, w, i, scratch):
    """Take row i into the free set; the comment at `_gram_store_fast.enter` holds here too."""
    z, d, row = scratch.z, scratch.d, scratch.row
    shift = machine.numbers[SHIFT]
    add_row(rows, machine.start + i, 1.0, row)
    own = row_times(rows, machine.start + i, row) + shift
    while True:
        m = machine.counts[N_FREE]
        products(rows, machine.start, machine.free, m, row, z)
        for j in range(m):
            z[j] += shift
        g = gradient(machine, rows, w, i)
        if join(machine, i, z, own, g):
            break
        sign, length, blocker = degenerate_pivot(machine, i, z, g, d)
        step(machine, rows, w, d, length, blocker)
        add_row(rows, machine.start + i, sign * length, w)
        if blocker < 0:
            machine.beta[i] = machine.high[i] if sign > 0.0 else machine.low[i]
        else:
            machine.beta[i] += sign * length
            leave(machine, blocker, scratch.work)
        read_residual(machine, rows, w)
        if blocker < 0:
            break
    add_row(rows, machine.start + i, -1.0, row)


@njit
def price_all(machine, rows, weights, slack):
    """Compute g of all training rows and choose those to follow; `slack` is scratch for them."""
    n = machine.n
    beta, low, place, norms = machine.beta, machine.low, machine.place, rows.norms
    products(rows, machine.start, place[:0], n, weights.w, slack)
    for i in range(n):
        if place[i] >= 0:
            slack[i] = -np.inf
        elif low[i] == machine.high[i]:
            slack[i] = np.inf
        else:
            g = slack[i] - machine.y[i] + machine.numbers[BIAS]
            slack[i] = (g if beta[i] <= low[i] else -g) / norms[machine.start + i]
    m = machine.counts[N_FREE]
    wanted = min(n, m + min(max(FEWEST_CANDIDATES, 2 * m), MOST_CANDIDATES))
    reach = np.inf
    if wanted < n:
        reach = max(0.0, select(slack[:n].copy(), wanted))
    count = 0
    for i in range(n):
        if slack[i] < reach or slack[i] < 0.0:
            weights.candidates[count] = i
            count += 1
    machine.counts[N_CANDIDATES] = count
    machine.numbers[REACH] = reach
    p = weights.w.shape[0]
    for k in range(p):
        weights.seen[k] = weights.w[k]
    weights.seen[p] = machine.numbers[BIAS]


@njit_sums
def moved(machine, weights):
    """How far weights and b have come since the last full pricing."""
    p = weights.w.shape[0]
    seen = weights.seen[:p]
    change = machine.numbers[BIAS] - weights.seen[p]
    total = change * change
    for k in range(p):
        total += (weights.w[k] - seen[k]) * (weights.w[k] - seen[k])
    return np.sqrt(total)


@njit
def excess(machine, rows, w, i):
    """By how much row i wants to leave its bound; negative if it does not."""
    g = gradient(machine, rows, w, i)
    return -g if machine.beta[i] <= machine.low[i] else g


@njit
def list_violators(machine, rows, weights, queue, keys):
    """Line up the candidates that most want to leave their bounds, the most eager first; returns how many."""
    beta, low = machine.beta, machine.low
    asked = np.empty(machine.counts[N_CANDIDATES], np.int64)
    n_asked = 0
    for h in range(machine.counts[N_CANDIDATES]):
        asked[n_asked] = weights.candidates[h]
        n_asked += machine.place[weights.candidates[h]] < 0
    products(rows, machine.start, asked, n_asked, weights.w, keys)
    count = 0
    for h in range(n_asked):
        i = asked[h]
        g = keys[h] - machine.y[i] + machine.numbers[BIAS]
        keys[h] = g if beta[i] <= low[i] else -g
        if keys[h] >= -machine.numbers[TOL]:
            keys[h] = 0.0
        else:
            count += 1
    bar = 0.0
    if count > queue.shape[0]:
        bar = select(keys[:n_asked].copy(), queue.shape[0] - 1)
    length = 0
    for h in range(n_asked):
        if keys[h] < 0.0 and keys[h] <= bar and length < queue.shape[0]:
            place = length
            while place > 0 and keys[queue[place - 1]] > keys[h]:
                queue[place] = queue[place - 1]
                place -= 1
            queue[place] = h
            length += 1
    for a in range(length):
        queue[a] = asked[queue[a]]
    return length


@njit
def step_on_free_set(machine, rows, w, scratch):
    """Go to the optimum of the free set; rows that reach a bound on the way leave it."""
    d = scratch.d
    while machine.counts[N_FREE] > 0:
        m = machine.counts[N_FREE]
        most = 0.0
        for j in range(m):
            most = max(most, abs(machine.residual[j]))
        if most <= SETTLED * machine.numbers[TOL]:
            return
        machine.counts[N_PIVOTS] += 1
        change, _ = direction(machine, d)
        length, blocker = max_step(machine, d)
        if length >= 1.0:
            length = 1.0
            blocker = -1
        step(machine, rows, w, d, length, blocker)
        machine.numbers[BIAS] += length * change
        shorten_residual(machine, length)
        if blocker < 0:
            return
        leave(machine, blocker, scratch.work)


@njit
def unbiased_gradients(machine, rows, w, f):
    """Write ``x . w - y`` of all training rows into f."""
    products(rows, machine.start, machine.place[:0], machine.n, w, f)
    for i in range(machine.n):
        f[i] -= machine.y[i]


@njit
def settle(machine, rows, weights, scratch, slack, max_pivots):
    """Pivot to the optimum; False if it takes too many pivots or the free set outgrows its arrays."""
    w = weights.w
    queue = np.empty(LONGEST_QUEUE, np.int64)
    length = 0
    served = 0
    for _ in range(max_pivots):
        step_on_free_set(machine, rows, w, scratch)
        i = -1
        if machine.counts[N_FREE] == 0:
            unbiased_gradients(machine, rows, w, slack)
            i = start_free_set(machine, slack)
            price_all(machine, rows, weights, slack)
            length = 0
            if i < 0:
                return True
        while i < 0 and served < length:
            waiting = queue[served]
            served += 1
            if machine.place[waiting] < 0 and excess(machine, rows, w, waiting) > machine.numbers[TOL]:
                i = waiting
        if i < 0:
            length = list_violators(machine, rows, weights, queue, slack)
            if length == 0 and moved(machine, weights) >= machine.numbers[REACH]:
                price_all(machine, rows, weights, slack)
                length = list_violators(machine, rows, weights, queue, slack)
            if length == 0:
                if all_at_bounds(machine):
                    m = clear_free_set(machine, scratch.d)
                    add_free_rows(rows, machine.start, machine.free, m, scratch.d, 1.0, w)
                    unbiased_gradients(machine, rows, w, slack)
                    centre_bias(machine, slack)
                return True
            i = queue[0]
            served = 1
        if machine.counts[N_FREE] == machine.free.shape[0]:
            return False
        enter(machine, rows, w, i, scratch)
    return False
