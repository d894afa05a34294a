import polars as pl
import pytest

from infoprop._core._exceptions import DataError, ParameterError
from infoprop.cli import _output
from infoprop.cli._output import REPORT_ENDINGS, TABLE_ENDINGS, check_writable, write_table


def test_good_places_pass(tmp_path):
    check_writable(None, "--output", TABLE_ENDINGS)
    check_writable(tmp_path / "a.CSV", "--output", TABLE_ENDINGS)
    check_writable(tmp_path / "a.html", "--report", REPORT_ENDINGS, tmp_path / "data.csv")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a.xlsx", "must end in .csv, .parquet or .json"),
        ("a", "must end in"),
        ("absent/a.csv", "there is no folder"),
        ("folder.csv", "is a folder"),
    ],
)
def test_bad_places_are_refused(tmp_path, name, sentence):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ParameterError, match=sentence):
        check_writable(tmp_path / name, "--output", TABLE_ENDINGS)


def test_data_are_never_overwritten(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a,b\n")
    with pytest.raises(ParameterError, match="would overwrite the data"):
        check_writable(tmp_path / "." / "data.csv", "--output", TABLE_ENDINGS, data)


def test_forbidden_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_output.os, "access", lambda *_: False)
    with pytest.raises(ParameterError, match="permission denied"):
        check_writable(tmp_path / "a.csv", "--output", TABLE_ENDINGS)


@pytest.mark.parametrize(
    ("name", "read"), [("a.csv", pl.read_csv), ("a.parquet", pl.read_parquet), ("a.json", pl.read_json)]
)
def test_table_comes_back(tmp_path, name, read):
    frame = pl.DataFrame({"feature": ["a,b", "ü"], "credit": [0.5, 1e-9], "rank": [1, 2]})
    write_table(frame, tmp_path / name)
    assert read(tmp_path / name).equals(frame)


def test_disk_that_fails_is_one_sentence(tmp_path):
    frame = pl.DataFrame({"feature": ["a"]})
    with pytest.raises(DataError, match="could not be written"):
        write_table(frame, tmp_path / "gone" / "a.csv")
