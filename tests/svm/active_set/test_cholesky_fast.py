import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoprop.svm.active_set import _cholesky_fast as fast
from reference.cholesky import factor, without

SIZES = st.integers(1, 24)
SEEDS = st.integers(0, 2**32 - 1)
SPARE = 3


def problem(m, seed):
    """A matrix, its factor with space to grow, and scratch."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(m, m + 3))
    A = half @ half.T
    U, ones = np.full((m + SPARE, m + SPARE), np.nan), np.full(m + SPARE, np.nan)
    U[:m, :m], ones[:m] = factor(A)
    return rng, A, U, ones, np.zeros(m + SPARE)


def assert_factor(U, ones, m, A, atol=1e-9):
    expected, ones_expected = factor(A)
    np.testing.assert_allclose(np.triu(U[:m, :m]), np.triu(expected), atol=atol)
    np.testing.assert_allclose(ones[:m], ones_expected, atol=atol * max(1.0, abs(ones_expected).max()))


@given(SIZES, SEEDS)
def test_a_matrix_becomes_its_factor_at_once(m, seed):
    _, A, _, ones, _ = problem(m, seed)
    U = np.full((m + SPARE, m + SPARE), np.nan)
    U[:m, :m] = np.triu(A)
    assert fast.factored(U, m)
    assert_factor(U, ones, m, A)
    assert np.isnan(U[m:]).all()
    assert np.isnan(U[:, m:]).all()


@given(st.integers(2, 24), SEEDS)
def test_rows_that_depend_on_each_other_have_no_factor(m, seed):
    half = np.random.default_rng(seed).integers(-3, 4, size=(m, m + 3)).astype(float)
    half[m - 1] = half[0] - half[m // 2 - 1] if m > 3 else half[0]
    assert not fast.factored(half @ half.T, m)


@given(SIZES, SEEDS)
def test_solutions_are_those_of_numpy(m, seed):
    rng, _, U, _, _ = problem(m, seed)
    x = rng.normal(size=m + SPARE)
    upper = np.triu(U[:m, :m])
    for solve, matrix in ((fast.forward, upper.T), (fast.backward, upper)):
        z = x.copy()
        solve(U, m, z)
        np.testing.assert_allclose(matrix @ z[:m], x[:m], atol=1e-8 * max(1.0, abs(z[:m]).max()))
        np.testing.assert_array_equal(z[m:], x[m:])


@given(SIZES, SEEDS)
def test_inner_products(m, seed):
    x, y = np.random.default_rng(seed).normal(size=(2, m))
    assert fast.inner(x, y) == pytest.approx(x @ y, abs=1e-12)


@given(SIZES, SEEDS)
def test_four_inner_products(m, seed):
    x, y = np.random.default_rng(seed).normal(size=(4, m)), np.random.default_rng(seed + 1).normal(size=m)
    assert fast.four_inner(*x, y) == pytest.approx(x @ y, abs=1e-12)


@given(SIZES, SEEDS)
def test_a_rank_one_term_comes(m, seed):
    rng, A, U, ones, scratch = problem(m, seed)
    x = rng.normal(size=m) * (rng.random(m) < 0.7)
    scratch[:m] = x
    fast.update(U, ones, 0, m, scratch, 0.0)
    assert_factor(U, ones, m, A + np.outer(x, x))


@given(SIZES, SEEDS)
def test_a_rank_one_term_goes(m, seed):
    rng, A, U, ones, scratch = problem(m, seed)
    x = rng.normal(size=m) * (rng.random(m) < 0.7)
    x *= 0.9 / max(1.0, np.sqrt(x @ np.linalg.solve(A, x)))
    z = np.zeros(m + SPARE)
    z[:m] = x
    fast.forward(U, m, z)
    fast.downdate(U, ones, m, z, scratch)
    assert_factor(U, ones, m, A - np.outer(x, x), atol=1e-7)


@given(SIZES, SEEDS)
def test_a_term_that_comes_and_goes_leaves_the_factor_as_it_was(m, seed):
    rng, A, U, ones, scratch = problem(m, seed)
    x = rng.normal(size=m + SPARE)
    fast.update(U, ones, 0, m, x.copy(), 0.0)
    fast.forward(U, m, x)
    fast.downdate(U, ones, m, x, scratch)
    assert_factor(U, ones, m, A, atol=1e-7)


@given(SIZES, SEEDS)
def test_a_variable_comes(m, seed):
    _, A, U, ones, z = problem(m + 1, seed)
    U[:m, :m], ones[:m] = factor(A[:m, :m])
    U[:, m:], ones[m:] = np.nan, np.nan
    z[:m] = A[m, :m]
    fast.forward(U, m, z)
    fast.append(U, ones, m, z, A[m, m] - z[:m] @ z[:m])
    assert_factor(U, ones, m + 1, A)


@given(st.integers(2, 24), SEEDS, st.data())
def test_a_variable_goes(m, seed, data):
    _, A, U, ones, scratch = problem(m, seed)
    position = data.draw(st.integers(0, m - 1))
    fast.remove(U, ones, m, position, scratch)
    assert_factor(U, ones, m - 1, without(A, position))


def test_the_last_variable_goes():
    _, _, U, ones, scratch = problem(1, 0)
    fast.remove(U, ones, 1, 0, scratch)


@settings(max_examples=20)
@given(SEEDS)
def test_a_long_walk_ends_at_the_factor_of_its_matrix(seed):
    rng, _, U, ones, scratch = problem(9, seed)
    # Far fewer rows than columns: their products are a matrix whose factor is certain.
    rows = rng.normal(size=(9, 40))
    U[:9, :9], ones[:9] = factor(rows @ rows.T)
    z = np.zeros(9 + SPARE)
    for _ in range(60):
        m = len(rows)
        move = rng.integers(3)
        if move == 0 and m > 1:
            position = rng.integers(m)
            fast.remove(U, ones, m, position, scratch)
            rows = np.delete(rows, position, axis=0)
        elif move == 1 and m < 9 + SPARE:
            row = rng.normal(size=rows.shape[1])
            z[:m] = rows @ row
            fast.forward(U, m, z)
            fast.append(U, ones, m, z, row @ row - z[:m] @ z[:m])
            rows = np.vstack([rows, row])
        else:
            x = rng.normal(size=m)
            z[:m] = x
            fast.update(U, ones, 0, m, z, 0.0)
            rows = np.column_stack([rows, x])
        assert_factor(U, ones, len(rows), rows @ rows.T, atol=1e-10)
