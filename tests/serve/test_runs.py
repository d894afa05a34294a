"""Runs are processes of the command line in folders of their own; nothing outside is touched."""

import json

import pytest

from infoprop.exceptions import ParameterError
from infoprop.serve import _runs
from infoprop.serve._runs import Run, Workshop, safe_name


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


@pytest.mark.parametrize("identity", ["", "..", "../runs", "0123456789ab", "0123456789abc", "A" * 12])
def test_no_identity_leads_outside(tmp_path, identity):
    workshop = Workshop(tmp_path / "work")
    for ask in (workshop.run, workshop.table):
        with pytest.raises(ParameterError, match="There is nothing called"):
            ask(identity)


def test_a_run_has_its_own_folder_and_can_be_begun_again(tmp_path, monkeypatch):
    begun, codes = [], [1]

    class Process:
        pid = 2**22 + 7  # no process has this number

        def __init__(self, words, cwd, **_):
            begun.append((words[1:], cwd))

        def poll(self):
            return codes[-1]

    monkeypatch.setattr(_runs.subprocess, "Popen", Process)
    workshop = Workshop(tmp_path)
    identity, file = workshop.new_table("../wine.csv")
    file.write_text("a,class\n1,x\n")
    asked = {"table": identity, "command": "select", "method": "directed", "size": "2"}
    run = workshop.new_run(asked, "now")
    assert (run.folder / "wine.csv").read_text() == "a,class\n1,x\n"
    assert begun[0][1] == run.folder
    assert run.status == "failed"
    (run.folder / "stderr.txt").write_text("infoprop: it failed <b>\n")
    assert run.to_dict()["remark"] == "infoprop: it failed <b>"
    codes.append(-9)
    run.start()
    assert begun[1] == begun[0]
    assert run.status == "stopped"
    assert not run.was_cut_off
    codes.append(0)
    run.start()
    (run.folder / "report.html").write_text("page")
    (run.folder / "report.json").write_text(json.dumps({"headline": "2 of 3"}))
    assert [(one.status, one.to_dict()["headline"]) for one in workshop.runs()] == [("done", "2 of 3")]


def test_only_what_was_cut_off_goes_on_by_itself(tmp_path, monkeypatch):
    workshop = Workshop(tmp_path)
    abouts = {
        "0" * 12: {},
        "1" * 12: {"ended": 1},
        "2" * 12: {"ended": 130},
        "3" * 12: {"is_told_to_stop": True},
    }
    for name, about in abouts.items():
        (tmp_path / "runs" / name).mkdir()
        plain = {"words": [], "begun": name, "process": 2**22 + 7, "ended": None, **about}
        (tmp_path / "runs" / name / "run.json").write_text(json.dumps(plain))
    begun = []
    monkeypatch.setattr(Run, "start", lambda run: begun.append(run.folder.name))
    workshop.resume_cut_off()
    assert begun == ["0" * 12]
    assert [run.folder.name[0] for run in workshop.runs()] == ["3", "2", "1", "0"]


def test_another_process_with_the_same_number_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "run.json").write_text(json.dumps({"words": [], "begun": "", "process": 1}))
    killed = []
    monkeypatch.setattr(_runs.os, "kill", lambda *given: killed.append(given))
    run = Run(tmp_path)
    assert not run.is_running
    run.stop()
    assert killed == []
