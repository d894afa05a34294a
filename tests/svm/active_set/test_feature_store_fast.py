import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infoprop.svm.active_set import _feature_store_fast as fast
from infoprop.svm.active_set._pivots_fast import BIAS, N_CANDIDATES, N_FREE, REACH
from infoprop.svm.subset._feature_hinge import _both_ways
from reference.free_set import assert_optimal, assert_whole, free_set_of, new_machine, new_scratch, residuals

SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.booleans()
START = 4


class Twin:
    """A machine over rows that begin at START; everything about it can be computed anew."""

    def __init__(self, seed, is_sparse, n=12, n_columns=5, C=1.0, X=None):
        rng = np.random.default_rng(seed)
        if X is None:
            X = rng.normal(size=(n + START, n_columns)) * (rng.random((n + START, n_columns)) < 0.8)
        n = len(X) - START
        self.all_rows, self.n = X, n
        norms = (X * X).sum(axis=1)
        stored = sparse.csr_array(X) if is_sparse else X
        self.rows, self.columns = _both_ways(stored, norms)
        self.is_left = np.ones(X.shape[1], dtype=bool)
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        self.machine = new_machine(y, np.full(n, C), start=START, shift=max(1.0, float(norms.max())))
        p = X.shape[1]
        self.weights = fast.Weights(np.zeros(p), np.zeros(p + 1), np.zeros(n, dtype=np.int64))
        self.scratch, self.slack = new_scratch(n, p), np.zeros(n + START)
        fast.price_all(self.machine, self.rows, self.weights, self.slack)

    @property
    def X(self):
        return self.all_rows[START:] * self.is_left

    @property
    def K(self):
        return self.X @ self.X.T

    def settle(self, most=5000):
        return fast.settle(self.machine, self.rows, self.weights, self.scratch, self.slack, most)

    def drop(self, k):
        own = slice(self.columns.starts[k], self.columns.starts[k + 1])
        holders, values = self.columns.holders[own], self.columns.values[own]
        self.rows.data[self.columns.positions[own]] = 0.0
        self.is_left[k] = False
        fast.drop_column(self.machine, self.rows, self.weights.w, k, holders, values, self.scratch)

    def check(self, atol=1e-8):
        np.testing.assert_allclose(self.weights.w, self.X.T @ self.machine.beta, atol=atol)
        m = self.machine.counts[N_FREE]
        np.testing.assert_allclose(self.machine.residual[:m], residuals(self.machine, self.K), atol=atol)
        assert_whole(self.machine, self.K)
        np.testing.assert_array_equal(self.scratch.row, 0.0)


@given(SEEDS, KINDS)
def test_row_arithmetic_is_that_of_numpy(seed, is_sparse):
    twin = Twin(seed, is_sparse)
    rng = np.random.default_rng(seed)
    w = rng.normal(size=5)
    X = twin.all_rows
    assert fast.row_times(twin.rows, 3, w) == pytest.approx(X[3] @ w, abs=1e-12)
    out = np.zeros(16)
    fast.products(twin.rows, 2, np.array([3, 0, 7]), 3, w, out)
    np.testing.assert_allclose(out[:3], X[[5, 2, 9]] @ w, atol=1e-12)
    fast.products(twin.rows, 2, np.zeros(0, dtype=np.int64), 6, w, out)
    np.testing.assert_allclose(out[:6], X[2:8] @ w, atol=1e-12)
    changed = w.copy()
    fast.add_row(twin.rows, 3, -0.5, changed)
    np.testing.assert_allclose(changed, w - 0.5 * X[3], atol=1e-12)
    changed = w.copy()
    fast.add_free_rows(twin.rows, 1, np.array([4, 2]), 2, np.array([2.0, -3.0]), 0.5, changed)
    np.testing.assert_allclose(changed, w + X[5] - 1.5 * X[3], atol=1e-12)


@given(SEEDS, KINDS, st.sampled_from([1e-3, 0.1, 1.0, 100.0]))
def test_pivots_from_nothing_reach_the_optimum(seed, is_sparse, C):
    twin = Twin(seed, is_sparse, C=C)
    assert twin.settle()
    twin.check()
    assert_optimal(twin.machine, twin.K)


@given(SEEDS, KINDS, st.integers(2, 9))
def test_a_column_goes(seed, is_sparse, n_columns):
    twin = Twin(seed, is_sparse, n_columns=n_columns)
    twin.settle()
    twin.drop(n_columns - 1)
    twin.check()
    assert twin.settle()
    twin.check()
    assert_optimal(twin.machine, twin.K)


@given(SEEDS)
def test_dense_and_sparse_rows_move_alike(seed):
    twins = [Twin(seed, is_sparse) for is_sparse in (False, True)]
    for k in (None, 3, 0):
        for twin in twins:
            if k is not None:
                twin.drop(k)
            assert twin.settle()
        np.testing.assert_allclose(twins[0].weights.w, twins[1].weights.w, atol=1e-9)
        np.testing.assert_allclose(twins[0].machine.beta, twins[1].machine.beta, atol=1e-9)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_free_set_that_loses_a_dimension_loses_a_row(is_sparse):
    rng = np.random.default_rng(3)
    twin = Twin(0, is_sparse, C=1e3, X=rng.normal(size=(40 + START, 5)))
    assert twin.settle()
    before = int(twin.machine.counts[N_FREE])
    assert before == 6
    twin.drop(4)
    assert twin.machine.counts[N_FREE] == before - 1
    twin.check(atol=1e-6)
    assert twin.settle()
    assert_optimal(twin.machine, twin.K, tol=1e-6)


@given(SEEDS, KINDS)
def test_columns_go_until_none_is_left(seed, is_sparse):
    twin = Twin(seed, is_sparse, n_columns=4)
    twin.settle()
    for k in np.random.default_rng(seed).permutation(4):
        twin.drop(k)
        assert twin.settle()
        twin.check()
        assert_optimal(twin.machine, twin.K)


@settings(max_examples=50)
@given(SEEDS, KINDS, st.sampled_from([0.1, 10.0]))
def test_rows_that_depend_on_each_other_are_no_hindrance(seed, is_sparse, C):
    X = np.random.default_rng(seed).integers(-1, 2, size=(10, 2)).astype(float)
    twin = Twin(seed, is_sparse, C=C, X=np.concatenate([X, X, X]))
    assert twin.settle()
    twin.check()
    assert_optimal(twin.machine, twin.K)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_out_of_reach_are_innocent_until_the_next_look(is_sparse):
    # Enough rows that most are not followed, all the way down to one column.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900 + START, 6))
    X[START::2, 0] += 1.5
    twin = Twin(0, is_sparse, X=X)
    assert twin.settle()
    assert twin.machine.counts[N_CANDIDATES] < twin.n
    for k in range(5, 0, -1):
        twin.drop(k)
        assert twin.settle()
        assert_optimal(twin.machine, twin.K)


@given(SEEDS)
def test_a_look_follows_the_free_set_and_the_rows_nearest_to_leaving(seed):
    rng = np.random.default_rng(seed)
    twin = Twin(seed, False, X=rng.normal(size=(200 + START, 3)))
    twin.settle()
    fast.price_all(twin.machine, twin.rows, twin.weights, twin.slack)
    machine = twin.machine
    candidates = twin.weights.candidates[: machine.counts[N_CANDIDATES]]
    assert set(free_set_of(machine).tolist()) <= set(candidates.tolist())
    g = twin.X @ twin.weights.w - machine.y + machine.numbers[BIAS]
    slack = np.where(machine.beta <= machine.low, g, -g) / np.sqrt((twin.X**2).sum(axis=1) + 1.0)
    cold = np.setdiff1d(np.arange(twin.n), candidates)
    assert (slack[cold] >= machine.numbers[REACH] - 1e-12).all()
    assert fast.moved(machine, twin.weights) == 0.0
    twin.weights.w[1] += 3.0
    machine.numbers[BIAS] += 4.0
    assert fast.moved(machine, twin.weights) == pytest.approx(5.0)


def test_the_most_eager_wait_in_front():
    rng = np.random.default_rng(0)
    twin = Twin(0, False, X=rng.normal(size=(300 + START, 4)))
    twin.machine.counts[N_CANDIDATES] = 300
    twin.weights.candidates[:] = np.arange(300)
    queue = np.zeros(fast.LONGEST_QUEUE, dtype=np.int64)
    twin.weights.w[:] = rng.normal(size=4)
    length = fast.list_violators(twin.machine, twin.rows, twin.weights, queue, twin.slack)
    eagerness = [fast.excess(twin.machine, twin.rows, twin.weights.w, i) for i in range(300)]
    assert length == fast.LONGEST_QUEUE
    np.testing.assert_array_equal(queue, np.argsort(-np.array(eagerness))[: fast.LONGEST_QUEUE])


def test_too_few_pivots_or_too_little_room_are_said_to_be_so():
    assert not Twin(1, False).settle(most=1)
    twin = Twin(1, False)
    twin.machine = twin.machine._replace(free=twin.machine.free[:1])
    assert not twin.settle()
