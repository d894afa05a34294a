"""Moves of a linear machine that keeps its Gram matrix: for few rows and any number of columns.

``K[i, a]`` is the product of training row i with row a of the team, those it only watches included;
``f = K' beta - y`` is kept for all of them (y = 0 for rows that are watched). Rows of K may be longer than f:
cut in both directions it would not be one piece of memory, and loops over it would not run on vectors.
"""

from infoprop._core._jit import njit_norefcount
from infoprop.svm.active_set._cholesky_fast import DEPENDENT, backward, forward, inner, lower_by, raise_by
from infoprop.svm.active_set._pivots_fast import (
    BIAS,
    N_FACE,
    N_PIVOTS,
    SHIFT,
    TOL,
    centre_bias,
    clear_face,
    direction,
    fits,
    is_cornered,
    join,
    leave,
    room,
    shorten_residual,
    start_face,
    trade,
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
    """Residuals of the face from f."""
    for j in range(machine.counts[N_FACE]):
        machine.residual[j] = f[machine.face[j]] + machine.numbers[BIAS]


@njit_norefcount
def change_column(machine, K, f, x, sign, scratch):
    """Follow a column x that has come (+1) or gone (-1) in K; returns the weight it has (had)."""
    w = inner(x[: machine.n], machine.beta[: machine.n])
    for a in range(f.shape[0]):
        f[a] += sign * w * x[a]
    z, d, work = scratch.z, scratch.d, scratch.work
    while True:
        m = machine.counts[N_FACE]
        for j in range(m):
            z[j] = x[machine.face[j]]
        if sign > 0.0:
            raise_by(machine.U, machine.ones, 0, m, z, 0.0)
            break
        forward(machine.U, m, z)
        if 1.0 - inner(z[:m], z[:m]) > DEPENDENT:
            lower_by(machine.U, machine.ones, m, z, work)
            break
        # Without x the rows of the face depend on each other. Along that direction nothing curves: walk it
        # downhill until one of them leaves.
        backward(machine.U, m, z)
        slope = 0.0
        for j in range(m):
            slope += f[machine.face[j]] * z[j]
        for j in range(m):
            d[j] = -z[j] if slope > 0.0 else z[j]
        length, blocker = room(machine, d)
        walk(machine, d, length, blocker)
        add_rows(K, machine.face, d, m, length, f)
        leave(machine, blocker, work)
    read_residual(machine, f)
    return w


@njit_norefcount
def enter(machine, K, f, i, scratch):
    """Take row i into the face.

    If it depends on the rows there, nothing curves along their common direction: walk it until one of them
    leaves, or until row i has reached its other bound.
    """
    z, d = scratch.z, scratch.d
    row = K[i]
    own = row[i] + machine.numbers[SHIFT]
    while True:
        m = machine.counts[N_FACE]
        for j in range(m):
            z[j] = row[machine.face[j]] + machine.numbers[SHIFT]
        g = f[i] + machine.numbers[BIAS]
        if join(machine, i, z, own, g):
            return
        sign, length, blocker = trade(machine, i, z, g, d)
        walk(machine, d, length, blocker)
        add_rows(K, machine.face, d, m, length, f)
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
        m = machine.counts[N_FACE]
        if m == 0:
            i = start_face(machine, f)
        else:
            change, _ = direction(machine, d)
            length = 1.0
            blocker = -1
            if not fits(machine, d):
                length, blocker = room(machine, d)
                if length >= 1.0:
                    length = 1.0
                    blocker = -1
            walk(machine, d, length, blocker)
            add_rows(K, machine.face, d, m, length, f)
            machine.numbers[BIAS] += length * change
            shorten_residual(machine, length)
            if blocker >= 0:
                leave(machine, blocker, scratch.work)
                continue
            i = violator(machine, f)
            if i < 0 and is_cornered(machine):
                count = clear_face(machine, d)
                add_rows(K, machine.face, d, count, 1.0, f)
                centre_bias(machine, f)
        if i < 0:
            return True
        enter(machine, K, f, i, scratch)
    return False
