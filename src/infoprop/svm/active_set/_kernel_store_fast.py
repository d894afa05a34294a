"""Rows of base matrices that follow columns, and the exponentials and products made of them.

A base is a sum over the columns: ``sum_k x_ik x_jk``, ``sum_k (x_ik - x_jk)^2``, or a sum of Gaussians of the
differences. Every term of a base is rounded to a multiple of one quantum, small enough for all sums of terms
to be exact. So a base does not depend on the order in which columns came and went: a column that goes leaves
no trace. Invariant: row i of a base is exact for the first ``known[i]`` of the moves.

Reference, of sums without rounding: S. Rump, T. Ogita and S. Oishi, Accurate floating-point summation part I:
faithful rounding, SIAM Journal on Scientific Computing 31 (2008), 189-224, of extracting leading parts.
"""

import numpy as np

from infoprop._core._jit import njit
from infoprop.kernels._exponential_fast import exponential

# What a base is the sum of: products, squared differences, or Gaussians of differences.
DOT, DISTANCE, SUM = 0, 1, 2


@njit
def add_term(row, own, x, sign, kind, gamma, rounding):
    """Let one column come to (+1) or go from (-1) a row of a base; `own` is the row's entry, x all entries.

    Adding and taking away `rounding` rounds a term to its last bit.
    """
    if kind == DISTANCE:
        for a in range(row.shape[0]):
            difference = own - x[a]
            row[a] += sign * ((difference * difference + rounding) - rounding)
    elif kind == DOT:
        for a in range(row.shape[0]):
            row[a] += sign * ((own * x[a] + rounding) - rounding)
    else:
        for a in range(row.shape[0]):
            difference = own - x[a]
            row[a] += sign * ((np.exp(-gamma * (difference * difference)) + rounding) - rounding)


@njit
def follow(base, rows, known, XT, moved, signs, columns, kind, gamma, rounding):
    """Bring rows of a base up to date.

    base : (n, n_all), of which row i knows the first ``known[i]`` of the moves; XT : (n_columns, n_all);
    moved, signs : all moves; columns : where they have led to, which is the shorter way for a row that has
    missed more.
    """
    for i in rows:
        row = base[i]
        if moved.shape[0] - known[i] <= columns.shape[0]:
            for step in range(known[i], moved.shape[0]):
                k = moved[step]
                add_term(row, XT[k, i], XT[k], signs[step], kind, gamma, rounding)
        else:
            row[:] = 0.0
            for k in columns:
                add_term(row, XT[k, i], XT[k], 1.0, kind, gamma, rounding)


@njit
def follow_levels(row, i, known, XT, moved, signs, columns):
    """Do what :func:`follow` does for row i of squared distances between whole numbers, themselves whole."""
    is_near = moved.shape[0] - known <= columns.shape[0]
    first = known if is_near else 0
    last = moved.shape[0] if is_near else columns.shape[0]
    if not is_near:
        row[:] = 0
    for step in range(first, last):
        k = moved[step] if is_near else columns[step]
        sign = signs[step] if is_near else np.int16(1)
        x = XT[k]
        own = x[i]
        for a in range(row.shape[0]):
            difference = own - x[a]
            row[a] += np.uint16(sign * difference * difference)


@njit
def fill_levels(base, rows, known, XT, moved, signs, columns, table, out, beta, f):
    """Bring rows of whole distances up to date, look their kernel values up, and add their products to f.

    table : kernel value of each distance; out : (n, n_all), where the values go; the others as for
    :func:`follow` and :func:`accumulate`.
    """
    for i in rows:
        row = base[i]
        into = out[i]
        follow_levels(row, i, known[i], XT, moved, signs, columns)
        for a in range(row.shape[0]):
            into[a] = table[row[a]]
        accumulate_row(into, i, beta, f)


@njit
def all_exponentials(base, XT, moved, signs, rounding, gamma, out):
    """Let squared distances follow columns and write all exponentials; only one of each two is computed.

    base : rows of distances one after another, row i from column i on; out : (n, n_all), of which the first n
    columns are symmetric; moved, signs : columns that came (+1) and went (-1).
    """
    n, n_all = out.shape
    scratch = np.empty(n_all)
    end = 0
    for i in range(n):
        start = end
        end += n_all - i
        row = base[start:end]
        for step in range(moved.shape[0]):
            x = XT[moved[step]]
            add_term(row, x[i], x[i:], signs[step], DISTANCE, 1.0, rounding)
        exponential(row, gamma, out[i, i:], scratch)
    for j in range(n):
        into = out[j]
        for i in range(j):
            into[i] = out[i, j]


@njit
def accumulate_row(row, i, beta, f):
    """``f[q] += beta[q, i] row`` for all machines q."""
    for q in range(f.shape[0]):
        weight = beta[q, i]
        if weight != 0.0:
            own = f[q]
            for a in range(row.shape[0]):
                own[a] += weight * row[a]


@njit
def accumulate(K, rows, beta, f):
    """``f[q] += sum_i beta[q, i] K[i]`` over some rows, for all machines q."""
    for i in rows:
        accumulate_row(K[i], i, beta, f)
