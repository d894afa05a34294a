import numpy as np
import pytest

from infoprop.selection.elimination import _search
from reference.elimination_cases import Case, assert_same, cases, problem
from reference.eliminations import drop_step_by_step
from reference.engine import split_rows

CASES = cases()
WIDTH = 900


def wide(X, y, n_steps, keep=()):
    """More columns than are followed, going one by one."""
    rows = np.arange(len(y))
    splits = [split_rows(X, y, rows[:30], rows[30:])]
    return Case(splits, [1] * n_steps, np.arange(X.shape[1]), keep=keep)


@pytest.mark.parametrize("name", ["one by one", "folds, groups", "groups, several, kept", "by margin"])
def test_the_loop_in_one_piece_is_the_loop_of_all_machines(name):
    case = CASES[name]
    found = case.dropped(case.machines("gram"))
    machines = case.machines("gram")
    slow = _search.new_dropped(np.array(case.counts), len(machines.splits.label_scale))
    drop_step_by_step(machines, slow, case.group_of, case.is_kept, case.by_credit)
    np.testing.assert_array_equal(slow.groups, found.groups)
    np.testing.assert_allclose(slow.credits, found.credits, atol=1e-9)
    np.testing.assert_array_equal(slow.tables, found.tables)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_screened_columns_are_looked_at_in_time(n_classes, monkeypatch):
    X, y = problem(n_classes, 50, WIDTH, n_classes)
    case = wide(X, y, 500)
    found = case.dropped(case.machines("gram"))
    assert_same(found, case.slowly(25))
    # Following all columns is the same, only slower.
    monkeypatch.setattr(_search, "N_CANDIDATES", WIDTH)
    everything = case.machines("gram")
    np.testing.assert_array_equal(case.dropped(everything).groups, found.groups)


def zeros(X):
    X[:, 100:800] = 0.0


def copies(X):
    X[:] = np.tile(X[:, :9], (1, WIDTH // 9))


def copies_of_one(X):
    X[:] = X[:, :1]


def few_entries(X):
    X[:] = np.random.default_rng(0).random(X.shape) < 0.03


@pytest.mark.parametrize(
    "spoil", [zeros, copies, copies_of_one, few_entries], ids=lambda spoil: spoil.__name__
)
def test_more_ties_than_are_followed(spoil):
    X, y = problem(3, 50, WIDTH)
    spoil(X)
    case = wide(X, y, WIDTH - 1)
    assert_same(case.dropped(case.machines("gram")), case.slowly(6))


def test_a_machine_may_have_no_weight_in_most_columns():
    # Each class has columns of its own: the other machines' weights there are small or zero.
    rng = np.random.default_rng(5)
    y = np.arange(50) % 3
    X = np.zeros((50, 1500))
    for label in range(3):
        own = np.ix_(np.flatnonzero(y == label), np.arange(500 * label, 500 * label + 500))
        X[own] = rng.normal(size=X[own].shape) * rng.uniform(0.1, 2.0, 500) + 1.0
    case = wide(X, y, 300)
    assert_same(case.dropped(case.machines("gram")), case.slowly(6))


@pytest.mark.parametrize("n_kept", [300, 600])
def test_the_worst_columns_may_all_be_kept(n_kept):
    X, y = problem(4, 50, WIDTH)
    worth = wide(X, y, 1).slowly().worths[0]
    worst = sorted(worth, key=worth.__getitem__)[:n_kept]
    case = wide(X, y, 100, keep=tuple(worst))
    found = case.dropped(case.machines("gram"))
    assert_same(found, case.slowly(8))
    assert not set(found.groups.tolist()) & set(worst)


def test_a_machine_that_pivots_too_long_is_left_to_the_solver(monkeypatch):
    case = CASES["one by one"]
    calls = []
    genuine = _search.eliminate

    def impatient(state, drops, record, n_candidates):
        """Stop after the third step, as if its machines had not settled."""
        calls.append(len(drops.counts))
        if len(calls) > 1:
            return genuine(state, drops, record, n_candidates)
        genuine(state, drops._replace(counts=drops.counts[:3]), record, n_candidates)
        return 2

    monkeypatch.setattr(_search, "eliminate", impatient)
    assert_same(case.dropped(case.machines("gram")), case.slowly())
    assert calls == [11, 8]
