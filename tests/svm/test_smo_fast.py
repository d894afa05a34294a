import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infoprop.svm import _smo_fast as fast


@given(arrays(float, st.integers(1, 60), elements=st.floats(-5, 5)), st.data())
def test_select_gives_what_a_sort_gives(values, data):
    rank = data.draw(st.integers(0, values.size - 1))
    assert fast.select(values.copy(), rank) == np.sort(values)[rank]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9, 33])
def test_factor_and_solve_agree_with_numpy(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    A = A @ A.T + 0.1 * np.eye(n)
    x = rng.normal(size=n)
    U = A.copy()
    fast.factor(U)
    np.testing.assert_allclose(np.triu(U).T @ np.triu(U), A, atol=1e-10)
    solution = x.copy()
    fast.solve_factored(U, solution)
    np.testing.assert_allclose(solution, np.linalg.solve(A, x), rtol=1e-8)


def test_a_face_step_reaches_the_optimum_of_the_free_variables():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 8))
    K = A @ A.T + np.eye(8)
    y = np.where(rng.random(8) < 0.5, 1.0, -1.0)
    beta = np.zeros(8)
    low, high = np.full(8, -1e3), np.full(8, 1e3)
    f = K @ beta - y
    assert fast.face_step(K, f, beta, low, high)
    assert beta.sum() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(f, K @ beta - y, atol=1e-10)
    assert np.ptp(f) < 1e-10


def test_a_face_step_stops_at_the_first_bound():
    K = np.eye(4)
    y = np.array([1.0, 1.0, -1.0, -1.0])
    beta = np.zeros(4)
    low, high = np.full(4, -0.2), np.array([0.1, 5.0, 5.0, 5.0])
    low[2:] = -5.0
    f = -y.copy()
    assert not fast.face_step(K, f, beta, low, high)
    assert beta[0] == 0.1
    np.testing.assert_allclose(f, beta - y)


@pytest.mark.parametrize("n_active", [7, 20])
def test_added_rows_are_a_matrix_product(n_active):
    rng = np.random.default_rng(0)
    K = rng.normal(size=(20, 20))
    K = K + K.T
    slots = rng.permutation(20)
    rows = np.empty_like(K)
    rows[slots] = K
    active = np.sort(rng.permutation(20)[:n_active])
    for size in range(7):
        block = rng.permutation(20)[:size]
        change = rng.normal(size=size) * (rng.random(size) < 0.8)
        f = np.zeros(20)
        fast.add_rows(rows, slots, block, change, f, active, n_active)
        expected = K[:, block] @ change
        np.testing.assert_allclose(f[active], expected[active], atol=1e-12)
        if n_active < 20:
            assert np.all(np.delete(f, active) == 0.0)


def test_a_block_holds_the_worst_violators_and_all_free_variables():
    rng = np.random.default_rng(0)
    n = 100
    f = rng.normal(size=n)
    low, high = np.zeros(n), np.ones(n)
    beta = np.where(rng.random(n) < 0.5, 0.0, 1.0)
    free = rng.permutation(n)[:10]
    beta[free] = 0.5
    block = np.empty(40, dtype=np.int64)
    taken = np.zeros(n, dtype=bool)
    count = fast.choose_block(f, beta, low, high, np.arange(n), n, taken, block, 40)
    chosen = block[:count]
    assert len(set(chosen.tolist())) == count <= 40
    assert set(free) <= set(chosen.tolist())
    assert not taken.any()
    riser = np.flatnonzero(beta < 1)[f[beta < 1].argmin()]
    faller = np.flatnonzero(beta > 0)[f[beta > 0].argmax()]
    assert {riser, faller} <= set(chosen.tolist())


def test_shrinking_sets_aside_only_satisfied_bounds():
    f = np.array([5.0, -5.0, 0.0, 5.0, -5.0])
    low, high = np.zeros(5), np.ones(5)
    beta = np.array([0.0, 1.0, 0.5, 1.0, 0.0])
    active = np.arange(5)
    kept = fast.shrink(f, beta, low, high, active, 5, -1.0, 1.0)
    assert active[:kept].tolist() == [2, 3, 4]
