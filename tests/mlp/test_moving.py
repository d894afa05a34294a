"""Networks that are moved: the obligations of a subset model, and that short trainings suffice."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from infoprop.exceptions import ParameterError
from infoprop.mlp import MLPClassifier, _moving
from infoprop.mlp._moving import MovingMLP
from reference.engine import SplitRows
from reference.networks import Network, loss_and_gradient
from reference.wine import X, Y

ROWS = np.arange(len(Y))
WEIGHTS = np.random.default_rng(0).uniform(0.2, 3.0, len(Y))
WALK = [([], [3, 8]), ([3], [0, 1]), ([0], [5]), ([5], [0]), ([], [2, 4, 6])]


def split_rows(rows=X, y=Y, weights=None, n_splits=2):
    weights = np.ones(len(y)) if weights is None else weights
    parts = [(ROWS[k != ROWS % 3], ROWS[k == ROWS % 3]) for k in range(n_splits)]
    return [
        SplitRows(rows[train], y[train], weights[train], rows[test], y[test], weights[test])
        for train, test in parts
    ]


def perceptron(**parameters):
    return MLPClassifier(**({"hidden_layer_sizes": (4,), "alpha": 0.01, "random_state": 5} | parameters))


def moving(splits=None, n_jobs=None, **parameters):
    splits = split_rows() if splits is None else splits
    classes = np.unique(np.concatenate([split.y for split in splits]))
    return MovingMLP(perceptron(**parameters), splits, classes, n_jobs)


def move(model, come, gone):
    model.add(np.array(come, dtype=int))
    model.drop(np.array(gone, dtype=int))
    model.fit()


def answers(model):
    return [model.columns, model.credit_shares(), *model.predict()]


def assert_same_bits(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def losses(model, splits):
    """What each split's network minimises, where it stands."""
    found = []
    for network, split in zip(model._networks, splits, strict=True):
        labels = np.searchsorted(np.unique(split.y), split.y)
        penalty = 0.01 / split.weights.sum()
        rows = split.X[:, model.columns]
        found.append(loss_and_gradient(network, rows, labels, split.weights, penalty)[0])
    return np.array(found)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("n_starts", [1, 3])
def test_the_first_training_is_that_of_the_classifier(loss, n_starts):
    splits = split_rows(weights=WEIGHTS)
    model = moving(splits, loss=loss, n_starts=n_starts)
    assert_same_bits([model.columns, model.classes], [np.arange(13), np.arange(3)])
    model.fit()
    fitted = [
        perceptron(loss=loss, n_starts=n_starts).fit(split.X, split.y, sample_weight=split.weights)
        for split in splits
    ]
    for network, classifier in zip(model._networks, fitted, strict=True):
        assert_same_bits(network.coefs, classifier.coefs_)
    for found, classifier, split in zip(model.predict(), fitted, splits, strict=True):
        np.testing.assert_array_equal(found, classifier.predict(split.X_test))
    expected = [c.credit_shares(s.X_test, s.test_weights) for c, s in zip(fitted, splits, strict=True)]
    np.testing.assert_allclose(model.credit_shares(), np.mean(expected, axis=0), rtol=1e-12)


@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_snapshot_is_all_that_the_future_depends_on(early_stopping):
    parameters = {"early_stopping": early_stopping, "validation": 0.2}
    first = moving(**parameters)
    first.fit()
    for come, gone in WALK[:3]:
        move(first, come, gone)
    kept = {name: np.array(value) for name, value in first.snapshot().items()}
    second = moving(**(parameters | {"random_state": 99}))
    second.restore(first.columns, kept)
    for come, gone in WALK[3:]:
        for model in (first, second):
            move(model, come, gone)
        assert_same_bits(answers(second), answers(first))
    assert_same_bits(second.snapshot().values(), first.snapshot().values())


def test_a_snapshot_may_be_taken_between_a_move_and_its_training():
    first, second, undisturbed = moving(), moving(), moving()
    for model in (first, undisturbed):
        model.fit()
        model.drop(np.array([1, 7]))
    second.restore(first.columns, first.snapshot())
    for model in (first, second, undisturbed):
        model.fit()
    assert_same_bits(answers(first), answers(undisturbed))
    assert_same_bits(answers(second), answers(undisturbed))


def test_the_snapshot_is_a_copy():
    model = moving()
    model.fit()
    kept = model.snapshot()
    before = {name: np.array(value) for name, value in kept.items()}
    move(model, [], [0])
    assert_same_bits(kept.values(), before.values())


@pytest.mark.parametrize("n_splits", [1, 2])
def test_any_number_of_threads_gives_the_same_bits(n_splits):
    models = [moving(split_rows(n_splits=n_splits), n_jobs, n_starts=2) for n_jobs in (1, 2, 3)]
    models.append(moving(split_rows(n_splits=n_splits), n_starts=2, n_jobs=None))
    for model in models:
        model.fit()
        for come, gone in WALK:
            move(model, come, gone)
    for model in models[1:]:
        assert_same_bits(answers(model), answers(models[0]))


def test_a_column_that_comes_and_goes_before_the_training_leaves_no_trace():
    model, straight = moving(), moving()
    for one in (model, straight):
        one.drop(np.arange(6, 13))
        one.fit()
    model.add(np.array([9]))
    model.drop(np.array([9]))
    for one in (model, straight):
        one.drop(np.array([2]))
        one.fit()
    assert_same_bits(answers(model), answers(straight))


@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
def test_short_trainings_along_a_walk_end_as_low_as_long_ones_from_nothing(activation, loss):
    splits = split_rows()
    model = moving(splits, activation=activation, loss=loss)
    model.drop(np.arange(6, 13))
    model.fit()
    rng = np.random.default_rng(1)
    moved, cold = [], []
    for _ in range(12):
        leaving = rng.choice(model.columns)
        arriving = rng.choice(np.setdiff1d(np.arange(13), model.columns))
        move(model, [arriving], [leaving])
        moved.append(losses(model, splits))
        anew = moving(splits, activation=activation, loss=loss)
        anew.drop(np.setdiff1d(np.arange(13), model.columns))
        anew.fit()
        cold.append(losses(anew, splits))
    nothing_said = np.log(3) if loss == "cross_entropy" else 1 / 3
    assert np.mean(moved) < np.mean(cold) + 0.05 * nothing_said
    assert (np.array(moved) < 0.3 * nothing_said).all()


def test_saturated_networks_learn_again():
    splits = split_rows(n_splits=1)
    model = moving(splits)
    model.drop(np.arange(5, 13))
    model.fit()
    network = model._networks[0]
    loud = network.with_vector(network.vector() * 1e3)
    model._networks = [loud]
    move(model, [12], [0])
    anew = moving(splits)
    anew.drop(np.setdiff1d(np.arange(13), model.columns))
    anew.fit()
    assert losses(model, splits)[0] < losses(anew, splits)[0] + 0.1


@pytest.mark.parametrize(("gone", "is_new"), [(np.arange(6), False), (np.arange(7), True), ([], False)])
def test_networks_that_keep_little_start_anew(monkeypatch, gone, is_new):
    model = moving(split_rows(n_splits=1))
    model.fit()
    seen = []
    monkeypatch.setattr(_moving, "transplanted", partial(_noted, seen, _moving.transplanted))
    move(model, [], gone)
    assert seen == ([] if is_new else [len(model.columns)])


def _noted(seen, function, network, before, after, *rest):
    seen.append(len(after))
    return function(network, before, after, *rest)


def test_sparse_rows_answer_as_dense_ones():
    rows = np.where(X > 0.3, X, 0.0)
    dense, csr = moving(split_rows(rows)), moving(split_rows(sparse.csr_array(rows)))
    for model in (dense, csr):
        model.fit()
        for come, gone in WALK:
            move(model, come, gone)
    np.testing.assert_allclose(csr.credit_shares(), dense.credit_shares(), rtol=1e-9, atol=1e-12)
    assert_same_bits(csr.predict(), dense.predict())


def test_splits_that_learn_fewer_classes_or_test_no_rows():
    two = Y < 2
    none = np.zeros((0, 13))
    splits = [
        SplitRows(X[two], Y[two], np.ones(two.sum()), X[::3], Y[::3], np.ones(60)),
        SplitRows(X, Y, np.ones(178), none, np.zeros(0, dtype=int), np.zeros(0)),
    ]
    model = moving(splits)
    model.fit()
    move(model, [], [0, 1])
    np.testing.assert_allclose(model.credit_shares().sum(axis=1), [1.0, 1.0, 0.5], rtol=1e-12)
    first, second = model.predict()
    assert set(first) <= {0, 1}
    assert len(second) == 0


def test_test_weights_count_in_the_shares():
    marked = np.where(ROWS % 2 == 0, 2.0, 0.0)
    [split] = split_rows(n_splits=1)
    test = ROWS[ROWS % 3 == 0]
    weighted = SplitRows(split.X, split.y, split.weights, split.X_test, split.truth, marked[test])
    used = test[test % 2 == 0]
    cut = SplitRows(split.X, split.y, split.weights, X[used], Y[used], np.ones(len(used)))
    found = []
    for rows in (weighted, cut):
        model = moving([rows])
        model.fit()
        found.append(model.credit_shares())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_a_random_state_is_left_as_it_was():
    state = np.random.RandomState(3)
    models = [MovingMLP(perceptron(random_state=state), split_rows(), np.arange(3)) for _ in range(2)]
    for model in models:
        model.fit()
    assert_same_bits(answers(models[0]), answers(models[1]))
    assert state.randint(2**31) == np.random.RandomState(3).randint(2**31)
    drawn = [moving(random_state=None)._seed for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_short_trainings_are_no_reason_to_warn(recwarn):
    model = moving(tol=0.0, max_iter=20)
    model.fit()
    move(model, [], [0])
    assert not [warning for warning in recwarn if issubclass(warning.category, ConvergenceWarning)]


def test_wrong_parameters_are_refused():
    with pytest.raises(ParameterError, match="activation"):
        moving(activation="sine")


def test_networks_have_the_shape_they_had(monkeypatch):
    model = moving(hidden_layer_sizes=(4, 3))
    model.fit()
    move(model, [], [0, 5])
    other = moving(hidden_layer_sizes=(4, 3))
    other.restore(model.columns, model.snapshot())
    assert [n.sizes for n in other._networks] == [(11, 4, 3, 3)] * 2
    assert isinstance(other._networks[0], Network)
