from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from infoprop.datasets import DelimitedText, Table, load_table
from infoprop.exceptions import DataError


def column(write, cells: Sequence[str], **parameters: object) -> Table:
    """Read a file with the feature `x` of the given cells."""
    rows = "".join(f"{k},{cell},{'ab'[k % 2]}\n" for k, cell in enumerate(cells))
    return load_table(write("t.csv", "number,x,class\n" + rows), **parameters)


def labels(write, cells: Sequence[str]) -> np.ndarray:
    rows = "".join(f"{k},{cell}\n" for k, cell in enumerate(cells))
    return load_table(write("t.csv", "number,class\n" + rows)).y


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2", "-3"], [1.0, 2.0, -3.0]),
        (["1", "2.5", "1e-3"], [1.0, 2.5, 0.001]),
        ([" 1", "2 ", " +3 "], [1.0, 2.0, 3.0]),
        (["99999999999999999999", "2"], [1e20, 2.0]),
        (["true", "false"], [1.0, 0.0]),
        (["True", "FALSE", ""], [1.0, 0.0, None]),
        (["1", "", "?", "NA", "nan", "N/A", "NULL", "None", "-", "2"], [1.0] + [None] * 8 + [2.0]),
        (["", "", "?"], [None, None, None]),
        (["NaN", "1", "2"], [None, 1.0, 2.0]),
    ],
)
def test_numbers_become_float64(write, cells: list[str], expected: list[float | None]) -> None:
    table = column(write, cells)
    assert table.columns["x"] == "numeric"
    assert table.frame["x"].dtype == pl.Float64
    assert table.frame["x"].to_list() == expected
    assert table.missing.get("x", 0) == expected.count(None)
    assert "x" not in table.cardinality


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["red", " blue ", "red", ""], ["red", "blue", "red", None]),
        (["NA", "US", "?"], ["NA", "US", None]),
        (["2", "3", "4", "5more"], ["2", "3", "4", "5more"]),
        (["yes", "no"], ["yes", "no"]),
        (["a", "b", "1.5"], ["a", "b", "1.5"]),
        (["true", "false", "maybe"], ["true", "false", "maybe"]),
    ],
)
def test_names_become_nominal(write, cells: list[str], expected: list[str | None]) -> None:
    table = column(write, cells)
    assert table.columns["x"] == "nominal"
    assert table.frame["x"].to_list() == expected
    assert table.cardinality == {"x": len(set(expected) - {None})}


def test_running_text_shows_by_its_cardinality(write) -> None:
    table = column(write, [f"document {k} says something" for k in range(30)])
    assert table.cardinality["x"] == table.n_rows == 30


@pytest.mark.parametrize(
    ("cells", "row", "count"),
    [
        ([*map(str, range(19)), "oops"], 20, 1),
        (["1.5", "oops", "2.5"], 2, 1),
        ([*map(str, range(30)), *["n/d"] * 25], 31, 25),
        (["1", "2", "3", "oops", "NA", "4"], 4, 1),
    ],
)
def test_text_among_numbers_names_column_value_and_row(write, cells: list[str], row: int, count: int) -> None:
    many = rf" \({count} such cells\)" if count > 1 else ""
    message = f"Column 'x' of .* holds numbers, but row {row} has '{cells[row - 1]}'{many}; correct it"
    with pytest.raises(DataError, match=message):
        column(write, cells)
    assert column(write, cells, nominal=["x"]).columns["x"] == "nominal"


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinite_values_name_column_and_row(write, cell: str) -> None:
    with pytest.raises(DataError, match=r"Column 'x' of .* holds infinite values, first in row 3"):
        column(write, ["1", "NaN", cell, "2"])


def test_large_finite_values_are_not_taken_for_infinite(write) -> None:
    assert column(write, ["1e308", "1.7e308"]).frame["x"].to_list() == [1e308, 1.7e308]


@pytest.mark.parametrize(
    "cells", [["2020-01-31", "2021-12-01"], ["2020-01-31 10:15", "", "2020-01-31T10:15:20Z"]]
)
def test_dates_are_refused_unless_listed_as_nominal(write, cells: list[str]) -> None:
    with pytest.raises(DataError, match=r"Column 'x' .* holds dates or times \(such as 2020-01-31"):
        column(write, cells)
    assert column(write, cells, nominal=["x"]).frame["x"].to_list() == [cell or None for cell in cells]
    assert "x" not in column(write, cells, drop=["x"]).columns


def test_nominal_columns_keep_their_text(write) -> None:
    table = column(write, ["01", "1", "?"], nominal=["x"])
    assert table.frame["x"].to_list() == ["01", "1", None]


def test_given_missing_marks_replace_the_usual_ones(write) -> None:
    style = DelimitedText(missing=["-9"])
    assert column(write, ["1", "-9", ""], format=style).frame["x"].to_list() == [1.0, None, None]
    assert column(write, ["a", "?", "-9"], format=style).frame["x"].to_list() == ["a", "?", None]


@pytest.mark.parametrize(
    ("cells", "expected", "kind"),
    [
        (["a", "b "], ["a", "b"], "U"),
        (["0", "1"], [0, 1], "i"),
        (["+1", "-1"], [1, -1], "i"),
        (["1", "x"], ["1", "x"], "U"),
        (["007", "7"], ["007", "7"], "U"),
        (["1.0", "2.5"], [1.0, 2.5], "f"),
        (["true", "False"], [True, False], "b"),
        (["NA", "SA"], ["NA", "SA"], "U"),
        (["99999999999999999999", "1"], ["99999999999999999999", "1"], "U"),
        (["inf", "1"], ["inf", "1"], "U"),
    ],
)
def test_labels_take_the_simplest_type_that_keeps_them_apart(
    write, cells: list[str], expected: list[object], kind: str
) -> None:
    y = labels(write, cells)
    assert y.tolist() == expected
    assert y.dtype.kind == kind


@pytest.mark.parametrize("cells", [["a", "", "b"], ["1", "?", "2"], ["1", "NA", "2"], ["0.5", "nan", "1"]])
def test_missing_labels_are_counted_and_located(write, cells: list[str]) -> None:
    with pytest.raises(DataError, match=r"target 'class' of .* is missing in 1 of 3 rows, first in row 2"):
        labels(write, cells)


def test_all_labels_missing(write) -> None:
    with pytest.raises(DataError, match="is missing in 2 of 2 rows, first in row 1"):
        labels(write, ["", ""])


def test_long_labels_do_not_fill_a_fixed_width_array(write) -> None:
    assert labels(write, ["a" * 5000, "b"]).dtype == object
