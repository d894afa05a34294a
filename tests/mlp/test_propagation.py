import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infoprop.exceptions import DataError
from infoprop.mlp import _propagation
from infoprop.mlp._propagation import propagated_shares
from reference import propagation as reference
from reference.networks import Layer

HIDDEN = ("identity", "logistic", "tanh", "relu")
OUTPUT = ("identity", "logistic", "softmax", "log_softmax")


def network(widths, activations, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    return [
        Layer(rng.normal(size=(a, b)) * scale, rng.normal(size=b) * 0.3, activation)
        for a, b, activation in zip(widths, widths[1:], activations, strict=False)
    ]


def rows(n=200, d=4, seed=1):
    return np.random.default_rng(seed).normal(size=(n, d)) * np.arange(1.0, d + 1)


@pytest.mark.parametrize("output", OUTPUT)
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("widths", [(4, 3), (4, 5, 3), (4, 5, 3, 2), (4, 1, 1)], ids=str)
def test_the_shares_are_those_of_the_equation_unit_by_unit(widths, hidden, output):
    layers = network(widths, [hidden] * (len(widths) - 2) + [output])
    X = rows()
    expected = reference.propagated_shares(layers, X)
    np.testing.assert_allclose(propagated_shares(layers, X), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("block_entries", [1, 97, 2**20])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_blocks_sparse_rows_and_weights_change_nothing(monkeypatch, block_entries, container):
    layers = network((6, 5, 3), ("tanh", "softmax"))
    X = np.where(rows(150, 6) > 1.0, rows(150, 6), 0.0)
    X[:, 2] += 3.0
    weights = np.random.default_rng(2).integers(0, 4, 150).astype(float)
    expected = reference.propagated_shares(layers, X, weights)
    monkeypatch.setattr(_propagation, "_BLOCK_ENTRIES", block_entries)
    np.testing.assert_allclose(propagated_shares(layers, container(X), weights), expected, rtol=1e-9)


def test_a_weight_of_two_is_the_row_twice_and_their_size_does_not_matter():
    layers = network((4, 5, 2), ("relu", "logistic"))
    X = rows(60)
    weights = np.arange(60) % 3
    repeated = propagated_shares(layers, np.repeat(X, weights, axis=0))
    for factor in (1.0, 1e-200, 1e200):
        np.testing.assert_allclose(propagated_shares(layers, X, weights * factor), repeated, rtol=1e-10)


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 6), min_size=2, max_size=5),
    st.sampled_from(HIDDEN),
    st.sampled_from(OUTPUT),
    st.floats(1e-3, 30.0),
)
@settings(max_examples=60)
def test_rows_sum_to_one_or_are_zero_where_the_output_is_constant(seed, widths, hidden, output, scale):
    layers = network(widths, [hidden] * (len(widths) - 2) + [output], seed, scale)
    X = np.random.default_rng(seed).normal(size=(30, widths[0]))
    shares = propagated_shares(layers, X)
    outputs = X
    for layer in layers:
        outputs = layer.outputs(outputs)
    # Squares of smaller numbers are zero.
    varies = np.ptp(outputs, axis=0) > np.maximum(1e-12 * np.abs(outputs).max(axis=0), 1e-140)
    assert (shares >= 0.0).all()
    totals = shares.sum(axis=1)
    # Up to the rounding of a sum of six.
    np.testing.assert_allclose(totals[varies], 1.0, rtol=2e-15)
    assert set(totals[~varies].round(12)) <= {0.0, 1.0}


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [0.0, 0.1, -7.3e5])
@pytest.mark.parametrize("n_rows", [7, 4001])
def test_a_constant_input_gets_nothing(container, value, n_rows):
    layers = network((4, 5, 3), ("tanh", "softmax"))
    layers[0].weights[1] *= 1e-6
    X = rows(n_rows)
    X[:, 1] = value
    shares = propagated_shares(layers, container(X))
    assert not shares[:, 1].any()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-15)


@pytest.mark.parametrize(("activation", "intercept"), [("relu", -1e3), ("tanh", 500.0), ("logistic", 900.0)])
def test_a_dead_unit_passes_nothing_on(activation, intercept):
    layers = network((4, 3, 2), (activation, "logistic"))
    layers[0].intercepts[1] = intercept
    X = rows()
    without = [
        Layer(layers[0].weights[:, [0, 2]], layers[0].intercepts[[0, 2]], activation),
        Layer(
            layers[1].weights[[0, 2]],
            layers[1].intercepts + layers[1].weights[1] * (activation != "relu"),
            "logistic",
        ),
    ]
    np.testing.assert_allclose(propagated_shares(layers, X), propagated_shares(without, X), rtol=1e-9)


@pytest.mark.parametrize("n_rows", [1, 50])
@pytest.mark.parametrize("output", OUTPUT)
def test_a_dead_network_has_no_shares(n_rows, output):
    layers = network((4, 3, 2), ("relu", output))
    layers[0].intercepts[:] = -1e6
    shares = propagated_shares(layers, rows(n_rows))
    np.testing.assert_array_equal(shares, np.zeros((2, 4)))


def test_a_single_output_may_be_constant():
    layers = network((4, 3, 2), ("tanh", "logistic"))
    layers[1].weights[:, 0] = 0.0
    shares = propagated_shares(layers, rows())
    assert not shares[0].any()
    assert shares[1].sum() == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("output", ["softmax", "log_softmax"])
def test_what_a_softmax_does_not_see_its_shares_do_not_see(output):
    layers = network((4, 5, 3), ("tanh", output))
    shifted = [layers[0], Layer(layers[1].weights + np.arange(5.0)[:, None], layers[1].intercepts, output)]
    np.testing.assert_allclose(
        propagated_shares(shifted, rows()), propagated_shares(layers, rows()), rtol=1e-9
    )


def test_a_softmax_of_two_shares_like_the_logistic_of_their_difference():
    hidden, softmax = network((4, 5, 2), ("tanh", "softmax"))
    logistic = Layer(np.diff(softmax.weights, axis=1), np.diff(softmax.intercepts), "logistic")
    both = propagated_shares([hidden, softmax], rows())
    one = propagated_shares([hidden, logistic], rows())
    np.testing.assert_allclose(both, np.repeat(one, 2, axis=0), rtol=1e-9)


def test_a_class_that_wins_between_two_others_shares_evenly_among_what_varies():
    W = np.array([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [3.0, 0.0, -3.0]])
    X = rows(50, 3)
    X[:, 2] = 1.0
    shares = propagated_shares([Layer(W, np.zeros(3), "softmax")], X)
    np.testing.assert_array_equal(shares[1], [0.5, 0.5, 0.0])


def test_a_covariance_that_is_rounding_is_none():
    uncorrelated = np.array([[-1.0, -0.1], [-1.0, 0.1], [1.0, -0.1], [1.0, 0.1]] * 25) + 0.3
    # The second input moves nothing that the first does not: only rounding speaks for it.
    layers = [Layer(np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2), "identity")]
    layers.append(Layer(np.array([[1.0], [0.0]]), np.zeros(1), "identity"))
    layers.append(Layer(np.array([[1.0]]), np.zeros(1), "tanh"))
    assert propagated_shares(layers, uncorrelated).tolist() == [[1.0, 0.0]]
    layers[0] = Layer(np.array([[1.0, 0.0], [1e-30, 1.0]]), np.zeros(2), "identity")
    assert propagated_shares(layers, uncorrelated).tolist() == [[1.0, 0.0]]


def test_an_offset_costs_no_digits():
    layers = network((4, 5, 3), ("tanh", "logistic"))
    X = rows()
    far = X + 1e6
    moved = Layer(layers[0].weights, layers[0].intercepts - 1e6 * layers[0].weights.sum(axis=0), "tanh")
    np.testing.assert_allclose(
        propagated_shares([moved, layers[1]], far), propagated_shares(layers, X), rtol=1e-6
    )


def test_weights_are_checked():
    with pytest.raises(DataError, match="one weight per row"):
        propagated_shares(network((4, 3), ("logistic",)), rows(5), np.ones(4))
