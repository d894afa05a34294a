"""Methods compared from the command line, from grammar to exit code."""

import json
from functools import partial

import jsonschema
import polars as pl
import pytest

from infoprop.report import ComparisonReport
from infoprop.selection import GeneticSelector, SearchInterruptedWarning, compare_selectors
from infoprop.selection.running._interruption import note_interruption
from infoprop.workflow import _comparing
from infoprop.workflow._contest_names import DEFAULT_METHODS, METHODS
from infoprop.workflow._peers import BorutaColumns
from infoprop.workflow._selectors import SELECTORS
from reference.command_line import parsed

QUICK = ("--methods", "credit,anova-f,all-features", "--sizes", "1,2", "--folds", "3", "--inner-folds", "2")


def test_table_says_what_every_method_delivers_at_every_size(run, wine, tmp_path):
    output = tmp_path / "table.csv"
    outcome = run("compare", wine, *QUICK, "--output", output)
    assert outcome.code == 0
    frame = pl.read_csv(output)
    assert frame["method"].to_list() == ["credit", "credit", "anova-f", "anova-f", "all-features"]
    assert frame["size"].to_list() == [1, 2, 1, 2, None]
    best = frame["accuracy"].max()
    assert f"right on {100 * best:.1f}%" in outcome.out
    assert f"*{best:.1%}" in outcome.out
    for row in frame.iter_rows(named=True):
        assert f"{row['accuracy']:.1%}" in outcome.out
        assert f"{row['inner_accuracy']:.1%}" in outcome.out
    assert "Selection bias: cross-validated on the very rows that chose" in outcome.out
    assert "within one standard error of it" in outcome.out.lower()
    assert f"table written to {output}" in outcome.err


def test_command_finds_what_the_library_finds(run, wine, tmp_path):
    outcome = run("compare", wine, "--methods", "anova-f", "--sizes", "2", "--folds", "3", "--json")
    plain = json.loads(outcome.out)
    choice = plain["comparison"]["choices"][0]
    frame = pl.read_csv(wine)
    from sklearn.feature_selection import SelectKBest
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from infoprop.svm import OneVsRestSVC

    X, y = frame.drop("class").to_numpy(), frame["class"].to_numpy().astype(str)
    machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))
    (expected,) = compare_selectors(
        {"F": SelectKBest()}, X, y, estimator=machine, sizes=[2], validation=3, random_state=0
    )
    assert choice["accuracy"] == expected.accuracy
    assert choice["inner_accuracy"] == expected.inner_accuracy
    assert plain["comparison"]["n_rows"] == 89


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("boruta", "genetic")])
def test_every_method_chooses_on_numbers_and_names(run, mixed, method):
    # A nominal column is one feature, whoever chooses; a hole is filled from the training rows.
    outcome = run(
        *("compare", mixed, "--methods", method, "--sizes", "1", "--folds", "2", "--inner-folds", "0"),
        *("--impute", "mean", "--json"),
    )
    assert outcome.code == 0
    comparison = json.loads(outcome.out)["comparison"]
    assert comparison["feature_names"] == ["colour", "size", "weight"]
    chosen = [comparison["feature_names"][k] for fold in comparison["choices"][0]["folds"] for k in fold]
    assert chosen == ["colour"] * 2 if method != "all-features" else comparison["feature_names"] * 2


def test_methods_that_find_the_number_themselves_have_one_row(run, wine, monkeypatch):
    pytest.importorskip("boruta")
    monkeypatch.setattr("infoprop.workflow._contenders.BorutaColumns", partial(BorutaColumns, max_iter=8))
    monkeypatch.setitem(SELECTORS, "genetic", partial(GeneticSelector, n_generations=2))
    outcome = run(
        *("compare", wine, "--methods", "boruta,genetic", "--sizes", "1,2", "--folds", "2"),
        *("--inner-folds", "0", "--json", "--classifier", "knn"),
    )
    choices = json.loads(outcome.out)["comparison"]["choices"]
    assert [(choice["method"], choice["size"]) for choice in choices] == [("boruta", None), ("genetic", None)]
    assert 0 <= choices[0]["n_features"] <= 6


def test_sparse_rows_are_compared(run, write):
    lines = [f"{k % 2} 1:{k % 2 + 1} 2:{k % 3 + 1} 3:{k % 5 + 1}" for k in range(40)]
    data = write("rows.svm", "\n".join(lines) + "\n")
    outcome = run("compare", data, "--sizes", "1", "--folds", "2", "--inner-folds", "0", "--json")
    assert outcome.code == 0
    choices = json.loads(outcome.out)["comparison"]["choices"]
    assert {choice["method"] for choice in choices} == set(DEFAULT_METHODS)
    assert max(choice["accuracy"] for choice in choices) == 1.0


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_report_is_written_in_three_forms(run, wine, tmp_path, ending):
    path = tmp_path / f"report.{ending}"
    assert run("compare", wine, *QUICK, "--report", path).code == 0
    text = path.read_text(encoding="utf-8")
    assert "wine.csv: ways to choose features, compared" in text
    assert "all-features" in text
    # Whatever the form, a page has its numbers beside it.
    numbers = path.with_suffix(".json")
    assert numbers.is_file() == (ending != "md")
    if ending == "html":
        jsonschema.validate(json.loads(numbers.read_text(encoding="utf-8")), ComparisonReport.schema())


def test_interruption_shows_the_folds_done_and_says_so(run, wine, tmp_path, monkeypatch):
    import warnings

    def interrupted(*arguments, **options):
        comparison = compare_selectors(*arguments, **{**options, "validation": 2})
        note_interruption("compare_selectors")
        warnings.warn("interrupted after 2 of 5 folds", SearchInterruptedWarning, stacklevel=1)
        return comparison

    monkeypatch.setattr(_comparing, "compare_selectors", interrupted)
    report = tmp_path / "report.json"
    outcome = run("compare", wine, *QUICK, "--report", report)
    assert outcome.code == 130
    assert "2 of 5 folds" in outcome.err
    assert "Best on rows not seen" in outcome.out
    assert json.loads(report.read_text())["run"]["settings"]["interrupted"] == "yes: 2 of 2 folds"


def test_same_command_goes_on_from_its_checkpoint(run, wine, tmp_path, monkeypatch):
    words = ("compare", wine, *QUICK, "--checkpoint", tmp_path / "journal", "--json")
    first = run(*words)
    monkeypatch.setattr(
        "infoprop.selection.comparison._nested.nested_record", lambda *_: pytest.fail("it was done again")
    )
    assert run(*words).out == first.out


def test_column_that_names_parts_is_left_out(run, mixed):
    outcome = run("compare", mixed, *QUICK, "--impute", "mean")
    assert "note: the column 'split' is left out; every row judges in turn" in outcome.err
    assert "judges by its test rows" not in outcome.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--methods", "anova"), "invalid choice: 'anova' (choose from all, credit,"),
        (("--methods", "anova"), "did you mean anova-f?"),
        (("--methods", ""), "invalid choice: ''"),
        (("--sizes", "0"), "whole numbers >= 1 separated by commas, or auto"),
        (("--sizes", "7"), "--sizes 7 asks for more features than the 6 there are."),
        (("--folds", "1"), "must be a whole number >= 2"),
        (("--inner-folds", "1"), "--inner-folds must be 0, or a whole number >= 2; got 1."),
        (("--validation", "split"), "--validation split does not go with compare"),
        (("--methods", "angle", "--classifier", "knn"), "angle"),
        (("--target", "proline"), "looks like a number or a name, not a class"),
        (("--report", "page.pdf"), "must end in .html, .md or .json"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(refused, wine, words, sentence):
    assert sentence in refused("compare", wine, *words)


def test_all_stands_for_every_method():
    arguments = parsed("compare", "data.csv", "--methods", "all")
    assert arguments.methods == METHODS
    assert arguments.validation == 5


def test_automatic_sizes_are_those_of_the_library():
    assert _comparing.sizes_for("auto", 6) == (1, 2, 5)
