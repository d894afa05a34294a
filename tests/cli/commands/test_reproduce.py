"""The experiments are found and run, wherever the command is called from."""

import json
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
SCRIPT = """
import json, sys
from pathlib import Path
Path("called.txt").open("a").write(json.dumps(sys.argv[1:]) + "\\n")
print("talking")
sys.exit(1 if "bad" in " ".join(sys.argv) else 0)
"""


@pytest.fixture
def clone(tmp_path):
    """A clone with two experiments that only note how they were called."""
    folder = tmp_path / "clone" / "experiments"
    for name in ("good", "bad"):
        (folder / name).mkdir(parents=True)
        (folder / name / "run.py").write_text("")
        settings = f'title = "The {name} paper"\n[[part]]\nname = "one"\n[[part]]\nname = "two"\n'
        (folder / name / "settings.toml").write_text(settings)
    (folder / "reproduce.py").write_text(SCRIPT)
    return tmp_path / "clone"


def called(clone):
    return [json.loads(line) for line in (clone / "called.txt").read_text().splitlines()]


def test_the_experiments_of_this_project_are_listed(run):
    outcome = run("reproduce", "--list", "--folder", PROJECT)
    assert outcome.code == 0
    assert "infoprop2001  SVM-Infoprop, 2001" in outcome.out
    assert "table-5" in outcome.out


def test_names_titles_and_parts_are_told_to_machines(run, clone):
    told = json.loads(run("reproduce", "--list", "--json", "--folder", clone).out)
    assert told["experiments"] == [
        {"name": "bad", "title": "The bad paper", "parts": ["one", "two"]},
        {"name": "good", "title": "The good paper", "parts": ["one", "two"]},
    ]


def test_a_clone_is_found_from_any_folder_in_it(run, clone, monkeypatch):
    monkeypatch.chdir(clone / "experiments" / "good")
    outcome = run("reproduce", "--quick")
    assert outcome.code == 0
    assert called(clone) == [["--quick"]]
    assert f"{clone / 'build' / 'experiments' / 'README.md'} compares" in outcome.out


def test_experiments_and_parts_run_one_after_the_other(run, clone, tmp_path):
    words = ["good", "good/two", "--output", tmp_path / "out", "--folder", clone, "--json", "--quiet"]
    outcome = run("reproduce", *words)
    assert outcome.code == 0
    output = str(tmp_path / "out")
    assert called(clone) == [
        ["--only", "good", "--output", output],
        ["--only", "good/two", "--output", output],
    ]
    assert json.loads(outcome.out) == {"ran": ["good", "good/two"], "output": output}


def test_an_experiment_that_fails_ends_the_run_with_its_code(run, clone):
    assert run("reproduce", "bad", "good", "--folder", clone, "--quiet").code == 1
    assert called(clone) == [["--only", "bad"]]


def test_what_is_not_there_is_refused_with_what_is(refused, clone, tmp_path, monkeypatch):
    assert refused("reproduce", "ugly", "--folder", clone) == (
        "There is no experiment 'ugly'; there are bad, good."
    )
    assert "good has no part 'three'; its parts are one, two." in refused(
        "reproduce", "good/three", "--folder", clone
    )
    monkeypatch.chdir(tmp_path)
    assert "neither here nor in a folder above; clone the project" in refused("reproduce")
    assert "which is not in" in refused("reproduce", "--folder", tmp_path)
