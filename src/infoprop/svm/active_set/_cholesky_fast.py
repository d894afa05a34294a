"""A Cholesky factor that follows its matrix: rank-one up- and downdates, variables that come and go.

``U' U = A`` in the upper triangle of the first m rows of U. `ones` is carried along as one more column, ``U'
ones = (1, ..., 1)``: sums over solutions of ``A x = r`` are then products with it, and a system with the side
condition ``sum x = 0`` costs one solution instead of two. An update, ``A + x x'``, is a sequence of Givens
rotations; a downdate, ``A - x x'``, solves ``U' z = x`` first and exists where ``z . z < 1``.

Reference: P. Gill, G. Golub, W. Murray and M. Saunders, Methods for modifying matrix factorizations,
Mathematics of Computation 28 (1974), 505-535.
"""

import numpy as np

from infoprop._core._jit import njit_norefcount, njit_norefcount_sums

# A variable whose pivot, or a change whose remainder, is below this share depends on the others.
DEPENDENT = 1e-11
# A sum of weights below this share of what its terms could add up to is rounding.
NOISE_FLOOR = 1e-11


@njit_norefcount_sums
def inner(x, y):
    """``x . y``, on vectors."""
    total = 0.0
    for t in range(x.shape[0]):
        total += x[t] * y[t]
    return total


@njit_norefcount_sums
def four_inner(x0, x1, x2, x3, y):
    """Products of four vectors with y, which is read once."""
    p0 = 0.0
    p1 = 0.0
    p2 = 0.0
    p3 = 0.0
    for t in range(y.shape[0]):
        p0 += x0[t] * y[t]
        p1 += x1[t] * y[t]
        p2 += x2[t] * y[t]
        p3 += x3[t] * y[t]
    return p0, p1, p2, p3


@njit_norefcount
def forward(U, m, x):
    """Overwrite x with the solution of ``U' z = x``."""
    for i in range(m):
        row = U[i, i:m]
        rest = x[i:m]
        solved = rest[0] / row[0]
        rest[0] = solved
        for j in range(1, row.shape[0]):
            rest[j] -= row[j] * solved


@njit_norefcount_sums
def backward(U, m, x):
    """Overwrite x with the solution of ``U z = x``, four entries at a time."""
    i = m
    while i % 4 > 0:
        i -= 1
        x[i] = (x[i] - inner(U[i, i + 1 : m], x[i + 1 : m])) / U[i, i]
    while i > 0:
        i -= 4
        r0 = U[i, i:m]
        r1 = U[i + 1, i:m]
        r2 = U[i + 2, i:m]
        r3 = U[i + 3, i:m]
        rest = x[i:m]
        p0, p1, p2, p3 = four_inner(r0[4:], r1[4:], r2[4:], r3[4:], rest[4:])
        z3 = (rest[3] - p3) * (1.0 / r3[3])
        z2 = (rest[2] - p2 - r2[3] * z3) * (1.0 / r2[2])
        z1 = (rest[1] - p1 - r1[2] * z2 - r1[3] * z3) * (1.0 / r1[1])
        z0 = (rest[0] - p0 - r0[1] * z1 - r0[2] * z2 - r0[3] * z3) * (1.0 / r0[0])
        rest[0], rest[1], rest[2], rest[3] = z0, z1, z2, z3


@njit_norefcount
def reduce_row(U, i, m):
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


@njit_norefcount
def factored(U, m):
    """Turn the upper triangle of A, the first m rows of U, into its factor; False if rows are dependent."""
    for i in range(m):
        row = U[i, i:m]
        own = row[0]
        reduce_row(U, i, m)
        if row[0] <= DEPENDENT * own:
            return False
        root = np.sqrt(row[0])
        scale = 1.0 / root
        for j in range(row.shape[0]):
            row[j] *= scale
        row[0] = root
    return True


@njit_norefcount
def update(U, ones, first, m, x, rest_of_ones):
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


@njit_norefcount_sums
def downdate(U, ones, m, z, scratch):
    """Turn the factor into that of ``A - x x'``, where ``U' z = x`` and ``z . z < 1``.

    With ``q_i = 1 - sum_{k < i} z_k^2``, row i becomes ``q_{i+1} U_i - z_i sum_{k > i} z_k U_k`` over the
    root of ``q_i q_{i+1}``. That sum grows from the last row up, two rows at a time; so do the q, whose roots
    then need not wait for each other. The sum of the column of ones begins with ``-z . ones``, which makes
    it end with nothing left.
    """
    square = 1.0 - inner(z[:m], z[:m])
    ones_below = -inner(z[:m], ones[:m])
    i = m - 1
    while i > 0:
        z0, z1 = z[i], z[i - 1]
        middle = square + z0 * z0
        above = middle + z1 * z1
        scale0, scale1 = 1.0 / np.sqrt(square * middle), 1.0 / np.sqrt(middle * above)
        keep0, take0 = square * scale0, z0 * scale0
        keep1, take1 = middle * scale1, z1 * scale1
        square = above
        row0, row1 = U[i, i:m], U[i - 1, i:m]
        below = scratch[i:m]
        below[0] = 0.0
        for j in range(below.shape[0]):
            u0, u1, under = row0[j], row1[j], below[j]
            row0[j] = keep0 * u0 - take0 * under
            under += z0 * u0
            row1[j] = keep1 * u1 - take1 * under
            below[j] = under + z1 * u1
        scratch[i - 1] = z1 * U[i - 1, i - 1]
        U[i - 1, i - 1] *= keep1
        one0, one1 = ones[i], ones[i - 1]
        ones[i] = keep0 * one0 - take0 * ones_below
        ones_below += z0 * one0
        ones[i - 1] = keep1 * one1 - take1 * ones_below
        ones_below += z1 * one1
        i -= 2
    if i == 0:
        _downdate_first(U, ones, m, z[0], square, ones_below, scratch)


@njit_norefcount
def _downdate_first(U, ones, m, z, square, ones_below, below):
    """The first row of `downdate`, where it is alone."""
    scale = 1.0 / np.sqrt(square * (square + z * z))
    keep, take = square * scale, z * scale
    row = U[0, :m]
    below[0] = 0.0
    for j in range(m):
        row[j] = keep * row[j] - take * below[j]
    ones[0] = keep * ones[0] - take * ones_below


@njit_norefcount
def append(U, ones, m, z, pivot):
    """Add a variable: ``U' z`` is its column of A, `pivot` what its diagonal entry has left."""
    root = np.sqrt(pivot)
    for i in range(m):
        U[i, m] = z[i]
    U[m, m] = root
    ones[m] = (1.0 - inner(z[:m], ones[:m])) / root


@njit_norefcount
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
    update(U, ones, position, m - 1, scratch, rest_of_ones)
