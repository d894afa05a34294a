import numpy as np
import pytest

from infoprop.kernels import KernelSpec
from infoprop.svm.active_set import _kernel_store_fast as fast
from reference.engine import base_matrix

KINDS = {"linear": fast.DOT, "rbf": fast.DISTANCE, "anova": fast.SUM}
ROUNDING = np.ldexp(1.5, 12)


def table(n=9, n_all=12, n_columns=7, seed=0):
    return np.random.default_rng(seed).normal(size=(n_all, n_columns)), n


def followed(X, n, kind, moved, signs, columns, known=None, base=None):
    base = np.zeros((n, len(X))) if base is None else base
    known = np.zeros(n, dtype=np.int64) if known is None else known
    XT = np.ascontiguousarray(X.T)
    moves = (np.array(moved, dtype=np.int64), np.array(signs, dtype=float), np.array(columns, dtype=np.int64))
    fast.follow(base, np.arange(n), known, XT, *moves, KINDS[kind], 0.5, ROUNDING)
    return base


@pytest.mark.parametrize("kind", KINDS)
def test_a_base_follows_its_columns(kind):
    X, n = table()
    found = followed(X, n, kind, [0, 3, 5, 3], [1, 1, 1, -1], [0, 5])
    expected = base_matrix(X[:n][:, [0, 5]], X[:, [0, 5]], KernelSpec(kind, gamma=0.5))
    np.testing.assert_allclose(found, expected, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_the_way_leaves_no_trace(kind):
    X, n = table()
    columns = [1, 2, 6]
    straight = followed(X, n, kind, columns, [1] * 3, columns)
    detour = followed(X, n, kind, [4, 6, 0, 2, 4, 1, 0], [1, 1, 1, 1, -1, 1, -1], columns)
    late = followed(X, n, kind, [4] * 9, [1] * 9, columns, base=np.full((n, len(X)), 7.0))
    np.testing.assert_array_equal(detour, straight)
    np.testing.assert_array_equal(late, straight)


# The second way is longer than the columns are many, so all is summed up anew.
@pytest.mark.parametrize(
    ("moved", "signs"), [([0, 5], [1, 1]), ([0, 3, 5, 3], [1, 1, 1, -1])], ids=["straight", "detour"]
)
def test_whole_numbers_follow_their_columns(moved, signs):
    X, n = table()
    whole = np.rint(3.0 * X)
    XT = np.ascontiguousarray(whole.T.astype(np.int16))
    base = np.full((n, len(X)), 0 if len(moved) == 2 else 7, dtype=np.uint16)
    moves = (np.array(moved), np.array(signs, dtype=np.int16), np.array([0, 5]))
    for i in range(n):
        fast.follow_levels(base[i], i, 0, XT, *moves)
    expected = base_matrix(whole[:n][:, [0, 5]], whole[:, [0, 5]], KernelSpec("rbf"))
    np.testing.assert_array_equal(base, expected)


def test_values_of_whole_distances_are_looked_up_and_multiplied():
    X, n = table()
    whole = np.rint(3.0 * X)
    base, out = np.zeros((n, len(X)), dtype=np.uint16), np.zeros((n, len(X)))
    moves = (np.array([0, 5]), np.ones(2, dtype=np.int16), np.array([0, 5]))
    beta, f = np.random.default_rng(1).normal(size=(2, n)), np.zeros((2, len(X)))
    kernel = np.exp(-0.1 * np.arange(2000))
    rows, XT = np.array([0, 2]), np.ascontiguousarray(whole.T.astype(np.int16))
    fast.fill_levels(base, rows, np.zeros(n, dtype=np.int64), XT, *moves, kernel, out, beta, f)
    expected = np.exp(-0.1 * base_matrix(whole[:n][:, [0, 5]], whole[:, [0, 5]], KernelSpec("rbf")))
    np.testing.assert_allclose(out[rows], expected[rows], rtol=1e-14)
    assert not out[1].any()
    np.testing.assert_allclose(f, beta[:, rows] @ expected[rows], atol=1e-13)


def test_half_of_the_values_make_all():
    X, n = table()
    XT = np.ascontiguousarray(X.T)
    base = np.zeros(n * len(X) - n * (n - 1) // 2)
    out = np.empty((n, len(X)))
    everything = np.arange(7)
    fast.all_exponentials(base, XT, everything, np.ones(7), ROUNDING, 0.3, out)
    fast.all_exponentials(base, XT, np.array([2]), np.array([-1.0]), ROUNDING, 0.4, out)
    left = np.delete(X, 2, axis=1)
    np.testing.assert_allclose(out, np.exp(-0.4 * base_matrix(left[:n], left, KernelSpec("rbf"))), atol=1e-11)
    np.testing.assert_array_equal(out[:, :n], out[:, :n].T)


def test_rows_are_weighted_and_added_up():
    rng = np.random.default_rng(1)
    K, beta, f = rng.normal(size=(5, 8)), rng.normal(size=(3, 5)), rng.normal(size=(3, 8))
    beta[1, 2] = 0.0
    rows = np.array([0, 2, 4])
    expected = f + beta[:, rows] @ K[rows]
    fast.accumulate(K, rows, beta, f)
    np.testing.assert_allclose(f, expected, atol=1e-14)
