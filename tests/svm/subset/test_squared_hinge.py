import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoprop.svm import OneVsRestSVC
from infoprop.svm.solvers._newton_fast import LOST, NEEDS_CURVATURE
from infoprop.svm.subset import _squared_hinge as machines_module
from infoprop.svm.subset import _squared_hinge_fast as fast
from reference.elimination_cases import Case, assert_same, problem
from reference.eliminations import drop_worst
from reference.engine import NO_OPTIMUM, machines_over, split_rows
from reference.moving import cold
from reference.squared_hinge import assert_machines_optimal

SQUARED = OneVsRestSVC(kernel="linear", loss="squared_hinge")


def tall(C=1.0, n=500, seed=3):
    """Many rows, with noise in the labels."""
    X, y = problem(seed, n, 20)
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)
    rows = np.arange(n)
    estimator = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
    splits = [split_rows(X, y, rows[: 3 * n // 5], rows[3 * n // 5 :])]
    return Case(splits, [1] * 19, np.arange(20), estimator=estimator)


def wander(machines, rng, n_moves):
    """Drop or add one column at a time."""
    for _ in range(n_moves):
        columns = np.setxor1d(machines.columns, [rng.choice(machines.all_columns)])
        if len(columns):
            machines.update_columns(columns)
            yield


@pytest.mark.parametrize("C", [0.01, 1.0, 1e3])
def test_the_same_as_cold_fits_on_many_rows(C):
    case = tall(C)
    machines = case.machines("newton")
    assert_same(case.dropped(machines), case.slowly())
    assert_machines_optimal(machines)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_warm_is_cold_after_every_move(C):
    estimator = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
    X, y = problem(1, 60, 6, n_classes=4)
    rows = np.arange(60)
    splits = [split_rows(X, y, rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(2)]
    machines = machines_over("newton", estimator, splits)
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, np.random.default_rng(0), 12):
        assert_machines_optimal(machines)
        models = [cold(estimator, split, machines.columns) for split in splits]
        coef = np.concatenate([model.coef_ for model in models])
        np.testing.assert_allclose(machines.sensitivities(), np.abs(coef), atol=1e-9)
        for model, split, outputs in zip(models, splits, machines.outputs(), strict=True):
            expected = model.decision_function(split.X_test[:, machines.columns])
            np.testing.assert_allclose(outputs, expected, atol=1e-8)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 40),
    n_columns=st.integers(1, 8),
    log_C=st.floats(-3, 3),
    coarse=st.booleans(),
)
def test_optimal_after_every_move_whatever_the_rows(seed, n, n_columns, log_C, coarse):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n, n_columns)).astype(float) if coarse else rng.normal(size=(n, n_columns))
    y = np.concatenate([[0, 1], rng.integers(0, 3, n - 2)])
    estimator = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=10.0**log_C)
    machines = machines_over("newton", estimator, [split_rows(X, y, np.arange(n), np.arange(0))])
    machines.set_columns(machines.all_columns, None)
    for _ in wander(machines, rng, 4):
        assert_machines_optimal(machines)
    while len(machines.columns) > 1:
        drop_worst(machines, np.array([1]), machines.all_columns, np.zeros(n_columns, dtype=bool), False)
        assert_machines_optimal(machines)


@pytest.mark.parametrize("n_moves", [300, pytest.param(10_000, marks=pytest.mark.soak)])
def test_many_columns_that_go_and_come_leave_no_trace(n_moves):
    case, rng = tall(), np.random.default_rng(0)
    machines, fresh = case.machines("newton"), case.machines("newton")
    for _ in range(n_moves):
        if len(machines.columns) > 2:
            machines.drop(rng.choice(machines.columns, 1))
        else:
            machines.update_columns(machines.all_columns)
    assert_machines_optimal(machines)
    fresh.set_columns(machines.columns, None)
    np.testing.assert_allclose(machines.sensitivities(), fresh.sensitivities(), atol=1e-9)
    np.testing.assert_allclose(machines.beta, fresh.beta, atol=1e-8)


def test_a_rebuild_changes_nothing_and_is_all_that_follows_depends_on():
    case = tall()
    machines, twin = case.machines("newton"), case.machines("newton")
    first = drop_worst(machines, np.ones(5, dtype=np.int64), case.group_of, case.is_kept, True)
    before = machines.sensitivities()
    beta = machines.rebuild()
    np.testing.assert_allclose(machines.sensitivities(), before, atol=1e-11)
    twin.set_columns(machines.columns, beta.copy())
    assert not np.isin(first.groups, machines.columns).any()
    found = [
        drop_worst(m, np.ones(9, dtype=np.int64), case.group_of, case.is_kept, True) for m in (machines, twin)
    ]
    for name in ("groups", "credits", "tables"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))
    np.testing.assert_array_equal(machines.beta, twin.beta)
    np.testing.assert_array_equal(machines.bias, twin.bias)


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr(machines_module, "_PRODUCTS_OF_LONG_STEPS", 0)
    case = tall()
    assert case.machines("newton", 3)._threads_for_steps() == 3
    one, three = (case.dropped(case.machines("newton", n_threads)) for n_threads in (1, 3))
    np.testing.assert_array_equal(one.groups, three.groups)
    np.testing.assert_array_equal(one.credits, three.credits)
    np.testing.assert_array_equal(one.tables, three.tables)


def test_curvatures_that_are_computed_anew_change_nothing(monkeypatch):
    case = tall()
    expected = case.dropped(case.machines("newton"))
    genuine = fast.drop_from_machines

    def forgetful(*arguments):
        genuine(*arguments)
        arguments[-1][arguments[5] : arguments[6]] = NEEDS_CURVATURE

    monkeypatch.setattr(fast, "drop_from_machines", forgetful)
    found = case.dropped(case.machines("newton"))
    np.testing.assert_array_equal(found.groups, expected.groups)
    np.testing.assert_allclose(found.credits, expected.credits, atol=1e-11)
    np.testing.assert_array_equal(found.tables, expected.tables)


def test_a_machine_that_is_lost_says_so(monkeypatch):
    case = tall()
    machines = case.machines("newton")
    monkeypatch.setattr(machines._newton, "finish", lambda q, workspace: False)
    monkeypatch.setattr(fast, "drop_from_machines", lambda *arguments: arguments[-1].fill(LOST))
    with pytest.raises(ArithmeticError, match=NO_OPTIMUM):
        case.dropped(machines)
