"""Pivots over a Gram matrix that is all new, after pair steps have come near to the optimum.

There are many pivots, so several rows enter at a time. Outputs follow when somebody asks for them, not in
every pivot: while rows leave the free set, nobody does.
"""

import numpy as np

from infoprop._core._jit import njit, njit_sums, unowned_view
from infoprop.svm._vectors_fast import clear, size_of
from infoprop.svm.active_set._gram_machines_fast import enter_all
from infoprop.svm.active_set._gram_store_fast import add_rows, enter, read_residual
from infoprop.svm.active_set._machines_fast import machine_of
from infoprop.svm.active_set._pair_steps_fast import pair_steps
from infoprop.svm.active_set._pivots_fast import (
    BIAS,
    N_FREE,
    N_PIVOTS,
    SHIFT,
    TOL,
    all_at_bounds,
    centre_bias,
    clear_free_set,
    direction,
    leave,
    max_step,
    shorten_residual,
    start_free_set,
    walk,
)

# Rows that want to leave their bounds enter together if they want it at least this much, as a share of the
# one that wants it most; no more than so many, and one for so many that are there.
VIOLATION_SHARE = 0.3
MOST_AT_ONCE = 16
FREE_PER_ENTRY = 8
# Pivots after which the way is lost; it takes about one for each row.
FEWEST_PIVOTS = 1000
PIVOTS_PER_ROW = 20
# A sum of beta that is a smaller share of its terms is as good as zero.
UNBALANCED = 1e-12
# How often the step to the optimum of a free set is repeated for what rounding has left of it.
MOST_REPEATS = 3
# Pair steps come first, until outputs violate the conditions by no more than this: a row that belongs on a
# bound gets there in one of them, and takes two pivots or three.
ROUGH = 0.1


@njit
def pivot_to_optima(K, beta, machines, splits, tol, units, largest_free_set, scratch, f):
    """Take all machines from `beta` to their optimum over K; False if one gets lost.

    K : (n, n_all), training rows first; beta : (n_machines, n); f : (n_machines, n_all), where ``K beta - y``
    is written, y being zero for validation rows. Residuals below `tol`, or so many `units` of f's
    largest term, are rounding. More free variables than `largest_free_set` are too many to pivot on.
    """
    K, f, scratch = unowned_view((K, f, scratch))
    n = beta.shape[1]
    largest = 0.0
    for i in range(n):
        largest = max(largest, K[i, i])
    rows = np.empty(n, np.int64)
    changes = np.empty(n)
    moves = np.zeros(n)
    entering = np.empty(MOST_AT_ONCE, np.int64)
    for q in range(f.shape[0]):
        machine = machine_of(machines, splits, q)
        own = f[q]
        clear(own)
        for i in range(n):
            machine.beta[i] = beta[q, i]
            moves[i] = beta[q, i]
        _follow(K, own, rows, changes, moves)
        for i in range(n):
            own[i] -= machine.y[i]
        trained = own[:n]
        n_pairs, _ = pair_steps(K, trained, machine.beta, machine.low, machine.high, ROUGH, n)
        n_free = 0
        for i in range(n):
            n_free += machine.low[i] < machine.beta[i] < machine.high[i]
        if n_free > largest_free_set or n_free >= machine.free.shape[0]:
            return False
        _begin(machine, trained, largest, tol, units)
        machine.counts[N_PIVOTS] = n_pairs
        if not enter_all(machine, K, trained, scratch):
            for i in range(n):
                if machine.low[i] < machine.beta[i] < machine.high[i]:
                    enter(machine, K, trained, i, scratch)
        if not _settle(machine, K, trained, scratch, rows, changes, moves, entering):
            return False
        if f.shape[1] > n:
            for i in range(n):
                moves[i] = machine.beta[i] - beta[q, i]
            _follow(K[:, n:], own[n:], rows, changes, moves)
    return True


@njit
def _begin(machine, f, largest, tol, units):
    """An empty free set, with a b from which rounding does no harm."""
    machine.counts[:] = 0
    machine.place[:] = -1
    machine.numbers[TOL] = max(tol, units * largest * size_of(machine.beta))
    machine.numbers[SHIFT] = largest if largest > 0.0 else 1.0
    total = 0.0
    count = 0
    for i in range(machine.n):
        if machine.low[i] < machine.beta[i] < machine.high[i]:
            total += f[i]
            count += 1
    if count > 0:
        machine.numbers[BIAS] = -total / count
    else:
        centre_bias(machine, f)


@njit
def _violators(machine, f, entering):
    """Rows that most want to leave their bounds, the first of them most of all; returns how many."""
    b = machine.numbers[BIAS]
    most = machine.numbers[TOL]
    count = 0
    for i in range(machine.n):
        if machine.place[i] < 0:
            g = f[i] + b
            excess = -g if machine.beta[i] <= machine.low[i] else g
            if excess > most and machine.low[i] < machine.high[i]:
                most = excess
                entering[0] = i
                count = 1
    limit = min(entering.shape[0], machine.counts[N_FREE] // FREE_PER_ENTRY)
    bar = max(machine.numbers[TOL], VIOLATION_SHARE * most)
    i = 0
    while count > 0 and count < limit and i < machine.n:
        if machine.place[i] < 0 and i != entering[0]:
            g = f[i] + b
            excess = -g if machine.beta[i] <= machine.low[i] else g
            if excess > bar and machine.low[i] < machine.high[i]:
                entering[count] = i
                count += 1
        i += 1
    return count


@njit
def _follow(K, f, rows, changes, moves):
    """Let f follow what has moved on the way; nothing has moved then."""
    count = 0
    for i in range(moves.shape[0]):
        if moves[i] != 0.0:
            rows[count] = i
            changes[count] = moves[i]
            moves[i] = 0.0
            count += 1
    add_rows(K, rows, changes, count, 1.0, f)


@njit_sums
def _excess(beta):
    """What the sum of beta has too much, if it is more than rounding."""
    total = 0.0
    size = 0.0
    for i in range(beta.shape[0]):
        total += beta[i]
        size += abs(beta[i])
    return total if abs(total) > UNBALANCED * size else 0.0


@njit
def _balance(d, m, excess):
    """Make a step take away the `excess` of the sum of beta, which ought to be zero, and no more."""
    total = excess
    for j in range(m):
        total += d[j]
    for j in range(m):
        d[j] -= total / m


@njit
def _largest_of(residual, m):
    largest = 0.0
    for j in range(m):
        largest = max(largest, abs(residual[j]))
    return largest


@njit
def _settle(machine, K, f, scratch, rows, changes, moves, entering):
    """Pivot to the optimum; False if it takes too many pivots, or a free set larger than its arrays.

    The step to the optimum of a free set lowers the objective, so at least one of the rows that entered moves
    off its bound: they cannot all be turned back.
    """
    d = scratch.d
    is_behind = False
    n_repeats = 0
    # Rows that change places with others they depend on keep the sum of beta as far as rounding lets them.
    excess = _excess(machine.beta)
    for _ in range(FEWEST_PIVOTS + PIVOTS_PER_ROW * machine.n):
        machine.counts[N_PIVOTS] += 1
        m = machine.counts[N_FREE]
        if m > 0:
            change, _ = direction(machine, d)
            _balance(d, m, excess)
            length, blocker = max_step(machine, d)
            if length < 1.0:
                walk(machine, d, length, blocker)
                for j in range(m):
                    moves[machine.free[j]] += length * d[j]
                machine.numbers[BIAS] += length * change
                shorten_residual(machine, length)
                leave(machine, blocker, scratch.work)
                excess *= 1.0 - length
                is_behind = True
                continue
            walk(machine, d, 1.0, -1)
            add_rows(K, machine.free, d, m, 1.0, f)
            machine.numbers[BIAS] += change
            excess = 0.0
        if is_behind:
            _follow(K, f, rows, changes, moves)
            is_behind = False
        if m == 0:
            entering[0] = start_free_set(machine, f)
            count = 1 if entering[0] >= 0 else 0
        else:
            read_residual(machine, f)
            count = _violators(machine, f, entering)
            # Rows that all but depend on each other leave something to do.
            is_off = _largest_of(machine.residual, m) > machine.numbers[TOL]
            if count == 0 and is_off and n_repeats < MOST_REPEATS:
                n_repeats += 1
                continue
            if count == 0 and all_at_bounds(machine):
                left = clear_free_set(machine, d)
                add_rows(K, machine.free, d, left, 1.0, f)
                centre_bias(machine, f)
        if count == 0:
            return True
        if machine.counts[N_FREE] + count >= machine.free.shape[0]:
            return False
        for a in range(count):
            enter(machine, K, f, entering[a], scratch)
        excess = _excess(machine.beta)
    return False
