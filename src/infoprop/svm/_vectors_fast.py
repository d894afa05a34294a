"""Vector arithmetic for compiled code: ``x . y``, ``sum x``, ``sum |x|``, ``x += a y``, the k-th smallest.

A sparse vector x is ``data[start:end]``, at the places ``indices[start:end]``.

NumPy's own sums and slice assignments take Numba seconds to compile; these loops take none. Sums are taken
from the first entry to the last: the same numbers give the same bits.

Reference, of selection: C. Hoare, Algorithm 65: find, Communications of the ACM 4 (1961).
"""

import numpy as np

from infoprop._core._jit import njit, njit_norefcount

# Outputs this close to the largest, in relation, tie with it.
TIE = 1e-9
# A sum of beta that is a smaller share of its terms is as good as zero.
UNBALANCED = 1e-12


@njit
def dot(x, y):
    """``x . y``."""
    total = 0.0
    for t in range(x.shape[0]):
        total += x[t] * y[t]
    return total


@njit_norefcount
def sparse_dot(data, indices, start, end, w):
    """``x . w`` of a sparse x, in four sums that need not wait for each other.

    Their order is written out here: were it left to the compiler, it would gather entries of w into vectors,
    which takes up to four times as long as one by one.
    """
    x, places = data[start:end], indices[start:end]
    first = 0.0
    second = 0.0
    third = 0.0
    fourth = 0.0
    fours = x.shape[0] - x.shape[0] % 4
    for p in range(0, fours, 4):
        first += x[p] * w[places[p]]
        second += x[p + 1] * w[places[p + 1]]
        third += x[p + 2] * w[places[p + 2]]
        fourth += x[p + 3] * w[places[p + 3]]
    for p in range(fours, x.shape[0]):
        first += x[p] * w[places[p]]
    return (first + second) + (third + fourth)


@njit
def total_of(x):
    """Sum of the entries."""
    total = 0.0
    for t in range(x.shape[0]):
        total += x[t]
    return total


@njit
def size_of(beta):
    """``sum |beta|``, the scale of the objective."""
    total = 0.0
    for t in range(beta.shape[0]):
        total += abs(beta[t])
    return total


@njit
def clear(x):
    """Set every entry to zero."""
    for k in range(x.shape[0]):
        x[k] = 0.0


@njit
def add_to(x, y, scale):
    """``x += scale y``."""
    for k in range(x.shape[0]):
        x[k] += scale * y[k]


@njit
def distance(x, y):
    """``|x - y|`` over the entries of x; y may be longer."""
    total = 0.0
    for i in range(x.shape[0]):
        total += (x[i] - y[i]) * (x[i] - y[i])
    return np.sqrt(total)


@njit
def select(values, rank):
    """Return the value that would stand at `rank` if `values` were sorted; reorders them (quickselect)."""
    left = 0
    right = values.shape[0] - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i = left
        j = right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            right = j
        elif rank >= i:
            left = i
        else:
            break
    return values[rank]
