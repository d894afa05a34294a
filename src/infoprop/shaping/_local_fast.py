"""Positives among balanced neighbours of every distinct value, by one walk along each column."""

import numpy as np

from infoprop._core._jit import njit


@njit
def window_sums(starts, values, positives, totals, nominal, zero_bin, window, first, last, found, width):
    """Write the weight of positives and of all rows in the window of every entry into `found` and `width`.

    For columns `first` to `last`. With C and P the sums of `totals` and `positives` before an entry of
    weight c, and ``mid = C + c / 2``, the window is ``[min(C, mid - n), max(C + c, mid + n)]`` cut to the
    column. An entry that the window cuts gives its mean rate. A missing value, zero where `zero_bin` is
    true, and the values of a column that is `nominal` or has at most two of them are windows of their own.
    A negative `window` stands for n = min(-window, N / 8), at least 2, where N is the weight walked along.
    """
    longest = 0
    for j in range(first, last):
        longest = max(longest, starts[j + 1] - starts[j])
    entries = np.empty(longest, dtype=np.int64)
    C = np.empty(longest + 1)
    P = np.empty(longest + 1)
    C[0] = P[0] = 0.0
    for j in range(first, last):
        stop = starts[j + 1]
        if np.isnan(values[stop - 1]):
            stop -= 1
        for e in range(starts[j], starts[j + 1]):
            found[e] = positives[e]
            width[e] = totals[e]
        if nominal[j] or stop - starts[j] <= 2:
            continue
        m = 0
        for e in range(starts[j], stop):
            if not (zero_bin and values[e] == 0.0):
                entries[m] = e
                C[m + 1] = C[m] + totals[e]
                P[m + 1] = P[m] + positives[e]
                m += 1
        n = window if window > 0.0 else max(2.0, min(-window, C[m] / 8.0))
        _walk(entries, C, P, m, n, found, width)


@njit
def _walk(entries, C, P, m, n, found, width):
    """Both ends of the window only move up, so each is a pointer that walks along once."""
    b_low = b_high = 0
    for i in range(m):
        mid = C[i] + 0.5 * (C[i + 1] - C[i])
        low = max(0.0, min(C[i], mid - n))
        high = min(C[m], max(C[i + 1], mid + n))
        while C[b_low + 1] <= low:
            b_low += 1
        while C[b_high + 1] < high:
            b_high += 1
        found[entries[i]] = _up_to(C, P, b_high, high) - _up_to(C, P, b_low, low)
        width[entries[i]] = high - low


@njit
def _up_to(C, P, b, r):
    """P at rank `r` in block `b`; at the edges of a block without rounding."""
    if r == C[b]:
        return P[b]
    if r == C[b + 1]:
        return P[b + 1]
    return P[b] + (r - C[b]) * (P[b + 1] - P[b]) / (C[b + 1] - C[b])
