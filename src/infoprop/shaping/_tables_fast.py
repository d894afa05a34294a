"""Distinct values of columns with the weight of every class: counted, merged. All columns in one call."""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop.shaping._order_fast import ascending


class Rows(NamedTuple):
    """What is known of the rows, all of weight > 0.

    `codes` (n_rows,) are their classes, `class_rows` and `class_weights` (n_classes,) the numbers and the
    weights of the rows of each class. `exact` says that the weights are whole, so that their sums are exact.
    """

    codes: np.ndarray
    weights: np.ndarray
    class_rows: np.ndarray
    class_weights: np.ndarray
    exact: bool


@njit
def count_columns(data, rows, stored_all, ends, about, starts, values, counts):
    """Count the entries of columns that lie one after the other; return the number of distinct values.

    Column j is ``data[ends[j] : ends[j + 1]]``. `rows` (nnz,) are the rows of the entries; empty with
    `stored_all`, where every column holds all rows in order. What a column does not store is zero.
    Written are `starts` (n_columns + 1,), `values` ascending with NaN last, `counts` (n_classes, n_distinct);
    `values` must hold one more than the entries of every column.
    """
    n_classes = counts.shape[0]
    codes, weights = about.codes, about.weights
    longest = 0
    for j in range(ends.shape[0] - 1):
        longest = max(longest, ends[j + 1] - ends[j])
    bins = np.zeros((2 * longest + 66, n_classes))
    hits = np.zeros(2 * longest + 66, dtype=np.int64)
    order = np.empty(longest, dtype=np.int64)
    absent = np.empty(n_classes)
    at = 0
    starts[0] = 0
    for j in range(ends.shape[0] - 1):
        first, last, start = ends[j], ends[j + 1], at
        low, high, whole, n_missing = _survey(data, first, last)
        # The difference of the ends may overflow; infinity then sends the column to the sort.
        if whole and high - low <= 2 * (last - first) + 64:
            at = _count_whole(data, rows, first, last, about, low, high, bins, hits, values, counts, at)
        elif last - first > n_missing:
            at = _count_sorted(data, rows, first, last, codes, weights, order, values, counts, at)
        if n_missing > 0:
            at = _count_missing(data, rows, first, last, codes, weights, values, counts, at)
        if not stored_all and last - first < weights.shape[0]:
            _count_absent(rows, first, last, about, counts, start, at, absent)
            at = _add_absent(values, counts, start, at, absent)
        starts[j + 1] = at
    return at


@njit
def _survey(data, first, last):
    """Least and greatest number, whether all are whole, and how many are missing."""
    low, high, whole, n_missing = np.inf, -np.inf, True, 0
    for p in range(first, last):
        v = data[p]
        if np.isnan(v):
            n_missing += 1
            continue
        low, high = min(low, v), max(high, v)
        whole = whole and v == np.floor(v)
    return low, high, whole and high >= low, n_missing


@njit
def _count_missing(data, rows, first, last, codes, weights, values, counts, at):
    values[at] = np.nan
    for k in range(counts.shape[0]):
        counts[k, at] = 0.0
    for p in range(first, last):
        if np.isnan(data[p]):
            row = rows[p] if rows.shape[0] > 0 else p - first
            counts[codes[row], at] += weights[row]
    return at + 1


@njit
def _count_absent(rows, first, last, about, counts, start, at, absent):
    """Write the weights of the rows that a sparse column does not store into `absent` (n_classes,)."""
    for k in range(absent.shape[0]):
        absent[k] = about.class_weights[k]
    if about.exact:
        for k in range(absent.shape[0]):
            for e in range(start, at):
                absent[k] -= counts[k, e]
        return
    left = about.class_rows.copy()
    for p in range(first, last):
        absent[about.codes[rows[p]]] -= about.weights[rows[p]]
        left[about.codes[rows[p]]] -= 1
    for k in range(absent.shape[0]):
        # A difference of sums: where no row is left it is rounding and nothing else.
        absent[k] = max(absent[k], 0.0) if left[k] > 0 else 0.0


@njit
def _count_whole(data, rows, first, last, about, low, high, bins, hits, values, counts, at):
    """Count whole numbers of a short range in one bin each."""
    n_classes = counts.shape[0]
    codes, weights = about.codes, about.weights
    for p in range(first, last):
        v = data[p]
        if not np.isnan(v):
            row = rows[p] if rows.shape[0] > 0 else p - first
            b = int(v - low)
            hits[b] += 1
            bins[b, codes[row]] += weights[row]
    for b in range(int(high - low) + 1):
        if hits[b] > 0:
            values[at] = low + b
            for k in range(n_classes):
                counts[k, at] = bins[b, k]
                bins[b, k] = 0.0
            hits[b] = 0
            at += 1
    return at


@njit
def _count_sorted(data, rows, first, last, codes, weights, order, values, counts, at):
    """Count numbers of any kind along their order; NaN comes last there and ends the walk."""
    n_classes = counts.shape[0]
    ascending(data[first:last], order)
    previous = np.nan
    for i in range(last - first):
        o = order[i]
        # Adding zero makes -0.0 the same as 0.0.
        v = data[first + o] + 0.0
        if np.isnan(v):
            break
        if v != previous:
            values[at] = v
            for k in range(n_classes):
                counts[k, at] = 0.0
            at += 1
            previous = v
        row = rows[first + o] if rows.shape[0] > 0 else o
        counts[codes[row], at - 1] += weights[row]
    return at


@njit
def _add_absent(values, counts, start, at, absent):
    """Add rows that are zero to the zero of ``values[start:at]``, which is put in if it is not there."""
    n_classes = counts.shape[0]
    place = start
    while place < at and values[place] < 0.0:
        place += 1
    if place == at or values[place] != 0.0:
        for p in range(at, place, -1):
            values[p] = values[p - 1]
            for k in range(n_classes):
                counts[k, p] = counts[k, p - 1]
        values[place] = 0.0
        for k in range(n_classes):
            counts[k, place] = 0.0
        at += 1
    for k in range(n_classes):
        counts[k, place] += absent[k]
    return at


@njit
def merge_columns(a_starts, a_values, a_counts, b_starts, b_values, b_counts, starts, values, counts):
    """Merge two tables of the same columns; return the number of distinct values.

    `values` must hold those of both.
    """
    n_classes = counts.shape[0]
    at = 0
    starts[0] = 0
    for j in range(starts.shape[0] - 1):
        a, b = a_starts[j], b_starts[j]
        while a < a_starts[j + 1] or b < b_starts[j + 1]:
            from_a = a < a_starts[j + 1] and (b == b_starts[j + 1] or not _is_after(a_values[a], b_values[b]))
            from_b = b < b_starts[j + 1] and (a == a_starts[j + 1] or not _is_after(b_values[b], a_values[a]))
            values[at] = a_values[a] if from_a else b_values[b]
            for k in range(n_classes):
                counts[k, at] = (a_counts[k, a] if from_a else 0.0) + (b_counts[k, b] if from_b else 0.0)
            a += from_a
            b += from_b
            at += 1
        starts[j + 1] = at
    return at


@njit
def _is_after(first, second):
    """Whether `first` stands behind `second` in a column, where NaN is the last."""
    if np.isnan(first):
        return not np.isnan(second)
    return first > second
