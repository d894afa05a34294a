import math

import polars as pl
import pytest

from infoprop.cli._data import _files
from infoprop.cli._data._files import (
    REPORT_ENDINGS,
    TABLE_ENDINGS,
    check_files,
    check_report,
    check_writable,
    write_report,
    write_table,
)
from infoprop.cli._grammar._options import OutputOptions
from infoprop.exceptions import DataError, ParameterError
from infoprop.metrics import InformationFlow
from infoprop.report import Report


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
    monkeypatch.setattr(_files.os, "access", lambda *_: False)
    with pytest.raises(ParameterError, match="permission denied"):
        check_writable(tmp_path / "a.csv", "--output", TABLE_ENDINGS)


@pytest.mark.parametrize(
    ("name", "read"), [("a.csv", pl.read_csv), ("a.parquet", pl.read_parquet), ("a.json", pl.read_json)]
)
def test_table_comes_back(tmp_path, name, read):
    frame = pl.DataFrame({"feature": ["a,b", "ü"], "credit": [0.5, 1e-9], "rank": [1, 2]})
    write_table(frame, tmp_path / name)
    assert read(tmp_path / name).equals(frame)


@pytest.fixture
def report():
    return Report.from_flow(InformationFlow.from_confusion([[4, 1], [0, 5]]), feature_names=["a", "b"])


@pytest.mark.parametrize(
    ("name", "written"), [("r.html", {"r.html", "r.json"}), ("r.json", {"r.json"}), ("r.md", {"r.md"})]
)
def test_page_has_its_numbers_beside_it(tmp_path, report, name, written):
    check_report(tmp_path / name)
    write_report(report, tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == written
    if "r.json" in written:
        assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.json()
    # The same command may be given again.
    check_report(tmp_path / name)


@pytest.mark.parametrize("content", ['{"name": "not ours"}', "", None])
def test_file_that_is_no_report_is_not_lost_to_one(tmp_path, content):
    beside = tmp_path / "package.json"
    if content is None:
        beside.mkdir()
    else:
        beside.write_text(content, encoding="utf-8")
    words = "is a folder" if content is None else "is not a report; give the page another name"
    with pytest.raises(ParameterError, match=f"--report writes JSON beside its page, but .* {words}"):
        check_report(tmp_path / "package.html")
    check_report(tmp_path / "package.md")


def test_numbers_beside_a_page_are_no_other_file(tmp_path):
    output = OutputOptions(output=tmp_path / "r.json", report=tmp_path / "r.html")
    with pytest.raises(ParameterError, match=r"--output and --report would both write .*r\.json"):
        check_files(output, tmp_path / "data.csv")


def test_disk_that_fails_is_one_sentence(tmp_path):
    frame = pl.DataFrame({"feature": ["a"]})
    with pytest.raises(DataError, match="could not be written"):
        write_table(frame, tmp_path / "gone" / "a.csv")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.json"])
def test_full_disk_leaves_the_old_table_and_is_one_sentence(tmp_path, name, small_files):
    (tmp_path / name).write_text("old")
    frame = pl.DataFrame({"number": [math.sin(number) for number in range(5000)]})
    with (
        small_files(5000),
        pytest.raises(DataError, match=r"could not be written, .* as it was: .*File too large"),
    ):
        write_table(frame, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "old"


def test_full_disk_leaves_the_old_report(tmp_path, report, small_files):
    (tmp_path / "r.html").write_text("old")
    with small_files(5000), pytest.raises(DataError, match=r"r\.html could not be written"):
        write_report(report, tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert (tmp_path / "r.html").read_text() == "old"
