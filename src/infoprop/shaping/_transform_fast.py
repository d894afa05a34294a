"""From a value to its shaped value: between the distinct values that were trained on, along a line."""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit


class Knots(NamedTuple):
    """What the loop needs of shapes; see FeatureShapes for what the arrays hold.

    `stops` (n_features,) is where the entries of a column end, a missing value left out; `shaped`
    (n_distinct,) are the shaped values of the entries; `missing` and `unseen` (n_features,) are shaped
    values, too.
    """

    starts: np.ndarray
    stops: np.ndarray
    values: np.ndarray
    points: np.ndarray
    shaped: np.ndarray
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
    starts, stops, values, shaped = knots.starts, knots.stops, knots.values, knots.shaped
    missing, unseen, nominal, zero_apart = knots.missing, knots.unseen, knots.nominal, knots.zero_apart
    log_odds = knots.log_odds
    is_dense = columns.shape[0] == 0
    n_columns = stops.shape[0]
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
        upper = _first_not_below(values, starts[j], stops[j], v)
        has_upper = upper < stops[j]
        if has_upper and values[upper] == v:
            out[p] = shaped[upper]
            continue
        has_lower = upper > starts[j]
        if zero_apart[j]:
            # A value has neighbours on its own side of zero only; zero itself has none.
            has_lower = has_lower and (v < 0.0 or (v > 0.0 and values[upper - 1] > 0.0))
            has_upper = has_upper and (v > 0.0 or (v < 0.0 and values[upper] < 0.0))
        if nominal[j] or not (has_lower or has_upper):
            out[p] = unseen[j]
        elif not has_upper:
            out[p] = shaped[upper - 1]
        elif not has_lower:
            out[p] = shaped[upper]
        else:
            # Halves, for the difference of two large values may overflow.
            share = (0.5 * v - 0.5 * values[upper - 1]) / (0.5 * values[upper] - 0.5 * values[upper - 1])
            if log_odds[j]:
                out[p] = _between_log_odds(knots, j, upper, share)
            else:
                out[p] = shaped[upper - 1] + share * (shaped[upper] - shaped[upper - 1])


@njit
def _first_not_below(values, start, stop, v):
    """Number of the first of ``values[start:stop]``, ascending, that is not less than `v`; else `stop`."""
    while start < stop:
        middle = (start + stop) // 2
        if values[middle] < v:
            start = middle + 1
        else:
            stop = middle
    return start


@njit
def _between_log_odds(knots, j, upper, share):
    """The line runs between probabilities; log odds are taken of what lies on it."""
    point = knots.points[upper - 1] + share * (knots.points[upper] - knots.points[upper - 1])
    odds = np.log(point) - np.log(1.0 - point)
    return (odds - knots.offsets[j]) / knots.ranges[j] * knots.scores[j]
