"""Dual coordinate descent for linear kernels, with a free bias and conjugate gradients on the free face.

The problem is that of `_smo_fast`; the weights ``w = X' beta`` stand in for the Gram matrix. The constraint
``sum beta = 0`` is kept by an augmented Lagrangian: for a given bias b the sweeps minimise

    1/2 |w|^2 - beta' y + b S + rho/2 S^2,    S = sum beta,

over the box, and b moves by rho S. Where the free variables have settled, conjugate gradients on their
face solve for them and for b together.

Rows come as CSR arrays; a dense matrix is the same with ``indices = arange(n_features)`` and
``stride = n_features`` (the indices of row i then start at ``indptr[i] - i * stride``).
"""

import numpy as np

from infoprop._core._jit import njit

CONVERGED = 0
STOPPED = 3

SWEEPS_PER_ROUND = 30
FACE_STEPS = 200
# With so few free variables, rounds are spent after `tol` is reached to land on the exact optimum.
POLISH_FREE = 256
POLISH_ROUNDS = 6
POLISH_TOL = 1e-10
# Share of sum |beta| by which sum beta may miss zero.
IMBALANCE = 1e-9


@njit
def _dot(data, indices, start, end, shift, w):
    total = 0.0
    for p in range(start, end):
        total += data[p] * w[indices[p - shift]]
    return total


@njit
def _add(data, indices, start, end, shift, scale, w):
    for p in range(start, end):
        w[indices[p - shift]] += scale * data[p]


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
        gradient = _dot(data, indices, start, end, i * stride, w) + b + rho * total - y[i]
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
                _add(data, indices, start, end, i * stride, change, w)
        a += 1
    bars[0] = largest
    bars[1] = smallest
    return n_active, total


@njit
def descend(
    data, indices, indptr, stride, norms, y, low, high, beta, w, b, total, rho, order, state, goal, max_sweeps
):
    """Sweep until the projected gradients lie within `goal`; returns S, sweeps made, rows visited."""
    n = y.shape[0]
    n_active = n
    bars = np.empty(2)
    limits = np.empty(2)
    limits[0] = np.inf
    limits[1] = -np.inf
    visited = 0
    for made in range(1, max_sweeps + 1):
        _shuffle(order, n_active, state)
        visited += n_active
        bars[:] = limits
        n_active, total = sweep(
            data, indices, indptr, stride, norms, y, low, high, beta, w, b, total, rho, order, n_active, bars
        )
        if bars[0] - bars[1] <= goal:
            if n_active == n:
                return total, made, visited
            n_active = n
            limits[0] = np.inf
            limits[1] = -np.inf
            continue
        limits[0] = bars[0] if bars[0] > 0.0 else np.inf
        limits[1] = bars[1] if bars[1] < 0.0 else -np.inf
    return total, max_sweeps, visited


@njit
def face_direction(
    data, indices, indptr, stride, norms, gradient, free, shortfall, goal, max_steps, step, Xstep
):
    """Conjugate gradients for the free variables under ``sum step = shortfall``; returns the change of b.

    Minimises ``1/2 |X' step|^2 + gradient' step``, preconditioned by the squared norms; `Xstep` becomes
    ``X' step``. Stops when the projected residuals lie within `goal`.
    """
    m = free.shape[0]
    inverse = np.empty(m)
    for a in range(m):
        inverse[a] = 1.0 / max(norms[free[a]], 1e-12)
    inverse_total = inverse.sum()
    Xstep[:] = 0.0
    for a in range(m):
        step[a] = shortfall * inverse[a] / inverse_total
        if shortfall != 0.0:
            i = free[a]
            _add(data, indices, indptr[i], indptr[i + 1], i * stride, step[a], Xstep)
    residual = np.empty(m)
    for a in range(m):
        i = free[a]
        residual[a] = -gradient[a]
        if shortfall != 0.0:
            residual[a] -= _dot(data, indices, indptr[i], indptr[i + 1], i * stride, Xstep)
    direction = np.zeros(m)
    Xdirection = np.zeros(Xstep.shape[0])
    product = np.empty(m)
    shift = 0.0
    last = 0.0
    for k in range(max_steps):
        shift = (inverse * residual).sum() / inverse_total
        energy = 0.0
        worst = 0.0
        for a in range(m):
            centred = residual[a] - shift
            energy += centred * centred * inverse[a]
            worst = max(worst, abs(centred))
        if worst <= goal:
            break
        ratio = energy / last if k > 0 else 0.0
        last = energy
        for a in range(m):
            direction[a] = inverse[a] * (residual[a] - shift) + ratio * direction[a]
        Xdirection[:] = 0.0
        for a in range(m):
            i = free[a]
            _add(data, indices, indptr[i], indptr[i + 1], i * stride, direction[a], Xdirection)
        curvature = 0.0
        for a in range(m):
            i = free[a]
            product[a] = _dot(data, indices, indptr[i], indptr[i + 1], i * stride, Xdirection)
            curvature += product[a] * direction[a]
        if not curvature > 0.0:
            break
        length = energy / curvature
        for a in range(m):
            step[a] += length * direction[a]
            residual[a] -= length * product[a]
        for c in range(Xstep.shape[0]):
            Xstep[c] += length * Xdirection[c]
    return (inverse * residual).sum() / inverse_total


@njit
def gradients(data, indices, indptr, stride, y, w, f):
    """``f = X w - y``."""
    for i in range(y.shape[0]):
        f[i] = _dot(data, indices, indptr[i], indptr[i + 1], i * stride, w) - y[i]


@njit
def face_step(data, indices, indptr, stride, norms, y, low, high, beta, w, f, b, total, rho, goal):
    """Solve for the free variables and b together; returns the new b and S.

    If the solution leaves the box it is projected back and shortened until the augmented Lagrangian falls.
    """
    n = y.shape[0]
    free = np.empty(n, np.int64)
    m = 0
    for i in range(n):
        if low[i] < beta[i] < high[i]:
            free[m] = i
            m += 1
    free = free[:m]
    if m < 2:
        return b + rho * total, total
    bias = b + rho * total
    gradient = np.empty(m)
    for a in range(m):
        gradient[a] = f[free[a]] + bias
    step = np.empty(m)
    Xstep = np.empty(w.shape[0])
    change = face_direction(
        data, indices, indptr, stride, norms, gradient, free, -total, goal, FACE_STEPS, step, Xstep
    )
    inside = True
    for a in range(m):
        moved = beta[free[a]] + step[a]
        inside = inside and low[free[a]] <= moved <= high[free[a]]
    if inside:
        for a in range(m):
            beta[free[a]] += step[a]
        w += Xstep
        return bias + change, beta.sum()
    total = _projected_step(data, indices, indptr, stride, y, low, high, beta, w, b, total, rho, free, step)
    return bias, total


@njit
def _projected_step(data, indices, indptr, stride, y, low, high, beta, w, b, total, rho, free, step):
    """Step along the projection of `step` into the box, halving it until the Lagrangian falls; returns S."""
    length = 1.0
    trial = np.empty(w.shape[0])
    for _ in range(6):
        trial[:] = 0.0
        moved_total = 0.0
        gain = 0.0
        for a in range(free.shape[0]):
            i = free[a]
            change = min(max(beta[i] + length * step[a], low[i]), high[i]) - beta[i]
            moved_total += change
            gain -= change * y[i]
            _add(data, indices, indptr[i], indptr[i + 1], i * stride, change, trial)
        gain += (w * trial).sum() + 0.5 * (trial * trial).sum()
        gain += b * moved_total + rho * moved_total * (total + 0.5 * moved_total)
        if gain < 0.0:
            for a in range(free.shape[0]):
                i = free[a]
                beta[i] = min(max(beta[i] + length * step[a], low[i]), high[i])
            w += trial
            return total + moved_total
        length *= 0.5
    return total


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
def solve_linear(
    data, indices, indptr, stride, norms, y, low, high, beta, w, f, b, rho, tol, max_sweeps, report
):
    """Solve from the given beta and ``w = X' beta``; `report` receives (sweeps, rows visited, rounds).

    Returns the status; on return ``f = X w - y`` and sum beta = 0 to rounding.
    """
    order = np.arange(y.shape[0])
    state = np.full(1, 1, np.uint64)
    total = beta.sum()
    goal = 0.5
    finest = 0.05 * tol
    polished = 0
    while True:
        sweeps = min(SWEEPS_PER_ROUND, max_sweeps - report[0])
        total, made, visited = descend(
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
        report[1] += visited
        report[2] += 1
        gradients(data, indices, indptr, stride, y, w, f)
        accuracy = max(0.1 * gap_of(f, beta, low, high), finest) if polished == 0 else finest
        b, total = face_step(
            data, indices, indptr, stride, norms, y, low, high, beta, w, f, b, total, rho, accuracy
        )
        gradients(data, indices, indptr, stride, y, w, f)
        gap = gap_of(f, beta, low, high)
        goal = min(goal * 0.5, max(0.1 * gap, 0.25 * tol))
        solved = gap < tol and abs(total) <= IMBALANCE * np.abs(beta).sum()
        if solved:
            few = ((beta > low) & (beta < high)).sum() <= POLISH_FREE
            if gap < POLISH_TOL or not few or polished == POLISH_ROUNDS:
                return CONVERGED
            polished += 1
            goal = 0.1 * gap
            finest = 0.05 * POLISH_TOL
        if report[0] >= max_sweeps:
            return CONVERGED if solved else STOPPED
