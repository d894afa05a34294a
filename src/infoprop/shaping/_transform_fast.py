"""From a value to its shaped value: between the distinct values that were trained on, along a line."""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit


class Knots(NamedTuple):
    """What the loop needs of shapes; see FeatureShapes for what the arrays hold.

    `bounds` (n_features, 2) says where the entries of a column start and stop, a missing value left out;
    `entries` (n_distinct, 2) are their values and shaped values, side by side, for they are needed together;
    `missing` and `unseen` (n_features,) are shaped values, too.
    """

    bounds: np.ndarray
    entries: np.ndarray
    points: np.ndarray
    missing: np.ndarray
    unseen: np.ndarray
    nominal: np.ndarray
    zero_apart: np.ndarray
    log_odds: np.ndarray
    offsets: np.ndarray
    ranges: np.ndarray
    scores: np.ndarray
    zero_stays: bool


@njit
def shape_values(knots, data, columns, first, last, out):
    """Write the shaped values of ``data[first:last]`` into `out`, of the same length as `data`.

    `columns` are the columns of the entries; if it is empty, `data` are dense rows, one after the other.
    """
    # Fields that are read in the loop: a tuple of arrays would be counted as referred to at each turn.
    bounds, entries, missing, unseen = knots.bounds, knots.entries, knots.missing, knots.unseen
    nominal, zero_apart, log_odds = knots.nominal, knots.zero_apart, knots.log_odds
    is_dense = columns.shape[0] == 0
    n_columns = bounds.shape[0]
    j = (first - 1) % n_columns
    for p in range(first, last):
        if is_dense:
            j = j + 1 if j + 1 < n_columns else 0
        else:
            j = columns[p]
        v = data[p]
        if v == 0.0 and knots.zero_stays:
            out[p] = 0.0
            continue
        if np.isnan(v):
            out[p] = missing[j]
            continue
        start, stop = bounds[j, 0], bounds[j, 1]
        upper = _first_not_below(entries, start, stop, v)
        if upper < stop and entries[upper, 0] == v:
            out[p] = entries[upper, 1]
            continue
        has_lower, has_upper = upper > start, upper < stop
        if zero_apart[j]:
            # A value has neighbours on its own side of zero only; zero itself has none.
            has_lower = has_lower and (v < 0.0 or (v > 0.0 and entries[upper - 1, 0] > 0.0))
            has_upper = has_upper and (v > 0.0 or (v < 0.0 and entries[upper, 0] < 0.0))
        if nominal[j] or not (has_lower or has_upper):
            out[p] = unseen[j]
        elif not has_upper:
            out[p] = entries[upper - 1, 1]
        elif not has_lower:
            out[p] = entries[upper, 1]
        elif log_odds[j]:
            out[p] = _between_log_odds(knots, j, upper, _share(entries, upper, v))
        else:
            rise = entries[upper, 1] - entries[upper - 1, 1]
            out[p] = entries[upper - 1, 1] + _share(entries, upper, v) * rise


@njit
def _first_not_below(entries, start, stop, v):
    """Number of the first of the entries `start` to `stop` that is not less than `v`; else `stop`."""
    if start < stop:
        # Counts and codes are whole numbers without gaps, mostly: the place of a value is known.
        ahead = v - entries[start, 0]
        if ahead >= 0.0 and ahead < stop - start:
            guess = start + int(ahead)
            if entries[guess, 0] == v:
                return guess
    while start < stop:
        middle = (start + stop) >> 1
        if entries[middle, 0] < v:
            start = middle + 1
        else:
            stop = middle
    return start


@njit
def _share(entries, upper, v):
    """How far `v` is from the entry below `upper` to `upper`; halves, for large values may overflow."""
    below = 0.5 * entries[upper - 1, 0]
    return (0.5 * v - below) / (0.5 * entries[upper, 0] - below)


@njit
def _between_log_odds(knots, j, upper, share):
    """The line runs between probabilities; log odds are taken of what lies on it."""
    point = knots.points[upper - 1] + share * (knots.points[upper] - knots.points[upper - 1])
    odds = np.log(point) - np.log(1.0 - point)
    return (odds - knots.offsets[j]) / knots.ranges[j] * knots.scores[j]
