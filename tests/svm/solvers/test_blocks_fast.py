import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infoprop.svm.solvers import _blocks_fast as fast


@given(arrays(float, st.integers(1, 60), elements=st.floats(-5, 5)), st.data())
def test_select_gives_what_a_sort_gives(values, data):
    rank = data.draw(st.integers(0, values.size - 1))
    assert fast.select(values.copy(), rank) == np.sort(values)[rank]


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


def optimality_gap(K, y, beta, low, high):
    f = K @ beta - y
    return f[beta > low].max(initial=-np.inf) - f[beta < high].min(initial=np.inf)


@pytest.mark.parametrize("dimensions", [3, 60])
@pytest.mark.parametrize("upper", [0.1, 10.0, np.inf])
def test_a_block_is_solved_and_the_sum_of_its_variables_stays(dimensions, upper):
    rng = np.random.default_rng(0)
    n = 50
    X = rng.normal(size=(n, dimensions))
    K = X @ X.T + (np.eye(n) if upper == np.inf else 0.0)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    beta = 0.05 * y * (rng.random(n) < 0.3)
    before, f = beta.sum(), K @ beta - y
    n_pairs, n_pivots = fast.solve_block(K, f, beta, low, high, True, 0.0, 1e-8, 100_000)
    assert 0 < n_pairs + n_pivots < 1000
    assert optimality_gap(K, y, beta, low, high) < 2e-8
    assert beta.sum() == pytest.approx(before, abs=1e-9)
    assert np.all((low <= beta) & (beta <= high))
    np.testing.assert_allclose(f, K @ beta - y, atol=1e-9)


def test_a_limit_on_the_steps_of_a_block_is_kept():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 5)), np.where(np.arange(40) % 2, 1.0, -1.0)
    low, high = np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)
    assert fast.solve_block(X @ X.T, -y, np.zeros(40), low, high, True, 0.0, 1e-12, 20) == (20, 0)
