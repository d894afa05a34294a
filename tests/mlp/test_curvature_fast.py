"""The layers' curvature against its definition, and what it does to a direction."""

import numpy as np
import pytest

from infoprop.mlp import _curvature
from infoprop.mlp import _curvature_fast as fast
from reference.curvature import damped_inverses, factors
from reference.networks import ACTIVATIONS, Rows, compiled_problem, random_network

DAMPING = 0.05


def measured(network, rows, monkeypatch, widest=256):
    """Return the curvature as a training measures it on all rows."""
    monkeypatch.setattr(_curvature, "_FEWEST_PRODUCTS", 0)
    monkeypatch.setattr(_curvature, "_WIDEST_LAYER", widest)
    curvature = _curvature.curvature_for(network.sizes, 300)
    loss = {"softmax": "cross_entropy", "logistic": "squared_error"}[network.output]
    problem, blocks, workspace = compiled_problem(network, rows, loss)
    fast.measure_first_inputs(blocks, curvature, 1)
    fast.measure(network.vector(), problem, blocks, workspace, curvature, 1)
    fast.invert(network.vector(), problem.sizes, curvature, DAMPING)
    return curvature


@pytest.fixture
def rows():
    generator = np.random.default_rng(0)
    n = 300
    return Rows(generator.normal(size=(n, 6)), generator.integers(3, size=n), generator.uniform(1, 3, size=n))


@pytest.mark.parametrize("output", ["softmax", "logistic"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_matrices_and_their_inverses_are_those_of_the_definition(rows, activation, output, monkeypatch):
    network = random_network((6, 5, 4, 3), activation, output)
    curvature = measured(network, rows, monkeypatch)
    for layer, (A, G) in enumerate(zip(*factors(network, rows.X, rows.weights), strict=True)):
        a, b = curvature.starts[:, layer], curvature.starts[:, layer + 1]
        np.testing.assert_allclose(curvature.inputs[a[0] : b[0]], A.ravel(), atol=1e-12)
        np.testing.assert_allclose(curvature.outputs[a[1] : b[1]], G.ravel(), atol=1e-12)
        inverses = damped_inverses(A, G, DAMPING)
        np.testing.assert_allclose(curvature.inverse_inputs[a[0] : b[0]], inverses[0].ravel(), rtol=1e-8)
        np.testing.assert_allclose(curvature.inverse_outputs[a[1] : b[1]], inverses[1].ravel(), rtol=1e-8)


def test_a_direction_is_divided_by_the_kronecker_products(rows, monkeypatch):
    network = random_network((6, 5, 3))
    curvature = measured(network, rows, monkeypatch)
    direction = np.random.default_rng(2).normal(size=network.n_weights)
    expected, offset = [], 0
    for A, G in zip(*factors(network, rows.X, rows.weights), strict=True):
        inverse_inputs, inverse_outputs = damped_inverses(A, G, DAMPING)
        part = direction[offset : offset + len(A) * len(G)]
        expected.append(np.kron(inverse_inputs, inverse_outputs) @ part)
        offset += part.size
    fast.precondition(direction, np.array(network.sizes), curvature)
    np.testing.assert_allclose(direction, np.concatenate(expected), rtol=1e-8)


def test_of_a_wide_first_layer_the_diagonal_is_kept(rows, monkeypatch):
    network = random_network((6, 4, 3))
    curvature = measured(network, rows, monkeypatch, widest=5)
    A = factors(network, rows.X, rows.weights)[0][0]
    np.testing.assert_allclose(curvature.inputs[:7], np.diag(A), rtol=1e-12)
    direction = np.ones(network.n_weights)
    fast.precondition(direction, np.array(network.sizes), curvature)
    assert np.isfinite(direction).all()


def test_small_problems_and_very_wide_layers_go_without():
    assert _curvature.curvature_for((4, 3, 2), 1000) is None
    assert _curvature.curvature_for((4, 1000, 2), 1000) is None
    assert _curvature.curvature_for((18, 30, 4), 1000).inputs.size == 19**2 + 31**2
    assert _curvature.curvature_for((1000, 30, 4), 1000).inputs.size == 1001 + 31**2


@pytest.mark.parametrize("n", [1, 47, 48, 97, 181])
def test_a_wide_matrix_is_inverted_by_halves(n):
    rows = np.random.default_rng(0).normal(size=(400, n))
    M = rows.T @ rows / 400 + 0.01 * np.eye(n)
    np.testing.assert_allclose(fast.inverted(M), np.linalg.inv(M), rtol=1e-9, atol=1e-11)
