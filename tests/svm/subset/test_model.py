import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.svm import OneVsRestSVC
from reference.engine import MovingSVC, moving, split_rows
from reference.evaluators import RefitSubsetModel, evaluator_over, moving_model

N, P = 60, 6
ROWS = np.arange(N)
ESTIMATORS = {
    "linear": OneVsRestSVC(kernel="linear", tol=1e-9),
    "small C": OneVsRestSVC(kernel="linear", tol=1e-13, C=1e-3),
    "scaled": make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", tol=1e-9)),
    "squared hinge": OneVsRestSVC(kernel="linear", loss="squared_hinge", tol=1e-9),
    "rbf": OneVsRestSVC(kernel="rbf", tol=1e-9),
    "rbf in a tiny cache": OneVsRestSVC(kernel="rbf", tol=1e-9, cache_size=1e-3),
    "poly": OneVsRestSVC(kernel="poly", degree=2, coef0=1.0, tol=1e-9),
}


def labelled(seed=0, n=N, n_columns=P):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    return rng.normal(size=(n, n_columns)) + 1.5 * (y[:, None] == np.arange(n_columns)), y


def evaluator_of(estimator, X, y, splits=None):
    splits = splits or [(ROWS[fold != ROWS % 3], ROWS[fold == ROWS % 3]) for fold in range(3)]
    return evaluator_over(splits, estimator, X, y, n_jobs=1, shares_from_all=len(splits) > 1)


def move(models, columns):
    for model in models:
        gone, come = np.setdiff1d(model.columns, columns), np.setdiff1d(columns, model.columns)
        model.drop(gone)
        model.add(come)
        model.fit()
        np.testing.assert_array_equal(model.columns, columns)


def subsets(seed, count, n_columns=P):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        columns = np.flatnonzero(rng.random(n_columns) < 0.6)
        if len(columns):
            yield columns


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_answers_are_those_of_the_refitting_twin(name, as_rows):
    if name == "scaled" and as_rows is sparse.csr_array:
        pytest.skip("centring needs dense rows")
    X, y = labelled()
    X[np.abs(X) < 0.4] = 0.0
    evaluator = evaluator_of(ESTIMATORS[name], as_rows(X), y)
    model, twin = moving_model(evaluator), RefitSubsetModel(evaluator)
    assert isinstance(model, MovingSVC)
    np.testing.assert_array_equal(model.columns, twin.columns)
    np.testing.assert_array_equal(model.classes, twin.classes)
    for columns in (np.arange(P), *subsets(1, 6)):
        move((model, twin), columns)
        np.testing.assert_allclose(model.credit_shares(), twin.credit_shares(), atol=1e-6)
        for found, expected in zip(model.predict(), twin.predict(), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_class_that_a_split_lacks_counts_as_zeros_there():
    X, y = labelled()
    splits = [(ROWS[y < 2], ROWS[y == 2]), (ROWS[:40], ROWS[40:]), (ROWS[y > 0], ROWS[:0])]
    evaluator = evaluator_of(ESTIMATORS["linear"], X, y, splits)
    model, twin = moving_model(evaluator), RefitSubsetModel(evaluator)
    for columns in subsets(2, 3):
        move((model, twin), columns)
        np.testing.assert_allclose(model.credit_shares(), twin.credit_shares(), atol=1e-6)
        np.testing.assert_allclose(model.credit_shares().sum(axis=1), [2 / 3, 1.0, 2 / 3])
        for found, expected in zip(model.predict(), twin.predict(), strict=True):
            np.testing.assert_array_equal(found, expected)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(["linear", "small C", "squared hinge", "rbf"]))
def test_random_walks_end_where_the_twin_stands(seed, name):
    X, y = labelled(seed)
    evaluator = evaluator_of(ESTIMATORS[name], X, y)
    model, twin = moving_model(evaluator), RefitSubsetModel(evaluator)
    for columns in (np.arange(P), *subsets(seed, 12)):
        move([model], columns)
    move([twin], model.columns)
    np.testing.assert_allclose(model.credit_shares(), twin.credit_shares(), atol=1e-6)
    for found, expected in zip(model.predict(), twin.predict(), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["linear", "squared hinge", "rbf", "rbf in a tiny cache"])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_what_follows_a_snapshot_follows_from_it_bit_for_bit(name, as_rows):
    X, y = labelled()
    evaluator = evaluator_of(ESTIMATORS[name], as_rows(X), y)
    model = moving_model(evaluator)
    for columns in subsets(3, 4):
        move([model], columns)
    snapshot = {name: np.array(value) for name, value in model.snapshot().items()}
    other = moving_model(evaluator)
    other.restore(model.columns.copy(), snapshot)
    np.testing.assert_array_equal(other.columns, model.columns)
    for columns in subsets(4, 4):
        move((model, other), columns)
        np.testing.assert_array_equal(model.machines.beta, other.machines.beta)
        np.testing.assert_array_equal(model.credit_shares(), other.credit_shares())
        for found, expected in zip(model.predict(), other.predict(), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_snapshot_is_not_touched_by_what_follows():
    model = moving_model(evaluator_of(ESTIMATORS["linear"], *labelled()))
    model.fit()
    snapshot = model.snapshot()["beta"]
    before = snapshot.copy()
    move([model], np.array([0, 3]))
    np.testing.assert_array_equal(snapshot, before)


@pytest.mark.parametrize(
    ("parameters", "n", "n_columns", "as_rows", "kind"),
    [
        ({"kernel": "linear"}, 40, 3, np.asarray, "GramMachines"),
        ({"kernel": "linear"}, 300, 400, np.asarray, "GramMachines"),
        ({"kernel": "linear"}, 300, 30, np.asarray, "RowMachines"),
        ({"kernel": "linear"}, 40, 3, sparse.csr_array, "RowMachines"),
        ({"kernel": "linear", "cache_size": 0.1}, 300, 400, np.asarray, "WarmMachines"),
        ({"kernel": "linear", "loss": "squared_hinge"}, 40, 3, np.asarray, "NewtonMachines"),
        ({"kernel": "linear", "loss": "squared_hinge"}, 40, 50, np.asarray, "GramMachines"),
        ({"kernel": "linear", "loss": "squared_hinge"}, 40, 3, sparse.csr_array, "WarmMachines"),
        (
            {"kernel": "linear", "loss": "squared_hinge", "cache_size": 0.01},
            300,
            30,
            np.asarray,
            "WarmMachines",
        ),
        ({"kernel": "rbf"}, 40, 3, np.asarray, "KernelMachines"),
        ({"kernel": "rbf", "cache_size": 0.01}, 40, 3, np.asarray, "WarmMachines"),
    ],
)
def test_the_fastest_machines_that_fit_are_chosen(parameters, n, n_columns, as_rows, kind):
    X, y = labelled(0, n, n_columns)
    rows = np.arange(n)
    model = moving(OneVsRestSVC(**parameters), [split_rows(as_rows(X), y, rows[:-5], rows[-5:])])
    assert type(model.machines).__name__ == kind
    assert (model.eliminating_machines is model.machines) == (kind != "WarmMachines")


def test_threads_are_those_of_the_classifier_unless_given():
    X, y = labelled()
    splits = [split_rows(X, y, ROWS[:40], ROWS[40:])]
    estimator = OneVsRestSVC(kernel="linear", n_jobs=2)
    assert MovingSVC(estimator, splits, np.unique(y), 3).machines.n_threads == 2
    assert MovingSVC(estimator, splits, np.unique(y), 3, n_jobs=1).machines.n_threads == 1


def test_wrong_parameters_are_refused_before_any_work():
    X, y = labelled()
    with pytest.raises(ValueError, match="'C'"):
        moving(OneVsRestSVC(kernel="linear", C=-1.0), [split_rows(X, y, ROWS[:40], ROWS[40:])])
