import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.active_set import _feature_machines_fast as fast
from infoprop.svm.active_set._machines_fast import N_FREE
from reference.elimination_cases import Case, assert_same, cases, middle_class, problem
from reference.eliminations import drop_worst
from reference.machines import RowMachines, SplitRows
from reference.moving import split_rows

CASES = cases()


def sparsely(case):
    """The same rows as CSR, with most entries left out."""

    def thinned(X):
        return sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))

    splits = [
        SplitRows(thinned(s.X), s.y, s.weights, thinned(s.X_test), s.truth, s.test_weights)
        for s in case.splits
    ]
    return Case(splits, case.counts, case.group_of, case.keep, case.by_credit, case.estimator)


def tall(seed=3, is_sparse=False, C=1.0):
    """Rows enough that most are not followed, with noise in the labels."""
    X, y = problem(seed, 500, 20)
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(500) < 0.2, rng.integers(0, 3, 500), y)
    rows = np.arange(500)
    case = Case([split_rows(X, y, rows[:300], rows[300:])], [1] * 19, np.arange(20))
    case.estimator = type(case.estimator)(kernel="linear", C=C)
    return sparsely(case) if is_sparse else case


@pytest.mark.parametrize("name", CASES)
def test_the_same_as_cold_fits_in_every_step(name):
    case = CASES[name]
    machines = case.machines(RowMachines)
    found = case.dropped(machines)
    assert_same(found, case.slowly())
    gone = np.isin(case.group_of, found.groups)
    np.testing.assert_array_equal(machines.columns, np.flatnonzero(~gone))


@pytest.mark.parametrize("name", ["one by one", "folds, groups", "weights", "a split lacks a class"])
def test_the_same_on_sparse_rows(name):
    case = sparsely(CASES[name])
    assert_same(case.dropped(case.machines(RowMachines)), case.slowly())


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("C", [0.01, 10.0])
def test_rows_that_are_not_followed_are_looked_at_in_time(is_sparse, C):
    case = tall(is_sparse=is_sparse, C=C)
    assert_same(case.dropped(case.machines(RowMachines)), case.slowly())


def test_steps_may_be_made_in_several_calls():
    case = CASES["folds"]
    whole, parts = case.machines(RowMachines), case.machines(RowMachines)
    found = case.dropped(whole)
    for first in range(0, 11, 4):
        counts = np.ones(min(4, 11 - first), dtype=np.int64)
        part = drop_worst(parts, counts, case.group_of, case.is_kept, True)
        np.testing.assert_array_equal(part.groups, found.groups[first : first + 4])
        np.testing.assert_allclose(part.credits, found.credits[first : first + 4], atol=1e-10)
        if first:
            parts.rebuild()


def test_groups_are_given_what_insensitive_machines_share_evenly():
    case = middle_class(np.array([0, 1, 1, 1, 1, 1, 2]))
    found = case.dropped(case.machines(RowMachines))
    assert found.groups.tolist() == [2, 1]
    assert_same(found, case.slowly())


def test_a_machine_that_pivots_too_long_is_left_to_the_solver(monkeypatch):
    case = tall()
    expected = case.dropped(case.machines(RowMachines))
    genuine = fast.move_machine

    def impatient(*arguments):
        is_new = arguments[-2]
        return genuine(*arguments) and is_new

    monkeypatch.setattr(fast, "move_machine", impatient)
    found = case.dropped(case.machines(RowMachines))
    np.testing.assert_array_equal(found.groups, expected.groups)
    np.testing.assert_allclose(found.credits, expected.credits, atol=1e-9)
    np.testing.assert_array_equal(found.tables, expected.tables)


def test_a_free_set_that_outgrows_its_room_gets_more():
    X, y = problem(1, 150, 400)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0.0
    rows = np.arange(150)
    case = Case([split_rows(sparse.csr_array(X), y, rows[:100], rows[100:])], [1] * 100, np.arange(400))
    expected = case.dropped(case.machines(RowMachines))
    machines = case.machines(RowMachines)
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
    one, three = (case.dropped(case.machines(RowMachines, n_threads)) for n_threads in (1, 3))
    np.testing.assert_array_equal(one.groups, three.groups)
    np.testing.assert_array_equal(one.credits, three.credits)
    np.testing.assert_array_equal(one.tables, three.tables)
