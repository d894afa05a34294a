"""Distinct values of columns with the weight of every class: counted, merged. All columns in one call."""

import numpy as np

from infoprop._core._jit import njit
from infoprop.shaping._order_fast import ascending


@njit
def count_columns(
    data, rows, stored_all, ends, codes, weights, class_rows, class_weights, starts, values, counts
):
    """Count the entries of columns that lie one after the other; return the number of distinct values.

    Column j is ``data[ends[j] : ends[j + 1]]``. `rows` (nnz,) are the rows of the entries; empty with
    `stored_all`, where every column holds all rows in order. Rows have class ``codes[i]`` and weight
    ``weights[i] > 0``; `class_rows` and `class_weights` (n_classes,) are their numbers and sums. What a
    column does not store is zero. Written are `starts` (n_columns + 1,), `values` ascending with NaN last,
    `counts` (n_classes, n_distinct); `values` must have room for one more than the entries of every column.
    """
    n_classes = class_rows.shape[0]
    longest = 0
    for j in range(ends.shape[0] - 1):
        longest = max(longest, ends[j + 1] - ends[j])
    room = 2 * longest + 66
    bins = np.zeros((room, n_classes))
    hits = np.zeros(room, dtype=np.int64)
    order = np.empty(longest, dtype=np.int64)
    missing = np.zeros(n_classes)
    absent = np.zeros(n_classes)
    absent_rows = np.zeros(n_classes, dtype=np.int64)
    at = 0
    starts[0] = 0
    for j in range(ends.shape[0] - 1):
        first, last = ends[j], ends[j + 1]
        start = at
        low, high, whole, n_missing = np.inf, -np.inf, True, 0
        for p in range(first, last):
            v = data[p]
            if np.isnan(v):
                n_missing += 1
                continue
            low, high = min(low, v), max(high, v)
            whole = whole and v == np.floor(v)
        # The difference of the ends may overflow; infinity then sends the column to the sort.
        if last - first == n_missing:
            pass
        elif whole and high - low <= 2 * (last - first) + 64:
            at = _count_whole(
                data, rows, first, last, codes, weights, low, high, bins, hits, values, counts, at
            )
        else:
            at = _count_sorted(data, rows, first, last, codes, weights, order, values, counts, at)
        for k in range(n_classes):
            missing[k] = 0.0
            absent[k] = class_weights[k]
            absent_rows[k] = class_rows[k]
        if n_missing > 0 or not stored_all:
            for p in range(first, last):
                row = p - first if stored_all else rows[p]
                absent[codes[row]] -= weights[row]
                absent_rows[codes[row]] -= 1
                if np.isnan(data[p]):
                    missing[codes[row]] += weights[row]
        if not stored_all:
            at = _add_absent(values, counts, start, at, absent, absent_rows)
        if n_missing > 0:
            values[at] = np.nan
            for k in range(n_classes):
                counts[k, at] = missing[k]
            at += 1
        starts[j + 1] = at
    return at


@njit
def _count_whole(data, rows, first, last, codes, weights, low, high, bins, hits, values, counts, at):
    """Count whole numbers of a short range in one bin each."""
    n_classes = counts.shape[0]
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
def _add_absent(values, counts, start, at, absent, absent_rows):
    """Add the rows that a sparse column does not store to the zero of ``values[start:at]``."""
    n_classes = counts.shape[0]
    any_absent = False
    for k in range(n_classes):
        # A difference of sums of weights; where no row is left it is rounding and nothing else.
        if absent_rows[k] == 0:
            absent[k] = 0.0
        any_absent = any_absent or absent_rows[k] > 0
    if not any_absent:
        return at
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
        counts[k, place] += max(absent[k], 0.0)
    return at


@njit
def merge_columns(a_starts, a_values, a_counts, b_starts, b_values, b_counts, starts, values, counts):
    """Merge two tables of the same columns; return the number of distinct values.

    `values` must have room for those of both.
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
