"""A Cholesky factor that follows its matrix: rank-one changes, variables that come and go.

``U' U = A`` in the upper triangle of the first m rows of U. `ones` is carried along as one more column,
``U' ones = (1, ..., 1)``: sums over solutions of ``A x = r`` are then products with it, and a system with the
side condition ``sum x = 0`` costs one solution instead of two.
"""

import numpy as np

from infoprop._core._jit import njit, njit_sums

# A variable whose pivot, or a change whose remainder, is below this share depends on the others.
DEPENDENT = 1e-11
# A sum of weights below this share of what its terms could add up to is rounding.
INAUDIBLE = 1e-11


@njit_sums
def inner(x, y):
    """``x . y``, on vectors."""
    total = 0.0
    for t in range(x.shape[0]):
        total += x[t] * y[t]
    return total


@njit
def forward(U, m, x):
    """Overwrite x with the solution of ``U' z = x``."""
    for i in range(m):
        row = U[i, i:m]
        rest = x[i:m]
        solved = rest[0] / row[0]
        rest[0] = solved
        for j in range(1, row.shape[0]):
            rest[j] -= row[j] * solved


@njit
def backward(U, m, x):
    """Overwrite x with the solution of ``U z = x``."""
    for i in range(m - 1, -1, -1):
        row = U[i, i:m]
        rest = x[i:m]
        rest[0] = (rest[0] - inner(row[1:], rest[1:])) / row[0]


@njit
def eliminate(U, i, m):
    """Take from row i of A, on and right of the diagonal, what the rows of the factor above it explain."""
    row = U[i, i:m]
    k = 0
    while k + 3 < i:
        r0 = U[k, i:m]
        r1 = U[k + 1, i:m]
        r2 = U[k + 2, i:m]
        r3 = U[k + 3, i:m]
        a0 = r0[0]
        a1 = r1[0]
        a2 = r2[0]
        a3 = r3[0]
        for j in range(row.shape[0]):
            row[j] -= a0 * r0[j] + a1 * r1[j] + a2 * r2[j] + a3 * r3[j]
        k += 4
    while k < i:
        r0 = U[k, i:m]
        a0 = r0[0]
        for j in range(row.shape[0]):
            row[j] -= a0 * r0[j]
        k += 1


@njit
def factored(U, m):
    """Turn the upper triangle of A, the first m rows of U, into its factor; False if rows are dependent."""
    for i in range(m):
        row = U[i, i:m]
        own = row[0]
        eliminate(U, i, m)
        if row[0] <= DEPENDENT * own:
            return False
        root = np.sqrt(row[0])
        scale = 1.0 / root
        for j in range(row.shape[0]):
            row[j] *= scale
        row[0] = root
    return True


@njit
def raise_by(U, ones, first, m, x, rest_of_ones):
    """Turn the factor into that of ``A + x x'`` on the variables from `first` on; x is used up."""
    for i in range(first, m):
        row = U[i, i:m]
        rest = x[i:m]
        if rest[0] == 0.0:
            continue
        root = np.sqrt(row[0] * row[0] + rest[0] * rest[0])
        c = row[0] / root
        s = rest[0] / root
        for j in range(row.shape[0]):
            turned = c * row[j] + s * rest[j]
            rest[j] = c * rest[j] - s * row[j]
            row[j] = turned
        turned = c * ones[i] + s * rest_of_ones
        rest_of_ones = c * rest_of_ones - s * ones[i]
        ones[i] = turned


@njit
def lower_by(U, ones, m, z, scratch):
    """Turn the factor into that of ``A - x x'``, where ``U' z = x`` and ``z . z < 1``."""
    root = np.sqrt(1.0 - inner(z[:m], z[:m]))
    # What makes the rotations, read backwards, end with nothing left of the column of ones.
    rest_of_ones = -inner(z[:m], ones[:m]) / root
    for j in range(m):
        scratch[j] = 0.0
    for i in range(m - 1, -1, -1):
        if z[i] == 0.0:
            continue
        longer = np.sqrt(root * root + z[i] * z[i])
        c = root / longer
        s = z[i] / longer
        root = longer
        row = U[i, i:m]
        rest = scratch[i:m]
        for j in range(row.shape[0]):
            turned = c * rest[j] + s * row[j]
            row[j] = c * row[j] - s * rest[j]
            rest[j] = turned
        turned = c * rest_of_ones + s * ones[i]
        ones[i] = c * ones[i] - s * rest_of_ones
        rest_of_ones = turned


@njit
def append(U, ones, m, z, pivot):
    """Add a variable: ``U' z`` is its column of A, `pivot` what its diagonal entry has left."""
    root = np.sqrt(pivot)
    for i in range(m):
        U[i, m] = z[i]
    U[m, m] = root
    ones[m] = (1.0 - inner(z[:m], ones[:m])) / root


@njit
def remove(U, ones, m, position, scratch):
    """Take the variable at `position` out: those behind it move up, and its row is added to theirs."""
    for j in range(position + 1, m):
        scratch[j - 1] = U[position, j]
    rest_of_ones = ones[position]
    for i in range(position):
        row = U[i, position:m]
        for j in range(row.shape[0] - 1):
            row[j] = row[j + 1]
    for i in range(position, m - 1):
        row = U[i, i:m]
        below = U[i + 1, i:m]
        for j in range(row.shape[0] - 1):
            row[j] = below[j + 1]
        ones[i] = ones[i + 1]
    raise_by(U, ones, position, m - 1, scratch, rest_of_ones)
