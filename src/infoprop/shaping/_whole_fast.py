"""Whole numbers of sparse rows, counted without turning rows into columns: words and their counts."""

import numpy as np

from infoprop._core._jit import njit


@njit
def whole_ranges(data, columns, low, high):
    """Write the least and the greatest number of each column, zero included, into `low` and `high`.

    Return whether all numbers are whole. `data` and `columns` (nnz,) are the entries of a CSR matrix.
    """
    for j in range(low.shape[0]):
        low[j] = high[j] = 0.0
    for p in range(data.shape[0]):
        v = data[p]
        # NaN is not equal to anything, so it is not whole.
        if v != np.floor(v):
            return False
        j = columns[p]
        low[j] = min(low[j], v)
        high[j] = max(high[j], v)
    return True


@njit
def count_whole_rows(data, columns, ends, about, low, bins_before, starts, values, counts):
    """Count the whole numbers of CSR rows; return the number of distinct values.

    Column j has the bins ``bins_before[j]`` to ``bins_before[j + 1]``, one for each whole number from
    ``low[j]`` on; zero has one in each. Row i is ``data[ends[i] : ends[i + 1]]``. The weights of the
    rows (see `Rows`) are whole, so that what is left of them for zero is exact. Written are `starts`,
    `values` and `counts` of a table, long enough for all bins.
    """
    n_classes = counts.shape[0]
    bins = np.zeros((bins_before[-1], n_classes))
    for i in range(ends.shape[0] - 1):
        k, weight = about.codes[i], about.weights[i]
        for p in range(ends[i], ends[i + 1]):
            j = columns[p]
            bins[bins_before[j] + int(data[p] - low[j]), k] += weight
    at = 0
    starts[0] = 0
    for j in range(low.shape[0]):
        first, last = bins_before[j], bins_before[j + 1]
        zero = first - int(low[j])
        for k in range(n_classes):
            stored = 0.0
            for b in range(first, last):
                stored += bins[b, k]
            bins[zero, k] += about.class_weights[k] - stored
        for b in range(first, last):
            total = 0.0
            for k in range(n_classes):
                total += bins[b, k]
            if total > 0.0:
                values[at] = low[j] + (b - first)
                for k in range(n_classes):
                    counts[k, at] = bins[b, k]
                at += 1
        starts[j + 1] = at
    return at
