"""Spreadsheets are read as delimited text is, but to the last digit."""

import datetime
import gzip
import io
import sys
import zipfile

import numpy as np
import pytest

from infoprop.datasets import load_table
from infoprop.exceptions import DataError, MissingDependencyError, ParameterError

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("fastexcel")


def book(**sheets: list[list[object]]) -> bytes:
    """Bytes of a workbook with the given rows in its sheets."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


ROWS = [
    ["size", "colour", "fresh", "weight", "class"],
    [1 / 3, "red", True, "NA", 1],
    [1e-300, "green", False, "2.5", 2],
    [None, "red", True, 3, 1],
]


def test_cells_are_numbers_and_names_to_the_last_digit(write) -> None:
    table = load_table(write("t.xlsx", book(data=ROWS)))
    assert table.format == "excel"
    assert table.columns == {"size": "numeric", "colour": "nominal", "fresh": "numeric", "weight": "numeric"}
    assert table.frame["size"].to_list() == [1 / 3, 1e-300, None]
    assert table.frame["fresh"].to_list() == [1.0, 0.0, 1.0]
    assert table.frame["weight"].to_list() == [None, 2.5, 3.0]
    assert table.y.tolist() == [1, 2, 1]
    assert table.y.dtype == np.int64


def test_empty_rows_and_columns_are_passed_over(write) -> None:
    rows = [[], [None, "x", None, "class"], [None, 1, None, "a"], [], [None, 2, None, "b"], []]
    table = load_table(write("t.xlsx", book(data=rows)))
    assert table.feature_names == ("x",)
    assert table.frame["x"].to_list() == [1.0, 2.0]


def test_a_sheet_is_chosen_by_name(write) -> None:
    path = write("t.xlsx", book(first=[["x", "class"], [1, "a"], [2, "b"]], second=ROWS))
    assert load_table(path).feature_names == ("x",)
    assert load_table(path, sheet="second").n_features == 4
    with pytest.raises(ParameterError, match="has no sheet 'third'; its sheets are 'first', 'second'"):
        load_table(path, sheet="third")
    with pytest.raises(ParameterError, match=r"'sheet' parameter of load_table goes with .* is csv\."):
        load_table(write("t.csv", "x,class\n1,a\n"), sheet="first")


def test_roles_are_as_in_any_other_format(write) -> None:
    rows = [["zip", "note", "split", "kind"], [8001, "good wine", "train", "x"], [8002, None, "test", "y"]]
    table = load_table(
        write("t.xlsx", book(data=rows)), "kind", nominal=["zip"], text=["note"], split="split"
    )
    assert table.frame.rows() == [("8001", "good wine"), ("8002", "")]
    assert table.split.tolist() == ["train", "test"]


def test_dates_and_texts_among_numbers_are_refused(write) -> None:
    day = datetime.date(2020, 1, 2)
    with pytest.raises(DataError, match=r"Column 'when' .* holds dates or times"):
        load_table(write("t.xlsx", book(data=[["when", "class"], [day, "a"], [day, "b"]])))
    rows = [["x", "class"], *([number / 4, "a"] for number in range(9)), ["lots", "b"]]
    with pytest.raises(DataError, match=r"Column 'x' .* holds numbers, but row 10 has 'lots'"):
        load_table(write("t.xlsx", book(data=rows)))


@pytest.mark.parametrize("rows", [[], [["x", "class"]], [["x", "class"], []]])
def test_sheets_without_rows_are_refused(write, rows: list[list[object]]) -> None:
    with pytest.raises(DataError, match=r"Sheet 'data' of .* has no rows below a row of names"):
        load_table(write("t.xlsx", book(data=rows)))


def test_columns_need_names(write) -> None:
    table = load_table(write("t.xlsx", book(data=[["x", "x", "class"], [1, 2, "a"]])))
    assert table.frame.row(0, named=True) == {"x": 1.0, "x.2": 2.0}
    with pytest.raises(DataError, match=r"Column 2 of .* has no name"):
        load_table(write("t.xlsx", book(data=[["x", None, "class"], [1, 2, "a"]])))


def test_what_is_no_spreadsheet_is_refused(write) -> None:
    with pytest.raises(DataError, match=r"t\.xlsx is not a readable spreadsheet"):
        load_table(write("t.xlsx", "x,class\n1,a\n"))


def test_spreadsheets_come_packed_and_through_a_pipe(write, piped) -> None:
    raw = book(data=ROWS)
    assert load_table(write("t.xlsx.gz", gzip.compress(raw))).n_rows == 3
    piped(raw)
    assert load_table("-").format == "excel"


def test_open_document_sheets_are_read(write) -> None:
    def row(*cells: str) -> str:
        return "<table:table-row>" + "".join(cells) + "</table:table-row>"

    def text(words: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{words}</text:p></table:table-cell>'

    def number(value: float) -> str:
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    names = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{names}:office:1.0" '
        f'xmlns:table="{names}:table:1.0" xmlns:text="{names}:text:1.0"><office:body><office:spreadsheet>'
        f'<table:table table:name="data">{row(text("x"), text("class"))}{row(number(0.125), text("a"))}'
        f"{row(number(2), text('b'))}</table:table></office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{names}:manifest:1.0"></manifest:manifest>',
        )
    table = load_table(write("t.ods", buffer.getvalue()))
    assert table.frame["x"].to_list() == [0.125, 2.0]
    assert table.y.tolist() == ["a", "b"]


def test_without_fastexcel_the_way_to_get_it_is_said(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingDependencyError, match=r"needs fastexcel.*pip install 'infoprop\[excel\]'"):
        load_table(write("t.xlsx", book(data=ROWS)))
