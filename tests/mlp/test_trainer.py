"""Training of given networks: it goes down, it ends flat, and it depends on nothing but what it is given."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from infoprop.mlp import _trainer as trainer
from infoprop.mlp._trainer import Settings, train
from reference.networks import Rows, loss_and_gradient, random_network


def iris():
    X, y = load_iris(return_X_y=True)
    return Rows(scale(X), y, np.ones(y.size))


def network(rows, hidden=5, seed=0, output="softmax", activation="tanh"):
    sizes = (rows.X.shape[1], hidden, int(rows.labels.max()) + 1)
    return random_network(sizes, activation, output, seed)


def same(first, second):
    return all(
        np.array_equal(a, b)
        for a, b in zip(first.coefs + first.intercepts, second.coefs + second.intercepts, strict=True)
    )


@pytest.mark.parametrize(("loss", "output"), [("cross_entropy", "softmax"), ("squared_error", "logistic")])
@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
def test_a_trained_network_is_flat_and_its_loss_is_the_twins(loss, output, activation):
    rows = iris()
    (result,) = train(
        [network(rows, output=output, activation=activation)], rows, Settings(loss=loss, alpha=1.0, tol=1e-9)
    )
    value, gradient = loss_and_gradient(result.network, rows.X, rows.labels, rows.weights, 1.0 / 150)
    assert result.converged
    assert result.loss == pytest.approx(value, rel=1e-12)
    # A minimum of a network with kinks may lie in one, where no gradient is flat.
    assert activation == "relu" or np.abs(gradient).max() < 1e-6
    assert (np.diff(result.loss_curve) <= 0).all()
    assert len(result.loss_curve) == result.n_iter + 1


def test_training_ends_as_low_as_scipys_from_the_same_start():
    rows = iris()
    start = network(rows, hidden=3)
    (result,) = train([start], rows, Settings(alpha=1.0, tol=1e-8))
    peer = minimize(
        lambda w: loss_and_gradient(start.with_vector(w), rows.X, rows.labels, rows.weights, 1.0 / 150),
        start.vector(),
        jac=True,
        method="L-BFGS-B",
        options={"gtol": 1e-8, "ftol": 1e-15, "maxiter": 5000},
    )
    assert result.loss <= peer.fun * (1 + 1e-6)


@pytest.mark.parametrize("hidden", [4, 40])
@pytest.mark.parametrize("n_copies", [1, 40])
def test_every_size_of_problem_ends_flat(hidden, n_copies):
    rows = iris()
    noise = np.random.default_rng(0).normal(scale=0.1, size=(150 * n_copies, 4))
    rows = rows.take(np.tile(np.arange(150), n_copies))
    rows = Rows(rows.X + noise, rows.labels, rows.weights)
    (result,) = train([network(rows, hidden)], rows, Settings(alpha=1.0))
    value, gradient = loss_and_gradient(
        result.network, rows.X, rows.labels, rows.weights, 1.0 / rows.labels.size
    )
    assert result.converged
    assert result.loss == pytest.approx(value, rel=1e-12)
    assert np.abs(gradient).max() <= 1e-4 or gain_of_a_step(result.loss_curve) <= 1e-4


def gain_of_a_step(loss_curve):
    """Return what each of the last twenty steps has gained in the mean, as a part of the loss."""
    return (loss_curve[-21] - loss_curve[-1]) / 20 / loss_curve[-1]


def test_a_plateau_ends_a_training_and_steps_before_it_did_gain():
    rows = iris()
    rows = Rows(rows.X, np.random.default_rng(0).permutation(rows.labels), rows.weights)
    (result,) = train([network(rows)], rows, Settings(tol=1e-3))
    _, gradient = loss_and_gradient(result.network, rows.X, rows.labels, rows.weights, 1e-4 / 150)
    assert result.converged
    assert np.abs(gradient).max() > 1e-3
    assert gain_of_a_step(result.loss_curve) <= 1e-3 < gain_of_a_step(result.loss_curve[:-1])


def test_threads_change_nothing():
    rows = iris()
    starts = [network(rows, seed=seed) for seed in range(4)]
    alone = train(starts, rows, Settings(n_jobs=1))
    together = train(starts, rows, Settings(n_jobs=3))
    assert all(same(a.network, b.network) for a, b in zip(alone, together, strict=True))


def test_training_leaves_the_given_networks_as_they_are():
    rows = iris()
    start = network(rows)
    before = start.vector()
    train([start], rows, Settings())
    assert np.array_equal(start.vector(), before)


def test_single_precision_comes_first_only_and_ends_where_double_does(monkeypatch):
    rows = iris()
    settings = Settings(alpha=1.0, tol=1e-9)
    (double,) = train([network(rows)], rows, settings)
    monkeypatch.setattr(trainer, "_PRODUCTS_FOR_SINGLE", 0)
    (mixed,) = train([network(rows)], rows, settings)
    value, gradient = loss_and_gradient(mixed.network, rows.X, rows.labels, rows.weights, 1.0 / 150)
    assert mixed.loss == pytest.approx(value, rel=1e-12)
    assert np.abs(gradient).max() < 1e-6
    assert mixed.loss == pytest.approx(double.loss, rel=0.05)


def test_stopping_for_interrupts_loses_nothing(monkeypatch):
    rows = iris()
    (whole,) = train([network(rows)], rows, Settings())
    monkeypatch.setattr(trainer, "_WORK_BETWEEN_LOOKS", 1.0)
    (pieces,) = train([network(rows)], rows, Settings())
    assert same(whole.network, pieces.network)


def test_a_row_of_weight_two_is_two_rows():
    rows = iris()
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(150), weights.astype(int))
    settings = Settings(alpha=1.0, tol=1e-9)
    (weighted,) = train([network(rows)], Rows(rows.X, rows.labels, weights), settings)
    (repeated,) = train([network(rows)], rows.take(twice), settings)
    np.testing.assert_allclose(weighted.network.vector(), repeated.network.vector(), rtol=1e-5, atol=1e-6)


def test_validation_rows_end_a_training_at_their_lowest_loss():
    X, y = load_wine(return_X_y=True)
    X = np.random.default_rng(0).normal(size=X.shape)
    rows = Rows(X, y, np.ones(y.size))
    kept, held_out = np.arange(0, 178, 2), np.arange(1, 178, 2)
    (result,) = train([network(rows)], rows.take(kept), Settings(patience=5), rows.take(held_out))
    (further,) = train([network(rows)], rows.take(kept), Settings())
    lowest = int(result.validation_curve.argmin())
    assert result.n_iter == lowest + 6 < further.n_iter
    assert result.loss == result.loss_curve[lowest]
    value, _ = loss_and_gradient(result.network, X[held_out], y[held_out], np.ones(89), 0.0)
    assert result.validation_loss == pytest.approx(value, rel=1e-12)


def test_a_training_cut_short_says_so():
    rows = iris()
    (result,) = train([network(rows)], rows, Settings(max_iter=3))
    assert result.n_iter == 3
    assert not result.converged


def test_a_network_that_is_flat_already_stays():
    rows = iris()
    (first,) = train([network(rows)], rows, Settings(alpha=1.0))
    (second,) = train([first.network], rows, Settings(alpha=1.0))
    assert second.n_iter == 0
    assert same(first.network, second.network)


def test_columns_and_rows_can_be_taken():
    rows = iris()
    part = rows.on(np.array([2, 0])).take(np.array([5, 7]))
    assert part.X.tolist() == rows.X[[5, 7]][:, [2, 0]].tolist()
