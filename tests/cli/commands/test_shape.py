"""Columns shaped on the command line: what is shown, written and saved."""

import json

import jsonschema
import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

from infoprop.datasets import load_table
from infoprop.report import Report
from infoprop.shaping import BNSScaler, FeatureShaper
from infoprop.workflow import _shaping


@pytest.fixture(autouse=True)
def _few_costs(monkeypatch):
    """Let machines choose between two costs in two folds: commands only hand on what they deliver."""
    monkeypatch.setattr(_shaping, "COSTS", (1.0, 100.0))
    monkeypatch.setattr(_shaping, "N_INNER_FOLDS", 2)


@pytest.fixture
def bumps(write):
    """Two classes that a straight line cannot tell apart, beside noise."""
    generator = np.random.default_rng(0)
    lines = ["bump,noise,class"]
    for value in np.linspace(-1.0, 1.0, 160):
        lines.append(f"{value:.4f},{generator.normal():.4f},{'in' if abs(value) < 0.5 else 'out'}")
    return write("bumps.csv", "\n".join(lines) + "\n")


@pytest.fixture
def mail(write):
    """Two folders told apart by words."""
    texts = {
        "work": ["meeting about money", "money report"],
        "home": ["dinner with friends", "friends visit"],
    }
    rows = [f"{texts[folder][k % 2]} {k},{folder}" for k in range(30) for folder in texts]
    return write("mail.csv", "body,folder\n" + "\n".join(rows) + "\n")


def test_shaping_is_compared_with_raw_columns_on_rows_not_seen(run, bumps):
    outcome = run("shape", bumps)
    assert outcome.code == 0
    assert outcome.out.splitlines()[1].startswith("Shaped columns deliver 0.")
    assert "Linear machines on 40 rows that they had not seen: accuracy " in outcome.out
    assert "Class out against the rest, by bi-normal separation (BNS):" in outcome.out
    told = json.loads(run("shape", bumps, "--json").out)
    assert told["shaped"]["accuracy"] >= 0.85 > 0.7 > told["raw"]["accuracy"]
    assert told["n_judged"] == 40
    assert told["shaped_for"] == ["out"]
    bump, noise = told["columns"]
    assert bump["bns_shaped"][0] > bump["bns_raw"][0] > noise["bns_raw"][0]
    assert told["report"]["information"] == told["raw"]["information"]
    assert told["report"]["retrained"]["information"] == told["shaped"]["information"]


def test_several_classes_are_shown_side_by_side(run, iris):
    outcome = run("shape", iris, "--top", 2)
    assert "Bi-normal separation (BNS) of every class from the rest:" in outcome.out
    header = next(line for line in outcome.out.splitlines() if "virginica" in line)
    assert header.split() == ["#", "column", "setosa", "versicolor", "virginica"]
    assert "and 2 more (--top 0 shows all)" in outcome.out


def test_of_many_classes_each_has_its_best_columns(run, write):
    rows = [f"{k % 8 + 0.01 * k:.2f},{k % 3},{'abcdefgh'[k % 8]}" for k in range(96)]
    outcome = run("shape", write("t.csv", "x,y,class\n" + "\n".join(rows) + "\n"))
    assert outcome.code == 0
    assert "The columns that separate each class best from the rest" in outcome.out
    assert " h " in outcome.out


@pytest.mark.parametrize("method", ["shape", "probability", "bns"])
def test_one_class_can_be_told_from_the_rest(run, iris, method):
    told = json.loads(run("shape", iris, "--positive", "versicolor", "--method", method, "--json").out)
    assert told["target"] == "class=versicolor"
    assert told["shaped_for"] == ["versicolor"]
    assert told["class_entropy"] == pytest.approx(0.92, abs=0.02)
    assert told["shaped"]["accuracy"] > 0.6


def test_the_shaped_table_is_learned_from_the_rows_that_do_not_judge(run, iris, tmp_path):
    path = tmp_path / "shaped.csv"
    outcome = run("shape", iris, "--output", path, "--validation", 0.2, "--seed", 3)
    assert outcome.code == 0
    assert f"shaped table written to {path}" in outcome.err
    table = load_table(path, "class", split="split")
    assert table.feature_names[0] == "sepal length@setosa"
    X, y = load_iris(return_X_y=True)
    is_train = table.split == "train"
    assert is_train.sum() == 120
    shaper = FeatureShaper(multiclass="ovr").fit(X[is_train], y[is_train])
    np.testing.assert_allclose(table.frame.to_numpy(), shaper.transform(X))
    again = run("credit", path, "--validation", "split")
    assert again.code == 0
    assert "30 rows judged" in again.out


def test_with_folds_the_shaped_table_is_learned_from_all_rows(run, iris, tmp_path):
    path = tmp_path / "shaped.parquet"
    outcome = run("shape", iris, "--output", path, "--validation", 2, "--method", "bns")
    assert "note: the shapes were learned from all rows" in outcome.err
    frame = pl.read_parquet(path)
    assert "split" not in frame.columns
    X, y = load_iris(return_X_y=True)
    expected = BNSScaler(multiclass="ovr").fit_transform(X, y)
    np.testing.assert_allclose(frame.drop("class").to_numpy(), expected)


def test_words_stay_sparse(run, refused, mail, tmp_path):
    path = tmp_path / "shaped.npz"
    outcome = run("shape", mail, "--text", "body", "--target", "folder", "--output", path)
    assert outcome.code == 0
    table = load_table(path, split="split")
    assert table.is_sparse
    assert "money" in table.feature_names
    assert set(table.split.tolist()) == {"train", "test"}
    sentence = refused("shape", mail, "--text", "body", "--target", "folder", "--output", tmp_path / "x.csv")
    assert "must end in .npz: the shaped table has" in sentence


def test_a_missing_number_can_be_a_value_of_its_own(run, refused, mixed, tmp_path):
    assert "--impute mean" in refused("shape", mixed)
    report = tmp_path / "r.json"
    words = ["--missing-apart", "--validation", "split", "--report", report]
    for method in ("shape", "probability"):
        assert run("shape", mixed, *words, "--method", method).code == 0
        assert json.loads(report.read_text())["run"]["settings"]["missing numbers"] == "a value of its own"
    assert run("shape", mixed, "--impute", "median", "--method", "bns").code == 0


@pytest.mark.parametrize("words", [["--method", "shape"], ["--method", "bns"], ["--positive", "setosa"]])
def test_a_model_is_saved_and_used(run, iris, tmp_path, words):
    model = tmp_path / "m.skops"
    assert run("shape", iris, *words, "--model", model).code == 0
    told = json.loads(run("predict", model, iris, "--json").out)
    if "--positive" in words:
        assert set(told["predicted"]) == {"setosa", "not setosa"}
        assert told["judged"] is None
    else:
        assert told["judged"]["accuracy"] > 0.9


def test_a_report_shows_the_shapes(run, bumps, tmp_path):
    path = tmp_path / "r.html"
    assert run("shape", bumps, "--report", path).code == 0
    jsonschema.validate(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")), Report.schema())
    page = path.read_text(encoding="utf-8")
    assert "columns were shaped" in page
    assert "raw columns" in page


@pytest.mark.parametrize(
    "words",
    [
        ["--validation", "0.3"],
        ["--method", "probability", "--window", "5", "--validation", "3", "--seed", "2"],
        ["--method", "bns", "--positive", "virginica"],
    ],
)
def test_the_code_of_a_report_repeats_the_run(run, iris, tmp_path, monkeypatch, words):
    path = tmp_path / "r.json"
    assert run("shape", iris, *words, "--report", path).code == 0
    told = json.loads(path.read_text(encoding="utf-8"))
    monkeypatch.chdir(iris.parent)
    names = {}
    exec(told["run"]["code"], names)
    assert names["found"].shaped.flow.information == pytest.approx(
        told["retrained"]["information"], abs=1e-12
    )


def test_the_code_reads_gaps_and_names_as_the_run_did(run, mixed, tmp_path, monkeypatch):
    path = tmp_path / "r.json"
    filled = ["--impute", "mean", "--validation", "split"]
    for words in (["--missing-apart"], filled, [*filled, "--method", "bns"]):
        assert run("shape", mixed, *words, "--report", path).code == 0
        told = json.loads(path.read_text(encoding="utf-8"))
        monkeypatch.chdir(mixed.parent)
        names = {}
        exec(told["run"]["code"], names)
        assert names["found"].shaped.flow.information == pytest.approx(
            told["retrained"]["information"], abs=1e-12
        )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--positive", "rose"], "--positive rose is not among the classes of 'class': setosa, versicolor"),
        (["--method", "bns", "--window", "3"], "--window goes with --method shape or --method probability"),
        (["--method", "bns", "--missing-apart"], "--missing-apart goes with --method shape or"),
        (["--method", "probability", "--policy", "auto"], "--policy goes with --method shape, not with"),
        (["--missing-apart", "--impute", "mean"], "--missing-apart leaves nothing to fill"),
        (["--window", "0"], "must be a number > 0 or auto, got '0'"),
        (["--output", "x.json"], "--output x.json must end in .csv, .parquet or .npz"),
    ],
)
def test_what_does_not_fit_is_refused(refused, iris, words, sentence):
    assert sentence in refused("shape", iris, *words)
