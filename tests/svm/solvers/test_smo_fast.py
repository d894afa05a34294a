import numpy as np
import pytest

from infoprop.svm.solvers import _smo_fast as fast


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


def test_shrinking_sets_aside_only_satisfied_bounds():
    f = np.array([5.0, -5.0, 0.0, 5.0, -5.0])
    low, high = np.zeros(5), np.ones(5)
    beta = np.array([0.0, 1.0, 0.5, 1.0, 0.0])
    active = np.arange(5)
    kept = fast.shrink(f, beta, low, high, active, 5, -1.0, 1.0)
    assert active[:kept].tolist() == [2, 3, 4]
