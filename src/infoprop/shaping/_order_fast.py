"""The ascending order of numbers, for short and long columns."""

import numpy as np

from infoprop._core._jit import njit

_RUN = 16
_LONG = 400
_DIGIT = 11
_N_DIGITS = 6
_SIGN = np.uint64(1 << 63)


@njit
def ascending(numbers, order):
    """Write the order of the contiguous `numbers` (n,) into ``order[:n]``: NaN last, ties as they are."""
    if numbers.shape[0] > _LONG:
        _by_digits(numbers, order)
        return
    for first in range(0, numbers.shape[0], _RUN):
        _insert(numbers, order, first, min(first + _RUN, numbers.shape[0]))
    if numbers.shape[0] > _RUN:
        _merge_runs(numbers, order)


@njit
def _insert(numbers, order, first, last):
    """Sort the numbers `first` to `last` by insertion."""
    for i in range(first, last):
        k = i
        while k > first and _is_after(numbers[order[k - 1]], numbers[i]):
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


@njit
def _merge_runs(numbers, order):
    """Merge runs that are sorted, two by two, until one is left."""
    n = numbers.shape[0]
    before = np.empty(n, dtype=np.int64)
    run = _RUN
    while run < n:
        for i in range(n):
            before[i] = order[i]
        for first in range(0, n, 2 * run):
            middle, last = min(first + run, n), min(first + 2 * run, n)
            a, b = first, middle
            for i in range(first, last):
                if b == last or (a < middle and not _is_after(numbers[before[a]], numbers[before[b]])):
                    order[i] = before[a]
                    a += 1
                else:
                    order[i] = before[b]
                    b += 1
        run *= 2


@njit
def _is_after(first, second):
    return first > second or (np.isnan(first) and not np.isnan(second))


@njit
def _by_digits(numbers, order):
    """Radix sort by six digits of eleven bits, those that all numbers share left out."""
    n = numbers.shape[0]
    keys = np.empty(n, dtype=np.uint64)
    counts = np.zeros((_N_DIGITS, 1 << _DIGIT), dtype=np.int64)
    mask = np.uint64((1 << _DIGIT) - 1)
    bits = numbers.view(np.uint64)
    for i in range(n):
        # As unsigned numbers, bits of positive doubles ascend, and those of negative ones descend.
        key = ~bits[i] if bits[i] & _SIGN else bits[i] | _SIGN
        if np.isnan(numbers[i]):
            key = ~np.uint64(0)
        keys[i] = key
        for d in range(_N_DIGITS):
            counts[d, (key >> np.uint64(d * _DIGIT)) & mask] += 1
    source = np.arange(n)
    target = np.empty(n, dtype=np.int64)
    for d in range(_N_DIGITS):
        shift = np.uint64(d * _DIGIT)
        if counts[d, (keys[0] >> shift) & mask] == n:
            continue
        before = 0
        for digit in range(1 << _DIGIT):
            here = counts[d, digit]
            counts[d, digit] = before
            before += here
        for i in range(n):
            digit = (keys[source[i]] >> shift) & mask
            target[counts[d, digit]] = source[i]
            counts[d, digit] += 1
        source, target = target, source
    for i in range(n):
        order[i] = source[i]
