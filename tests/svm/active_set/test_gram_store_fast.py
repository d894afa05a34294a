import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoprop.svm.active_set import _gram_store_fast as fast
from infoprop.svm.active_set._pivots_fast import BIAS, N_FREE, SHIFT
from reference.free_set import (
    assert_optimal,
    assert_whole,
    free_set_of,
    lay_free_set,
    new_machine,
    new_scratch,
    residuals,
)

SEEDS = st.integers(0, 2**32 - 1)
N_WATCHED = 3


class Twin:
    """A machine with its columns; everything about it can be computed anew."""

    def __init__(self, seed, n=12, n_columns=5, C=1.0, X=None):
        rng = np.random.default_rng(seed)
        self.X = rng.normal(size=(n + N_WATCHED, n_columns)) if X is None else X
        self.n = n = len(self.X) - N_WATCHED
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        self.K = self.fresh_gram()
        self.machine = new_machine(y, np.full(n, C), shift=max(1.0, float(self.K.diagonal().max())))
        self.f = np.concatenate([-y, np.zeros(N_WATCHED)])
        self.scratch = new_scratch(n)

    def fresh_gram(self):
        return self.X[: self.n] @ self.X.T

    def fresh_f(self):
        return self.machine.beta @ self.fresh_gram() - np.append(self.machine.y, np.zeros(N_WATCHED))

    def settle(self, most=5000):
        return fast.settle(self.machine, self.K, self.f, self.scratch, most)

    def move(self, x, sign):
        fast.change_gram(self.K, x, sign)
        return fast.change_column(self.machine, self.K, self.f, x, sign, self.scratch)

    def check(self, atol=1e-8):
        np.testing.assert_allclose(self.K, self.fresh_gram(), atol=atol)
        np.testing.assert_allclose(self.f, self.fresh_f(), atol=atol)
        m = self.machine.counts[N_FREE]
        np.testing.assert_allclose(self.machine.residual[:m], residuals(self.machine, self.K), atol=atol)
        assert_whole(self.machine, self.K)


@given(SEEDS, st.integers(0, 9))
def test_added_rows_are_a_matrix_product(seed, count):
    rng = np.random.default_rng(seed)
    K, f = rng.normal(size=(10, 14)), rng.normal(size=12)
    rows, weights = rng.integers(0, 10, count + 1), rng.normal(size=count + 1)
    expected = f + 0.7 * weights[:count] @ K[rows[:count], :12]
    fast.add_rows(K, rows, weights, count, 0.7, f)
    np.testing.assert_allclose(f, expected, atol=1e-12)


@given(SEEDS)
def test_the_gram_matrix_changes_by_an_outer_product(seed):
    rng = np.random.default_rng(seed)
    K, x = rng.normal(size=(4, 9)), rng.normal(size=7) * (rng.random(7) < 0.6)
    expected = K.copy()
    expected[:, :7] -= np.outer(x[:4], x)
    fast.change_gram(K, x, -1.0)
    np.testing.assert_allclose(K, expected, atol=1e-14)


@given(SEEDS, st.sampled_from([1e-3, 0.1, 1.0, 100.0]))
def test_pivots_from_nothing_reach_the_optimum(seed, C):
    twin = Twin(seed, C=C)
    assert twin.settle()
    twin.check()
    assert_optimal(twin.machine, twin.K)


@given(SEEDS)
def test_at_the_optimum_nobody_is_a_violator(seed):
    twin = Twin(seed)
    twin.settle()
    assert fast.violator(twin.machine, twin.f) == -1
    off = np.flatnonzero(twin.machine.place < 0)
    if len(off):
        push = np.where(twin.machine.beta[off] <= twin.machine.low[off], -1.0, 1.0)
        twin.f[off] = -twin.machine.numbers[BIAS] + push * (2.0 + np.arange(len(off)))
        assert fast.violator(twin.machine, twin.f) == off[-1]


@given(SEEDS, st.integers(2, 9))
def test_a_column_goes(seed, n_columns):
    twin = Twin(seed, n_columns=n_columns)
    twin.settle()
    x = twin.X[:, -1].copy()
    expected = x[: twin.n] @ twin.machine.beta
    twin.X = twin.X[:, :-1]
    assert twin.move(x, -1.0) == pytest.approx(expected, abs=1e-12)
    twin.check()
    assert twin.settle()
    twin.check()
    assert_optimal(twin.machine, twin.K)


@given(SEEDS)
def test_a_column_comes(seed):
    twin = Twin(seed, n_columns=3)
    twin.settle()
    x = np.random.default_rng([seed, 1]).normal(size=len(twin.X))
    twin.X = np.column_stack([twin.X, x])
    twin.move(x, 1.0)
    twin.check()
    assert twin.settle()
    assert_optimal(twin.machine, twin.K)


@given(SEEDS)
def test_a_column_that_goes_and_comes_again_restores_the_machine(seed):
    twin = Twin(seed)
    twin.settle()
    w, bias = twin.X[: twin.n].T @ twin.machine.beta, twin.machine.numbers[BIAS]
    x = twin.X[:, 2].copy()
    for sign in (-1.0, 1.0):
        twin.move(x, sign)
        assert twin.settle()
    twin.check()
    np.testing.assert_allclose(twin.X[: twin.n].T @ twin.machine.beta, w, atol=1e-8)
    if twin.machine.counts[N_FREE]:
        assert twin.machine.numbers[BIAS] == pytest.approx(bias, abs=1e-8)


def test_a_free_set_that_loses_a_dimension_loses_a_row():
    # Five columns and a large C: six rows are on the free set, more than four columns can bear.
    rng = np.random.default_rng(3)
    twin = Twin(0, C=1e3, X=rng.normal(size=(40 + N_WATCHED, 5)))
    assert twin.settle()
    before = int(twin.machine.counts[N_FREE])
    assert before == 6
    x = twin.X[:, -1].copy()
    twin.X = twin.X[:, :-1]
    twin.move(x, -1.0)
    assert twin.machine.counts[N_FREE] == before - 1
    twin.check(atol=1e-6)
    assert twin.settle()
    assert_optimal(twin.machine, twin.K, tol=1e-6)


@given(SEEDS)
def test_columns_go_until_none_is_left(seed):
    twin = Twin(seed, n_columns=4)
    twin.settle()
    while twin.X.shape[1]:
        x = twin.X[:, 0].copy()
        twin.X = twin.X[:, 1:]
        twin.move(x, -1.0)
        assert twin.settle()
        twin.check()
        assert_optimal(twin.machine, twin.K)
    np.testing.assert_allclose(twin.K, 0.0, atol=1e-12)


def test_a_row_enters_with_the_factor_that_numpy_makes():
    twin = Twin(5, n=6, n_columns=8)
    twin.machine.beta[:] = 0.5 * twin.machine.y
    twin.f[:] = twin.fresh_f()
    lay_free_set(twin.machine, twin.K, np.array([4, 1]))
    fast.enter(twin.machine, twin.K, twin.f, 3, twin.scratch)
    assert free_set_of(twin.machine).tolist() == [4, 1, 3]
    machine = twin.machine
    A = twin.K[np.ix_([4, 1, 3], [4, 1, 3])] + machine.numbers[SHIFT]
    np.testing.assert_allclose(np.triu(machine.U[:3, :3]), np.linalg.cholesky(A).T, atol=1e-10)
    np.testing.assert_allclose(machine.residual[:3], residuals(machine, twin.K), atol=1e-12)


@settings(max_examples=50)
@given(SEEDS, st.sampled_from([0.1, 10.0]))
def test_rows_that_depend_on_each_other_are_no_hindrance(seed, C):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(10 + N_WATCHED, 2)).astype(float)
    X = np.concatenate([X[:10], X[:10], X])
    twin = Twin(seed, C=C, X=X)
    assert twin.settle()
    twin.check()
    assert_optimal(twin.machine, twin.K)


def test_too_few_pivots_are_said_to_be_too_few():
    assert not Twin(1).settle(most=1)
