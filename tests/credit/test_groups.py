import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.credit._groups import ColumnGroups, column_numbers
from infoprop.exceptions import ParameterError

NAMES = ("a", "b", "c", "d")


def test_no_groups_means_every_column_for_itself():
    groups = ColumnGroups.from_specification(None, NAMES)
    assert groups.names == NAMES
    assert groups.labels.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("specification", "names"),
    [
        ([[0, 2]], ("a+c", "b", "d")),
        ([["a", "c"]], ("a+c", "b", "d")),
        ([np.array([2, 0])], ("a+c", "b", "d")),
        ({"shape": ["c", 0]}, ("shape", "b", "d")),
        (["shape", "b", "shape", "d"], ("shape", "b", "d")),
        (np.array([7, 1, 7, 2]), ("7", "1", "2")),
        ([range(0, 3, 2), {3}], ("a+c", "b", "d")),
    ],
)
def test_all_forms_of_groups_mean_the_same(specification, names):
    groups = ColumnGroups.from_specification(specification, NAMES)
    assert groups.names == names
    assert groups.labels.tolist() == [0, 1, 0, 2]


def test_groups_are_numbered_by_their_first_column():
    groups = ColumnGroups.from_specification({"late": ["d"], "early": ["b", "a"]}, NAMES)
    assert groups.names == ("early", "c", "late")
    assert groups.labels.tolist() == [0, 0, 1, 2]


def test_a_large_group_gets_a_short_name():
    names = tuple(f"word{k}" for k in range(30))
    assert ColumnGroups.from_specification([range(30)], names).names == ("word0+29 more",)


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ([["a"], ["a", "b"]], "overlap"),
        ([["a"], []], "empty"),
        ([["nobody"]], "no column 'nobody'"),
        ([[4]], "no column 4"),
        ([[True]], "no column True"),
        (["x", "x", "y"], "one plain label for each"),
        (["x", ["y"], "z", "z"], "one plain label for each"),
        ([], "one plain label for each"),
        ("abcd", "must be None, a list"),
        (3, "must be None, a list"),
    ],
)
def test_impossible_groups_are_refused(specification, message):
    with pytest.raises(ParameterError, match=message):
        ColumnGroups.from_specification(specification, NAMES)


def test_columns_are_found_by_number_from_either_end_or_by_name():
    assert column_numbers(["d", -1, 0], NAMES, "keep").tolist() == [3, 3, 0]
    assert column_numbers("b", NAMES, "keep").tolist() == [1]
    assert column_numbers(2, NAMES, "keep").tolist() == [2]


def test_numbers_of_columns_are_those_of_their_groups():
    groups = ColumnGroups.from_specification([["a", "d"]], NAMES)
    assert groups.numbers_of(["d", "c", "a"], "keep").tolist() == [0, 2]
    assert groups.members(np.array([0])).tolist() == [0, 3]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_sums_over_groups_keep_the_total(labels):
    values = np.arange(1.0, len(labels) + 1)
    groups = ColumnGroups.from_specification(labels, [f"x{k}" for k in range(len(labels))])
    sums = groups.sums(np.vstack([values, 2 * values]))
    expected = [values[np.array(labels) == label].sum() for label in dict.fromkeys(labels)]
    np.testing.assert_allclose(sums, [expected, np.multiply(2, expected)])
