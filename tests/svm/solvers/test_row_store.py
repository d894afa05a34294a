import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from infoprop.kernels import KernelSpec
from infoprop.svm.solvers._row_store import RowStore
from reference.engine import ALONE, Workers

SPEC = KernelSpec("rbf", gamma=0.5)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_kept_rows_are_those_of_the_gram_matrix_whatever_was_dropped(X, container):
    K = rbf_kernel(X, gamma=0.5)
    store = RowStore(container(X), SPEC, megabytes=1e-6, at_least=10)
    assert store.capacity == 10
    rng = np.random.default_rng(1)
    for _ in range(30):
        wanted = np.sort(rng.permutation(40)[: rng.integers(1, 11)])
        store.load(wanted)
        np.testing.assert_allclose(store.rows[store.slot_of[wanted]], K[wanted], atol=1e-12)
        kept = np.flatnonzero(store.slot_of >= 0)
        assert kept.size <= 10
        np.testing.assert_allclose(store.rows[store.slot_of[kept]], K[kept], atol=1e-12)


def test_the_least_recently_used_row_makes_room(X):
    store = RowStore(X, SPEC, megabytes=1e-6, at_least=3)
    store.load(np.array([0, 1, 2]))
    store.load(np.array([0, 2]))
    store.load(np.array([7]))
    assert (store.slot_of[[0, 1, 2, 7]] >= 0).tolist() == [True, False, True, True]


def test_product_needs_no_kept_rows(X):
    beta = np.random.default_rng(0).normal(size=40) * (np.arange(40) % 3 == 0)
    store = RowStore(X, SPEC, megabytes=1e-6, at_least=5)
    store.load(np.array([0, 3, 4]))
    np.testing.assert_allclose(store.product(beta), rbf_kernel(X, gamma=0.5) @ beta, atol=1e-12)


def test_memory_stays_within_the_budget():
    store = RowStore(np.zeros((1000, 2)), SPEC, megabytes=1.0, at_least=10)
    assert store.rows.nbytes <= 2**20


def test_rows_are_the_same_for_any_number_of_workers(X):
    with Workers(3) as workers:
        stores = [RowStore(X, SPEC, megabytes=1.0, at_least=40, workers=who) for who in (ALONE, workers)]
        for store in stores:
            store.load(np.arange(1, 39))
    np.testing.assert_array_equal(*[store.rows[store.slot_of[1:39]] for store in stores])
