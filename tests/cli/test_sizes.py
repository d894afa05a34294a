"""Sizes that come from an option or from a file: each works, or is refused in one sentence that names it."""

import argparse
import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest

from infoprop.cli import _main
from infoprop.cli._commands import _serve
from infoprop.cli._commands._compare import method_names
from infoprop.cli._grammar._values import column_names, delimiter_value, init_value, path_value
from infoprop.exceptions import ParameterError
from reference.command_line import COMMANDS, PARSER

NOT_NUMBERS = (None, path_value, column_names, delimiter_value, init_value, method_names)
VALUES = ("0", "-1", "1000000000", "4294967296", str(2**63), "9" * 5000, "nan", "inf", "1e30", "", "abc")
WORDS_BEFORE = {"predict": ("absent.skops", "absent.csv"), "datasets": ("absent.csv",), "serve": ()}


def numeric_options():
    """Every option of every command that is a number, or several."""
    found = []
    for name, command in COMMANDS.items():
        for action in command._actions:
            if action.option_strings and action.type not in NOT_NUMBERS:
                option = action.option_strings[-1]
                found.append(pytest.param(name, option, id=f"{name} {option}"))
    return found


@pytest.mark.parametrize(("command", "option"), numeric_options())
def test_a_number_is_taken_or_refused_by_the_name_of_its_option(
    refused, tmp_path, monkeypatch, command, option
):
    def no_server(*_):
        raise ParameterError("There is no file absent.csv.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_serve, "require", no_server)
    # To build it takes most of the time.
    monkeypatch.setattr(_main, "build_parser", lambda: PARSER)
    for value in VALUES:
        # There is no file, so that a value that is taken is refused for that, or for what it goes with.
        sentence = refused(command, *WORDS_BEFORE.get(command, ("absent.csv",)), f"{option}={value}")
        is_taken = "There is no file absent" in sentence
        assert is_taken or option in sentence or " -k " in f" {sentence}"
        assert len(sentence) < 400


def test_every_option_that_counts_is_among_them():
    found = {parameter.values[1] for parameter in numeric_options()}
    assert {"--hidden", "--seed", "--jobs", "--population", "--beam", "--folds", "--rows", "--top"} <= found
    assert len(numeric_options()) > 50


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("select", "-k", "1000000000"), "-k 1000000000 asks for more features than the 2 there are"),
        (("select", "-k", "2", "--nested", "1000000000"), "--nested 1000000000 asks for more folds than"),
        (("credit", "--validation", "4294967296"), "--validation 4294967296 asks for more folds than"),
        (("credit", "--validation", "1e-308"), "--validation 1e-308 sets 1 of 40 rows apart"),
        (
            ("classify", "--classifier", "knn", "--neighbors", "4294967296"),
            "--neighbors 4294967296 asks more",
        ),
        (("compare", "--sizes", "1000000000"), "--sizes 1000000000 asks for more features"),
        (("compare", "--folds", "1000000000"), "--folds 1000000000 asks for more folds than"),
        (("compare", "--inner-folds", "21"), "--inner-folds 21 asks for more folds than the largest class"),
        (("credit", "--text", "note", "--min-df", "4294967296"), "lower --min-df"),
        (("credit", "--classifier", "mlp", "--hidden", "1000000,1000000"), "--hidden asks for a network of"),
        (
            ("credit", "--classifier", "mlp", "--hidden", "100000000"),
            "--hidden: must be whole numbers from 1",
        ),
        (("credit", "--encoding", "base64"), "--encoding must be the name of a text encoding"),
    ],
)
def test_a_size_is_held_against_the_data_before_any_work(refused, write, words, sentence):
    rows = "".join(f"{k % 7},{k % 2 + k / 100:.2f},word {k % 3},{'uv'[k % 2]}\n" for k in range(40))
    more = () if "--text" in words else ("--drop", "note")
    assert sentence in refused(words[0], write("t.csv", "a,b,note,class\n" + rows), *more, *words[1:])


def test_rows_to_be_made_are_held_against_memory(refused):
    assert "--rows 9000000000 asks for a table that takes" in refused(
        "datasets", "corral", "--rows", 9 * 10**9
    )


@pytest.mark.parametrize("option", ["--output", "--report", "--model", "--checkpoint"])
@pytest.mark.parametrize(
    "name", ["a" * 300 + ".csv", "a/" * 3000 + "b", "a\0b.csv"], ids=["name", "path", "null"]
)
def test_a_path_that_no_system_has_is_refused_by_its_option(refused, iris, option, name):
    assert f"argument {option}: must be the name of a file" in refused("select", iris, "-k", 1, option, name)


def test_data_under_a_name_too_long_is_refused(refused):
    for words in (
        ("credit", "a" * 300),
        ("predict", "a" * 300, "x.csv"),
    ):
        assert "File name too long" in refused(*words)


def test_svmlight_indices_up_to_two_thousand_million_cost_nothing(run, write):
    rows = "".join(f"{k % 2} 7:{k % 2 + k / 100:.2f} 2000000000:{k % 5}\n" for k in range(40))
    path = write("t.svm", rows)
    outcome = run("select", path, "-k", 1, "--json")
    assert outcome.code == 0
    assert "1,999,999,998 of the indices up to 2,000,000,000 never occur and are left out" in outcome.err
    assert '"x7"' in outcome.out
    assert "never occur" in run("datasets", path).out


def test_a_later_svmlight_file_may_have_other_columns(run, refused, write, tmp_path):
    model = tmp_path / "m.skops"
    rows = "".join(f"{k % 2} 7:{k % 2 + k / 100:.2f} 9:{k % 5}\n" for k in range(40))
    assert run("classify", write("t.svm", rows), "--model", model).code == 0
    outcome = run("predict", model, write("new.svm", "1 7:1.1 2000000000:5\n0 9:1\n"))
    assert outcome.code == 0
    assert "column 'x2000000000' of" in outcome.err
    assert "passed over" in outcome.err
    assert "has none of the columns that the model was trained on" in refused(
        "predict", model, write("else.svm", "1 1:2\n0 3:1\n")
    )


def sheet_with_a_cell_at(place):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        cells = f'<row r="1"><c r="A1"><v>1</v></c></row><row><c r="{place}"><v>1</v></c></row>'
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")
    return buffer.getvalue()


def test_a_sheet_whose_last_cell_is_far_away_is_refused_unopened(refused, tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(sheet_with_a_cell_at("XFD1048576"))
    assert "has a sheet that takes 550 GB up to its last cell" in refused("credit", path)


def test_files_that_unpack_to_more_than_memory_are_refused(refused, tmp_path, small_memory):
    small_memory(200_000)
    text = b"a,class\n" + b"1,u\n" * 40_000
    packed = {
        "t.csv.gz": gzip.compress(text),
        "t.csv.bz2": bz2.compress(text),
        "t.csv.xz": lzma.compress(text),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", text)
    packed["t.zip"] = buffer.getvalue()
    arrays = io.BytesIO()
    keys = ("data", "indices", "indptr", "shape", "y", "classes", "vocabulary")
    np.savez_compressed(arrays, **{key: np.zeros(10_000) for key in keys})
    packed["t.npz"] = arrays.getvalue()
    for name, raw in packed.items():
        path = tmp_path / name
        path.write_bytes(raw)
        assert " unpacks to " in refused("credit", path)


def test_a_null_character_is_refused_in_words():
    with pytest.raises(argparse.ArgumentTypeError, match="must be the name of a file, got"):
        path_value("a\0b")
