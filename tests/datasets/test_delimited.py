import csv
import io
import math

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infoprop.datasets import DelimitedText, load_table
from infoprop.datasets._delimited import _scan
from infoprop.exceptions import DataError, ParameterError


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", " "])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_the_delimiter_is_found(write, delimiter: str, name: str) -> None:
    table = load_table(write(name, "a,b,class\n1,2,u\n3,4,v\n".replace(",", delimiter)))
    assert table.frame.rows() == [(1.0, 2.0), (3.0, 4.0)]
    assert table.y.tolist() == ["u", "v"]
    assert table.format == name[2:]


def test_other_delimiters_can_be_named(write) -> None:
    path = write("t.csv", "a:b:class\n1:2:u\n")
    assert load_table(path, format=DelimitedText(delimiter=":")).feature_names == ("a", "b")


def test_delimiters_inside_quotes_and_names_do_not_mislead(write) -> None:
    text = 'Train or Test,"a;b;c;d",class\nTrain,"x, y; z",u\nTest,"say ""hi""\nthere",v\n'
    table = load_table(write("t.csv", text))
    assert table.feature_names == ("Train or Test", "a;b;c;d")
    assert table.frame["a;b;c;d"].to_list() == ["x, y; z", 'say "hi"\nthere']


def test_a_tsv_full_of_commas_is_cut_at_tabs(write) -> None:
    table = load_table(write("t.tsv", "a,b\tc,d\tclass\n1,2\t3,4\tu,v\n"))
    assert table.feature_names == ("a,b", "c,d")
    assert table.y.tolist() == ["u,v"]


def test_runs_of_blanks_count_once(write) -> None:
    table = load_table(write("t.txt", "  a  b class\n 1   2 u\n3 \t4    v  \n"))
    assert table.frame.rows() == [(1.0, 2.0), (3.0, 4.0)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_empty_lines_do_not_matter(write, end: str) -> None:
    text = "\na,b,class\n\n1,2,u\n   \n3,4,v\n\n\n".replace("\n", end)
    assert load_table(write("t.csv", text)).frame.rows() == [(1.0, 2.0), (3.0, 4.0)]


def test_the_last_line_needs_no_end(write) -> None:
    assert load_table(write("t.csv", "a,class\n1,u\n3,v")).n_rows == 2


def test_quotes_that_never_open_a_cell_are_letters(write) -> None:
    table = load_table(write("t.csv", 'size,class\n5",u\n6",v\n'))
    assert table.frame["size"].to_list() == ['5"', '6"']


def test_semicolons_go_with_decimal_commas(write) -> None:
    table = load_table(write("t.csv", "a;b;c;class\n1,5;2;3.5;u\n-2,25e1;4;4.5;v\n"))
    assert table.frame.rows() == [(1.5, 2.0, 3.5), (-22.5, 4.0, 4.5)]


def test_names_are_stripped(write) -> None:
    assert load_table(write("t.csv", "a , b, class\n1, 2, u\n")).feature_names == ("a", "b")


def test_without_header_columns_are_numbered(write) -> None:
    table = load_table(
        write("t.data", "5.1,3.5,setosa\n4.9,3.0,virginica\n"), format=DelimitedText(header=False)
    )
    assert table.feature_names == ("column 1", "column 2")
    assert table.target == "column 3"
    assert table.n_rows == 2


@pytest.mark.parametrize("first", ["5.1,3.5,1.4,0.2,setosa", "1,1,1", "0,0,5", "3,1,a"])
def test_a_first_line_of_data_is_refused(write, first: str) -> None:
    path = write("t.csv", f"{first}\n{first}\n")
    with pytest.raises(DataError, match=r"looks like data, not like column names; .*header=False"):
        load_table(path)
    assert load_table(path, format=DelimitedText(header=False)).n_rows == 2


@pytest.mark.parametrize(
    "first", ["0,1,2,class", "0,1", "1990,2000,2010", "900.5,880.1,850.2,820.7,799.9,class", "a,1,5,class"]
)
def test_numbers_in_a_pattern_are_names(write, first: str) -> None:
    cells = ",".join("7" for _ in first.split(","))
    assert load_table(write("t.csv", f"{first}\n{cells}\n")).n_rows == 1


def test_header_true_believes_any_names(write) -> None:
    path = write("t.csv", "5.1,3.5,setosa\n1,2,u\n")
    assert load_table(path, format=DelimitedText(header=True)).feature_names == ("5.1", "3.5")


def test_header_only_is_refused(write) -> None:
    with pytest.raises(DataError, match=r"t\.csv has a header but no rows\."):
        load_table(write("t.csv", "a,b,class\n\n"))


@pytest.mark.parametrize(("row", "cells"), [("3,4", 2), ("3,4,v,5", 4), ("3", 1)])
def test_ragged_rows_name_the_line(write, row: str, cells: int) -> None:
    text = f'a,b,class\n1,"2\n2",u\n{row}\n5,6,w\n'
    with pytest.raises(DataError, match=f"Line 4 of .* has {cells} cells where 3 are expected"):
        load_table(write("t.csv", text))


def test_an_open_quote_is_refused(write) -> None:
    with pytest.raises(DataError, match="a quote that is opened and never closed, near line 3"):
        load_table(write("t.csv", 'a,b,class\n1,2,u\n3,"4,v\n5,6,w\n'))


def test_an_endless_header_cell_is_refused(write) -> None:
    with pytest.raises(DataError, match=r"header of .* cannot be read: field larger"):
        load_table(write("t.csv", "a" * 200_000 + ",class\n1,u\n"))


def test_what_polars_refuses_is_told_in_one_sentence(write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> pl.DataFrame:
        raise pl.exceptions.ComputeError("malformed\n\nYou might want to try ...")

    monkeypatch.setattr(pl, "read_csv", refuse)
    with pytest.raises(DataError, match=r"t\.csv cannot be read as a table: malformed\.$"):
        load_table(write("t.csv", "a,class\n1,u\n"))


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"delimiter": ""}, "delimiter"),
        ({"delimiter": ",,"}, "delimiter"),
        ({"delimiter": '"'}, "delimiter"),
        ({"delimiter": "é"}, "delimiter"),
        ({"header": 0}, "header"),
        ({"encoding": "klingon"}, "encoding"),
        ({"encoding": None}, "encoding"),
        ({"encoding": "rot13"}, "encoding"),
        ({"encoding": "base64"}, "encoding"),
        ({"encoding": "a\0b"}, "encoding"),
        ({"missing": "NA"}, "missing"),
        ({"missing": [1]}, "missing"),
        ({"missing": 1}, "missing"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], name: str) -> None:
    with pytest.raises(ParameterError, match=f"The '{name}' parameter of DelimitedText must be"):
        DelimitedText(**parameters)


def test_other_encodings_can_be_named(write) -> None:
    path = write("t.csv", "größe,class\n1,ä\n".encode("latin-1"))
    table = load_table(path, format=DelimitedText(encoding="latin-1"))
    assert table.feature_names == ("größe",)
    assert table.y.tolist() == ["ä"]
    with pytest.raises(DataError, match="is not ASCII text: line 1"):
        load_table(path, format=DelimitedText(encoding="ascii"))


cell_text = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=6
)


@settings(max_examples=60)
@given(st.lists(st.lists(cell_text, min_size=2, max_size=4), min_size=1, max_size=6))
def test_records_are_cut_as_python_s_own_reader_cuts_them(rows: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    records = _scan(buffer.getvalue().encode(), ",")
    expected = [row for row in csv.reader(io.StringIO(buffer.getvalue(), newline="")) if row]
    assert records.widths.tolist() == [len(row) for row in expected]


def test_a_file_with_nothing_but_a_mark_of_its_encoding_is_empty(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf")
    for style in (None, DelimitedText(delimiter=";"), DelimitedText(header=False)):
        with pytest.raises(DataError, match=r"t\.csv is empty\."):
            load_table(path, format=style)


finite = st.floats(allow_nan=False, allow_infinity=False)
name = st.text("abcdefgh ,;\"'|é", max_size=8).map(lambda text: text.strip() or "a")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(st.none() | finite, st.none() | name, name), min_size=2, max_size=12),
    delimiter=st.sampled_from([",", "\t", ";", "|"]),
)
def test_what_is_written_is_read_back(tmp_path, rows, delimiter: str) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["number", "name", "class"])
        writer.writerows(rows)
    table = load_table(path, nominal=["name"])
    for (number, label, target), (read_number, read_label), y in zip(
        rows, table.frame.rows(), table.y, strict=True
    ):
        assert read_number == number or math.isclose(read_number, number, rel_tol=1e-15)
        assert read_label == label
        assert y == target


def test_apostrophes_that_keep_spreadsheets_from_formulas_are_taken_off(write) -> None:
    table = load_table(write("t.csv", "'=a,b,class\n'-cmd,'tis,'=u\n=1+1,'+3,''@v\n"))
    assert table.feature_names == ("=a", "b")
    assert table.frame.rows() == [("-cmd", "'tis"), ("=1+1", "'+3")]
    assert table.y.tolist() == ["=u", "'@v"]


def test_text_that_is_not_in_the_encoding_asks_for_another(write) -> None:
    with pytest.raises(DataError, match="line 2 holds the byte 0xe4; save it as UTF-8, or name its encoding"):
        load_table(write("t.csv", "a,class\n1,ä\n".encode("latin-1")))
    with pytest.raises(DataError, match="is not UNDEFINED text; save it as UTF-8, or name its encoding"):
        load_table(write("t.csv", "a,class\n1,b\n"), format=DelimitedText(encoding="undefined"))
