"""Exponentials of many numbers, several at a time."""

import numpy as np

from infoprop._core._jit import njit, njit_products

_LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with few enough bits that whole multiples of it are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# Added to a number below 2**51, it leaves the nearest whole number in the last bits.
_TO_WHOLE = 6755399441055744.0
# Bits of an exponent of zero; the least exponent of a normal number, times ln 2.
_EXPONENT_ZERO = 1023 << 52
_LOWEST = -708.0


@njit_products
def exponential(row, gamma, into, scratch):
    """``into = exp(-gamma row)``, to the last bit or two.

    The exponent is split into a whole power of two and a rest, whose exponential is a polynomial: loops
    without calls or branches, which run on vectors. They do if the three arrays lie apart: written over
    `row`, numbers would be computed one at a time.
    """
    powers = scratch.view(np.int64)
    for a in range(row.shape[0]):
        x = max(-gamma * row[a], _LOWEST)
        shifted = x * _LOG2_E + _TO_WHOLE
        scratch[a] = shifted
        whole = shifted - _TO_WHOLE
        r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
        # Taylor's series to the 13th power, in pairs that need not wait for each other.
        r2 = r * r
        r4 = r2 * r2
        p0 = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0))
        p4 = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0))
        p8 = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + r2 * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
        p12 = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
        into[a] = p0 + r4 * (p4 + r4 * (p8 + r4 * p12))
    for a in range(row.shape[0]):
        powers[a] = (powers[a] << 52) + _EXPONENT_ZERO
    for a in range(row.shape[0]):
        into[a] *= scratch[a]


@njit
def gaussians(products, own, norms, gamma):
    """Turn inner products of rows into ``exp(-gamma |x - y|^2)``, in place, a row at a time.

    own, norms : squared norms of the rows x and y.
    """
    scratch = np.empty(products.shape[1])
    distances = np.empty(products.shape[1])
    for i in range(products.shape[0]):
        row = products[i]
        for a in range(row.shape[0]):
            # Rounding may leave less than nothing between rows that are alike.
            distances[a] = max((-2.0 * row[a] + own[i]) + norms[a], 0.0)
        exponential(distances, gamma, row, scratch)


@njit
def exponentials(base, rows, gamma, out):
    """``out[i] = exp(-gamma base[i])`` for some rows; `out` may be `base`."""
    scratch = np.empty(base.shape[1])
    own = np.empty(base.shape[1])
    for i in rows:
        for a in range(own.shape[0]):
            own[a] = base[i, a]
        exponential(own, gamma, out[i], scratch)
