"""The compiled loss and gradient against the plain ones."""

import numpy as np
import pytest

from infoprop.mlp import _minimiser_fast as fast
from infoprop.mlp._evaluation_fast import cross_entropy
from reference.networks import (
    ACTIVATIONS,
    LOSSES,
    OUTPUTS,
    Network,
    Rows,
    compiled_problem,
    loss_and_gradient,
)


def objective(network, rows, loss, penalty, precision):
    """Evaluate as the trainer does."""
    problem, blocks, workspace = compiled_problem(network, rows, loss, penalty, precision)
    w = network.vector()
    gradient = np.zeros_like(w)
    return fast.objective(w, gradient, problem, blocks, workspace, fast.vectors_for(w.size, blocks)), gradient


@pytest.mark.parametrize(("precision", "digits"), [(np.float64, 1e-13), (np.float32, 1e-5)])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_rows", [1, 40, 300])
def test_loss_and_gradient_are_those_of_the_twin(activation, loss, precision, digits, n_rows):
    generator = np.random.default_rng(n_rows)
    X = generator.normal(size=(n_rows, 7))
    rows = Rows(X, generator.integers(3, size=n_rows), generator.uniform(0.1, 3.0, size=n_rows))
    network = Network.random((7, 5, 4, 3), activation, OUTPUTS[loss], generator)
    value, gradient = objective(network, rows, loss, 0.1, precision)
    expected, expected_gradient = loss_and_gradient(network, X, rows.labels, rows.weights, 0.1)
    assert value == pytest.approx(expected, rel=digits)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=digits, atol=digits)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_certain_rows_keep_their_digits(precision):
    outputs = np.array([[30.0], [0.0], [-3.0]], dtype=precision)
    deltas, line = np.zeros_like(outputs), np.zeros((3, 1), dtype=precision)
    weights, labels = np.ones(1, dtype=precision), np.zeros(1, dtype=np.int32)
    loss = cross_entropy(outputs, deltas, labels, weights, line)
    others = np.exp(-30.0) + np.exp(-33.0)
    assert loss == pytest.approx(others, rel=1e-5)
    assert deltas[0, 0] == pytest.approx(-others, rel=1e-5)


def test_a_hopeless_row_has_a_finite_loss():
    outputs = np.array([[-5000.0], [3000.0]])
    deltas, line = np.zeros_like(outputs), np.zeros((3, 1))
    loss = cross_entropy(outputs, deltas, np.zeros(1, dtype=np.int32), np.ones(1), line)
    assert loss == pytest.approx(8000.0)
    assert deltas[:, 0].tolist() == [-1.0, 1.0]
