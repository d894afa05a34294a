"""Classifiers from the command line, judged on rows that they have not seen."""

import json
import re

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.selection import CreditSelector, RowFolds
from infoprop.svm import OneVsRestSVC
from infoprop.workflow import _judging
from reference.command_line import CLASSIFIERS, METHODS, parsed


def test_folds_are_those_of_the_library(run, wine, tmp_path):
    table = tmp_path / "judged.csv"
    outcome = run("classify", wine, "--validation", 5, "--seed", 3, "--output", table)
    assert outcome.code == 0
    frame, data = pl.read_csv(table), pl.read_csv(wine)
    X, y = data.drop("class").to_numpy(), data["class"].to_numpy()
    folds = RowFolds(5, random_state=3)
    expected = cross_val_predict(
        make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear")), X, y, cv=folds
    )
    assert frame["row"].to_list() == list(range(1, len(y) + 1))
    assert frame["true"].to_list() == y.tolist()
    assert frame["predicted"].to_list() == expected.tolist()
    assert f"{np.mean(expected == y):.1%}" in outcome.out
    # Machines are calibrated inside the training folds: predictions are those without.
    told = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", calibration="validation"))
    probabilities = cross_val_predict(told, X, y, cv=folds, method="predict_proba")
    names = [name for name in frame.columns if name.startswith("probability_")]
    np.testing.assert_allclose(frame.select(names).to_numpy(), probabilities, atol=1e-12)
    assert f"predictions written to {table}" in outcome.err


def test_terminal_shows_information_confusion_and_bounds(run, iris):
    shown = run("classify", iris).out
    assert "4 features" in shown
    assert "true class" in shown
    assert "(Fano)" in shown
    assert "extended Fano bounds" in shown
    assert "folds" not in shown


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_classifier_is_judged_and_reported(run, wine, tmp_path, classifier):
    page, table = tmp_path / "run.html", tmp_path / "judged.csv"
    more = ["--hidden", 2] if classifier == "mlp" else []
    words = ["--classifier", classifier, *more, "--report", page, "--output", table, "--json"]
    outcome = run("classify", wine, *words)
    assert outcome.code == 0
    told = json.loads(outcome.out)
    assert told["accuracy"] > 0.7
    frame = pl.read_csv(table)
    assert np.sum(told["confusion"]) == told["n_judged"] == len(frame)
    assert sum(name.startswith("probability_") for name in frame.columns) == 3
    assert told["run"]["settings"]["classifier"] == classifier
    assert "<html" in page.read_text(encoding="utf-8")


def test_choice_is_made_without_the_rows_that_judge(run, wine, tmp_path):
    table = tmp_path / "judged.csv"
    words = ["--method", "credit", "-k", 2, "--validation", 4, "--output", table, "--json"]
    outcome = run("classify", wine, *words)
    data = pl.read_csv(wine)
    X, y = data.drop("class").to_numpy(), data["class"].to_numpy()
    selector = CreditSelector(
        make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear")),
        n_features_to_select=2,
        sharing="covariance",
        random_state=0,
    )
    folds = RowFolds(4, random_state=0)
    expected = cross_val_predict(selector, X, y, cv=folds)
    assert pl.read_csv(table)["predicted"].to_list() == expected.tolist()
    chosen = np.array(data.columns[:-1])[selector.fit(X, y).support_]
    assert json.loads(outcome.out)["selected"] == chosen.tolist()


def test_features_are_listed_with_the_folds_that_chose_them(run, wine):
    shown = run("classify", wine, "--method", "forward", "--classifier", "knn", "--validation", 3).out
    assert "The classifier with the chosen features delivers" in shown
    assert "folds" in shown
    assert "chosen from the training rows of each fold alone" in shown
    shown = run("classify", wine, "--method", "angle", "-k", 2).out
    assert "chosen from the training rows alone" in shown


def test_pairs_search_in_every_training_part(run, mixed, tmp_path):
    words = ["--classifier", "pairwise", "--member", "knn", "--method", "forward", "--impute", "mean"]
    outcome = run("classify", mixed, *words, "--validation", 2, "--json")
    assert outcome.code == 0
    told = json.loads(outcome.out)
    assert told["pairs"] is not None
    assert "colour" in told["selected"]


def test_interruption_leaves_the_folds_that_are_judged(run, wine, tmp_path, monkeypatch):
    answer, asked = _judging._answer, iter(range(2))

    def interrupted(*arguments):
        if next(asked, None) is None:
            raise KeyboardInterrupt
        return answer(*arguments)

    monkeypatch.setattr(_judging, "_answer", interrupted)
    model, table = tmp_path / "m.skops", tmp_path / "judged.csv"
    words = ["--validation", 4, "--method", "credit", "-k", 2, "--model", model, "--output", table]
    outcome = run("classify", wine, *words)
    assert outcome.code == 130
    assert "note: interrupted; 2 of 4 folds were judged, and no model is written" in outcome.err
    assert "those that most of these folds chose" in outcome.out
    assert not model.exists()
    assert 40 <= len(pl.read_csv(table)) <= 50


BREEDING = ["--method", "genetic", "--classifier", "knn", "--population", 3, "--generations", 4]


def test_interrupted_search_inside_a_fold_ends_the_judging(run, wine, interrupted):
    interrupted(6)
    outcome = run("classify", wine, *BREEDING, "--validation", 3)
    assert outcome.code == 130
    assert re.search("note: interrupted; [12] of 3 folds were judged", outcome.err)


def test_interrupted_search_of_one_training_part_is_judged(run, wine, interrupted, tmp_path):
    interrupted(2)
    model = tmp_path / "m.skops"
    outcome = run("classify", wine, *BREEDING, "--model", model)
    assert outcome.code == 130
    assert "was interrupted; it ends with the best subset found so far" in outcome.err
    assert "of 6 features" in outcome.out
    assert model.exists()


def test_interruption_before_the_first_fold_leaves_nothing(run, wine, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_judging, "_answer", interrupted)
    outcome = run("classify", wine, "--validation", 4)
    assert outcome.code == 130
    assert outcome.out == ""
    assert outcome.err.splitlines()[-1] == "infoprop: interrupted"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-k", "3"], "-k is about a choice of features; say which by --method."),
        (["--scoring", "roc_auc"], "--scoring is about a choice of features; say which by --method."),
        (["--max-trainings", "3"], "--max-trainings is about a choice of features; say which by --method."),
        (
            ["--method", "credit"],
            "--method credit must be told how many: give -k N, --threshold BITS or --per-class N.",
        ),
        (["--method", "credit", "-k", "2", "--classifier", "knn"], "needs the credit of every feature"),
        (["--method", "credit", "-k", "99"], "-k 99 asks for more features than the 6 there are."),
        (["--checkpoint", "x"], "unrecognized arguments: --checkpoint x"),
        (
            ["--classifier", "knn", "--neighbors", "80"],
            "--neighbors 80 asks more rows than there are to learn",
        ),
        (
            ["--classifier", "pairwise", "--member", "knn", "--neighbors", "40"],
            "--neighbors 40 asks more rows than the two smallest classes have to learn from; take at most",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(refused, wine, words, sentence):
    assert sentence in refused("classify", wine, *words)


def test_help_explains_every_word(run):
    shown = run("classify", "--help").out
    for word in (*METHODS, *CLASSIFIERS):
        assert f"\n  {word}" in shown
    for example in shown.partition("examples:")[2].splitlines():
        words = example.split()
        if words[:1] == ["infoprop"]:
            parsed(*words[1:])
