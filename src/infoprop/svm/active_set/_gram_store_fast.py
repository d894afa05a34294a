"""The Gram store: what the core asks of a machine whose Gram matrix is kept, linear or of any kernel.

``K[i, a]`` is the kernel of training row i with row a of the split; ``f = K' beta - y`` is kept for the first
``len(f)`` of them (y = 0 for validation rows). Rows of K may be longer than f: cut in both directions it
would not be one piece of memory, and loops over it would not run on vectors.

Pricing looks at all rows, and several enter at a time: those that violate the optimality conditions nearly as
much as the worst. The step to the optimum of a free set lowers the objective, so at least one of the rows
that entered moves off its bound: they cannot all be turned back.

Reference: K. Scheinberg, An efficient implementation of an active set method for SVMs, JMLR 7 (2006).
"""

from typing import Any, NamedTuple

from infoprop._core._jit import njit_norefcount
from infoprop.svm.active_set._machines_fast import BIAS, N_FREE, TOL

# Rows that violate the conditions at least by this share of the worst violation enter together: no more than
# `MOST_AT_ONCE` (see `_state`), and one for so many that are free, as each may cost one more pivot.
VIOLATION_SHARE = 0.3
FREE_PER_ENTRY = 8


class GramStore(NamedTuple):
    """Gram matrix of one machine's split, and its ``f = K' beta - y``."""

    K: Any
    f: Any


@njit_norefcount
def add_rows(K, rows, weights, count, f):
    """``f += sum_i weights_i K_i`` over the first `count` of `rows`, four at a time."""
    last = count - 1
    for k in range(0, count, 4):
        i0, i1, i2, i3 = rows[k], rows[min(k + 1, last)], rows[min(k + 2, last)], rows[min(k + 3, last)]
        c0 = weights[i0]
        c1 = weights[i1] if k + 1 < count else 0.0
        c2 = weights[i2] if k + 2 < count else 0.0
        c3 = weights[i3] if k + 3 < count else 0.0
        r0, r1, r2, r3 = K[i0], K[i1], K[i2], K[i3]
        for a in range(f.shape[0]):
            f[a] += c0 * r0[a] + c1 * r1[a] + c2 * r2[a] + c3 * r3[a]


@njit_norefcount
def list_nonzero(weights, rows):
    """List the entries that are not zero; returns how many."""
    count = 0
    for i in range(weights.shape[0]):
        rows[count] = i
        count += weights[i] != 0.0
    return count


@njit_norefcount
def gram_column(store, machine, i, scratch):
    """Kernel of row i with the free set into z; returns that with itself."""
    row = store.K[i]
    for j in range(machine.counts[N_FREE]):
        scratch.z[j] = row[machine.free[j]]
    return row[i]


@njit_norefcount
def gradient(store, machine, i):
    """``K_i beta - y_i + b``."""
    return store.f[i] + machine.numbers[BIAS]


@njit_norefcount
def all_gradients(store, machine, scratch):
    """``K beta - y`` of the training rows into keys."""
    for i in range(machine.n):
        scratch.keys[i] = store.f[i]


@njit_norefcount
def read_residual(store, machine):
    """Residuals of the free set from f."""
    for j in range(machine.counts[N_FREE]):
        machine.residual[j] = store.f[machine.free[j]] + machine.numbers[BIAS]


@njit_norefcount
def follow(store, machine, rows, moved, count):
    """Let f follow changes of beta."""
    add_rows(store.K, rows, moved, count, store.f)


@njit_norefcount
def price(store, machine, scratch):
    """Write rows that shall leave their bounds, the first of them the worst; returns how many.

    Residuals are read anew: what rounding has left of them is then part of the next step.
    """
    read_residual(store, machine)
    entering, b, tol = scratch.entering, machine.numbers[BIAS], machine.numbers[TOL]
    limit = min(entering.shape[0], machine.counts[N_FREE] // FREE_PER_ENTRY)
    bar = tol
    count = 0
    # First the worst; then, if more may enter, those that come near it.
    for turn in range(2):
        for i in range(machine.n):
            if machine.place[i] < 0 and machine.low[i] < machine.high[i]:
                g = store.f[i] + b
                excess = -g if machine.beta[i] <= machine.low[i] else g
                if excess > bar:
                    if turn == 0:
                        entering[0] = i
                        bar = excess
                        count = 1
                    elif count < limit and i != entering[0]:
                        entering[count] = i
                        count += 1
        if count == 0 or limit < 2:
            return count
        bar = max(tol, VIOLATION_SHARE * bar)
    return count
