"""The ascending order of numbers, for short and long columns."""

import numpy as np

from infoprop._core._jit import njit

_SHORT = 32
_LONG = 400
_DIGIT = 11
_N_DIGITS = 6
_SIGN = np.uint64(1 << 63)


@njit
def ascending(numbers, order):
    """Write the order of the contiguous `numbers` (n,) into ``order[:n]``: NaN last, ties as they are."""
    n = numbers.shape[0]
    if n > _LONG:
        _by_digits(numbers, order)
    elif n > _SHORT:
        order[:n] = np.argsort(numbers, kind="mergesort")
    else:
        for i in range(n):
            k = i
            while k > 0 and (
                numbers[order[k - 1]] > numbers[i] or _is_first_missing(numbers, order[k - 1], i)
            ):
                order[k] = order[k - 1]
                k -= 1
            order[k] = i


@njit
def _is_first_missing(numbers, first, second):
    return np.isnan(numbers[first]) and not np.isnan(numbers[second])


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
