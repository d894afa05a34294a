"""What columns are worth to the machines of an elimination, and which groups of them are worth least.

With S[q, k] the sensitivity of machine q to column k and ``scale_q`` what the machine has to share (the bits
of its indicator, or the same for all), column k is worth

    sum_q scale_q S[q, k] / sum_p S[q, p]

(equations 5 and 6 of infoprop-2001); a machine that no column matters to shares evenly. A group is worth the
sum over its columns. Invariant: what all groups are worth adds up to the sum of the scales.

Reference: infoprop-2001; I. Guyon et al., Gene selection for cancer classification using support vector
machines, Machine Learning 46 (2002).
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop.metrics._indicators_fast import DECIMALS, share_information


class Drops(NamedTuple):
    """What may go: the group of every column, groups kept, how many go in each step, and by which rule."""

    group_of: Any
    is_kept: Any
    counts: Any
    is_single: Any
    uses_information: Any


class Record(NamedTuple):
    """What went: groups in order, their credits, and the confusion table before each step."""

    dropped: Any
    credits: Any
    tables: Any


@njit
def weigh_machines(splits, counts, uses_information, shares, scale):
    """Write what each machine's shares are worth: its indicator's bits, or the same for all; returns I.

    What rounds to nothing where credits are compared is nothing. Two classes have one machine and so one row
    of shares, which earns for both. A class earns as much in every split that has learned it.
    """
    information = share_information(counts, shares) if uses_information else 0.0
    if information * DECIMALS < 1.0:
        information = 0.0
        for r in range(shares.shape[0]):
            shares[r] = 1.0 / splits.n_classes
    for q in range(scale.shape[0]):
        t = splits.split[q]
        r = splits.positive[q]
        scale[q] = shares[r] * splits.label_scale[r]
        if splits.last[t] - splits.first[t] == 1:
            r = splits.negative[t]
            scale[q] += shares[r] * splits.label_scale[r]
    return information


@njit
def _goes_first(rounded, ids, a, b):
    """Whether position a goes before b: the smaller key; of equal ones the last id."""
    return rounded[a] < rounded[b] or (rounded[a] == rounded[b] and ids[a] > ids[b])


@njit
def _sift_down(heap, size, at, rounded, ids):
    """Restore the order of a binary heap (Knuth, volume 3, 5.2.3) below position `at`."""
    moved = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _goes_first(rounded, ids, heap[child + 1], heap[child]):
            child += 1
        if not _goes_first(rounded, ids, heap[child], moved):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moved


@njit
def _choose_one(keys, ids, is_kept):
    """Position of the smallest key that may go; of equal ones that of the last id."""
    best = -1
    least = np.inf
    for a in range(keys.shape[0]):
        scaled = keys[a] * DECIMALS
        if scaled <= least + 1.0 and scaled < np.inf and not is_kept[ids[a]]:
            rounded = np.rint(scaled)
            if best < 0 or rounded < least or (rounded == least and ids[a] > ids[best]):
                best = a
                least = rounded
    return best


@njit
def choose_worst(keys, ids, is_kept, count, chosen, values):
    """Write positions and values of the `count` smallest keys that may go; of equal ones the last id first.

    Keys that were chosen are set to infinity. One is found by looking at all; of several, all that may go
    stand in a heap, which takes n + count log n comparisons, but more than that look for the first.
    """
    if count == 1:
        chosen[0] = _choose_one(keys, ids, is_kept)
        values[0] = keys[chosen[0]]
        keys[chosen[0]] = np.inf
        return
    rounded = np.rint(keys * DECIMALS)
    heap = np.empty(keys.shape[0], np.intp)
    size = 0
    for a in range(keys.shape[0]):
        if rounded[a] < np.inf and not is_kept[ids[a]]:
            heap[size] = a
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, at, rounded, ids)
    for c in range(count):
        best = heap[0]
        size -= 1
        heap[0] = heap[size]
        _sift_down(heap, size, 0, rounded, ids)
        chosen[c] = best
        values[c] = keys[best]
        keys[best] = np.inf
