"""Dual coordinate descent for linear kernels, with a free bias.

The problem is that of `_pair_steps_fast`; the weights ``w = X' beta`` stand in for the Gram matrix. The
constraint ``sum beta = 0`` is kept by an augmented Lagrangian: for a given bias b the sweeps minimise

    1/2 |w|^2 - beta' y + b S + rho/2 S^2,    S = sum beta,

over the box, and b moves by rho S. Where the free variables have settled, conjugate gradients on their
face solve for them and for b together. The rows are those of `_matrix_rows_fast`.
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import size_of, total_of
from infoprop.svm.active_set._pair_steps_fast import VIOLATORS, choose_block, count_free, solve_on
from infoprop.svm.solvers._cg_fast import face_step
from infoprop.svm.solvers._matrix_rows_fast import add_row, gradients, row_dot
from infoprop.svm.solvers._smo_fast import (
    CONVERGED,
    MOST_IDLE,
    PAUSED,
    POLISH_STEPS,
    POLISH_TOL,
    ROUNDING,
    STALLED,
    STOPPED,
)

SWEEPS_PER_ROUND = 30
MOST_ROUNDS = 30
FIRST_GOAL = 1.0
# Gap from which the free variables have settled enough for conjugate gradients to pay.
FACE_GAP = 0.1
# Share of sum |beta| by which sum beta may miss zero.
IMBALANCE = 1e-9
# Gap from which block steps finish if the free variables fit into one block.
NEARLY_SOLVED = 0.3
LARGEST_BLOCK = 256
# With more entries a round of sweeps takes some tenths of a second: Python gets to see Ctrl-C after each.
MANY_ENTRIES = 1_000_000


@njit
def _shuffle(order, n_active, state):
    """Fisher-Yates on the first entries, with a 64-bit linear congruential generator kept by the caller."""
    for i in range(n_active - 1, 0, -1):
        state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        j = np.int64((state[0] >> np.uint64(33)) % np.uint64(i + 1))
        order[i], order[j] = order[j], order[i]


@njit
def sweep(data, indices, indptr, stride, norms, y, low, high, beta, w, b, total, rho, order, n_active, bars):
    """One pass over the active variables, shrinking on the way.

    `bars` holds the projected gradients (largest, smallest) of the last pass, beyond which a variable at
    its bound is set aside; it is overwritten with those of this pass. Returns the number still active
    and S.
    """
    largest = -np.inf
    smallest = np.inf
    a = 0
    while a < n_active:
        i = order[a]
        start = indptr[i]
        end = indptr[i + 1]
        gradient = row_dot(data, indices, start, end, i * stride, w) + b + rho * total - y[i]
        projected = gradient
        if beta[i] <= low[i]:
            projected = min(gradient, 0.0)
            aside = gradient > bars[0]
        elif beta[i] >= high[i]:
            projected = max(gradient, 0.0)
            aside = gradient < bars[1]
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
            moved = min(max(beta[i] - gradient / (norms[i] + rho), low[i]), high[i])
            change = moved - beta[i]
            if change != 0.0:
                beta[i] = moved
                total += change
                add_row(data, indices, start, end, i * stride, change, w)
        a += 1
    bars[0] = largest
    bars[1] = smallest
    return n_active, total


@njit
def descend(
    data, indices, indptr, stride, norms, y, low, high, beta, w, b, total, rho, order, state, goal, max_sweeps
):
    """Sweep until the projected gradients of all variables lie within `goal`; returns S and the sweeps."""
    n = y.shape[0]
    n_active = n
    bars = np.empty(2)
    bars[0] = np.inf
    bars[1] = -np.inf
    for made in range(1, max_sweeps + 1):
        _shuffle(order, n_active, state)
        n_active, total = sweep(
            data, indices, indptr, stride, norms, y, low, high, beta, w, b, total, rho, order, n_active, bars
        )
        is_within = bars[0] - bars[1] <= goal
        if is_within and n_active == n:
            return total, made
        # What was set aside gets another look once the rest has settled.
        if is_within:
            n_active = n
        if is_within or bars[0] <= 0.0:
            bars[0] = np.inf
        if is_within or bars[1] >= 0.0:
            bars[1] = -np.inf
    return total, max_sweeps


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
def balance(data, indices, indptr, stride, low, high, beta, w):
    """Bring sum beta to zero, every free variable giving in proportion to its room; returns what is left.

    Where the free ones have not enough room, whoever has any gives.
    """
    for only_free in (True, False):
        excess = total_of(beta)
        total_room = 0.0
        for i in range(beta.shape[0]):
            if not only_free or low[i] < beta[i] < high[i]:
                total_room += beta[i] - low[i] if excess > 0.0 else high[i] - beta[i]
        # Rounding must not push variables off their bounds.
        if abs(excess) <= IMBALANCE * size_of(beta) or total_room == 0.0:
            continue
        share = min(1.0, abs(excess) / total_room)
        for i in range(beta.shape[0]):
            if not only_free or low[i] < beta[i] < high[i]:
                change = share * (low[i] - beta[i] if excess > 0.0 else high[i] - beta[i])
                if change != 0.0:
                    beta[i] = min(max(beta[i] + change, low[i]), high[i])
                    add_row(data, indices, indptr[i], indptr[i + 1], i * stride, change, w)
    return total_of(beta)


@njit
def block_step(data, indices, indptr, stride, low, high, beta, w, f, block, taken, active, goal, max_work):
    """Solve exactly for one block of violators and free variables, as SMO does; returns gain and products."""
    n = f.shape[0]
    size = min(VIOLATORS + count_free(beta, low, high, active, n), block.shape[0])
    chosen = block[: choose_block(f, beta, low, high, active, n, taken, block, size)]
    m = chosen.shape[0]
    K = np.empty((m, m))
    row = np.zeros(w.shape[0])
    for a in range(m):
        i = chosen[a]
        add_row(data, indices, indptr[i], indptr[i + 1], i * stride, 1.0, row)
        for c in range(m):
            j = chosen[c]
            K[a, c] = row_dot(data, indices, indptr[j], indptr[j + 1], j * stride, row)
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p - i * stride]] = 0.0
    change, steps, gain = solve_on(K, chosen, f, beta, low, high, goal, max(1, max_work // m))
    for a in range(m):
        i = chosen[a]
        add_row(data, indices, indptr[i], indptr[i + 1], i * stride, change[a], w)
    return gain, m * (steps + m * (indptr[n] - indptr[0]) // n)


@njit
def finish(data, indices, indptr, stride, y, low, high, beta, w, f, tol, max_sweeps, max_work, report):
    """Block steps from a nearly solved problem to its optimum, and a few beyond `tol` to the exact one."""
    work = 0
    n = y.shape[0]
    balance(data, indices, indptr, stride, low, high, beta, w)
    block = np.empty(min(n, LARGEST_BLOCK), np.int64)
    taken = np.zeros(n, np.bool_)
    active = np.arange(n)
    polished = 0
    idle = 0
    while True:
        gradients(data, indices, indptr, stride, y, w, f)
        gap = gap_of(f, beta, low, high)
        if gap < tol:
            if gap < POLISH_TOL or polished == POLISH_STEPS:
                return CONVERGED
            polished += 1
        if report[0] >= max_sweeps:
            return CONVERGED if gap < tol else STOPPED
        goal = 0.1 * gap if gap >= tol else 0.1 * POLISH_TOL
        left = max_work - work
        gain, products = block_step(
            data, indices, indptr, stride, low, high, beta, w, f, block, taken, active, goal, left
        )
        report[0] += 1
        work += products + indptr[n] - indptr[0]
        idle = 0 if gain > ROUNDING * size_of(beta) else idle + 1
        if (idle == MOST_IDLE or work >= max_work) and gap >= tol:
            return STALLED


@njit
def solve_linear(
    data,
    indices,
    indptr,
    stride,
    norms,
    y,
    low,
    high,
    beta,
    w,
    f,
    progress,
    order,
    state,
    rho,
    tol,
    max_sweeps,
    max_work,
    report,
):
    """Solve from the given beta and ``w = X' beta``; `report` receives (sweeps, rounds).

    PAUSED comes back after a round of much work; the same call continues. `progress` holds b, S and the goal
    of the next round, `order` and `state` belong to the sweeps; `max_work` bounds the products of the block
    steps. Returns the status; on return ``f = X w - y`` and sum beta = 0 to rounding. Sweeps and conjugate
    gradients come first: they move many variables at once. Where few variables are free, or the rounds drag
    on, block steps finish.
    """
    n = y.shape[0]
    b, total, goal = progress[0], progress[1], progress[2]
    while True:
        sweeps = min(SWEEPS_PER_ROUND, max_sweeps - report[0])
        total, made = descend(
            data,
            indices,
            indptr,
            stride,
            norms,
            y,
            low,
            high,
            beta,
            w,
            b,
            total,
            rho,
            order,
            state,
            goal,
            sweeps,
        )
        report[0] += made
        report[1] += 1
        gradients(data, indices, indptr, stride, y, w, f)
        gap = gap_of(f, beta, low, high)
        if tol <= gap < FACE_GAP:
            b, total = face_step(
                data,
                indices,
                indptr,
                stride,
                norms,
                y,
                low,
                high,
                beta,
                w,
                f,
                b,
                total,
                rho,
                max(0.1 * gap, 0.05 * tol),
            )
            gradients(data, indices, indptr, stride, y, w, f)
            gap = gap_of(f, beta, low, high)
        else:
            b += rho * total
        few = count_free(beta, low, high, order, n) <= LARGEST_BLOCK - VIOLATORS
        if gap < tol and not few:
            total = balance(data, indices, indptr, stride, low, high, beta, w)
            gradients(data, indices, indptr, stride, y, w, f)
            gap = gap_of(f, beta, low, high)
            if gap < tol and abs(total) <= IMBALANCE * size_of(beta):
                return CONVERGED
        if (few and gap < NEARLY_SOLVED) or report[1] >= MOST_ROUNDS or report[0] >= max_sweeps:
            return finish(
                data, indices, indptr, stride, y, low, high, beta, w, f, tol, max_sweeps, max_work, report
            )
        goal = min(goal * 0.3, max(0.1 * gap, 0.25 * tol))
        if indptr[n] - indptr[0] > MANY_ENTRIES:
            progress[0], progress[1], progress[2] = b, total, goal
            return PAUSED
