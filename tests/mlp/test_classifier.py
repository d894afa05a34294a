"""The classifier: what it learns, what it refuses, what stays the same."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier as PeerNetwork
from sklearn.preprocessing import scale

from infoprop.mlp import MLPClassifier
from reference.networks import Network, loss_and_gradient

WINE = (scale(load_wine().data), load_wine().target)


def weights_of(network):
    return np.concatenate([part.ravel() for part in (*network.coefs_, *network.intercepts_)])


def test_the_network_is_kept_in_scikit_learns_layout():
    X, y = WINE
    network = MLPClassifier((4, 3), random_state=0).fit(X, y)
    assert [W.shape for W in network.coefs_] == [(13, 4), (4, 3), (3, 3)]
    assert [b.shape for b in network.intercepts_] == [(4,), (3,), (3,)]
    assert (network.n_layers_, network.n_outputs_, network.out_activation_) == (4, 3, "softmax")
    peer = PeerNetwork((4, 3), activation="tanh", solver="lbfgs").fit(X, y)
    peer.coefs_, peer.intercepts_ = network.coefs_, network.intercepts_
    np.testing.assert_allclose(network.predict_proba(X), peer.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
def test_two_classes_have_two_outputs(loss):
    X, y = WINE
    network = MLPClassifier(3, loss=loss, random_state=0).fit(X, np.where(y == 1, "yes", "no"))
    assert network.n_outputs_ == 2
    assert network.score(X, np.where(y == 1, "yes", "no")) == 1.0
    np.testing.assert_allclose(network.predict_proba(X).sum(axis=1), 1.0)


def test_loss_is_at_most_that_of_the_peer():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    ours, peers = [], []
    for seed in range(5):
        ours.append(MLPClassifier(4, alpha=0.1, random_state=seed).fit(X, y).loss_)
        peer = PeerNetwork(4, activation="tanh", solver="lbfgs", alpha=0.1, max_iter=5000, random_state=seed)
        peers.append(peer.fit(X, y).loss_)
    assert np.median(ours) <= 1.05 * np.median(peers)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
def test_loss_is_what_the_docstring_says(loss):
    X, y = WINE
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=y.size)
    network = MLPClassifier(3, loss=loss, alpha=0.5, random_state=0).fit(X, y, weights)
    output = {"cross_entropy": "softmax", "squared_error": "logistic"}[loss]
    plain = Network(tuple(network.coefs_), tuple(network.intercepts_), "tanh", output)
    expected, _ = loss_and_gradient(plain, X, y, weights, 0.5 / weights.sum())
    assert network.loss_ == pytest.approx(expected, rel=1e-12) == network.loss_curve_[-1]


def test_the_same_seed_gives_the_same_network_on_any_number_of_threads():
    X, y = WINE
    one, three, other = (
        weights_of(MLPClassifier(4, n_starts=4, random_state=seed, n_jobs=n_jobs).fit(X, y))
        for seed, n_jobs in ((0, 1), (0, 3), (1, 1))
    )
    assert np.array_equal(one, three)
    assert not np.array_equal(one, other)


def test_the_best_of_several_starts_is_kept(capsys):
    X, y = WINE
    network = MLPClassifier(2, n_starts=4, validation=None, random_state=0, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in lines]
    assert network.loss_ == pytest.approx(min(losses), rel=1e-5)
    assert lines[int(np.argmin(losses))].endswith("*")


def test_starts_are_ranked_by_rows_they_have_not_seen(capsys):
    X, y = WINE
    MLPClassifier(2, n_starts=4, validation=0.3, random_state=0, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    ranks = [float(line.split("rank ")[1].split(" ")[0]) for line in lines]
    assert lines[int(np.argmin(ranks))].endswith("*")


def test_early_stopping_goes_back_to_the_lowest_validation_loss():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 10))
    y = (X[:, 0] + generator.normal(size=200) > 0).astype(int)
    stopped = MLPClassifier(10, early_stopping=True, validation=0.3, random_state=0).fit(X, y)
    lowest = int(np.argmin(stopped.validation_scores_))
    assert stopped.n_iter_ == lowest + 11
    assert stopped.loss_ == stopped.loss_curve_[lowest]


def test_sparse_rows_give_the_same_network():
    X, y = WINE
    X = np.where(np.abs(X) < 1, 0.0, X)
    dense = MLPClassifier(4, random_state=0).fit(X, y)
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        thin = MLPClassifier(4, random_state=0).fit(kind(X), y)
        assert np.array_equal(weights_of(dense), weights_of(thin))
        np.testing.assert_allclose(dense.predict_proba(X), thin.predict_proba(kind(X)), rtol=1e-12)


def test_warm_start_goes_on_where_the_network_stood():
    X, y = WINE
    network = MLPClassifier(4, alpha=1.0, random_state=0, warm_start=True).fit(X, y)
    before = weights_of(network)
    network.fit(X, y)
    assert network.n_iter_ == 0
    assert np.array_equal(weights_of(network), before)
    assert network.set_params(hidden_layer_sizes=5).fit(X, y).coefs_[0].shape == (13, 5)


def test_rows_of_weight_zero_are_absent():
    X, y = WINE
    weights = (np.arange(y.size) % 4 != 0).astype(float)
    some = MLPClassifier(4, random_state=0).fit(X, y, weights)
    rest = MLPClassifier(4, random_state=0).fit(X[weights > 0], y[weights > 0])
    assert np.array_equal(weights_of(some), weights_of(rest))


def test_a_training_cut_short_warns():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        MLPClassifier(max_iter=2, random_state=0).fit(*WINE)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"hidden_layer_sizes": ()}, "hidden_layer_sizes"),
        ({"hidden_layer_sizes": (3, 0)}, "hidden_layer_sizes"),
        ({"hidden_layer_sizes": "3"}, "hidden_layer_sizes"),
        ({"activation": "identity"}, "'tanh', 'logistic', 'relu'"),
        ({"loss": "hinge"}, "squared_error"),
        ({"alpha": -1.0}, "alpha"),
        ({"n_starts": 0}, "n_starts"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1e-3}, "tol"),
        ({"early_stopping": 1}, "early_stopping"),
        ({"early_stopping": True, "validation": None}, "with early_stopping=True"),
        ({"validation": 1.0}, "validation"),
        ({"warm_start": "yes"}, "warm_start"),
        ({"retrain": "hot"}, "'warm', 'cold'"),
    ],
)
def test_wrong_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        MLPClassifier(**parameters).fit(*WINE)


@pytest.mark.parametrize("shape", [(2000, 5), (100, 100)])
def test_columns_far_from_zero_leave_no_singular_matrix(shape):
    # Products of the inputs are one number, up to rounding: damping was lost beside them.
    X = 1e12 + np.random.default_rng(0).normal(size=shape)
    y = np.arange(shape[0]) % 2
    network = MLPClassifier((30, 30), random_state=0).fit(X, y)
    assert np.isfinite(network.loss_)
    assert np.isfinite(network.predict_proba(X)).all()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes"):
        MLPClassifier().fit(WINE[0], np.zeros(178))


def test_shares_of_the_features_sum_to_one():
    X, y = WINE
    shares = MLPClassifier(4, random_state=0).fit(X, y).credit_shares(X)
    assert shares.shape == (3, 13)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_a_network_larger_than_memory_is_refused_before_it_is_made():
    X, y = np.zeros((4, 3)), np.array([0, 1, 0, 1])
    message = r"'hidden_layer_sizes' parameter of MLPClassifier asks for a network of 600,000,000,002 weights"
    with pytest.raises(ValueError, match=message):
        MLPClassifier((10**11,)).fit(X, y)
