import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.active_set import _feature_machines_fast as fast
from infoprop.svm.active_set._machines_fast import N_FREE
from reference.elimination_cases import Case, assert_same, problem, sparsely
from reference.engine import split_rows


def tall(seed=3, is_sparse=False, C=1.0):
    """Rows enough that most are not followed, with noise in the labels."""
    X, y = problem(seed, 500, 20)
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(500) < 0.2, rng.integers(0, 3, 500), y)
    rows = np.arange(500)
    case = Case([split_rows(X, y, rows[:300], rows[300:])], [1] * 19, np.arange(20))
    case.estimator = type(case.estimator)(kernel="linear", C=C)
    return sparsely(case) if is_sparse else case


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("C", [0.01, 10.0])
def test_rows_that_are_not_followed_are_looked_at_in_time(is_sparse, C):
    case = tall(is_sparse=is_sparse, C=C)
    assert_same(case.dropped(case.machines("rows")), case.slowly())


def test_a_machine_that_pivots_too_long_is_left_to_the_solver(monkeypatch):
    case = tall()
    expected = case.dropped(case.machines("rows"))
    genuine = fast.move_machine

    def impatient(*arguments):
        is_new = arguments[-2]
        return genuine(*arguments) and is_new

    monkeypatch.setattr(fast, "move_machine", impatient)
    found = case.dropped(case.machines("rows"))
    np.testing.assert_array_equal(found.groups, expected.groups)
    np.testing.assert_allclose(found.credits, expected.credits, atol=1e-9)
    np.testing.assert_array_equal(found.tables, expected.tables)


def test_a_free_set_that_outgrows_its_room_gets_more():
    X, y = problem(1, 150, 400)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0.0
    rows = np.arange(150)
    case = Case([split_rows(sparse.csr_array(X), y, rows[:100], rows[100:])], [1] * 100, np.arange(400))
    expected = case.dropped(case.machines("rows"))
    machines = case.machines("rows")
    tight = np.ascontiguousarray(machines.machines.free[:, : machines.machines.counts[:, N_FREE].max()])
    machines.machines = machines.machines._replace(free=tight)
    found = case.dropped(machines)
    assert machines.machines.free is not tight
    np.testing.assert_array_equal(found.groups, expected.groups)
    np.testing.assert_allclose(found.credits, expected.credits, atol=1e-9)
    np.testing.assert_array_equal(found.tables, expected.tables)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_threads_change_no_bit(is_sparse):
    case = tall(is_sparse=is_sparse)
    one, three = (case.dropped(case.machines("rows", n_threads)) for n_threads in (1, 3))
    np.testing.assert_array_equal(one.groups, three.groups)
    np.testing.assert_array_equal(one.credits, three.credits)
    np.testing.assert_array_equal(one.tables, three.tables)
