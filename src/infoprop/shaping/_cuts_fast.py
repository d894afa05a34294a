"""Rates of both classes above every cut of every column."""

import numpy as np

from infoprop._core._jit import njit
from infoprop.shaping._order_fast import ascending


@njit
def rates_above_cuts(starts, points, positives, negatives, first, last, true_rate, false_rate):
    """Write the shares of positives and negatives that lie above each cut.

    For columns `first` to `last`, whose entries have the places `points`; NaN has none and is left out. There
    is a cut between two neighbouring places that differ; it is written to the entry below it. Every
    other entry, and a column in which one of the classes has no weight, gets rates of zero: they separate
    nothing.
    """
    longest = 0
    for j in range(first, last):
        longest = max(longest, starts[j + 1] - starts[j])
    order = np.empty(longest, dtype=np.int64)
    for j in range(first, last):
        m = _in_order(points, starts[j], starts[j + 1], order)
        all_positives = all_negatives = 0.0
        for e in range(starts[j], starts[j + 1]):
            true_rate[e] = false_rate[e] = 0.0
        for i in range(m):
            all_positives += positives[order[i]]
            all_negatives += negatives[order[i]]
        if all_positives <= 0.0 or all_negatives <= 0.0:
            continue
        below_positives = below_negatives = 0.0
        for i in range(m - 1):
            e = order[i]
            below_positives += positives[e]
            below_negatives += negatives[e]
            if points[e] != points[order[i + 1]]:
                true_rate[e] = (all_positives - below_positives) / all_positives
                false_rate[e] = (all_negatives - below_negatives) / all_negatives


@njit
def _in_order(points, start, stop, order):
    """Write the entries `start` to `stop` in the order of their points; return how many have one."""
    n_placed = 0
    is_sorted = True
    for e in range(start, stop):
        is_sorted = is_sorted and (e == start or points[e - 1] <= points[e] or np.isnan(points[e]))
        n_placed += not np.isnan(points[e])
        order[e - start] = e
    if not is_sorted:
        ascending(points[start:stop], order)
        for i in range(n_placed):
            order[i] += start
    return n_placed
