import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

from infoprop.svm import OneVsRestSVC
from reference.eliminations import drop_worst
from reference.engine import NO_OPTIMUM, machines_over, split_rows
from reference.moving import cold

STORES = pytest.mark.parametrize("store", ["gram", "rows"])
LINEAR = OneVsRestSVC(kernel="linear")


def labelled(seed, n=40, n_columns=6, n_classes=3):
    """Rows with some signal in the first columns."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, n_columns))
    for label in range(min(n_classes, n_columns)):
        X[y == label, label] += 1.5
    return X, y


def halves(X, y, weights=None):
    rows = np.arange(len(y))
    return split_rows(X, y, rows[: 2 * len(y) // 3], rows[2 * len(y) // 3 :], weights)


def thirds(X, y):
    rows = np.arange(len(y))
    return [split_rows(X, y, rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3)]


def weights_and_bias(machines):
    """w of all machines from their dual variables, and b."""
    found = []
    for split, first, last in zip(machines.members, machines.splits.first, machines.splits.last, strict=True):
        X = split.X[:, machines.columns]
        found.append(np.asarray(machines.beta[first:last, : X.shape[0]] @ X))
    return np.concatenate(found), machines.bias


def assert_optimal(machines, tol=1e-7):
    """Conditions of the optimum for every machine, on rows taken anew."""
    w, bias = weights_and_bias(machines)
    for t, split in enumerate(machines.members):
        X = split.X[:, machines.columns]
        for q, problem in zip(
            range(machines.splits.first[t], machines.splits.last[t]), split.problems, strict=True
        ):
            beta = machines.beta[q, : X.shape[0]]
            assert ((problem.low <= beta) & (beta <= problem.high)).all()
            assert abs(beta.sum()) <= 1e-9 * max(1.0, abs(beta).sum())
            g = X @ w[q] + problem.ridge * beta + bias[q] - problem.y
            assert g[beta < problem.high].min(initial=0.0) >= -tol
            assert g[beta > problem.low].max(initial=0.0) <= tol


def assert_cold(machines, splits, estimator, atol=1e-7):
    """Weights and outputs are those of classifiers trained from nothing."""
    models = [cold(estimator, split, machines.columns) for split in splits]
    coef = np.concatenate([model.coef_ for model in models])
    np.testing.assert_allclose(weights_and_bias(machines)[0], coef, atol=atol * max(1.0, abs(coef).max()))
    np.testing.assert_allclose(
        machines.sensitivities(), np.abs(coef), atol=atol * max(1.0, abs(coef).max()), rtol=0
    )
    for model, split, outputs in zip(models, splits, machines.outputs(), strict=True):
        expected = split.X_test[:, machines.columns] @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(outputs, expected, atol=10 * atol * max(1.0, abs(expected).max()))


def wander(machines, rng, n_moves):
    """Drop or add one column at a time."""
    for _ in range(n_moves):
        k = rng.choice(machines.all_columns)
        columns = np.setxor1d(machines.columns, [k])
        if len(columns):
            machines.update_columns(columns)
            yield


@STORES
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_warm_is_cold_after_every_move(store, C, n_classes):
    estimator = OneVsRestSVC(kernel="linear", C=C)
    splits = [halves(*labelled(1, n_classes=n_classes))]
    machines = machines_over(store, estimator, splits)
    machines.set_columns(machines.all_columns, None)
    assert_cold(machines, splits, estimator)
    for _ in wander(machines, np.random.default_rng(0), 12):
        assert_optimal(machines)
        assert_cold(machines, splits, estimator)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_columns", [5, 60])
def test_gram_matrices_with_a_ridge_serve_the_squared_hinge(C, n_classes, n_columns):
    estimator = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
    X, y = labelled(1, n_columns=n_columns, n_classes=n_classes)
    splits = [halves(X + 5.0, y, np.random.default_rng(1).uniform(0.5, 2.0, len(y)))]
    machines = machines_over("gram", estimator, splits)
    machines.set_columns(machines.all_columns, None)
    assert_cold(machines, splits, estimator)
    for _ in wander(machines, np.random.default_rng(0), 12):
        assert_optimal(machines)
        assert_cold(machines, splits, estimator)


@STORES
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_weights_and_bias_are_those_of_libsvm(store, C):
    X, y = labelled(2, n=90, n_classes=2)
    split = halves(X, y)
    machines = machines_over(store, OneVsRestSVC(kernel="linear", C=C), [split])
    machines.set_columns(np.array([0, 2, 3, 5]), None)
    machines.update_columns(np.array([0, 1, 5]))
    peer = SVC(kernel="linear", C=C, tol=1e-9).fit(split.X[:, [0, 1, 5]], split.y)
    # libsvm keeps its kernel values in single precision.
    w, bias = weights_and_bias(machines)
    np.testing.assert_allclose(w, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(bias, peer.intercept_, atol=1e-5)


@STORES
def test_several_splits_move_together(store):
    splits = thirds(*labelled(3, n=50))
    machines = machines_over(store, LINEAR, splits)
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, np.random.default_rng(1), 6):
        assert_cold(machines, splits, LINEAR)


@STORES
@pytest.mark.parametrize("n_moves", [300, pytest.param(10_000, marks=pytest.mark.soak)])
def test_thousands_of_moves_leave_no_trace(store, n_moves):
    splits = [halves(*labelled(4, n=24, n_columns=5))]
    machines = machines_over(store, LINEAR, splits)
    machines.set_columns(machines.all_columns, None)
    for number, _ in enumerate(wander(machines, np.random.default_rng(2), n_moves)):
        if number % machines.steps_between_rebuilds == machines.steps_between_rebuilds - 1:
            machines.rebuild()
    for _ in wander(machines, np.random.default_rng(3), machines.steps_between_rebuilds - 1):
        pass
    assert_optimal(machines, tol=1e-8)
    fresh = machines_over(store, LINEAR, splits)
    fresh.set_columns(machines.columns, None)
    for found, expected in zip(weights_and_bias(machines), weights_and_bias(fresh), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-8)
    np.testing.assert_allclose(machines.sensitivities(), fresh.sensitivities(), atol=1e-8)
    np.testing.assert_allclose(machines.outputs()[0], fresh.outputs()[0], atol=1e-8)
    if store == "gram":
        rows = np.concatenate([splits[0].X, splits[0].X_test])[:, machines.columns]
        K = rows[: len(splits[0].X)] @ rows.T
        np.testing.assert_allclose(machines._K[0], K, atol=1e-8)
        f = machines.beta @ K
        f[:, : machines.beta.shape[1]] -= np.stack([problem.y for problem in machines.members[0].problems])
        np.testing.assert_allclose(machines._f, f, atol=1e-8)


@STORES
def test_a_rebuild_changes_nothing_and_is_all_that_follows_depends_on(store):
    splits = thirds(*labelled(5))
    machines = machines_over(store, LINEAR, splits)
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, np.random.default_rng(4), 5):
        pass
    before = weights_and_bias(machines)
    beta = machines.rebuild()
    np.testing.assert_allclose(weights_and_bias(machines)[0], before[0], atol=1e-8)
    twin = machines_over(store, LINEAR, splits)
    twin.set_columns(machines.columns, beta.copy())
    for one, other in zip(
        wander(machines, np.random.default_rng(5), 4), wander(twin, np.random.default_rng(5), 4), strict=True
    ):
        assert one is other
        np.testing.assert_array_equal(machines.beta, twin.beta)
        np.testing.assert_array_equal(machines.bias, twin.bias)
        np.testing.assert_array_equal(machines.sensitivities(), twin.sensitivities())


@STORES
def test_threads_change_no_bit(store):
    found = []
    for n_threads in (1, 3):
        machines = machines_over(store, LINEAR, thirds(*labelled(6, n=60)), n_threads)
        machines.set_columns(machines.all_columns, None)
        for _ in wander(machines, np.random.default_rng(6), 4):
            pass
        gone = drop_worst(
            machines, np.ones(2, dtype=np.int64), machines.all_columns, np.zeros(6, dtype=bool), True
        )
        found.append((machines.beta, machines.bias, gone.groups, gone.credits, gone.tables))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_dense_and_sparse_rows_agree():
    X, y = labelled(7, n=80, n_columns=9)
    X[np.abs(X) < 0.8] = 0.0
    both = [machines_over("rows", LINEAR, thirds(rows, y)) for rows in (X, sparse.csr_array(X))]
    for machines in both:
        machines.set_columns(machines.all_columns, None)
    for _ in zip(*(wander(machines, np.random.default_rng(7), 8) for machines in both), strict=True):
        for one, other in zip(*map(weights_and_bias, both), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
        for one, other in zip(both[0].outputs(), both[1].outputs(), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)


def duplicates(X, y):
    return np.concatenate([X, X]), np.concatenate([y, y])


def opposite_duplicates(X, y):
    return np.concatenate([X, X]), np.concatenate([y, (y + 1) % 3])


def constant_columns(X, y):
    return np.column_stack([X, np.full(len(y), 3.0), np.zeros((len(y), 2))]), y


def binary(X, y):
    return (X > 0.5).astype(float), y


def unbalanced(X, y):
    y = np.zeros_like(y)
    y[[3, 11]] = 1, 2
    return X, y


def badly_scaled(X, y):
    return X * 10.0 ** np.arange(-2, 4), y


def two_rows(X, y):
    return X[[0, 1, 2]], np.array([0, 1, 1])


@STORES
@pytest.mark.parametrize(
    "spoil",
    [duplicates, opposite_duplicates, constant_columns, binary, unbalanced, badly_scaled, two_rows],
    ids=lambda spoil: spoil.__name__,
)
def test_difficult_rows(store, spoil):
    X, y = spoil(*labelled(8, n=30))
    splits = [halves(X, y)]
    if spoil is unbalanced:
        splits = [split_rows(X, y, np.arange(20), np.arange(20, 30))]
    machines = machines_over(store, LINEAR, splits)
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, np.random.default_rng(8), 10):
        assert_optimal(machines)
        w = weights_and_bias(machines)[0]
        coef = cold(LINEAR, splits[0], machines.columns, tol=1e-7).coef_
        np.testing.assert_allclose(w, coef, atol=1e-6 * max(1.0, abs(coef).max()))


@STORES
@pytest.mark.parametrize("scale", [1e3, 1e5])
def test_a_column_that_outshines_the_others_leaves_nothing_behind(store, scale):
    X, y = labelled(12)
    X[:, 5] *= scale
    split = halves(X, y)
    machines = machines_over(store, LINEAR, [split])
    machines.set_columns(machines.all_columns, None)
    machines.update_columns(np.arange(5))
    coef = cold(LINEAR, split, machines.columns).coef_
    np.testing.assert_allclose(weights_and_bias(machines)[0], coef, atol=1e-9)
    # Back again: products are known to sixteen digits of the largest.
    machines.update_columns(np.array([0, 3, 4, 5]))
    assert_optimal(machines, tol=max(1e-7, 1e-11 * scale**2))


@STORES
def test_weights_of_rows_and_classes_count(store):
    X, y = labelled(9)
    estimator = OneVsRestSVC(kernel="linear", class_weight="balanced")
    split = halves(X, y, np.random.default_rng(9).uniform(0.1, 3.0, len(y)))
    machines = machines_over(store, estimator, [split])
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, np.random.default_rng(10), 4):
        w = weights_and_bias(machines)[0]
        np.testing.assert_allclose(w, cold(estimator, split, machines.columns).coef_, atol=1e-7)


@STORES
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 25),
    n_columns=st.integers(1, 7),
    log_C=st.floats(-3, 3),
    coarse=st.booleans(),
)
def test_optimal_after_every_move_whatever_the_rows(store, seed, n, n_columns, log_C, coarse):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n, n_columns)).astype(float) if coarse else rng.normal(size=(n, n_columns))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    split = split_rows(X, y, np.arange(n), np.arange(0))
    machines = machines_over(store, OneVsRestSVC(kernel="linear", C=10.0**log_C), [split])
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, rng, 8):
        assert_optimal(machines)


@STORES
def test_rows_that_are_not_numbers_to_it_find_no_optimum(store, monkeypatch):
    machines = machines_over(store, LINEAR, [halves(*labelled(11))])
    monkeypatch.setattr(machines, "_build", lambda beta: False)
    machines.machines = type("Stuck", (), {"beta": np.zeros((3, 26))})
    with pytest.raises(ArithmeticError, match=NO_OPTIMUM):
        machines.set_columns(machines.all_columns, None)
