"""Steps on the free set of a linear machine, by conjugate gradients.

For many free variables F: with ``A = X_F X_F' + ridge``, which is never formed, only products with the rows,

    A d + 1 db = -gradient,    1' d = shortfall,

where the residuals are projected on ``1' d = 0`` and preconditioned by the diagonal of A.

Reference: J. Nocedal and S. Wright, Numerical Optimization (2006), algorithm 16.2 (projected conjugate
gradients).
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.svm._vectors_fast import add_to, clear, dot, total_of
from infoprop.svm.solvers._matrix_rows_fast import add_row, row_dot

# Products after which the sweeps go on: where it takes more, what is free is about to change.
MOST_PRODUCTS = 200
SMALLEST_DIAGONAL = 1e-12
# How often a step that leaves the box is halved.
MOST_HALVINGS = 6


@njit
def weights_of(rows, members, beta, w):
    """``w = X' beta`` over some rows."""
    data, indices, indptr, stride = rows
    clear(w)
    for a in range(members.shape[0]):
        if beta[a] != 0.0:
            i = members[a]
            add_row(data, indices, indptr[i], indptr[i + 1], stride, beta[a], w)


@njit
def free_direction(rows, task, gradient, free, shortfall, goal, max_products, step, Xstep):
    """Conjugate gradients for the free variables under ``sum step = shortfall``; returns the change of b.

    Minimises ``1/2 |X' step|^2 + 1/2 step' ridge step + gradient' step``, preconditioned by the diagonal;
    `Xstep` becomes ``X' step``. Stops when the projected residuals lie within `goal`.
    """
    data, indices, indptr, stride = rows
    m = free.shape[0]
    inverse = np.empty(m)
    for a in range(m):
        # An empty row has no curvature of its own.
        inverse[a] = 1.0 / max(task.diagonal[free[a]], SMALLEST_DIAGONAL)
    inverse_total = total_of(inverse)
    for a in range(m):
        step[a] = shortfall * inverse[a] / inverse_total
    weights_of(rows, free, step, Xstep)
    residual = np.empty(m)
    for a in range(m):
        i = free[a]
        residual[a] = -gradient[a]
        if shortfall != 0.0:
            residual[a] -= row_dot(data, indices, indptr[i], indptr[i + 1], stride, Xstep)
            residual[a] -= task.ridge[i] * step[a]
    direction = np.zeros(m)
    Xdirection = np.zeros(Xstep.shape[0])
    product = np.empty(m)
    shift = 0.0
    last = 0.0
    for k in range(max_products):
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
        weights_of(rows, free, direction, Xdirection)
        curvature = 0.0
        for a in range(m):
            i = free[a]
            product[a] = row_dot(data, indices, indptr[i], indptr[i + 1], stride, Xdirection)
            product[a] += task.ridge[i] * direction[a]
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
def free_step(rows, task, beta, w, f, b, total, rho, goal):
    """Solve for the free variables and b together; returns the new b and S.

    If the solution leaves the box it is projected back and shortened until the augmented Lagrangian falls.
    """
    n = beta.shape[0]
    low, high = task.low, task.high
    free = np.empty(n, np.int64)
    m = 0
    for i in range(n):
        if low[i] < beta[i] < high[i]:
            free[m] = i
            m += 1
    free = free[:m]
    bias = b + rho * total
    if m < 2:
        return bias, total
    gradient = np.empty(m)
    for a in range(m):
        gradient[a] = f[free[a]] + bias
    step = np.empty(m)
    Xstep = np.empty(w.shape[0])
    change = free_direction(rows, task, gradient, free, -total, goal, MOST_PRODUCTS, step, Xstep)
    inside = True
    for a in range(m):
        moved = beta[free[a]] + step[a]
        inside = inside and low[free[a]] <= moved <= high[free[a]]
    if inside:
        for a in range(m):
            beta[free[a]] += step[a]
        add_to(w, Xstep, 1.0)
        return bias + change, total_of(beta)
    return bias, _projected_step(rows, task, beta, w, b, total, rho, free, step)


@njit
def _projected_step(rows, task, beta, w, b, total, rho, free, step):
    """Step along the projection of `step` into the box, halving it until the Lagrangian falls; returns S."""
    low, high = task.low, task.high
    m = free.shape[0]
    length = 1.0
    change = np.empty(m)
    trial = np.empty(w.shape[0])
    for _ in range(MOST_HALVINGS):
        moved_total = 0.0
        gain = 0.0
        for a in range(m):
            i = free[a]
            change[a] = min(max(beta[i] + length * step[a], low[i]), high[i]) - beta[i]
            moved_total += change[a]
            gain += change[a] * (task.ridge[i] * (beta[i] + 0.5 * change[a]) - task.y[i])
        weights_of(rows, free, change, trial)
        gain += dot(w, trial) + 0.5 * dot(trial, trial)
        gain += b * moved_total + rho * moved_total * (total + 0.5 * moved_total)
        if gain < 0.0:
            for a in range(m):
                i = free[a]
                beta[i] = min(max(beta[i] + length * step[a], low[i]), high[i])
            add_to(w, trial, 1.0)
            return total + moved_total
        length *= 0.5
    return total
