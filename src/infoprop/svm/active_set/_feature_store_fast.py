"""The feature store: what the core asks of a linear machine that keeps its weights, for many rows.

No Gram matrix: ``w = X' beta``, and ``g_i = x_i . w + b - y_i`` is computed where it is asked for. Pricing is
partial. A full pricing computes g of all rows; those nearest to violating their bound, and the free set, are
*candidates* and followed. No g changes by more than ``|(w, b) - (w, b) at the full pricing|`` times ``|(x,
1)|`` (Cauchy and Schwarz), so the others cannot violate while that distance is below `REACH`. The worst
candidates wait in a queue; each is priced again when its turn comes.

Reference: I. Maros, Computational Techniques of the Simplex Method (2003), of partial pricing.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit_norefcount, njit_norefcount_sums
from infoprop.svm._vectors_fast import select, sparse_dot
from infoprop.svm.active_set._cholesky_fast import inner
from infoprop.svm.active_set._machines_fast import (
    BIAS,
    N_CANDIDATES,
    N_FREE,
    N_SERVED,
    N_WAITING,
    REACH,
    TOL,
)

# So many bounded rows are followed: twice as many as are free, within limits.
FEWEST_CANDIDATES = 64
MOST_CANDIDATES = 512


class Rows(NamedTuple):
    """All rows of all splits as CSR arrays, or dense with a `stride`, and ``|(x, 1)|`` of each."""

    data: Any
    indices: Any
    indptr: Any
    stride: Any
    norms: Any


class FeatureStore(NamedTuple):
    """Rows of all splits and the weights of one machine; of several, stacked, w and what follows.

    `seen` has the weights and b at the last full pricing, `candidates` the rows that are followed, `queue`
    the worst of them.
    """

    rows: Any
    w: Any
    seen: Any
    candidates: Any
    queue: Any


@njit_norefcount
def row_product(data, indices, start, end, stride, w):
    """Product of w with the row whose entries are ``start:end``."""
    if stride > 0:
        return inner(data[start:end], w)
    return sparse_dot(data, indices, start, end, w)


@njit_norefcount
def products(rows, first, numbers, count, w, out):
    """``out_a = x_i . w`` for the rows ``first + numbers_a``; all from `first` on if there are no numbers.

    One call for many rows: handing a row's arrays from function to function takes longer than a short row.
    """
    data, indices, indptr, stride = rows.data, rows.indices, rows.indptr, rows.stride
    for a in range(count):
        i = first + (numbers[a] if numbers.shape[0] > 0 else a)
        out[a] = row_product(data, indices, indptr[i], indptr[i + 1], stride, w)


@njit_norefcount
def add_rows(rows, first, numbers, weights, count, w):
    """``w += sum_i weights_i x_i`` over the first `count` of `numbers`, counted from row `first` on."""
    data, indices, indptr = rows.data, rows.indices, rows.indptr
    for a in range(count):
        i = numbers[a]
        scale, start, end = weights[i], indptr[first + i], indptr[first + i + 1]
        if rows.stride > 0:
            x = data[start:end]
            for k in range(x.shape[0]):
                w[k] += scale * x[k]
        else:
            for p in range(start, end):
                w[indices[p]] += scale * data[p]


@njit_norefcount
def gram_column(store, machine, i, scratch):
    """Products of row i with the free set into z; returns that with itself.

    The row is unpacked for it: its `row` is zero before and after.
    """
    rows, row, one = store.rows, scratch.row, scratch.asked
    one[0] = i
    scratch.keys[i] = 1.0
    add_rows(rows, machine.start, one, scratch.keys, 1, row)
    products(rows, machine.start, machine.free, machine.counts[N_FREE], row, scratch.z)
    products(rows, machine.start, one, 1, row, scratch.copy)
    scratch.keys[i] = -1.0
    add_rows(rows, machine.start, one, scratch.keys, 1, row)
    return scratch.copy[0]


@njit_norefcount
def gradient(store, machine, i):
    """``x_i . w - y_i + b``."""
    rows, at = store.rows, machine.start + i
    start, end = rows.indptr[at], rows.indptr[at + 1]
    found = row_product(rows.data, rows.indices, start, end, rows.stride, store.w)
    return found - machine.y[i] + machine.numbers[BIAS]


@njit_norefcount
def all_gradients(store, machine, scratch):
    """``X w - y`` of the training rows into keys."""
    f = scratch.keys
    products(store.rows, machine.start, machine.place[:0], machine.n, store.w, f)
    for i in range(machine.n):
        f[i] -= machine.y[i]


@njit_norefcount
def read_residual(store, machine):
    """Residuals of the free set from the weights."""
    m = machine.counts[N_FREE]
    products(store.rows, machine.start, machine.free, m, store.w, machine.residual)
    for j in range(m):
        machine.residual[j] += machine.numbers[BIAS] - machine.y[machine.free[j]]


@njit_norefcount
def follow(store, machine, rows, moved, count):
    """Let the weights follow changes of beta."""
    add_rows(store.rows, machine.start, rows, moved, count, store.w)


@njit_norefcount
def price(store, machine, scratch):
    """Write the row that violates its condition most; returns 1, or 0 if there is none."""
    counts = machine.counts
    while counts[N_SERVED] < counts[N_WAITING]:
        i = store.queue[counts[N_SERVED]]
        counts[N_SERVED] += 1
        if machine.place[i] < 0:
            g = gradient(store, machine, i)
            if (-g if machine.beta[i] <= machine.low[i] else g) > machine.numbers[TOL]:
                scratch.entering[0] = i
                return 1
    n_waiting = list_violators(store, machine, scratch)
    if n_waiting == 0 and distance_moved(store, machine) >= machine.numbers[REACH]:
        price_all(store, machine, scratch)
        n_waiting = list_violators(store, machine, scratch)
    counts[N_WAITING] = n_waiting
    counts[N_SERVED] = 1
    scratch.entering[0] = store.queue[0]
    return min(1, n_waiting)


@njit_norefcount
def price_all(store, machine, scratch):
    """Compute g of all training rows and choose those to follow."""
    n, norms, slack = machine.n, store.rows.norms, scratch.keys
    beta, low, place = machine.beta, machine.low, machine.place
    all_gradients(store, machine, scratch)
    for i in range(n):
        if place[i] >= 0:
            slack[i] = -np.inf
        elif low[i] == machine.high[i]:
            slack[i] = np.inf
        else:
            g = slack[i] + machine.numbers[BIAS]
            slack[i] = (g if beta[i] <= low[i] else -g) / norms[machine.start + i]
        scratch.copy[i] = slack[i]
    m = machine.counts[N_FREE]
    wanted = min(n, m + min(max(FEWEST_CANDIDATES, 2 * m), MOST_CANDIDATES))
    reach = np.inf
    if wanted < n:
        reach = max(0.0, select(scratch.copy[:n], wanted))
    count = 0
    for i in range(n):
        if slack[i] < reach or slack[i] < 0.0:
            store.candidates[count] = i
            count += 1
    machine.counts[N_CANDIDATES] = count
    machine.numbers[REACH] = reach
    p = store.w.shape[0]
    for k in range(p):
        store.seen[k] = store.w[k]
    store.seen[p] = machine.numbers[BIAS]


@njit_norefcount_sums
def distance_moved(store, machine):
    """Distance of weights and b to those at the last full pricing."""
    w, seen, p = store.w, store.seen, store.w.shape[0]
    change = machine.numbers[BIAS] - seen[p]
    total = change * change
    for k in range(p):
        total += (w[k] - seen[k]) * (w[k] - seen[k])
    return np.sqrt(total)


@njit_norefcount
def list_violators(store, machine, scratch):
    """Put the candidates that violate their conditions into the queue, the worst first."""
    beta, low, queue = machine.beta, machine.low, store.queue
    asked, keys, copy = scratch.asked, scratch.keys, scratch.copy
    n_asked = 0
    for h in range(machine.counts[N_CANDIDATES]):
        asked[n_asked] = store.candidates[h]
        n_asked += machine.place[store.candidates[h]] < 0
    products(store.rows, machine.start, asked[:n_asked], n_asked, store.w, keys)
    count = 0
    for h in range(n_asked):
        i = asked[h]
        g = keys[h] - machine.y[i] + machine.numbers[BIAS]
        keys[h] = min(0.0, (g if beta[i] <= low[i] else -g) + machine.numbers[TOL])
        copy[h] = keys[h]
        count += keys[h] < 0.0
    bar = 0.0
    if count > queue.shape[0]:
        bar = select(copy[:n_asked], queue.shape[0] - 1)
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
