"""Compiled activations against NumPy, to the last digits."""

import numpy as np
import pytest
from scipy.special import expit

from infoprop.mlp import _activations_fast as fast

VALUES = np.concatenate(
    [
        np.random.default_rng(0).normal(scale=4.0, size=2000),
        np.logspace(-18, 2, 200),
        -np.logspace(-300, 2, 200),
        [0.0, -0.0, 1e300, -1e300, np.inf, -np.inf],
    ]
)
TWINS = {fast.TANH: np.tanh, fast.LOGISTIC: expit, fast.RELU: lambda z: np.maximum(z, 0.0)}


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize(("dtype", "digits"), [(np.float64, 1e-15), (np.float32, 5e-7)])
def test_activations_are_those_of_numpy(kind, dtype, digits):
    z = VALUES[np.abs(VALUES) < 38] if dtype is np.float32 else VALUES[np.abs(VALUES) < 290]
    block = z.astype(dtype).reshape(2, -1)
    expected = TWINS[kind](block.astype(np.float64))
    fast.activate(kind, block)
    assert block.dtype == dtype
    np.testing.assert_allclose(block, expected, rtol=digits, atol=np.finfo(dtype).tiny)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_activations_of_huge_numbers_are_their_limits(dtype):
    for kind, low, high in ((fast.TANH, -1.0, 1.0), (fast.LOGISTIC, 0.0, 1.0)):
        block = np.array([[-np.inf, -1e30, 1e30, np.inf]], dtype=dtype)
        fast.activate(kind, block)
        np.testing.assert_allclose(block, [[low, low, high, high]], atol=1e-17)


@pytest.mark.parametrize("kind", TWINS)
def test_not_a_number_stays_one(kind):
    block = np.array([[np.nan, 1.0]])
    fast.activate(kind, block)
    assert np.isnan(block[0, 0])
    assert not np.isnan(block[0, 1])


@pytest.mark.parametrize("kind", [fast.TANH, fast.LOGISTIC])
def test_slopes_are_those_of_finite_differences(kind):
    z = np.linspace(-3, 3, 32).reshape(2, 16)
    outputs, deltas = z.copy(), np.ones_like(z)
    fast.activate(kind, outputs)
    fast.multiply_by_slope(kind, outputs, deltas)
    np.testing.assert_allclose(deltas, (TWINS[kind](z + 1e-6) - TWINS[kind](z - 1e-6)) / 2e-6, rtol=1e-8)


def test_the_slope_of_relu_is_one_where_it_lets_through():
    outputs, deltas = np.array([[0.0, 2.0]]), np.array([[3.0, 3.0]])
    fast.multiply_by_slope(fast.RELU, outputs, deltas)
    assert deltas.tolist() == [[0.0, 3.0]]
