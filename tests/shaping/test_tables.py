import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from infoprop.exceptions import DataError
from infoprop.shaping import ValueTables
from reference.shaping import table


def assert_same(first, second):
    for name in ("starts", "values", "counts"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def numbers(**limits):
    kinds = [
        st.integers(-3, 3).map(float),
        st.sampled_from([-0.0, 0.0, np.nan]),
        st.floats(allow_nan=True, allow_infinity=False, **limits),
    ]
    return st.one_of(kinds)


@st.composite
def labelled_rows(draw, max_rows=30):
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, 3))
    cells = draw(st.lists(numbers(), min_size=n * d, max_size=n * d))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights[0] = 1
    return np.array(cells).reshape(n, d), np.array(y), np.array(weights, dtype=float)


@given(labelled_rows())
def test_tables_count_what_the_rows_hold(rows):
    X, y, weights = rows
    tables = ValueTables.from_rows(X, y, n_classes=2, weights=weights)
    for column in range(X.shape[1]):
        values, counts = tables.of_column(column)
        expected = np.array(table(X[:, column], y, weights))
        np.testing.assert_array_equal(values, expected[:, 0])
        np.testing.assert_array_equal(counts.T, expected[:, 1:])


@given(labelled_rows())
def test_sparse_rows_have_the_tables_of_dense_ones(rows):
    X, y, weights = rows
    expected = ValueTables.from_rows(X, y, n_classes=2, weights=weights)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        assert_same(ValueTables.from_rows(kind(X), y, n_classes=2, weights=weights), expected)


@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, -1.0, 7.0]), min_size=60, max_size=60), st.booleans()
)
def test_counts_of_words_have_the_tables_of_dense_rows(cells, halved):
    X, y = np.array(cells).reshape(20, 3), np.arange(20) % 3
    weights = np.arange(20.0) % 4 + 1.0
    weights = weights / 2 if halved else weights
    expected = ValueTables.from_rows(X, y, n_classes=3, weights=weights)
    assert_same(ValueTables.from_rows(sparse.csr_array(X), y, n_classes=3, weights=weights), expected)


def test_numbers_far_apart_are_counted_in_columns():
    X = np.array([[1e300, -1e300], [0.0, 5.0], [2.0, 0.0]])
    y = np.array([0, 1, 1])
    expected = ValueTables.from_rows(X, y, n_classes=2)
    assert_same(ValueTables.from_rows(sparse.csr_array(X), y, n_classes=2), expected)


@given(labelled_rows(), st.randoms(use_true_random=False))
def test_tables_of_parts_add_up_in_any_order(rows, random):
    X, y, weights = rows
    order = list(range(len(y)))
    random.shuffle(order)
    X, y, weights = X[order], y[order], weights[order] + 1.0
    expected = ValueTables.from_rows(rows[0], rows[1], n_classes=2, weights=rows[2] + 1.0)
    cut = len(y) // 2
    if cut:
        first = ValueTables.from_rows(X[:cut], y[:cut], n_classes=2, weights=weights[:cut])
        second = ValueTables.from_rows(X[cut:], y[cut:], n_classes=2, weights=weights[cut:])
        assert_same(first.merged(second), expected)
        assert_same(second.merged(first), expected)
    assert_same(ValueTables.from_rows(X, y, n_classes=2, weights=weights), expected)


@pytest.mark.parametrize("n", [5, 100, 1500])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_columns_of_any_length_and_size_are_sorted(n, scale):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=n), rng.integers(-9, 9, n), rng.normal(size=n).round(1)]) * scale
    X[rng.random(X.shape) < 0.1] = np.nan
    tables = ValueTables.from_rows(X, rng.integers(0, 3, n), n_classes=3)
    for column in range(3):
        values, counts = tables.of_column(column)
        expected, sizes = np.unique(X[:, column], return_counts=True)
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(counts.sum(axis=0), sizes)


def test_threads_and_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 50, (200, 30)) * 0.1, rng.integers(0, 2, 200)
    expected = ValueTables.from_rows(X, y, n_classes=2)
    monkeypatch.setattr("infoprop.shaping._threads.blocks.__defaults__", (500,))
    for n_jobs in (None, 2, 3):
        assert_same(ValueTables.from_rows(X, y, n_classes=2, n_jobs=n_jobs), expected)
        assert_same(ValueTables.from_rows(sparse.csr_array(X), y, n_classes=2, n_jobs=n_jobs), expected)


def test_one_class_stands_against_the_others():
    rng = np.random.default_rng(0)
    X, codes = rng.integers(0, 5, (60, 2)).astype(float), rng.integers(0, 4, 60)
    tables = ValueTables.from_rows(X, codes, n_classes=4)
    for positive in range(4):
        two = ValueTables.from_rows(X, (codes == positive).astype(int), n_classes=2)
        for own, other in zip(tables.one_vs_rest(positive), two.one_vs_rest(1), strict=True):
            np.testing.assert_array_equal(own, other)


def test_weights_that_are_not_whole_leave_no_rows_behind():
    X = sparse.csr_array(np.array([[1.0], [1.0], [2.0], [0.0]]))
    weights = np.array([0.1, 0.2, 0.3, 0.7])
    values, counts = ValueTables.from_rows(X, np.array([0, 0, 0, 1]), n_classes=2, weights=weights).of_column(
        0
    )
    assert values.tolist() == [0.0, 1.0, 2.0]
    assert counts[0, 0] == 0.0
    np.testing.assert_allclose(counts, [[0.0, 0.3, 0.3], [0.7, 0.0, 0.0]])


def test_tables_are_read_only_and_survive_a_pickle():
    tables = ValueTables.from_rows(np.array([[1.0], [2.0]]), np.array([0, 1]), n_classes=2)
    again = pickle.loads(pickle.dumps(tables))
    assert_same(again, tables)
    assert again == tables
    for part in (tables, again):
        with pytest.raises(ValueError, match="read-only"):
            part.values[0] = 3.0


def test_nothing_to_count_and_strange_partners_are_refused():
    X, y = np.ones((2, 1)), np.array([0, 1])
    with pytest.raises(DataError, match="at least one row with a positive weight"):
        ValueTables.from_rows(X, y, n_classes=2, weights=np.zeros(2))
    with pytest.raises(DataError, match="codes must be numbers from 0 to 0"):
        ValueTables.from_rows(X, y, n_classes=1)
    with pytest.raises(DataError, match="one number for each of 2 rows"):
        ValueTables.from_rows(X, y[:1], n_classes=2)
    tables = ValueTables.from_rows(X, y, n_classes=2)
    with pytest.raises(DataError, match="1 columns and 2 classes against 1 and 3"):
        tables.merged(ValueTables.from_rows(X, y, n_classes=3))
