"""What the options about reading do to a table."""

import gzip
import io
import json
import sys

import polars as pl
import pytest

TABLE = "size,note,class\n" + "".join(
    f"{number % 7},{'good red wine' if number % 2 else 'good pale beer'} {number},{'xy'[number % 2]}\n"
    for number in range(40)
)


@pytest.fixture
def piped(monkeypatch):
    """Put bytes into standard input."""

    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))

    return pipe


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_dash_reads_standard_input(run, iris, piped, pack, tmp_path):
    piped(pack(iris.read_bytes()))
    outcome = run(
        "credit", "-", "--target", "class", "--output", tmp_path / "c.csv", "--report", tmp_path / "r.md"
    )
    assert outcome.code == 0
    assert "4 features" in outcome.out
    assert "standard input" in (tmp_path / "r.md").read_text()


def test_a_split_column_is_left_out_of_what_is_piped(run, mixed, piped):
    piped(mixed.read_bytes())
    outcome = run("credit", "-", "--impute", "mean")
    assert outcome.code == 0
    assert "note: the column 'split' is left out" in outcome.err
    assert "3 features" in outcome.out


@pytest.mark.parametrize(("word", "character"), [("tab", "\t"), ("\\t", "\t"), (":", ":"), ("space", " ")])
def test_cells_may_be_separated_by_anything(run, iris, write, word, character):
    text = iris.read_text().replace(" ", "_").replace(",", character)
    outcome = run("credit", write("iris.txt", text), "--delimiter", word)
    assert outcome.code == 0
    assert "4 features" in outcome.out


def test_columns_without_names_and_other_encodings_are_read(run, write, tmp_path):
    rows = "".join(
        f"{number % 5 + 3 * (number % 2)};{'über' if number % 2 else 'tief'}\n" for number in range(40)
    )
    path = tmp_path / "t.csv"
    path.write_bytes(rows.encode("latin-1"))
    outcome = run("credit", path, "--no-header", "--encoding", "latin-1", "--delimiter", ";")
    assert outcome.code == 0
    assert "column 1" in outcome.out
    assert "über" in outcome.out


def test_a_first_line_of_numbers_may_hold_names(run, refused, write):
    rows = "".join(f"{k % 2 + 0.01 * k:.2f},{k % 3},{k % 2}\n" for k in range(40))
    path = write("t.csv", "1.5,7,4\n" + rows)
    assert "looks like data, not like column names" in refused("credit", path)
    assert "there is none with --no-header, or that it is one with --header." in refused("credit", path)
    outcome = run("credit", path, "--header")
    assert outcome.code == 0
    assert "2 features" in outcome.out


def test_an_unusual_delimiter_is_asked_for(refused, write):
    text = "a%b%class\n" + "".join(f"{k}%{k % 3}%{k % 2}\n" for k in range(20))
    sentence = refused("credit", write("t.csv", text))
    assert "has a single column, 'a%b%class'; if its cells are separated by another" in sentence


def test_a_sheet_of_a_workbook_is_read(run, iris, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    workbook = openpyxl.Workbook()
    sheet = workbook.create_sheet("flowers")
    frame = pl.read_csv(iris)
    sheet.append(frame.columns)
    for row in frame.rows():
        sheet.append(row)
    path = tmp_path / "iris.xlsx"
    workbook.save(path)
    outcome = run("credit", path, "--sheet", "flowers")
    assert outcome.code == 0
    assert outcome.out == run("credit", iris).out


def test_words_are_features(run, write, tmp_path):
    output = tmp_path / "credits.csv"
    outcome = run("credit", write("t.csv", TABLE), "--text", "note", "--output", output)
    assert outcome.code == 0
    frame = pl.read_csv(output)
    assert set(frame["feature"]) == {"size", "good", "red", "wine", "pale", "beer"}
    assert set(frame["feature"][:4]) == {"red", "wine", "pale", "beer"}
    words = ["--text", "note", "--min-df", 1, "--output", output, "--json"]
    told = json.loads(run("credit", write("t.csv", TABLE), *words).out)
    assert told["run"]["settings"]["running text"] == "note: words of 1 or more rows"
    assert "17" in set(pl.read_csv(output)["feature"])


def test_running_text_that_is_not_declared_is_refused(refused, write):
    rows = "".join(f"text number {number},{number % 2}\n" for number in range(300))
    sentence = refused("credit", write("t.csv", "note,class\n" + rows))
    assert "count its words with --text 'note', or take them for names with --nominal 'note'" in sentence


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--delimiter", "ab"], "must be one character, tab or space, got 'ab'"),
        (["--delimiter", ",", "--format", "arff"], "--delimiter goes with delimited text, not with --format"),
        (["--no-header", "--format", "excel"], "--no-header goes with delimited text"),
        (["--encoding", "klingon"], "must be the name of a text encoding"),
        (["--sheet", "a"], "goes with spreadsheets"),
        (["--text", "nott"], "has no column 'nott' (--text); did you mean 'note'?"),
        (["--text", "note", "--min-df", "0"], "must be a whole number >= 1, got '0'"),
        (["--text", "note", "--min-df", "99"], "No word occurs in 99 or more rows"),
    ],
)
def test_options_that_do_not_fit_are_refused(refused, write, words, sentence):
    assert sentence in refused("credit", write("t.csv", TABLE), *words)


def test_a_split_and_nothing_else_is_no_table(refused, write):
    assert "has no feature columns beside 'class' and those left out" in refused(
        "credit", write("t.csv", "split,class\ntrain,a\ntest,b\n")
    )


def test_rows_that_are_neither_train_nor_test_take_no_part(run, write):
    rows = "".join(
        f"{k % 2 + 0.01 * k:.2f},{'train' if k < 20 else 'test' if k < 30 else 'unused'},{k % 2}\n"
        for k in range(40)
    )
    outcome = run("credit", write("t.csv", "x,split,class\n" + rows), "--validation", "split")
    assert outcome.code == 0
    assert "note: rows whose split is 'unused' (10) are neither learned from nor judged" in outcome.err
    assert "10 rows judged" in outcome.out
