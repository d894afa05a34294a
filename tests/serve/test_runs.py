"""Runs are processes of the command line in folders of their own; nothing outside is touched."""

import json

import pytest

from infoprop._core._exceptions import ParameterError
from infoprop.cli._main import build_parser
from infoprop.serve import _runs
from infoprop.serve._runs import Run, Workshop, safe_name, words_of


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("wine.csv", "wine.csv"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\a b.csv", "a_b.csv"),
        ("--help", "help"),
        ("<script>.csv", "script_.csv"),
        ("", "table.csv"),
        (".hidden\x00", "hidden_"),
    ],
)
def test_names_of_files_are_harmless(name, kept):
    assert safe_name(name) == kept


def test_words_are_those_of_the_command_line():
    asked = {"method": "backward", "classifier": "svm", "target": "--class", "size": "auto", "nested": True}
    words = words_of(asked, "wine.csv")
    told = build_parser().parse_args(words)
    assert told.command == "select"
    assert told.target == "--class"
    assert told.k == "auto"
    assert told.nested == 5
    assert str(told.checkpoint) == "search.journal"
    assert str(told.report) == "report.html"
    assert build_parser().parse_args(words_of({}, "wine.csv")).command == "credit"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"classifier": "rm -rf"}, "no classifier"),
        ({"method": "magic"}, "no method"),
        ({"method": "angle", "classifier": "knn"}, "does not go with"),
        ({"method": "credit", "size": "5 --output=x"}, "must be a number"),
    ],
)
def test_anything_else_is_refused(asked, words):
    with pytest.raises(ParameterError, match=words):
        words_of(asked, "wine.csv")


@pytest.mark.parametrize("identity", ["", "..", "../runs", "0123456789ab", "0123456789abc", "A" * 12])
def test_no_identity_leads_outside(tmp_path, identity):
    workshop = Workshop(tmp_path / "work")
    for ask in (workshop.run, workshop.table):
        with pytest.raises(ParameterError, match="There is nothing called"):
            ask(identity)


def test_a_run_has_its_own_folder_and_can_be_begun_again(tmp_path, monkeypatch):
    begun = []

    class Process:
        pid = 2**22 + 7  # no process has this number

        def __init__(self, words, cwd, **_):
            begun.append((words[1:], cwd))

    monkeypatch.setattr(_runs.subprocess, "Popen", Process)
    workshop = Workshop(tmp_path)
    identity, file = workshop.new_table("../wine.csv")
    file.write_text("a,class\n1,x\n")
    run = workshop.new_run({"table": identity, "method": "directed", "size": "2"}, "now")
    assert (run.folder / "wine.csv").read_text() == "a,class\n1,x\n"
    assert begun[0][1] == run.folder
    assert run.status == "stopped"
    (run.folder / "stderr.txt").write_text("infoprop: it failed <b>\n")
    assert run.to_dict()["remark"] == "infoprop: it failed <b>"
    run.start()
    assert begun[1] == begun[0]
    (run.folder / "report.html").write_text("page")
    (run.folder / "report.json").write_text(json.dumps({"headline": "2 of 3"}))
    assert [(one.status, one.to_dict()["headline"]) for one in workshop.runs()] == [("done", "2 of 3")]


def test_another_process_with_the_same_number_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "run.json").write_text(json.dumps({"words": [], "begun": "", "process": 1}))
    killed = []
    monkeypatch.setattr(_runs.os, "kill", lambda *given: killed.append(given))
    run = Run(tmp_path)
    assert not run.is_running
    run.stop()
    assert killed == []


def test_half_a_line_of_progress_waits(tmp_path):
    (tmp_path / "progress.jsonl").write_text('{"done": 1}\n{"don')
    assert Run(tmp_path).progress() == [{"done": 1}]
