"""Dual coordinate descent for linear machines, with a free bias and either loss.

The problem is that of `_pair_steps_fast`, with a ridge on the diagonal of the Gram matrix where the loss is
the squared hinge; the weights ``w = X' beta`` stand in for the Gram matrix. The constraint ``sum beta = 0``
is kept by an augmented Lagrangian: for a given bias b the sweeps minimise

    1/2 |w|^2 + 1/2 sum_i ridge_i beta_i^2 - beta' y + b S + rho/2 S^2,    S = sum beta,

over the box, and b moves by rho S. Sweeps set variables aside that are stuck at a bound, the shrinking of
Hsieh et al., but earlier; after each
round of sweeps all gradients are computed, which puts right what was set aside too early. Where sweeps crawl,
conjugate gradients solve for the free variables and b together. The rows are those of `_matrix_rows_fast`.
Invariant: ``w = X' beta`` between sweeps, and ``low <= beta <= high``.

References: C.-J. Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML (2008); of
the augmented Lagrangian: J. Nocedal and S. Wright, Numerical Optimization (2006), section 17.3.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import clear, size_of, total_of
from infoprop.svm.solvers._blocks_fast import VIOLATORS, choose_block, count_free, solve_on
from infoprop.svm.solvers._cg_fast import free_step
from infoprop.svm.solvers._matrix_rows_fast import add_row, fetch_row, outputs, row_dot
from infoprop.svm.solvers._smo_fast import (
    CONVERGED,
    MOST_IDLE,
    NEXT_GOAL,
    PAUSED,
    POLISH_STEPS,
    POLISH_TOL,
    ROUNDING,
    STALLED,
    STOPPED,
)

# A round ends with all gradients computed anew, which costs half a sweep: it is to be a small part of it.
# What so many rounds have not solved, block steps finish. The first round need not come near the optimum.
SWEEPS_PER_ROUND = 20
MOST_ROUNDS = 40
FIRST_GOAL = 0.5
# A variable at its bound is set aside in a sweep if its gradient is beyond this share of the largest
# violation of the sweep before. That is early, but each round ends with a look at all of them: half a sweep.
SET_ASIDE = 0.1
# The first round works on one row in so many, if these are enough to begin with: the first sweeps, when
# nothing is set aside yet, cost most.
FIRST_SHARE = 8
FEWEST_AT_FIRST = 500
# Where sweeps do not reach their goal, conjugate gradients take over: below this gap, where the free
# variables have settled, or after so many rounds, as columns of very different scale make sweeps crawl.
SETTLED_GAP = 0.01
MANY_ROUNDS = 6
# Goals within a round, as shares of the tolerance: gradients change until the round ends, so each has to
# reach more than is asked for in the end; conjugate gradients reach it at little cost.
SWEEPS_SHARE_OF_TOL = 0.25
CG_SHARE_OF_TOL = 0.05
# Share of sum |beta| by which sum beta may miss zero.
IMBALANCE = 1e-9
# Gap from which block steps finish if the free variables fit into one block.
NEARLY_SOLVED = 0.3
LARGEST_BLOCK = 256
# With more entries a round of sweeps takes some tenths of a second: Python gets to see Ctrl-C after each.
MANY_ENTRIES = 1_000_000


class DualTask(NamedTuple):
    """Signs, bounds and ridge of a problem, and the diagonal of its Gram matrix with the ridge."""

    y: Any
    low: Any
    high: Any
    ridge: Any
    diagonal: Any


class Descent(NamedTuple):
    """Where the descent stands.

    beta, ``w = X' beta``, ``f = X w + ridge beta - y``; `progress` holds b, S and the goal of the next round,
    `order` and `state` belong to the sweeps: the variables, and the random numbers that shuffle them.
    `report` counts sweeps and rounds.
    """

    beta: Any
    w: Any
    f: Any
    progress: Any
    order: Any
    state: Any
    report: Any


@njit
def _shuffle(order, n_active, state):
    """Fisher-Yates on the first entries, with a 64-bit linear congruential generator kept by the caller."""
    for i in range(n_active - 1, 0, -1):
        state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        j = np.int64((state[0] >> np.uint64(33)) % np.uint64(i + 1))
        order[i], order[j] = order[j], order[i]


@njit
def sweep(rows, task, beta, w, b, total, rho, order, n_active, bars):
    """One pass over the active variables, shrinking on the way.

    `bars` holds the projected gradients (largest, smallest) of the last pass, which decide when a variable at
    its bound is set aside; it is overwritten with those of this pass. Returns the number still active and S.
    """
    data, indices, indptr, stride = rows
    y, low, high, ridge, diagonal = task
    largest = -np.inf
    smallest = np.inf
    a = 0
    while a < n_active:
        i = order[a]
        start = indptr[i]
        end = indptr[i + 1]
        if a + 1 < n_active:
            following = order[a + 1]
            fetch_row(data, indices, indptr[following], indptr[following + 1], stride)
        gradient = row_dot(data, indices, start, end, stride, w) + b + rho * total - y[i] + ridge[i] * beta[i]
        projected = gradient
        if beta[i] <= low[i]:
            projected = min(gradient, 0.0)
            aside = gradient > SET_ASIDE * bars[0]
        elif beta[i] >= high[i]:
            projected = max(gradient, 0.0)
            aside = gradient < SET_ASIDE * bars[1]
        else:
            aside = False
        if aside:
            n_active -= 1
            order[a] = order[n_active]
            order[n_active] = i
            continue
        largest = max(largest, projected)
        smallest = min(smallest, projected)
        if projected != 0.0:
            moved = min(max(beta[i] - gradient / (diagonal[i] + rho), low[i]), high[i])
            change = moved - beta[i]
            if change != 0.0:
                beta[i] = moved
                total += change
                add_row(data, indices, start, end, stride, change, w)
        a += 1
    bars[0] = largest
    bars[1] = smallest
    return n_active, total


@njit
def descend(rows, task, beta, w, b, total, rho, order, n_active, state, goal, max_sweeps):
    """Sweep until the projected gradients of active variables lie within `goal`; returns S and the sweeps."""
    bars = np.empty(2)
    bars[0] = np.inf
    bars[1] = -np.inf
    for made in range(1, max_sweeps + 1):
        _shuffle(order, n_active, state)
        n_active, total = sweep(rows, task, beta, w, b, total, rho, order, n_active, bars)
        if bars[0] - bars[1] <= goal:
            return total, made
        if bars[0] <= 0.0:
            bars[0] = np.inf
        if bars[1] >= 0.0:
            bars[1] = -np.inf
    return total, max_sweeps


@njit
def choose_active(task, beta, f, b, bar, order):
    """Put variables first in `order` that are free, violate, or are within `bar` of it; returns how many."""
    first = 0
    last = f.shape[0]
    for i in range(f.shape[0]):
        gradient = f[i] + b
        if beta[i] <= task.low[i]:
            aside = gradient > bar
        else:
            aside = beta[i] >= task.high[i] and gradient < -bar
        if aside:
            last -= 1
            order[last] = i
        else:
            order[first] = i
            first += 1
    return first


@njit
def gap_of(f, beta, low, high):
    """Largest f among variables that can fall less the smallest among those that can rise."""
    smallest = np.inf
    largest = -np.inf
    for i in range(f.shape[0]):
        if beta[i] < high[i]:
            smallest = min(smallest, f[i])
        if beta[i] > low[i]:
            largest = max(largest, f[i])
    return largest - smallest


@njit
def gradients(rows, task, beta, w, f):
    """``f = X w + ridge beta - y``; returns the gap."""
    outputs(rows, w, f)
    for i in range(f.shape[0]):
        f[i] += task.ridge[i] * beta[i] - task.y[i]
    return gap_of(f, beta, task.low, task.high)


@njit
def balance(rows, task, beta, w):
    """Bring sum beta to zero; returns what is left.

    On the heavier side every free variable gives the same share; where that is not enough, those on their
    bounds give as well. Shares of beta are finite where bounds are not.
    """
    data, indices, indptr, stride = rows
    low, high = task.low, task.high
    for only_free in (True, False):
        excess = total_of(beta)
        sign = 1.0 if excess > 0.0 else -1.0
        available = 0.0
        for i in range(beta.shape[0]):
            if not only_free or low[i] < beta[i] < high[i]:
                available += max(0.0, sign * beta[i])
        # Rounding must not push variables off their bounds.
        if abs(excess) <= IMBALANCE * size_of(beta) or available == 0.0:
            continue
        share = min(1.0, abs(excess) / available)
        for i in range(beta.shape[0]):
            if sign * beta[i] > 0.0 and (not only_free or low[i] < beta[i] < high[i]):
                change = -share * beta[i]
                beta[i] = beta[i] + change if share < 1.0 else 0.0
                add_row(data, indices, indptr[i], indptr[i + 1], stride, change, w)
    return total_of(beta)


@njit
def block_step(rows, task, beta, w, f, block, taken, active, goal, max_work):
    """Solve exactly for one block of violators and free variables, as SMO does; returns gain and products."""
    data, indices, indptr, stride = rows
    low, high = task.low, task.high
    n = f.shape[0]
    size = min(VIOLATORS + count_free(beta, low, high, active, n), block.shape[0])
    chosen = block[: choose_block(f, beta, low, high, active, n, taken, block, size)]
    m = chosen.shape[0]
    K = np.empty((m, m))
    row = np.empty(w.shape[0])
    for a in range(m):
        i = chosen[a]
        clear(row)
        add_row(data, indices, indptr[i], indptr[i + 1], stride, 1.0, row)
        for c in range(m):
            j = chosen[c]
            K[a, c] = row_dot(data, indices, indptr[j], indptr[j + 1], stride, row)
        K[a, a] += task.ridge[i]
    change, n_pairs, n_pivots, gain = solve_on(
        K, chosen, f, beta, low, high, True, 0.0, goal, max(1, max_work // m)
    )
    for a in range(m):
        i = chosen[a]
        add_row(data, indices, indptr[i], indptr[i + 1], stride, change[a], w)
    return gain, m * (n_pairs + m * n_pivots + m * (indptr[n] - indptr[0]) // n)


@njit
def finish(rows, task, beta, w, f, tol, max_sweeps, max_work, report):
    """Block steps from a nearly solved problem to its optimum, and a few beyond `tol` to the exact one."""
    work = 0
    n = beta.shape[0]
    balance(rows, task, beta, w)
    block = np.empty(min(n, LARGEST_BLOCK), np.int64)
    taken = np.zeros(n, np.bool_)
    active = np.arange(n)
    polished = 0
    idle = 0
    while True:
        gap = gradients(rows, task, beta, w, f)
        if gap < tol:
            if gap < POLISH_TOL or polished == POLISH_STEPS:
                return CONVERGED
            polished += 1
        if report[0] >= max_sweeps:
            return CONVERGED if gap < tol else STOPPED
        goal = NEXT_GOAL * (gap if gap >= tol else POLISH_TOL)
        left = max_work - work
        gain, products = block_step(rows, task, beta, w, f, block, taken, active, goal, left)
        report[0] += 1
        work += products + rows.indptr[n] - rows.indptr[0]
        idle = 0 if gain > ROUNDING * size_of(beta) else idle + 1
        if (idle == MOST_IDLE or work >= max_work) and gap >= tol:
            return STALLED


@njit
def solve_linear(rows, task, descent, rho, tol, max_sweeps, max_work):
    """Solve from where the descent stands; returns the status, with sum beta = 0 to rounding.

    PAUSED comes back after a round of much work; the same call continues. `max_work` bounds the products of
    the block steps. Sweeps and conjugate gradients come first: they move many variables at once. Where few
    variables are free, or the rounds drag on, block steps finish.
    """
    beta, w, f, progress, order, state, report = descent
    n = beta.shape[0]
    n_entries = rows.indptr[n] - rows.indptr[0]
    b, total, goal = progress[0], progress[1], progress[2]
    while True:
        if report[1] == 0 and size_of(beta) == 0.0:
            _shuffle(order, n, state)
            n_active = min(n, max(FEWEST_AT_FIRST, n // FIRST_SHARE))
        else:
            n_active = choose_active(task, beta, f, b, gap_of(f, beta, task.low, task.high), order)
        sweeps = min(SWEEPS_PER_ROUND, max_sweeps - report[0])
        total, made = descend(rows, task, beta, w, b, total, rho, order, n_active, state, goal, sweeps)
        report[0] += made
        report[1] += 1
        gap = gradients(rows, task, beta, w, f)
        is_slow = made == SWEEPS_PER_ROUND and (gap < SETTLED_GAP or report[1] > MANY_ROUNDS)
        if gap >= tol and is_slow:
            b, total = free_step(
                rows, task, beta, w, f, b, total, rho, max(NEXT_GOAL * gap, CG_SHARE_OF_TOL * tol)
            )
            gap = gradients(rows, task, beta, w, f)
        else:
            b += rho * total
        few = count_free(beta, task.low, task.high, order, n) <= LARGEST_BLOCK - VIOLATORS
        if gap < tol and not few:
            total = balance(rows, task, beta, w)
            gap = gradients(rows, task, beta, w, f)
            if gap < tol and abs(total) <= IMBALANCE * size_of(beta):
                return CONVERGED
        if (few and gap < NEARLY_SOLVED) or report[1] >= MOST_ROUNDS or report[0] >= max_sweeps:
            return finish(rows, task, beta, w, f, tol, max_sweeps, max_work, report)
        goal = max(NEXT_GOAL * gap, SWEEPS_SHARE_OF_TOL * tol)
        if n_entries > MANY_ENTRIES:
            progress[0], progress[1], progress[2] = b, total, goal
            return PAUSED
