import numpy as np
import pytest

from infoprop.svm.solvers._curvature_fast import IS_STALE, curve_of, refactor
from reference.elimination_cases import Case, problem
from reference.engine import split_rows
from reference.squared_hinge import squared

N_COLUMNS = 40


@pytest.fixture(scope="module", params=[0.1, 10.0])
def machines(request):
    """Machines that have dropped columns, one by one and several at once, and were not built anew since."""
    X, y = problem(3, 400, N_COLUMNS)
    rng = np.random.default_rng(3)
    y = np.where(rng.random(400) < 0.2, rng.integers(0, 3, 400), y)
    rows = np.arange(400)
    counts = [1] * 9 + [3] + [1] * 8
    estimator = squared(C=request.param)
    case = Case([split_rows(X, y, rows[:300], rows[300:])], counts, np.arange(N_COLUMNS), estimator=estimator)
    machines = case.machines("newton")
    case.dropped(machines)
    return machines


def active_rows(machines, q):
    """``(1, x)`` of the active rows, their costs and signs."""
    newton = machines._newton
    curves, left = newton.curves, newton.rows.left[: newton.n_left]
    active = np.flatnonzero(curves.is_active[q])
    rows = newton.rows.by_row[active][:, left]
    return np.column_stack([np.ones(len(active)), rows]), curves.cost[q, active], curves.y[q, active]


def test_what_was_followed_is_what_the_active_rows_give(machines):
    m = len(machines.columns)
    assert m == machines._newton.n_left == N_COLUMNS - 20
    for q in range(3):
        rows, cost, y = active_rows(machines, q)
        H = (rows.T * cost) @ rows + np.diag(np.append(0.0, np.ones(m)))
        curves = machines._newton.curves
        np.testing.assert_allclose(np.triu(curves.H[q, : m + 1, : m + 1]), np.triu(H), atol=1e-10 * H.max())
        np.testing.assert_allclose(curves.r[q, : m + 1], rows.T @ (cost * y), atol=1e-10 * H.max())
        assert not curves.counts[q, IS_STALE]
        U = np.triu(curves.U[q, : m + 1, : m + 1])
        np.testing.assert_allclose(U.T @ U, H, atol=1e-9 * H.max())
        np.testing.assert_allclose(H @ curves.theta[q, : m + 1], rows.T @ (cost * y), atol=1e-9 * H.max())


def test_a_factor_computed_anew_is_the_same(machines):
    m = len(machines.columns)
    curves = machines._newton.curves
    before = np.triu(curves.U[0, : m + 1, : m + 1])
    refactor(curve_of(curves, 0), m)
    np.testing.assert_allclose(np.triu(curves.U[0, : m + 1, : m + 1]), before, atol=1e-9 * before.max())


def test_columns_that_depend_on_one_another_have_pivots_of_one(machines):
    curves = machines._newton.curves
    x = np.array([1.0, 1e9, 1e9])
    curves.H[1, :3, :3] = 3.0 * np.outer(x, x) + np.diag([0.0, 1.0, 1.0])
    refactor(curve_of(curves, 1), 2)
    np.testing.assert_array_equal(curves.U[1].diagonal()[1:3], 1.0)
    curves.H[1, :3, :3] = np.diag([0.0, 1.0, 1.0])
    refactor(curve_of(curves, 1), 2)
    np.testing.assert_array_equal(np.triu(curves.U[1, :3, :3]), np.eye(3))
