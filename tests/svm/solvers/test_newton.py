import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from infoprop.exceptions import ParameterError
from infoprop.svm import OneVsRestSVC
from reference.engine import margin_sensitivity
from reference.squared_hinge import assert_optimal, labelled, objective, signs_of, solve, squared
from reference.svm import dual_objective

SHAPES = {"tall": (120, 5), "square": (30, 30), "wide": (20, 60)}


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_weights_and_bias_are_those_of_a_general_optimiser(shape, C, as_rows):
    X, y = labelled(*SHAPES[shape])
    model = squared(C=C).fit(as_rows(X), y)
    w, b = solve(X, np.where(y == 1, 1.0, -1.0), np.full(len(y), C))
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, b, atol=1e-6)
    assert_optimal(model, X, y, C)


def test_it_is_linear_svc_but_for_the_bias():
    X, y = labelled(200, 6, n_classes=3)
    model = squared().fit(X, y)
    peer = LinearSVC(dual=False, tol=1e-10, intercept_scaling=1e4).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-4)


def test_the_dual_is_that_of_a_hard_margin_with_a_ridge():
    X, y = labelled(40, 4)
    C = 2.0
    machine = squared(C=C).fit(X, y).machines_[0]
    K = X @ X.T + np.eye(40) / (2.0 * C)
    peer = SVC(kernel="precomputed", C=1e6, tol=1e-9).fit(K, y)
    np.testing.assert_array_equal(machine.support, np.sort(peer.support_))
    np.testing.assert_allclose(machine.dual_coef, peer.dual_coef_[0][np.argsort(peer.support_)], atol=1e-5)
    signs = np.where(y == 1, 1.0, -1.0)
    alpha = np.zeros(40)
    alpha[machine.support] = machine.alpha
    np.testing.assert_allclose(machine.objective, dual_objective(alpha, signs, K))


def test_margin_objective_and_credits_follow_from_the_weights():
    X, y = labelled(60, 5, n_classes=3)
    model = squared(C=0.5).fit(X, y)
    for r, machine in enumerate(model.machines_):
        w = model.coef_[r]
        np.testing.assert_allclose(machine.margin, 1.0 / np.linalg.norm(w))
        theta = np.append(w, machine.bias)
        np.testing.assert_allclose(-machine.objective, objective(theta, X, signs_of(model, y, r), 0.5)[0])
        found = margin_sensitivity(machine.support_vectors, machine.dual_coef, machine.kernel)
        np.testing.assert_allclose(found / found.sum(), np.abs(w) / np.abs(w).sum())
    np.testing.assert_allclose(
        model.credit_shares(), np.abs(model.coef_) / np.abs(model.coef_).sum(axis=1)[:, None]
    )


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_weights_are_repetitions(as_rows):
    X, y = labelled(50, 4, n_classes=3)
    times = np.random.default_rng(1).integers(0, 4, 50)
    weighted = squared(class_weight={0: 2, 1: 1, 2: 3}).fit(as_rows(X), y, sample_weight=times)
    again = np.repeat(np.arange(50), times * np.array([2, 1, 3])[y])
    repeated = squared().fit(as_rows(X[again]), y[again])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-9)


def zeros_and_constants(X):
    X[:, 1], X[:, 2] = 0.0, 3.0
    return X


DIFFICULT = {
    "zeros and constants": zeros_and_constants,
    "nothing but constants": lambda X: np.full_like(X, 2.0),
    "copies of columns": lambda X: np.column_stack([X, X, X]),
    "copies of long columns": lambda X: 100.0 * np.column_stack([X, X, X[:, :2] + X[:, 2:4]]),
    "copies of rows": lambda X: np.repeat(X[: len(X) // 4], 4, axis=0),
    "one column": lambda X: X[:, :1],
    "far from zero": lambda X: X + 100.0,
    "all lengths": lambda X: X * 10.0 ** np.arange(-3, X.shape[1] - 3),
    "separable": lambda X: X + 20.0 * (np.arange(len(X)) % 3 == 0)[:, None],
}
# Weights are sums over dual variables: rounding of outputs comes back times C and the square of long rows.
LONG = {"far from zero", "all lengths", "copies of long columns", "separable"}


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", DIFFICULT)
def test_difficult_rows(name, C):
    X, _ = labelled(60, 6)
    y = np.arange(60) % 3
    X = DIFFICULT[name](X)
    assert_optimal(
        squared(C=C).fit(X, y),
        X,
        y,
        C,
        atol=1e-5 if name in LONG else 1e-8,
    )


def test_columns_that_depend_on_one_another_whatever_their_length():
    X, y = labelled(60, 4, seed=1)
    plain = squared(C=1e4).fit(np.column_stack([X, X]), y)
    long = squared(C=1.0).fit(1e2 * np.column_stack([X, X]), y)
    np.testing.assert_allclose(1e2 * long.coef_, plain.coef_, atol=1e-6)
    far = squared(C=1.0).fit(1e6 * np.column_stack([X, X]), y)
    assert far.machines_[0].converged
    np.testing.assert_array_equal(
        far.predict(1e6 * np.column_stack([X, X])), plain.predict(np.column_stack([X, X]))
    )


@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 30),
    n_columns=st.integers(1, 40),
    log_C=st.floats(-3, 3),
    coarse=st.booleans(),
)
def test_optimal_whatever_the_rows(seed, n, n_columns, log_C, coarse):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n, n_columns)).astype(float) if coarse else rng.normal(size=(n, n_columns))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    weights = rng.uniform(0.1, 3.0, n)
    C = 10.0**log_C
    assert_optimal(squared(C=C).fit(X, y, sample_weight=weights), X, y, C * weights, atol=1e-7)


def test_one_row_of_each_class():
    model = squared(C=1e6).fit(np.array([[0.0], [2.0]]), [0, 1])
    np.testing.assert_allclose(model.coef_, [[1.0]], atol=1e-5)
    np.testing.assert_allclose(model.intercept_, [-1.0], atol=1e-5)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_a_warm_start_ends_at_the_same_optimum(as_rows):
    X, y = labelled(80, 6, n_classes=3)
    model = squared(warm_start=True).fit(as_rows(X), y)
    other = np.where(np.arange(80) < 5, (y + 1) % 3, y)
    warm, cold = model.fit(as_rows(X), other), squared().fit(as_rows(X), other)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-10)
    again = model.fit(as_rows(X), other)
    assert again.n_iter_.tolist() == [1, 1, 1]


@pytest.mark.parametrize("shape", SHAPES)
def test_threads_and_memory_change_no_bit(shape):
    X, y = labelled(*SHAPES[shape], n_classes=3)
    one, two, little = (
        squared(n_jobs=n, cache_size=size).fit(X, y) for n, size in ((1, 500), (2, 500), (1, 1e-3))
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.coef_, little.coef_)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_the_solver_may_be_named(as_rows):
    X, y = labelled(40, 5)
    named, chosen = squared(solver="primal").fit(as_rows(X), y), squared().fit(as_rows(X), y)
    np.testing.assert_array_equal(named.coef_, chosen.coef_)


def test_many_columns_are_factored_by_blocks():
    X, y = labelled(700, 300, seed=2)
    assert_optimal(squared().fit(X, y), X, y, 1.0)


def test_too_few_steps_are_told_of():
    X, y = labelled(100, 5)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = squared(max_iter=1).fit(X, y)
    assert model.n_iter_.tolist() == [1]


@pytest.mark.parametrize("parameters", [{"kernel": "rbf"}, {"solver": "smo"}, {"solver": "cd"}])
def test_what_it_needs_is_said(parameters):
    X, y = labelled(20, 2)
    model = OneVsRestSVC(**{"kernel": "linear", "loss": "squared_hinge"} | parameters)
    with pytest.raises(ParameterError, match="needs kernel='linear' and solver='auto' or 'primal'"):
        model.fit(X, y)
    with pytest.raises(ParameterError, match="loss"):
        squared().set_params(loss="square").fit(X, y)
