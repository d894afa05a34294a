"""The board of recovery in short form: it runs, goes on after a kill, and finds what it should."""

import json

import numpy as np
import pytest
from ledger import read_results
from recovery2024.problems import PROBLEMS, draw
from recovery2024.rankers import by_score
from recovery2024.run import main


def test_half_of_the_rows_are_positive():
    for problem in PROBLEMS:
        _, y, n_relevant = draw(problem, 20_000, 8, 0)
        assert abs(y.mean() - 0.5) < 0.03
        assert n_relevant <= 8


def test_ties_go_against_the_relevant_columns():
    assert by_score([0.0, 0.0, 1.0, 0.0]).tolist() == [2, 3, 1, 0]


@pytest.fixture
def quick(tmp_path, monkeypatch):
    # ReliefF is slow even on a few columns, and compiling machines is tested elsewhere.
    from recovery2024 import rankers, run

    few = {name: rankers.RANKERS[name] for name in ("screen", "f-test")}
    monkeypatch.setattr(run, "RANKERS", few)
    read = run.run_experiment.__globals__["read_settings"]

    def shortened(folder):
        settings = read(folder)
        methods = settings["run"]["methods"]
        settings["run"]["methods"] = {name: methods[name] for name in few}
        return settings

    monkeypatch.setitem(run.run_experiment.__globals__, "read_settings", shortened)
    return tmp_path


def test_the_screen_finds_xor_where_an_f_test_does_not(quick):
    assert main(["--quick", "--part", "xor", "--output", str(quick)]) == 0
    numbers = read_results(quick)
    assert numbers["xor/screen/32"].mean == 100.0
    assert numbers["xor/screen"].mean > numbers["xor/f-test"].mean


def test_a_run_that_was_stopped_goes_on_with_what_it_has(quick):
    arguments = ["--quick", "--part", "ring", "--output", str(quick)]
    assert main(arguments) == 0
    whole = (quick / "results.json").read_bytes()
    path = quick / "draws-ring.jsonl"
    lines = path.read_text().splitlines()
    kept = json.loads(lines[0])
    assert kept[:4] == ["ring", "screen", 2, 1000]
    path.write_text("\n".join([*lines[:3], lines[3][:9]]) + "\n")
    assert main(arguments) == 0
    assert (quick / "results.json").read_bytes() == whole
    assert np.isclose(json.loads(path.read_text().splitlines()[0])[4], kept[4])
