"""Activations over whole blocks, without branches, so that the loops run on vectors.

With ``e = exp(-|z|)``, the logistic function is ``1 / (1 + e)`` or ``e / (1 + e)``, and tanh is
``(1 - e^2) / (1 + e^2)`` with the sign of z. An exponential is ``2^k`` times a polynomial in what is left,
``exp(x) = 2^k exp(r)``, ``|r| <= ln(2) / 2``. Every function exists for both precisions; the code of one is
compiled only for blocks of that precision. Products and sums are contracted, which doubles the speed; that
they are not reordered into cancellation is seen by the tests. Invariant: `fade` is asked for ``x <= 0`` only.

Reference: J.-M. Muller, Elementary Functions: Algorithms and Implementation, of range reduction.
"""

import numpy as np

from infoprop._core._by_type import chosen_by_type
from infoprop._core._jit import njit_sums

TANH = 0
LOGISTIC = 1
RELU = 2

_LOG2_E = np.float64(1.4426950408889634)
_LN2_HIGH = np.float64(0.693147180369123816490)
_LN2_LOW = np.float64(1.90821492927058770002e-10)
_SINGLE_LOG2_E = np.float32(1.4426950408889634)
_SINGLE_LN2_HIGH = np.float32(0.693359375)
_SINGLE_LN2_LOW = np.float32(-2.12194440e-4)

_C2, _C3, _C4 = np.float64(1 / 2), np.float64(1 / 6), np.float64(1 / 24)
_C5, _C6, _C7 = np.float64(1 / 120), np.float64(1 / 720), np.float64(1 / 5040)
_C8, _C9, _C10 = np.float64(1 / 40320), np.float64(1 / 362880), np.float64(1 / 3628800)
_C11, _C12, _C13 = np.float64(1 / 39916800), np.float64(1 / 479001600), np.float64(1 / 6227020800)
_S2, _S3, _S4 = np.float32(1 / 2), np.float32(1 / 6), np.float32(1 / 24)
_S5, _S6, _S7 = np.float32(1 / 120), np.float32(1 / 720), np.float32(1 / 5040)

_ONE, _TWO, _HALF, _ZERO = np.float64(1), np.float64(2), np.float64(0.5), np.float64(0)
_SINGLE_ONE, _SINGLE_TWO, _SINGLE_HALF = np.float32(1), np.float32(2), np.float32(0.5)
_SINGLE_ZERO = np.float32(0)
# Below these an exponential is nothing beside one. Products with smaller numbers would leave the range of
# normal ones, where arithmetic is a hundred times slower; networks that are all but certain live there.
_LOWEST, _SINGLE_LOWEST = np.float64(-300), np.float32(-40)


@njit_sums
def fade(x):
    """Return ``exp(x)`` and ``exp(x) - 1``, each to its last digits, for ``x <= 0`` in double precision."""
    x = max(x, _LOWEST)
    k = np.floor(x * _LOG2_E + _HALF)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    tail = _C8 + r * (_C9 + r * (_C10 + r * (_C11 + r * (_C12 + r * _C13))))
    growth = r + r * r * (_C2 + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * (_C7 + r * tail))))))
    power = np.int64((np.int64(np.int32(k)) + 1023) << 52).view(np.float64)
    return power + power * growth, (power - _ONE) + power * growth


@njit_sums
def fade_single(x):
    """Return ``exp(x)`` and ``exp(x) - 1`` for ``x <= 0`` in single precision."""
    x = max(x, _SINGLE_LOWEST)
    k = np.floor(x * _SINGLE_LOG2_E + _SINGLE_HALF)
    r = (x - k * _SINGLE_LN2_HIGH) - k * _SINGLE_LN2_LOW
    growth = r + r * r * (_S2 + r * (_S3 + r * (_S4 + r * (_S5 + r * (_S6 + r * _S7)))))
    power = np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)
    return power + power * growth, (power - _SINGLE_ONE) + power * growth


@njit_sums
def _tanh(z):
    for i in range(z.size):
        _, loss = fade(-_TWO * abs(z[i]))
        z[i] = np.copysign(-loss / (loss + _TWO), z[i])


@njit_sums
def _tanh_single(z):
    for i in range(z.size):
        _, loss = fade_single(-_SINGLE_TWO * abs(z[i]))
        z[i] = np.copysign(-loss / (loss + _SINGLE_TWO), z[i])


@njit_sums
def _logistic(z):
    for i in range(z.size):
        e, _ = fade(-abs(z[i]))
        z[i] = (_ONE if z[i] > _ZERO else e) / (_ONE + e)


@njit_sums
def _logistic_single(z):
    for i in range(z.size):
        e, _ = fade_single(-abs(z[i]))
        z[i] = (_SINGLE_ONE if z[i] > _SINGLE_ZERO else e) / (_SINGLE_ONE + e)


@njit_sums
def _exponentials(z, top, target):
    for r in range(z.size):
        e, _ = fade(z[r] - top[r])
        target[r] = e


@njit_sums
def _exponentials_single(z, top, target):
    for r in range(z.size):
        e, _ = fade_single(z[r] - top[r])
        target[r] = e


@chosen_by_type({np.float32: _exponentials_single, np.float64: _exponentials})
def exponentials(z, top, target):
    """Write ``exp(z - top)`` of one row of a block into `target`; no z is above its top."""


@chosen_by_type({np.float32: _tanh_single, np.float64: _tanh})
def tanh(z):
    """Put ``tanh(z)`` in the place of every z."""


@chosen_by_type({np.float32: _logistic_single, np.float64: _logistic})
def logistic(z):
    """Put ``1 / (1 + exp(-z))`` in the place of every z."""


@njit_sums
def activate(kind, block):
    """Put the activation of every number in its place; `block` is C-contiguous of any shape."""
    z = block.reshape(block.size)
    if kind == RELU:
        for i in range(z.size):
            z[i] = max(z[i], z.dtype.type(0))
    elif kind == TANH:
        tanh(z)
    else:
        logistic(z)


@njit_sums
def multiply_by_slope(kind, outputs, deltas):
    """Multiply `deltas` by the slope of the activation where it gave `outputs`."""
    o = outputs.reshape(outputs.size)
    d = deltas.reshape(deltas.size)
    one = o.dtype.type(1)
    zero = o.dtype.type(0)
    if kind == TANH:
        for i in range(o.size):
            d[i] *= one - o[i] * o[i]
    elif kind == LOGISTIC:
        for i in range(o.size):
            d[i] *= o[i] * (one - o[i])
    else:
        for i in range(o.size):
            d[i] = d[i] if o[i] > zero else zero
