"""`--per-class` and `--consensus`."""

import polars as pl


def test_markers_are_listed_and_written(run, wine, tmp_path):
    outcome = run("credit", wine, "--per-class", 2, "--null", 0, "--output", tmp_path / "c.csv")
    assert outcome.code == 0
    assert outcome.out.count("markers of ") == 3
    frame = pl.read_csv(tmp_path / "c.csv")
    assert frame["marker_of"].drop_nulls().str.len_chars().gt(0).sum() <= 6


def test_a_choice_for_every_class(run, wine, tmp_path):
    words = ("--per-class", 1, "--nested", 3, "--consensus", 2, "--null", 0, "--output", tmp_path / "c.csv")
    outcome = run("select", wine, *words)
    assert outcome.code == 0
    assert "of 3 outer folds" in outcome.out
    frame = pl.read_csv(tmp_path / "c.csv")
    assert (frame["selected"] == (frame["folds"] >= 2)).all()


def test_they_go_with_credits(refused, wine):
    words = refused("select", wine, "--method", "backward", "-k", 2, "--per-class", 2)
    assert words.startswith("--per-class goes with --method credit")
    assert refused("select", wine, "-k", 2, "--consensus", 2).startswith("--consensus counts outer folds")
