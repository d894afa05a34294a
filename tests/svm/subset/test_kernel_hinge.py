import numpy as np
import pytest
from scipy import sparse

from infoprop.kernels import KernelSpec
from infoprop.svm import OneVsRestSVC
from infoprop.svm.active_set import _kernel_pivots, _state
from infoprop.svm.subset._kernel_hinge import _key
from infoprop.svm.subset._model import _labels
from reference.engine import (
    DualProblem,
    KernelMachines,
    KernelPivots,
    SMOSolver,
    WholeRows,
    apply_link,
    base_matrix,
    is_definite,
    moving,
    split_rows,
)
from reference.moving import cold

KERNELS = {
    "linear in a mapping": {"kernel": dict.fromkeys(range(3), "linear"), "normalize_margin": False},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "poly of odd degree": {"kernel": "poly", "coef0": 0.5, "gamma": 0.3},
    "rbf": {"kernel": "rbf"},
    "rbf auto": {"kernel": "rbf", "gamma": "auto", "C": 10.0},
    "rbf number": {"kernel": "rbf", "gamma": 0.2, "C": 0.01},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.02, "coef0": -0.1},
    "anova": {"kernel": "anova", "degree": 2, "gamma": 0.5},
    "anova scale": {"kernel": "anova", "degree": 3},
    "mixed": {
        "kernel": {0: "rbf", 1: {"kernel": "poly", "degree": 2, "coef0": 1.0}, 2: "linear"},
        "normalize_margin": False,
    },
}


def labelled(seed=0, n=60, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, 6))
    for label in range(min(n_classes, 6)):
        X[y == label, label] += 1.2
    return X, y


def thirds(X, y):
    rows = np.arange(len(y))
    return [split_rows(X, y, rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(2)]


def walk(model, seed, n_moves):
    """Drop and add columns at random, training after every move."""
    rng = np.random.default_rng(seed)
    for _ in range(n_moves):
        wanted = np.flatnonzero(rng.random(6) < 0.6)
        if len(wanted):
            model.drop(np.arange(6))
            model.add(wanted)
            model.fit()
            yield


def assert_cold(model, estimator, splits, atol=1e-6):
    models = [cold(estimator, split, model.columns, tol=1e-9) for split in splits]
    shares = np.mean([twin.credit_shares() for twin in models], axis=0)
    np.testing.assert_allclose(model.credit_shares(), shares, atol=atol)
    for twin, split, outputs in zip(models, splits, model.machines.outputs(), strict=True):
        expected = twin.decision_function(split.X_test[:, model.columns]).reshape(len(outputs), -1)
        np.testing.assert_allclose(outputs, expected, atol=atol * max(1.0, abs(expected).max()))
        np.testing.assert_array_equal(
            _labels(outputs, twin.classes_), twin.predict(split.X_test[:, model.columns])
        )


def assert_fresh_bases(machines, atol=1e-8):
    """Base matrices are those that the present columns have."""
    for split, stores in zip(machines.members, machines._stores, strict=True):
        rows, n = split.rows[:, machines.columns], split.X.shape[0]
        for key, store in stores.items():
            expected = base_matrix(rows[:n], rows, key)
            if isinstance(store, WholeRows):
                store.load(np.arange(n))
                expected = apply_link(expected, store.spec)
                np.testing.assert_allclose(store.rows, expected, atol=atol)
            else:
                np.testing.assert_allclose(store.base(np.arange(n)), expected, atol=atol)


@pytest.mark.parametrize("name", KERNELS)
def test_warm_is_cold_wherever_it_is_moved(name):
    estimator = OneVsRestSVC(tol=1e-9, **KERNELS[name])
    splits = thirds(*labelled())
    model = moving(estimator, splits)
    assert isinstance(model.machines, KernelMachines)
    model.fit()
    assert_cold(model, estimator, splits)
    for _ in walk(model, 1, 5):
        assert_cold(model, estimator, splits)
        assert_fresh_bases(model.machines)


@pytest.mark.parametrize("name", ["rbf", "poly", "anova"])
def test_two_classes_and_sparse_rows(name):
    X, y = labelled(n_classes=2)
    X[np.abs(X) < 0.5] = 0.0
    estimator = OneVsRestSVC(tol=1e-9, **KERNELS[name])
    splits = thirds(sparse.csr_array(X), y)
    model = moving(estimator, splits)
    assert isinstance(model.machines, KernelMachines)
    model.fit()
    for _ in walk(model, 2, 3):
        assert_cold(model, estimator, splits)
        assert_fresh_bases(model.machines)


@pytest.mark.parametrize("n_moves", [300, pytest.param(10_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ["rbf", "poly", "anova"])
def test_many_moves_leave_no_trace(name, n_moves):
    estimator = OneVsRestSVC(tol=1e-9, **{**KERNELS[name], "gamma": 0.3})
    splits = thirds(*labelled(n=24))
    model = moving(estimator, splits)
    model.fit()
    for number, _ in enumerate(walk(model, 3, n_moves)):
        if number % model.moves_between_snapshots == model.moves_between_snapshots - 2:
            assert_fresh_bases(model.machines)
            model.snapshot()
    assert_cold(model, estimator, splits)


def test_kernels_that_share_a_base_move_it_once():
    kernels = {
        0: "rbf",
        1: "rbf",
        2: {"kernel": "poly", "coef0": 1.0},
        3: {"kernel": "poly", "degree": 2, "coef0": 1.0},
    }
    estimator = OneVsRestSVC(tol=1e-9, kernel=kernels, gamma=0.2, normalize_margin=False)
    splits = thirds(*labelled(n_classes=4))
    model = moving(estimator, splits)
    model.fit()
    for _ in walk(model, 4, 4):
        assert_fresh_bases(model.machines)
        assert_cold(model, estimator, splits)


@pytest.mark.parametrize(
    "parameters", [{"kernel": "anova", "degree": 1.5}, {"kernel": "sigmoid", "gamma": 0.5}], ids=str
)
def test_kernels_that_are_not_definite_are_left_to_the_solver(parameters):
    estimator = OneVsRestSVC(tol=1e-8, C=0.1, **parameters)
    splits = thirds(*labelled(n=30))
    model = moving(estimator, splits)
    model.fit()
    for _ in walk(model, 5, 3):
        for outputs, split in zip(model.machines.outputs(), splits, strict=True):
            assert np.isfinite(outputs).all()
            assert len(outputs) == len(split.truth)


@pytest.mark.parametrize("largest_free_set", [200, -1], ids=["pivots", "solver"])
def test_threads_change_no_bit(monkeypatch, largest_free_set):
    monkeypatch.setattr(_kernel_pivots, "_LARGEST_FREE_SET", largest_free_set)
    estimator = OneVsRestSVC(kernel="rbf")
    one, three = (moving(estimator, thirds(*labelled(n=90)), n_jobs=n_jobs) for n_jobs in (1, 3))
    one.fit()
    three.fit()
    for _ in zip(walk(one, 6, 4), walk(three, 6, 4), strict=True):
        np.testing.assert_array_equal(one.machines.beta, three.machines.beta)
        np.testing.assert_array_equal(one.credit_shares(), three.credit_shares())


def test_the_largest_free_sets_are_left_to_the_solver(monkeypatch):
    estimator = OneVsRestSVC(kernel="rbf", tol=1e-9)
    splits = thirds(*labelled())
    monkeypatch.setattr(_kernel_pivots, "_LARGEST_FREE_SET", -1)
    model = moving(estimator, splits)
    model.fit()
    for _ in walk(model, 7, 3):
        assert_cold(model, estimator, splits)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_pivots_go_on_from_old_optima_of_many_rows(monkeypatch, n_jobs):
    monkeypatch.setattr(_state, "_MOST_ROWS", 0)
    solve_over, solved = SMOSolver.solve_over, []
    monkeypatch.setattr(
        SMOSolver,
        "solve_over",
        lambda *given, **more: solved.append(len(given[2])) or solve_over(*given, **more),
    )
    estimator = OneVsRestSVC(kernel="rbf", tol=1e-9)
    splits = thirds(*labelled())
    model = moving(estimator, splits, n_jobs=n_jobs)
    model.fit()
    assert solved == [3, 3]
    for _ in walk(model, 8, 3):
        assert solved == [3, 3]
        assert_cold(model, estimator, splits)
        solved[:] = [3, 3]


def test_many_free_variables_or_rows_are_not_for_pivots(monkeypatch):
    problem = DualProblem(np.where(np.arange(10) % 2 == 0, 1.0, -1.0), np.ones(10))
    beta = 0.5 * problem.y
    assert KernelPivots.may_find(problem, beta)
    assert not KernelPivots.may_find(problem, np.zeros(10))
    for limit in ("_LARGEST_FREE_SET", "_MOST_ROWS_ON_DEMAND"):
        with monkeypatch.context() as patch:
            patch.setattr(_kernel_pivots, limit, 9)
            assert not KernelPivots.may_find(problem, beta)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (KernelSpec("linear"), True),
        (KernelSpec("rbf", gamma=1.0), True),
        (KernelSpec("anova", gamma=1.0, degree=2), True),
        (KernelSpec("anova", gamma=1.0, degree=1.5), False),
        (KernelSpec("poly", gamma=1.0, degree=3, coef0=0.0), True),
        (KernelSpec("poly", gamma=1.0, degree=3, coef0=-1.0), False),
        (KernelSpec("sigmoid", gamma=1.0), False),
    ],
)
def test_free_sets_are_for_kernels_without_negative_eigenvalues(spec, expected):
    assert is_definite(spec) == expected


def test_the_base_of_a_kernel_is_known_by_its_key():
    assert _key(KernelSpec("poly", gamma=2.0)) == _key(KernelSpec("sigmoid", gamma=3.0))
    assert _key(KernelSpec("rbf", gamma=2.0)) == _key(KernelSpec("rbf", gamma=3.0))
    assert _key(KernelSpec("anova", gamma=2.0)) != _key(KernelSpec("anova", gamma=3.0))
