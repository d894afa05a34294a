"""The Gram store: pivots of a linear machine that keeps its Gram matrix; for few rows, any number of columns.

``K[i, a]`` is the product of training row i with row a of the split, validation rows included; ``f = K' beta
- y`` is kept for all of them (y = 0 for validation rows). A column x that comes (+1) or goes (-1) changes ``K
+= sign x x'``, ``f += sign (x . beta) x`` and the factor by a rank-one up- or downdate. Rows of K may be
longer than f: cut in both directions it would not be one piece of memory, and loops over it would not run on
vectors. `_pivots_fast` states the problem and the references.
"""

from infoprop._core._jit import njit_norefcount
from infoprop.svm.active_set._cholesky_fast import DEPENDENT, backward, downdate, forward, inner, update
from infoprop.svm.active_set._pivots_fast import (
    BIAS,
    N_FREE,
    N_PIVOTS,
    SHIFT,
    TOL,
    all_at_bounds,
    centre_bias,
    clear_free_set,
    degenerate_pivot,
    direction,
    fits,
    join,
    leave,
    max_step,
    shorten_residual,
    start_free_set,
    walk,
)

MOST_PIVOTS = 200_000


@njit_norefcount
def add_rows(K, rows, weights, count, scale, f):
    """``f += scale sum_j weights_j K[rows_j]``, four rows at a time."""
    n = f.shape[0]
    k = 0
    while k < count:
        width = min(4, count - k)
        c0 = scale * weights[k]
        c1 = scale * weights[k + 1] if width > 1 else 0.0
        c2 = scale * weights[k + 2] if width > 2 else 0.0
        c3 = scale * weights[k + 3] if width > 3 else 0.0
        r0 = K[rows[k]]
        r1 = K[rows[k + 1 if width > 1 else k]]
        r2 = K[rows[k + 2 if width > 2 else k]]
        r3 = K[rows[k + 3 if width > 3 else k]]
        for a in range(n):
            f[a] += c0 * r0[a] + c1 * r1[a] + c2 * r2[a] + c3 * r3[a]
        k += 4


@njit_norefcount
def change_gram(K, x, sign):
    """``K += sign x x'`` for a column x that comes (+1) or goes (-1)."""
    for i in range(K.shape[0]):
        row = K[i]
        own = sign * x[i]
        if own != 0.0:
            for a in range(x.shape[0]):
                row[a] += own * x[a]


@njit_norefcount
def read_residual(machine, f):
    """Residuals of the free set from f."""
    for j in range(machine.counts[N_FREE]):
        machine.residual[j] = f[machine.free[j]] + machine.numbers[BIAS]


@njit_norefcount
def change_column(machine, K, f, x, sign, scratch):
    """Follow a column x that has come (+1) or gone (-1) in K; returns the weight it has (had)."""
    w = inner(x[: machine.n], machine.beta[: machine.n])
    for a in range(f.shape[0]):
        f[a] += sign * w * x[a]
    z, d, work = scratch.z, scratch.d, scratch.work
    while True:
        m = machine.counts[N_FREE]
        for j in range(m):
            z[j] = x[machine.free[j]]
        if sign > 0.0:
            update(machine.U, machine.ones, 0, m, z, 0.0)
            break
        forward(machine.U, m, z)
        if 1.0 - inner(z[:m], z[:m]) > DEPENDENT:
            downdate(machine.U, machine.ones, m, z, work)
            break
        # Without x the rows of the free set depend on each other. Along that direction nothing curves:
        # walk it downhill until one of them leaves.
        backward(machine.U, m, z)
        slope = 0.0
        for j in range(m):
            slope += f[machine.free[j]] * z[j]
        for j in range(m):
            d[j] = -z[j] if slope > 0.0 else z[j]
        length, blocker = max_step(machine, d)
        walk(machine, d, length, blocker)
        add_rows(K, machine.free, d, m, length, f)
        leave(machine, blocker, work)
    read_residual(machine, f)
    return w


@njit_norefcount
def enter(machine, K, f, i, scratch):
    """Take row i into the free set.

    If it depends on the rows there, nothing curves along their common direction: walk it until one of them
    leaves, or until row i has reached its other bound.
    """
    z, d = scratch.z, scratch.d
    row = K[i]
    own = row[i] + machine.numbers[SHIFT]
    while True:
        m = machine.counts[N_FREE]
        for j in range(m):
            z[j] = row[machine.free[j]] + machine.numbers[SHIFT]
        g = f[i] + machine.numbers[BIAS]
        if join(machine, i, z, own, g):
            return
        sign, length, blocker = degenerate_pivot(machine, i, z, g, d)
        walk(machine, d, length, blocker)
        add_rows(K, machine.free, d, m, length, f)
        for a in range(f.shape[0]):
            f[a] += sign * length * row[a]
        if blocker < 0:
            machine.beta[i] = machine.high[i] if sign > 0.0 else machine.low[i]
            read_residual(machine, f)
            return
        machine.beta[i] += sign * length
        leave(machine, blocker, scratch.work)
        read_residual(machine, f)


@njit_norefcount
def violator(machine, f):
    """Row that most wants to leave its bound, or -1."""
    b = machine.numbers[BIAS]
    worst = -1
    most = machine.numbers[TOL]
    for i in range(machine.n):
        if machine.place[i] < 0:
            g = f[i] + b
            excess = -g if machine.beta[i] <= machine.low[i] else g
            if excess > most and machine.low[i] < machine.high[i]:
                most = excess
                worst = i
    return worst


@njit_norefcount
def settle(machine, K, f, scratch, max_pivots):
    """Pivot to the optimum; False if it takes too many pivots."""
    d = scratch.d
    for _ in range(max_pivots):
        machine.counts[N_PIVOTS] += 1
        m = machine.counts[N_FREE]
        if m == 0:
            i = start_free_set(machine, f)
        else:
            change, _ = direction(machine, d)
            length = 1.0
            blocker = -1
            if not fits(machine, d):
                length, blocker = max_step(machine, d)
                if length >= 1.0:
                    length = 1.0
                    blocker = -1
            walk(machine, d, length, blocker)
            add_rows(K, machine.free, d, m, length, f)
            machine.numbers[BIAS] += length * change
            shorten_residual(machine, length)
            if blocker >= 0:
                leave(machine, blocker, scratch.work)
                continue
            i = violator(machine, f)
            if i < 0 and all_at_bounds(machine):
                count = clear_free_set(machine, d)
                add_rows(K, machine.free, d, count, 1.0, f)
                centre_bias(machine, f)
        if i < 0:
            return True
        enter(machine, K, f, i, scratch)
    return False
