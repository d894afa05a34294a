import numpy as np

from infoprop.svm.active_set import _duplicate_rows_fast as fast


def test_half_of_the_entries_are_gathered():
    K = np.arange(25.0).reshape(5, 5)
    A = np.full((3, 3), -1.0)
    assert fast.gather_half(K, np.array([0, 2, 4]), 100.0, A) == 0
    assert A.tolist() == [[100.0, 102.0, 104.0], [-1.0, 112.0, 114.0], [-1.0, -1.0, 124.0]]


def test_twins_are_rows_that_the_kernel_cannot_tell_apart():
    X = np.array([[0.0], [1.0], [0.0], [2.0], [1.0], [0.0]])
    K = np.exp(-((X - X.T) ** 2))
    rows = np.array([1, 2, 4, 5, 3])
    kept = np.empty_like(rows)
    assert kept[: fast.without_twins(K, rows, kept)].tolist() == [1, 2, 3]
    A, first = K.copy(), np.empty(6)
    assert fast.gather_half(K, np.arange(6), 0.0, A) == 4
    fast.part_twins(A, first)
    assert first.tolist() == [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    is_twin = first == 0.0
    half = np.triu(A)
    assert half[is_twin].tolist() == np.eye(6)[is_twin].tolist()
    assert half[:, is_twin].tolist() == np.eye(6)[:, is_twin].tolist()
    np.testing.assert_array_equal(half[~is_twin][:, ~is_twin], np.triu(K)[~is_twin][:, ~is_twin])


def test_rows_as_long_as_another_are_no_twins_of_it():
    # The product of the first two rows is the square of the first, but they differ.
    X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    K = X @ X.T
    kept, first = np.empty(3, dtype=np.int64), np.empty(3)
    assert fast.without_twins(K, np.arange(3), kept) == 3
    fast.part_twins(K, first)
    assert first.all()
