"""Steps on the face of the free variables of a linear machine, by conjugate gradients.

For many free variables: the Gram matrix of the face is never formed, only products with the rows.
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import add_to, clear, dot, total_of
from infoprop.svm.solvers._matrix_rows_fast import add_row, row_dot

FACE_STEPS = 200


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
    inverse_total = total_of(inverse)
    clear(Xstep)
    for a in range(m):
        step[a] = shortfall * inverse[a] / inverse_total
        if shortfall != 0.0:
            i = free[a]
            add_row(data, indices, indptr[i], indptr[i + 1], i * stride, step[a], Xstep)
    residual = np.empty(m)
    for a in range(m):
        i = free[a]
        residual[a] = -gradient[a]
        if shortfall != 0.0:
            residual[a] -= row_dot(data, indices, indptr[i], indptr[i + 1], i * stride, Xstep)
    direction = np.zeros(m)
    Xdirection = np.zeros(Xstep.shape[0])
    product = np.empty(m)
    shift = 0.0
    last = 0.0
    for k in range(max_steps):
        shift = dot(inverse, residual) / inverse_total
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
        clear(Xdirection)
        for a in range(m):
            i = free[a]
            add_row(data, indices, indptr[i], indptr[i + 1], i * stride, direction[a], Xdirection)
        curvature = 0.0
        for a in range(m):
            i = free[a]
            product[a] = row_dot(data, indices, indptr[i], indptr[i + 1], i * stride, Xdirection)
            curvature += product[a] * direction[a]
        if not curvature > 0.0:
            break
        length = energy / curvature
        for a in range(m):
            step[a] += length * direction[a]
            residual[a] -= length * product[a]
        add_to(Xstep, Xdirection, length)
    return dot(inverse, residual) / inverse_total


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
        add_to(w, Xstep, 1.0)
        return bias + change, total_of(beta)
    total = _projected_step(data, indices, indptr, stride, y, low, high, beta, w, b, total, rho, free, step)
    return bias, total


@njit
def _projected_step(data, indices, indptr, stride, y, low, high, beta, w, b, total, rho, free, step):
    """Step along the projection of `step` into the box, halving it until the Lagrangian falls; returns S."""
    length = 1.0
    trial = np.empty(w.shape[0])
    for _ in range(6):
        clear(trial)
        moved_total = 0.0
        gain = 0.0
        for a in range(free.shape[0]):
            i = free[a]
            change = min(max(beta[i] + length * step[a], low[i]), high[i]) - beta[i]
            moved_total += change
            gain -= change * y[i]
            add_row(data, indices, indptr[i], indptr[i + 1], i * stride, change, trial)
        gain += dot(w, trial) + 0.5 * dot(trial, trial)
        gain += b * moved_total + rho * moved_total * (total + 0.5 * moved_total)
        if gain < 0.0:
            for a in range(free.shape[0]):
                i = free[a]
                beta[i] = min(max(beta[i] + length * step[a], low[i]), high[i])
            add_to(w, trial, 1.0)
            return total + moved_total
        length *= 0.5
    return total
