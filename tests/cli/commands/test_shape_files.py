"""Several Parquet files, shaped file by file."""

import json

import numpy as np
import polars as pl
import pytest

from infoprop.shaping import BNSScaler, FeatureShaper


@pytest.fixture
def parts(tmp_path):
    """Counts of two columns and a name, in three files."""
    random = np.random.default_rng(0)
    for number in range(3):
        y = random.integers(0, 2, 40)
        columns = {"a": random.poisson(1 + 2 * y), "b": random.poisson(1.0, 40), "name": ["x"] * 40}
        frame = pl.DataFrame({**columns, "label": np.array(["no", "yes"])[y]})
        frame.write_parquet(tmp_path / f"part{number}.parquet")
    return sorted(tmp_path.glob("*.parquet"))


def together(paths):
    frame = pl.concat([pl.read_parquet(path) for path in paths])
    return frame[["a", "b"]], frame["label"].to_numpy()


def test_files_are_one_table(run, parts, tmp_path):
    folder = tmp_path / "shaped"
    outcome = run("shape", *parts, "--target", "label", "--drop", "name", "--output", folder, "--json")
    assert outcome.code == 0
    told = json.loads(outcome.out)
    X, y = together(parts)
    shaper = FeatureShaper(multiclass="ovr").fit(X, y)
    assert (told["n_rows"], told["n_files"], told["shaped_for"]) == (120, 3, ["yes"])
    assert [column["bns_shaped"][0] for column in told["columns"]] == shaper.scores_.tolist()
    raw = BNSScaler(multiclass="ovr").fit(X, y).scores_.tolist()
    assert [column["bns_raw"][0] for column in told["columns"]] == raw
    written = pl.concat([pl.read_parquet(folder / path.name) for path in parts])
    assert written["label"].to_list() == y.tolist()
    assert (written[["a", "b"]].to_numpy() == shaper.transform(X)).all()


def test_words_say_what_was_not_done(run, parts):
    outcome = run(
        "shape", *parts, "--target", "label", "--drop", "name", "--method", "bns", "--positive", "no"
    )
    assert outcome.code == 0
    assert "Shapes of 120 rows in 3 files" in outcome.out
    assert "Class no against the rest" in outcome.out
    assert "no machines were trained" in outcome.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "need --target"),
        (["--target", "label"], "'name' of"),
        (["--target", "other"], "no column 'other'"),
        (["--target", "label", "--drop", "name", "--validation", "5"], "leave out --validation"),
        (["--target", "label", "--drop", "name", "--positive", "maybe"], "not among the classes"),
        (["--target", "label", "--drop", "name", "--output", "."], "holds the files"),
    ],
)
def test_what_cannot_be_is_refused(run, parts, words, told, monkeypatch):
    monkeypatch.chdir(parts[0].parent)
    outcome = run("shape", *parts, *words)
    assert outcome.code == 2
    assert told in outcome.err
