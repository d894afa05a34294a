from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from infoprop._core._row_keys import copy_numbers, row_keys, salted

TABLES = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(-2, 2))


@given(TABLES, st.integers(0, 5))
def test_keys_are_equal_exactly_where_rows_are(X, seed):
    y = np.arange(len(X)) % 2
    keys = row_keys(X, y, seed)
    rows = np.column_stack([y, X])
    same = (rows[:, None] == rows).all(axis=2)
    np.testing.assert_array_equal(keys[:, None] == keys, same)


@given(TABLES)
def test_keys_do_not_depend_on_storage_order_or_copies(X):
    y = np.arange(len(X)) % 3
    keys = row_keys(X, y, 0)
    for stored in (sparse.csr_array(X), sparse.csr_matrix(X), np.asfortranarray(X), X.astype(np.int64)):
        np.testing.assert_array_equal(row_keys(stored, y, 0), keys)
    moved = np.random.default_rng(0).permutation(np.repeat(np.arange(len(X)), 1 + np.arange(len(X)) % 3))
    np.testing.assert_array_equal(row_keys(X[moved], y[moved], 0), keys[moved])


def test_explicit_and_negative_zeros_are_zeros():
    X = np.array([[0.0, 1.0], [-0.0, 1.0]])
    assert len(set(row_keys(X, np.zeros(2, dtype=int), 0))) == 1
    stored = sparse.csr_array(([0.0, 1.0, 1.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert len(set(row_keys(stored, np.zeros(2, dtype=int), 0))) == 1
    assert stored.nnz == 3


@pytest.mark.parametrize("kind", ["real", "binary"])
def test_keys_do_not_depend_on_the_order_of_columns(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)) if kind == "real" else rng.integers(0, 2, (60, 8)).astype(float)
    y = rng.integers(0, 3, 60)
    moved = rng.permutation(8)
    np.testing.assert_array_equal(row_keys(X[:, moved], y, 1), row_keys(X, y, 1))


def test_rows_of_a_symmetric_table_are_still_told_apart():
    X = np.array(list(product([0.0, 1.0], repeat=5)))
    parity = X.sum(axis=1).astype(int) % 2
    assert len(set(row_keys(X, parity, 0))) == 32


def test_seeds_give_unrelated_orders():
    X = np.random.default_rng(0).normal(size=(500, 3))
    y = np.zeros(500, dtype=int)
    first, second = (np.argsort(np.argsort(row_keys(X, y, seed))) for seed in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.15
    assert abs(np.corrcoef(first, X[:, 0])[0, 1]) < 0.15


def test_words_have_keys_too():
    X = np.array([["red", 1], ["blue", 1], ["red", 1], [None, 2.5]], dtype=object)
    keys = row_keys(X, np.zeros(4, dtype=int), 0)
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3


def test_blocks_do_not_show(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 7))
    y = np.zeros(50, dtype=int)
    keys = row_keys(X, y, 3)
    monkeypatch.setattr("infoprop._core._row_keys.BLOCK_ENTRIES", 20)
    np.testing.assert_array_equal(row_keys(X, y, 3), keys)


def test_copies_are_numbered_and_can_be_told_apart():
    keys = np.array([7, 3, 7, 7, 3], dtype=np.uint64)
    numbers = copy_numbers(keys)
    assert numbers.tolist() == [0, 0, 1, 2, 1]
    assert len(set(salted(keys, numbers))) == 5
