import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infoprop.svm.active_set import _core_fast as core
from infoprop.svm.active_set import _feature_machines_fast as feature_machines
from infoprop.svm.active_set import _feature_store_fast as feature
from infoprop.svm.active_set import _gram_store_fast as gram
from infoprop.svm.active_set import _pivots_fast as pivots
from infoprop.svm.active_set._feature_pivots import LeavingColumns, rows_of
from infoprop.svm.active_set._machines_fast import BIAS, N_CANDIDATES, N_FREE, N_MOVED, REACH, SHIFT
from infoprop.svm.active_set._state import new_scratch
from reference.free_set import (
    assert_optimal,
    assert_whole,
    free_set_of,
    free_step,
    lay_free_set,
    new_machine,
    residuals,
)

SEEDS = st.integers(0, 2**32 - 1)
START = 4
QUEUE = 8


class Checked:
    """A machine over rows that begin at START; everything about it can be computed anew."""

    def __init__(self, seed, n=12, n_columns=5, C=1.0, X=None):
        rng = np.random.default_rng(seed)
        if X is None:
            X = rng.normal(size=(n + START, n_columns)) * (rng.random((n + START, n_columns)) < 0.8)
        self.all_rows, self.n = X, len(X) - START
        self.is_left = np.ones(X.shape[1], dtype=bool)
        y = np.where(np.arange(self.n) % 2 == 0, 1.0, -1.0)
        self.machine = new_machine(
            y, np.full(self.n, C), start=START, shift=max(1.0, float((X * X).sum(1).max()))
        )
        self.scratch = new_scratch(self.n + 1, self.n, X.shape[1])
        self.store = self.new_store()

    @property
    def X(self):
        return self.all_rows[START:] * self.is_left

    @property
    def K(self):
        return self.X @ self.X.T

    def settle(self, most=5000):
        return core.settle(self.machine, self.store, self.scratch, most)

    def check(self, atol=1e-8):
        m = self.machine.counts[N_FREE]
        np.testing.assert_allclose(self.machine.residual[:m], residuals(self.machine, self.K), atol=atol)
        assert_whole(self.machine, self.K)
        assert self.machine.counts[N_MOVED] == 0
        for part in (self.scratch.row, self.scratch.column, self.scratch.moved):
            np.testing.assert_array_equal(part, 0.0)


class GramTwin(Checked):
    def new_store(self):
        return gram.GramStore(self.K.copy(), -self.machine.y)

    def drop(self, k, sign=-1.0):
        x = np.ascontiguousarray(self.all_rows[START:, k])
        self.is_left[k] = sign > 0.0
        self.store.K[:] += sign * np.outer(x, x)
        self.store.f[:] += sign * (x @ self.machine.beta) * x
        gram.read_residual(self.store, self.machine)
        pivots.change_factor(self.machine, self.store, x, sign, self.scratch)

    def check(self, atol=1e-8):
        super().check(atol)
        f = self.K @ self.machine.beta - self.machine.y
        np.testing.assert_allclose(self.store.f, f, atol=atol)


class DenseTwin(Checked):
    def stored(self):
        return self.all_rows.copy()

    def new_store(self):
        p = self.all_rows.shape[1]
        norms = (self.all_rows**2).sum(axis=1)
        stored = self.stored()
        rows, self.leaving = rows_of(stored, norms), LeavingColumns(stored)
        everyone, queue = np.zeros(self.n, dtype=np.int64), np.zeros(QUEUE, dtype=np.int64)
        return feature.FeatureStore(rows, np.zeros(p), np.zeros(p + 1), everyone, queue)

    def drop(self, k):
        holders, values, _ = self.leaving.take(np.array([k]))
        self.is_left[k] = False
        feature_machines.drop_column(self.machine, self.store, k, holders, values, self.scratch)

    def check(self, atol=1e-8):
        super().check(atol)
        np.testing.assert_allclose(self.store.w, self.X.T @ self.machine.beta, atol=atol)


class SparseTwin(DenseTwin):
    def stored(self):
        return sparse.csr_array(self.all_rows)


KINDS = [GramTwin, DenseTwin, SparseTwin]


def inside(seed, n=9, n_free=4):
    """A machine somewhere inside its box, with some rows in the free set."""
    rng = np.random.default_rng(seed)
    checked = GramTwin(seed, n=n, n_columns=n + 2)
    machine = checked.machine
    machine.numbers[BIAS] = rng.normal()
    rows = rng.permutation(n)[:n_free]
    machine.beta[:] = np.where(rng.random(n) < 0.5, machine.low, machine.high)
    machine.beta[rows] = rng.uniform(machine.low[rows], machine.high[rows])
    checked.store.f[:] = checked.K @ machine.beta - machine.y
    lay_free_set(machine, checked.K, rows)
    return rng, checked, machine


@given(SEEDS, st.integers(1, 9))
def test_the_direction_solves_the_equations_of_the_free_set(seed, n_free):
    _, checked, machine = inside(seed, n_free=n_free)
    d = np.zeros(10)
    change = pivots.direction(machine, d)
    step, expected = free_step(machine, checked.K)
    scale = max(1.0, abs(step).max())
    np.testing.assert_allclose(d[:n_free], step, atol=1e-6 * scale)
    assert change == pytest.approx(expected, abs=1e-6 * scale)


@given(SEEDS)
def test_the_ratio_test_finds_the_largest_step_that_stays_in_the_box(seed):
    rng, _, machine = inside(seed)
    d = rng.normal(size=4) * (rng.random(4) < 0.8)
    length, blocker = pivots.max_step(machine, d)
    rows = free_set_of(machine)
    if not d.any():
        assert (length, blocker) == (np.inf, -1)
        return
    after = machine.beta[rows] + length * d
    low, high = machine.low[rows], machine.high[rows]
    assert (after >= low - 1e-12).all()
    assert (after <= high + 1e-12).all()
    assert min(abs(after - low)[blocker], abs(after - high)[blocker]) < 1e-12


@given(SEEDS, st.floats(-0.5, 0.5))
def test_a_step_shortens_residuals_balances_beta_and_lets_the_blocker_go(seed, excess):
    _, checked, machine = inside(seed)
    before, rows = machine.beta.copy(), free_set_of(machine).copy()
    length, has_left = core.step_on_free_set(machine, excess, checked.scratch)
    if not has_left:
        assert length == 1.0
        assert machine.beta.sum() == pytest.approx(before.sum() - excess, abs=1e-9)
    else:
        gone = np.setdiff1d(rows, free_set_of(machine))
        assert len(gone) == 1
        assert machine.beta[gone] in (machine.low[gone], machine.high[gone])
    moved = checked.scratch.moved.copy()
    np.testing.assert_allclose(machine.beta, before + moved, atol=1e-12)
    pivots.tell_store(machine, checked.store, checked.scratch)
    np.testing.assert_allclose(checked.store.f, checked.K @ machine.beta - machine.y, atol=1e-9)
    if excess == 0.0:
        m = machine.counts[N_FREE]
        scale = max(1.0, abs(moved).max())
        np.testing.assert_allclose(machine.residual[:m], residuals(machine, checked.K), atol=1e-6 * scale)


def test_a_row_enters_with_the_factor_that_numpy_makes():
    checked = GramTwin(5, n=6, n_columns=8)
    machine = checked.machine
    machine.beta[:] = 0.5 * machine.y
    checked.store.f[:] = checked.K @ machine.beta - machine.y
    lay_free_set(machine, checked.K, np.array([4, 1]))
    assert not pivots.enter(machine, checked.store, 3, checked.scratch)
    assert free_set_of(machine).tolist() == [4, 1, 3]
    A = checked.K[np.ix_([4, 1, 3], [4, 1, 3])] + machine.numbers[SHIFT]
    np.testing.assert_allclose(np.triu(machine.U[:3, :3]), np.linalg.cholesky(A).T, atol=1e-10)
    np.testing.assert_allclose(machine.residual[:3], residuals(machine, checked.K), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_columns", [2, 9])
def test_all_rows_inside_their_boxes_enter_at_once_or_one_by_one(kind, n_columns):
    # With two columns, rows depend on each other: some go to their bounds.
    checked = kind(1, n=8, n_columns=n_columns)
    checked.machine.beta[:] = 0.5 * checked.machine.y
    checked.store = checked.new_store()
    if kind is GramTwin:
        checked.store.f[:] = checked.K @ checked.machine.beta - checked.machine.y
    else:
        checked.store.w[:] = checked.X.T @ checked.machine.beta
    assert pivots.enter_interior(checked.machine, checked.store, checked.scratch)
    checked.check()
    assert checked.machine.counts[N_FREE] == min(8, n_columns + 1)
    assert checked.settle()
    assert_optimal(checked.machine, checked.K)


@pytest.mark.parametrize("kind", KINDS)
@given(SEEDS, st.sampled_from([1e-3, 0.1, 1.0, 100.0]))
def test_pivots_from_nothing_reach_the_optimum(kind, seed, C):
    checked = kind(seed, C=C)
    assert checked.settle()
    checked.check()
    assert_optimal(checked.machine, checked.K)


@pytest.mark.parametrize("kind", KINDS)
@given(SEEDS)
def test_columns_go_until_none_is_left(kind, seed):
    checked = kind(seed, n_columns=6)
    checked.settle()
    for k in np.random.default_rng(seed).permutation(6):
        checked.drop(k)
        checked.check()
        assert checked.settle()
        checked.check()
        assert_optimal(checked.machine, checked.K)


@given(SEEDS)
def test_a_column_that_goes_and_comes_again_restores_the_machine(seed):
    checked = GramTwin(seed)
    checked.settle()
    w, bias = checked.X.T @ checked.machine.beta, checked.machine.numbers[BIAS]
    for sign in (-1.0, 1.0):
        checked.drop(2, sign)
        checked.check()
        assert checked.settle()
    np.testing.assert_allclose(checked.X.T @ checked.machine.beta, w, atol=1e-8)
    if checked.machine.counts[N_FREE]:
        assert checked.machine.numbers[BIAS] == pytest.approx(bias, abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_a_free_set_that_loses_a_dimension_loses_a_row(kind):
    # Five columns and a large C: six rows are free, more than four columns can bear.
    rng = np.random.default_rng(3)
    checked = kind(0, C=1e3, X=rng.normal(size=(40 + START, 5)))
    assert checked.settle()
    assert checked.machine.counts[N_FREE] == 6
    checked.drop(4)
    assert checked.machine.counts[N_FREE] == 5
    checked.check(atol=1e-6)
    assert checked.settle()
    assert_optimal(checked.machine, checked.K, tol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50)
@given(SEEDS, st.sampled_from([0.1, 10.0]))
def test_rows_that_depend_on_each_other_are_no_hindrance(kind, seed, C):
    X = np.random.default_rng(seed).integers(-1, 2, size=(10, 2)).astype(float)
    checked = kind(seed, C=C, X=np.concatenate([X, X, X]))
    assert checked.settle()
    checked.check()
    assert_optimal(checked.machine, checked.K)


@pytest.mark.parametrize("kind", KINDS)
def test_too_few_pivots_or_too_few_entries_are_said_to_be_so(kind):
    checked = kind(1)
    assert not checked.settle(most=1)
    assert checked.machine.counts[N_MOVED] == 0
    checked = kind(1)
    checked.machine = checked.machine._replace(free=checked.machine.free[:1])
    assert not checked.settle()


@pytest.mark.parametrize(
    ("beta", "f", "bias"),
    [
        # Both can rise, both could fall: not yet optimal, the lowest begins.
        ([0.0, 0.0], [-1.0, 1.0], None),
        # All at the upper bound of alpha: b anywhere in an interval, its middle is taken.
        ([1.0, -1.0], [-3.0, 1.0], 1.0),
    ],
)
def test_an_empty_free_set_begins_or_has_its_bias_in_the_middle(beta, f, bias):
    machine = new_machine(np.array([1.0, -1.0]), np.ones(2))
    machine.beta[:] = beta
    first = core.start_free_set(machine, np.array(f), 1e-10)
    assert first == (0 if bias is None else -1)
    assert machine.numbers[BIAS] == (1.0 if bias is None else bias)


def test_if_nobody_can_rise_the_highest_faller_decides():
    machine = new_machine(np.array([1.0, 1.0]), np.ones(2))
    machine.beta[:] = 1.0
    assert core.start_free_set(machine, np.array([-0.5, -0.25]), 1e-10) == -1
    assert machine.numbers[BIAS] == 0.25


@given(SEEDS, st.integers(0, 9))
def test_rows_of_a_gram_matrix_are_added_as_numpy_does(seed, count):
    rng = np.random.default_rng(seed)
    K, f, weights = rng.normal(size=(10, 14)), rng.normal(size=12), np.zeros(10)
    rows = rng.permutation(10)
    weights[rows[:count]] = rng.normal(size=count)
    expected = f + weights @ K[:, :12]
    gram.add_rows(K, rows, weights, count, f)
    np.testing.assert_allclose(f, expected, atol=1e-12)
    assert gram.list_nonzero(weights, rows) == count
    np.testing.assert_array_equal(rows[:count], np.flatnonzero(weights))


def test_rows_that_violate_most_enter_together():
    checked = GramTwin(0, n=60, n_columns=80)
    machine, entering = checked.machine, checked.scratch.entering
    machine.beta[:40] = 0.5 * machine.y[:40]
    lay_free_set(machine, checked.K, np.arange(40))
    # Bounded rows are low; the last wants to rise most, then 50, 51; 52 wants too little, 53 nothing.
    checked.store.f[40:] = 1.0
    checked.store.f[[59, 50, 51, 52]] = -2.0, -1.9, -0.7, -0.1
    machine.high[40:], machine.low[40:], machine.beta[40:] = 1.0, 0.0, 0.0
    machine.numbers[BIAS] = 0.0
    count = gram.price(checked.store, machine, checked.scratch)
    assert entering[:count].tolist() == [59, 50, 51]
    machine.counts[N_FREE] = 8
    assert gram.price(checked.store, machine, checked.scratch) == 1
    checked.store.f[:] = 1.0
    assert gram.price(checked.store, machine, checked.scratch) == 0


@pytest.mark.parametrize("kind", [DenseTwin, SparseTwin])
def test_row_arithmetic_is_that_of_numpy(kind):
    checked, w = kind(0), np.random.default_rng(0).normal(size=5)
    X, rows = checked.all_rows, checked.store.rows
    out = np.zeros(16)
    feature.products(rows, 2, np.array([3, 0, 7]), 3, w, out)
    np.testing.assert_allclose(out[:3], X[[5, 2, 9]] @ w, atol=1e-12)
    feature.products(rows, 2, np.zeros(0, dtype=np.int64), 6, w, out)
    np.testing.assert_allclose(out[:6], X[2:8] @ w, atol=1e-12)
    changed, weights = w.copy(), np.array([0.0, 0.0, -1.5, 0.0, 1.0])
    feature.add_rows(rows, 1, np.array([4, 2]), weights, 2, changed)
    np.testing.assert_allclose(changed, w + X[5] - 1.5 * X[3], atol=1e-12)


@pytest.mark.parametrize("kind", [DenseTwin, SparseTwin])
def test_rows_out_of_reach_are_innocent_until_the_next_full_pricing(kind):
    # Enough rows that most are not followed, all the way down to one column.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900 + START, 6))
    X[START::2, 0] += 1.5
    checked = kind(0, X=X)
    assert checked.settle()
    assert checked.machine.counts[N_CANDIDATES] < checked.n
    for k in range(5, 0, -1):
        checked.drop(k)
        assert checked.settle()
        assert_optimal(checked.machine, checked.K)


@given(SEEDS)
def test_a_full_pricing_follows_the_free_set_and_the_rows_nearest_to_leaving(seed):
    rng = np.random.default_rng(seed)
    checked = DenseTwin(seed, X=rng.normal(size=(200 + START, 3)))
    checked.settle()
    feature.price_all(checked.store, checked.machine, checked.scratch)
    machine, store = checked.machine, checked.store
    candidates = store.candidates[: machine.counts[N_CANDIDATES]]
    assert set(free_set_of(machine).tolist()) <= set(candidates.tolist())
    g = checked.X @ store.w - machine.y + machine.numbers[BIAS]
    slack = np.where(machine.beta <= machine.low, g, -g) / np.sqrt((checked.X**2).sum(axis=1) + 1.0)
    others = np.setdiff1d(np.arange(checked.n), candidates)
    assert (slack[others] >= machine.numbers[REACH] - 1e-12).all()
    assert feature.distance_moved(store, machine) == 0.0
    store.w[1] += 3.0
    machine.numbers[BIAS] += 4.0
    assert feature.distance_moved(store, machine) == pytest.approx(5.0)


def test_the_worst_violators_wait_in_front():
    rng = np.random.default_rng(0)
    checked = DenseTwin(0, X=rng.normal(size=(300 + START, 4)))
    machine, store = checked.machine, checked.store
    machine.counts[N_CANDIDATES] = 300
    store.candidates[:] = np.arange(300)
    store.w[:] = rng.normal(size=4)
    assert feature.list_violators(store, machine, checked.scratch) == QUEUE
    g = checked.X @ store.w - machine.y
    eagerness = np.where(machine.beta <= machine.low, -g, g)
    np.testing.assert_array_equal(store.queue, np.argsort(-eagerness)[:QUEUE])
