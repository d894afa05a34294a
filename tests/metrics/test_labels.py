import datetime
import enum
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.exceptions import DataError
from infoprop.metrics._labels import encode_labels, label_array, order_labels
from reference.information import any_labels


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def decode(y):
    encoded = encode_labels(y, "y")
    return [encoded.values[code] for code in encoded.codes]


@given(st.lists(any_labels(), min_size=1, max_size=20))
def test_every_row_gets_its_own_label_back(y):
    assert decode(y) == y
    assert decode(label_array(y)) == y
    assert len(encode_labels(y, "y").values) == len(set(y))


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pd.Categorical,
        lambda y: pd.Series(y, dtype="category", index=[5, 5, 5]),
        lambda y: pd.Series(y, dtype="string"),
        lambda y: pd.Series(y, dtype=object),
        lambda y: pl.Series(y),
        lambda y: pl.Series(y, dtype=pl.Categorical),
        pytest.param(
            lambda y: np.array(y, dtype=np.dtypes.StringDType()),
            marks=pytest.mark.skipif(np.__version__ < "2", reason="numpy 1 has no strings of any length"),
        ),
    ],
)
def test_containers_of_strings_read_alike(container):
    assert decode(container(["b", "a", "b"])) == ["b", "a", "b"]


def test_numpy_does_not_merge_labels_of_different_types():
    assert decode([1, "1", None, "None"]) == [1, "1", None, "None"]
    assert decode(["a", "a\0"]) == ["a", "a\0"]
    assert decode([2**63, -1, 2**64]) == [2**63, -1, 2**64]
    assert decode([2**53, 2**53 + 1]) == [2**53, 2**53 + 1]


def test_equal_labels_of_different_types_are_one_label():
    assert len(encode_labels([1, 1.0, True, np.int8(1), np.float32(1), np.True_], "y").values) == 1


def test_labels_keep_a_plain_dtype_where_nothing_is_lost():
    assert label_array([3, 4]).dtype.kind == "i"
    assert label_array([3.5]).dtype.kind == "f"
    assert label_array([True]).dtype.kind == "b"
    assert label_array(["a", "bc"]).dtype.kind == "U"
    assert label_array([1, "a"]).dtype == object
    assert label_array([(1, 2), (3, 4)]).tolist() == [(1, 2), (3, 4)]


def test_order_is_numbers_strings_other_types_then_none():
    dates = [datetime.date(2004, 7, 1), datetime.date(2001, 4, 5)]
    labels = [None, "b", *dates, 2, True, "a", 0.5, Colour.RED, Colour.BLUE, b"x"]
    expected = [0.5, True, 2, "a", "b", b"x", *dates[::-1], None]
    ordered = order_labels(labels)
    assert [label for label in ordered if not isinstance(label, Colour)] == expected
    assert ordered[-1] is None


@given(st.lists(any_labels(), min_size=1, max_size=6, unique=True))
def test_order_does_not_depend_on_the_order_of_arrival(labels):
    ordered = order_labels(labels)
    assert sorted(map(repr, ordered)) == sorted(map(repr, labels))
    for arrival in itertools.islice(itertools.permutations(labels), 24):
        assert order_labels(arrival) == ordered


def test_partially_ordered_labels_have_a_stable_order():
    sets = [frozenset({1}), frozenset({2}), frozenset({1, 2})]
    assert order_labels(sets) == order_labels(sets[::-1])


@pytest.mark.parametrize(
    "y",
    [
        [1.0, float("nan")],
        np.array([1.0, np.nan]),
        ["a", float("nan")],
        pd.Series(["a", None], dtype="string"),
        pd.Series([1, None], dtype="Int64"),
        np.array(["2001-01-01", "NaT"], dtype="datetime64[D]"),
    ],
)
def test_missing_labels_are_refused(y):
    with pytest.raises(DataError, match="y_true holds missing values"):
        encode_labels(y, "y_true")


@pytest.mark.parametrize("y", [[], (), np.array([]), pd.Series([], dtype=object)])
def test_empty_labels_are_refused(y):
    with pytest.raises(DataError, match="y_pred is empty"):
        encode_labels(y, "y_pred")


@pytest.mark.parametrize("y", [np.zeros((2, 1)), np.array(3), pd.DataFrame({"a": [1]})])
def test_labels_that_are_not_one_dimensional_are_refused(y):
    with pytest.raises(DataError, match="y must be one-dimensional"):
        encode_labels(y, "y")


@pytest.mark.parametrize("y", ["abc", b"abc", {"a": 1}, {1, 2}, 3, None])
def test_what_is_no_array_is_refused(y):
    with pytest.raises(DataError, match="one-dimensional array of labels"):
        encode_labels(y, "y")


def test_unhashable_labels_are_refused():
    with pytest.raises(DataError, match=r"hashable label per row\. Got list in row 1"):
        encode_labels([1, [2]], "y")


def test_dates_are_labels():
    dates = np.array(["2004-07-01", "2001-04-05", "2004-07-01"], dtype="datetime64[ns]")
    assert decode(dates) == list(dates)
