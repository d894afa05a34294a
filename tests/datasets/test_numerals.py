"""Decimal commas and marks between thousands."""

import polars as pl
import pytest

from infoprop.datasets import DelimitedText, load_table
from infoprop.datasets._numerals import COMMA, POINT
from infoprop.exceptions import DataError, ParameterError
from reference.numerals import read_slowly

NUMERALS = [
    *("1", "12", "1234", "0", "-5", "+7", "1e3", "1.5", "1,5", "0,5", "0.5", ".5", ",5", "5.", "5,"),
    *(
        "1,234",
        "1.234",
        "0,123",
        "0.123",
        "12,345,678",
        "12.345.678",
        "1,234.5",
        "1.234,5",
        "1,23",
        "12,34,567",
    ),
    *("1 234", "1'234", "1’234", "1\u202f234,5", "1\u00a0234.5", "12 34", "1 2345", "-1.234,5e2", "1,234,5"),
    *("1.234.5", "1..2", "1,,2", "", "abc", "1a", "01,234", "1234,567", "1.5,5", "-", "1,2.3", "1 234 567"),
]


@pytest.mark.parametrize("convention", [POINT, COMMA], ids=lambda convention: convention.name)
@pytest.mark.parametrize("text", NUMERALS)
def test_a_numeral_means_what_its_digits_and_marks_say(convention, text):
    found = convention.read(pl.Series([text]))[0]
    assert found == read_slowly(text, convention.decimal, convention.thousands)


def values(table):
    return {name: table.frame[name].to_list() for name in table.numeric}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b;class\n1,5;2,25;u\n3,5;-4,5e1;v\n", {"a": [1.5, 3.5], "b": [2.25, -45.0]}),
        ('a,class\n"1,234",u\n"12,345",v\n', {"a": [1234.0, 12345.0]}),
        ("a\tb\tclass\n1,5\t\tu\nNA\t2,5\tv\n?\t1\tu\n", {"a": [1.5, None, None], "b": [None, 2.5, 1.0]}),
        ("a;class\n1 234;u\n12 345,5;v\n", {"a": [1234.0, 12345.5]}),
        ("a;class\n1'234;u\n999;v\n", {"a": [1234.0, 999.0]}),
        ("a;class\n1.234,5;u\n2;v\n", {"a": [1234.5, 2.0]}),
    ],
)
def test_columns_of_such_numbers_are_numbers_and_said_to_be(write, text, expected):
    table = load_table(write("t.csv", text))
    assert values(table) == expected
    assert table.nominal == ()
    assert "read as numbers" in table.notes[0]


def test_a_column_that_could_be_either_follows_the_others(write):
    english = load_table(write("e.csv", 'a,b,class\n"1,234",0.5,u\n"2,345",1.5,v\n'))
    assert values(english)["a"] == [1234.0, 2345.0]
    comma = load_table(write("c.csv", "a\tb\tc\tclass\n1,234\t0,5\t1.234\tu\n2,345\t1,5\t2.000\tv\n"))
    assert values(comma) == {"a": [1.234, 2.345], "b": [0.5, 1.5], "c": [1234.0, 2000.0]}
    for table in (english, comma):
        assert not any("nothing else" in note for note in table.notes)


def test_where_nothing_tells_the_delimiter_does(write):
    point = load_table(write("p.csv", 'a,class\n"1,234",u\n"2,345",v\n'))
    comma = load_table(write("c.csv", "a;class\n1,234;u\n2,345;v\n"))
    assert (values(point)["a"], values(comma)["a"]) == ([1234.0, 2345.0], [1.234, 2.345])
    for table in (point, comma):
        assert table.notes[-1].endswith(
            "nothing else in the file tells whether such commas mark decimals or thousands"
        )


def test_plain_numbers_stay_plain_where_no_other_column_has_decimal_commas(write):
    table = load_table(write("t.csv", "a;b;class\n1.234;x 3,5;u\n2.345;y;v\n"))
    assert values(table) == {"a": [1.234, 2.345]}
    assert table.notes == ()


def test_columns_of_both_kinds_each_keep_their_own_but_doubt_is_refused(write):
    table = load_table(write("t.csv", "a;b;class\n1,5;3.5;u\n2,5;4.5;v\n"))
    assert values(table) == {"a": [1.5, 2.5], "b": [3.5, 4.5]}
    with pytest.raises(
        DataError, match=r"Column 'c' of .* holds '1,234', and other columns of the file have"
    ):
        load_table(write("u.csv", "a;b;c;class\n1,5;3.5;1,234;u\n2,5;4.5;2,345;v\n"))
    with pytest.raises(DataError, match=r"Column 'a' of .* holds '1,5', and other cells have decimal points"):
        load_table(write("v.csv", "a;class\n1,5;u\n2.5;v\n"))


def test_a_text_among_decimal_commas_is_refused(write):
    with pytest.raises(DataError, match=r"holds numbers, but row 2 has 'abc'"):
        load_table(write("t.csv", "a\tclass\n1,5\tu\nabc\tv\n" + "2,5\tu\n" * 8))


def test_declared_columns_and_labels_stay_as_they_are(write):
    table = load_table(write("t.csv", "a;b;class\n1,5;1;0,5\n2,5;2;1,5\n"), nominal=["a"])
    assert table.frame["a"].to_list() == ["1,5", "2,5"]
    assert table.y.tolist() == ["0,5", "1,5"]


def test_decimal_commas_do_not_cut_lines_without_names(write):
    path = write("t.csv", "1,5;2,25;7,1\n2,5;2,35;9,0\n")
    with pytest.raises(DataError, match="looks like data"):
        load_table(path)
    table = load_table(path, format=DelimitedText(header=False))
    assert values(table) == {"column 1": [1.5, 2.5], "column 2": [2.25, 2.35]}


def test_texts_of_a_spreadsheet_are_understood_alike(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    for row in (("a", "class"), ("1,5", "u"), ("2,25", "v")):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = load_table(tmp_path / "t.xlsx")
    assert values(table) == {"a": [1.5, 2.25]}
    assert "decimal commas" in table.notes[0]


def test_currencies_percents_and_units_are_taken_off_where_asked(write) -> None:
    path = write("t.csv", 'price,share,class\n"€ 1,446.51",12 %,a\n"€ 46.51",2.5 %,b\nunknown,,b\n')
    table = load_table(path, numeric=["price", "share"])
    assert table.frame["price"].to_list() == [1446.51, 46.51, None]
    assert table.frame["share"].to_list() == [12.0, 2.5, None]


@pytest.mark.parametrize(
    ("style", "number"),
    [({"decimal": ","}, 1234.0), ({"thousands": "."}, 1234.0), ({"decimal": "."}, 1.234), ({}, 1.234)],
)
def test_the_decimal_point_can_be_told(write, style: dict[str, str], number: float) -> None:
    path = write("t.csv", "x;class\n1.234;a\n2.345;b\n")
    assert load_table(path, format=DelimitedText(**style)).frame["x"][0] == number


def test_the_decimal_point_separates_no_thousands() -> None:
    with pytest.raises(ParameterError, match="'thousands' parameter of DelimitedText must be another"):
        DelimitedText(decimal=",", thousands=",")
