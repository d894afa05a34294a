"""The page on error control is what its draws say."""

import json
from pathlib import Path

import numpy as np
import pytest

from infoprop.selection import KnockoffSelector


def test_stored_page_is_what_the_stored_draws_say(experiments):
    from error_control import study
    from error_control.rows import all_rows

    folder = experiments / "error_control"
    done = study._read(folder / "draws.jsonl")
    assert study.page(all_rows(Path()), done) == (folder / "README.md").read_text(encoding="utf-8")


def test_draws_are_kept_and_not_done_again(experiments, tmp_path, monkeypatch, capsys):
    from error_control import study

    arguments = ["--row", "three-knockoffs", "--quick", "--output", str(tmp_path)]
    assert study.main(arguments) == 0
    (line,) = (tmp_path / "draws.jsonl").read_text().splitlines()
    assert json.loads(line)["seed"] == 0
    capsys.readouterr()
    assert study.main(arguments) == 0
    assert capsys.readouterr().err == ""
    assert len((tmp_path / "draws.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("name", ["three_classes", "parity", "nominal", "words", "bumps", "blocks"])
def test_designs_follow_from_their_seeds(experiments, name):
    from error_control import designs

    first, same, other = (getattr(designs, name)(seed) for seed in (0, 0, 1))
    assert (first.y == same.y).all()
    assert not np.array_equal(first.real, other.real)
    n_features = first.X.shape[1] if first.groups is None else first.groups.max() + 1
    assert first.real.max() < n_features


def test_features_are_counted_by_group(experiments):
    from error_control.designs import Problem
    from error_control.rows import judged

    generator = np.random.default_rng(0)
    X = generator.normal(size=(100, 6))
    problem = Problem(X, (X[:, 0] > 0).astype(int), np.array([0]), np.array([0, 0, 1, 1, 2, 2]))
    outcome = judged(KnockoffSelector(n_features_to_select=2, random_state=0), problem)
    assert outcome["power"] == 100.0
    assert outcome["false"] == 50.0
    assert outcome["chosen"] == 2
