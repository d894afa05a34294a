"""Words of running text: runs of words, weights learned from training rows, saved and applied."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from infoprop.cli import main
from infoprop.datasets import load_table
from infoprop.exceptions import InfopropError
from infoprop.svm import OneVsRestSVC
from infoprop.workflow import analyse, compare_table
from reference.words import posts

WEIGHTS = ("count", "binary", "tfidf", "bns", "shaped")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "posts.csv"
    posts().write_csv(path)
    return load_table(path, "topic", text=["post"], drop=["length"], split="split")


@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_weighting_judges_and_credits_words(table, weights):
    found = analyse(table, weights=weights, validation="split", n_null=0)
    assert found.judgement.accuracy > 0.8
    assert found.credits.n_features == len(set(found.problem.owners))
    assert found.credits.values.sum() == pytest.approx(found.judgement.information)


def test_words_alone_are_weighted_by_tfidf_as_scikit_learn_does(table):
    found = analyse(table, validation="split", repeat_choice=True)
    rows = posts()
    train, test = (rows.filter(pl.col("split") == part) for part in ("train", "test"))
    peer = make_pipeline(
        TfidfVectorizer(vocabulary=list(found.problem.owners)), OneVsRestSVC(kernel="linear")
    )
    peer.fit(train["post"].to_list(), train["topic"].to_numpy())
    assert found.task.weights == "tfidf"
    np.testing.assert_array_equal(found.judged.predicted, peer.predict(test["post"].to_list()))


def test_runs_of_words_are_features_and_saved_with_the_model(table, tmp_path, capsys):
    found = analyse(table, ngrams=2, n_null=0)
    assert "of the" in found.problem.owners
    found.save(tmp_path / "m.skops")
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "m.skops"), str(tmp_path / "posts.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["predicted"] == found.model().predict(found.problem.X).tolist()


def test_weights_are_learned_from_training_rows_only(table):
    """Labels of the rows that judge do not change what is predicted for them."""
    changed = table.y.copy()
    is_test = table.split == "test"
    changed[is_test] = np.roll(changed[is_test], 7)
    other = replace(table, y=changed)
    one, two = (
        analyse(data, weights="bns", validation="split", repeat_choice=True).judged.predicted
        for data in (table, other)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("weights", ["binary", "tfidf"])
def test_numbers_beside_words_are_no_words(tmp_path, weights):
    path = tmp_path / "posts.csv"
    posts().drop("split").write_csv(path)
    table = load_table(path, "topic", text=["post"])
    with pytest.raises(InfopropError, match="all words or counts"):
        analyse(table, weights=weights)
    assert analyse(table, n_null=0).task.weights is None
    assert analyse(table, weights="bns", n_null=0).task.weights == "bns"


def test_weights_are_for_words():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(InfopropError, match="is for words"):
        analyse(X, [0, 1] * 3, weights="tfidf")


def test_methods_are_compared_on_weighted_words(table):
    found = compare_table(
        table, methods=["credit", "anova-f"], sizes=[5], weights="shaped", validation=2, inner_validation=None
    )
    assert all(choice.accuracy > 0.5 for choice in found.comparison)
