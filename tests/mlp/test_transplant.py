import numpy as np
import pytest
from scipy import sparse

from infoprop.mlp._transplant import Columns, calmed, transplanted
from reference.networks import forward, random_network

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 6)) * [1.0, 5.0, 0.1, 1.0, 2.0, 1.0] + [0.0, 10.0, -1.0, 3.0, 0.0, 0.0]
WEIGHTS = RNG.uniform(0.5, 2.0, 80)
COLUMNS = Columns.of(X, WEIGHTS)
SEEDS = (7, 3, 0)


def network(n_columns, activation="tanh", output="softmax", scale=1.0):
    drawn = random_network((n_columns, 5, 3), activation, output)
    return drawn.with_vector(drawn.vector() * scale)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_columns_are_measured_with_weights(container):
    found = Columns.of(container(X), WEIGHTS)
    mean = np.average(X, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-7)
    expected = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=WEIGHTS))
    np.testing.assert_array_equal(found.mean, COLUMNS.mean)
    np.testing.assert_array_equal(found.deviation, COLUMNS.deviation)
    np.testing.assert_allclose(found.deviation, expected, rtol=1e-7)


def test_columns_that_stay_keep_their_weights_and_the_other_layers_are_untouched():
    before, after = np.array([0, 2, 3, 5]), np.array([0, 1, 3, 4])
    old = network(4)
    new = transplanted(old, before, after, COLUMNS, SEEDS)
    np.testing.assert_array_equal(new.coefs[0][[0, 2]], old.coefs[0][[0, 2]])
    assert new.coefs[1] is old.coefs[1]
    assert new.intercepts[1] is old.intercepts[1]
    assert (new.activation, new.output) == (old.activation, old.output)


def test_a_column_that_goes_leaves_its_mean_behind():
    old = network(6)
    new = transplanted(old, np.arange(6), np.array([0, 2, 4, 5]), COLUMNS, SEEDS)
    filled = X.copy()
    filled[:, [1, 3]] = COLUMNS.mean[[1, 3]]
    np.testing.assert_allclose(forward(new, X[:, [0, 2, 4, 5]])[-1], forward(old, filled)[-1], rtol=1e-9)


def test_a_column_that_comes_begins_small_whatever_its_unit():
    new = transplanted(network(3), np.array([0, 3, 5]), np.arange(6), COLUMNS, SEEDS)
    contributed = new.coefs[0][[1, 2, 4]] * COLUMNS.deviation[[1, 2, 4], None]
    assert (np.abs(contributed) <= 0.1).all()
    assert (contributed != 0.0).all()


def test_what_comes_depends_on_the_seeds_and_the_column_alone():
    old = network(3)
    once = transplanted(old, np.array([0, 3, 5]), np.arange(6), COLUMNS, SEEDS)
    again = transplanted(old, np.array([0, 3, 5]), np.array([0, 3, 4, 5]), COLUMNS, SEEDS)
    later = transplanted(old, np.array([0, 3, 5]), np.array([0, 3, 4, 5]), COLUMNS, (7, 4, 0))
    np.testing.assert_array_equal(again.coefs[0][2], once.coefs[0][4])
    assert (later.coefs[0][2] != again.coefs[0][2]).all()
    assert (once.coefs[0][1] != once.coefs[0][2]).all()


def test_a_constant_column_comes_without_weights():
    rows = X.copy()
    rows[:, 4] = 0.3
    new = transplanted(network(1), np.array([0]), np.array([0, 4]), Columns.of(rows, np.ones(80)), SEEDS)
    np.testing.assert_array_equal(new.coefs[0][1], np.zeros(5))


@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_no_unit_receives_more_than_it_can_respond_to(activation, scale):
    old = network(6, activation, scale=scale)
    new = calmed(old, X, WEIGHTS)
    for k in range(2):
        received = _received(new, X, k)
        size = np.sqrt(np.average(received**2, axis=0, weights=WEIGHTS))
        assert (size <= 0.5 * (1 + 1e-12)).all()
        ratio = new.coefs[k] / old.coefs[k]
        np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape), rtol=1e-12)
        assert (ratio <= 1.0).all()
    if scale == 0.01:
        np.testing.assert_array_equal(new.coefs[1], old.coefs[1])


def _received(network, rows, k):
    if k == len(network.coefs) - 1:
        return forward(network, rows)[-1]
    return rows @ network.coefs[0] + network.intercepts[0]
