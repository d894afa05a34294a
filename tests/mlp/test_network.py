"""The plain statement of a network: shapes, losses, and gradients against finite differences."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.neural_network import MLPClassifier as PeerNetwork

from infoprop.mlp._network import class_outputs
from reference.networks import ACTIVATIONS, Network, forward, loss_and_gradient, random_network


@pytest.fixture
def rows():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 4))
    return X, generator.integers(3, size=30), generator.uniform(0.5, 2.0, size=30)


@pytest.mark.parametrize("output", ["softmax", "logistic"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradient_is_that_of_finite_differences(rows, activation, output):
    network = random_network((4, 5, 3, 3), activation, output)
    error = check_grad(
        lambda w: loss_and_gradient(network.with_vector(w), *rows, 0.1)[0],
        lambda w: loss_and_gradient(network.with_vector(w), *rows, 0.1)[1],
        network.vector(),
        epsilon=1e-7,
    )
    assert error < 1e-5


def test_a_vector_of_weights_and_its_network_are_the_same_thing(rows):
    network = random_network((4, 5, 3))
    again = network.with_vector(network.vector())
    assert again.sizes == (4, 5, 3)
    assert again.vector().tolist() == network.vector().tolist()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_outputs_are_those_of_scikit_learns_network_with_the_same_weights(rows, activation):
    X, labels, _ = rows
    peer = PeerNetwork((6, 4), activation=activation, solver="lbfgs", max_iter=5, random_state=0)
    with pytest.warns(match="failed to converge|ConvergenceWarning|lbfgs"):
        peer.fit(X, labels)
    network = Network(tuple(peer.coefs_), tuple(peer.intercepts_), activation, "softmax")
    outputs = class_outputs(network, forward(network, X)[-1])
    np.testing.assert_allclose(outputs, peer.predict_proba(X), rtol=1e-12)


def test_loss_weighs_rows_by_their_share(rows):
    X, labels, weights = rows
    network = random_network((4, 5, 3), output="logistic")
    loss, gradient = loss_and_gradient(network, X, labels, weights, 0.0)
    again, gradient_again = loss_and_gradient(network, X, labels, 7.0 * weights, 0.0)
    assert again == pytest.approx(loss, rel=1e-14)
    np.testing.assert_allclose(gradient_again, gradient, rtol=1e-12, atol=1e-16)
