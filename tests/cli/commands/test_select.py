"""Searches from the command line, from grammar to exit code."""

import io
import json
import sys

import numpy as np
import polars as pl
import pytest

from infoprop.cli._grammar._choice_options import choice_of
from infoprop.selection import ForwardBeamSelector
from infoprop.workflow._choice import COMBINATIONS
from reference.command_line import CLASSIFIERS, METHODS, parsed


def summary_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def information_along(path):
    return [path["results"]["information"][result] for result in path["steps"]["result"]]


def test_elimination_keeps_so_many_and_reports_its_path(run, wine, tmp_path):
    report, output = tmp_path / "run.json", tmp_path / "chosen.csv"
    outcome = run("select", wine, "--method", "backward", "-k", 2, "--report", report, "--output", output)
    assert outcome.code == 0
    assert "2 of 6 features" in outcome.out
    assert "From 6 features to 2, 5 sizes were counted." in outcome.out
    plain = summary_of(report)
    assert plain["path"]["steps"]["n_features"] == [6, 5, 4, 3, 2]
    assert plain["path"]["n_chosen"] == 2
    assert information_along(plain["path"])[-1] == pytest.approx(plain["retrained"]["information"])
    assert information_along(plain["path"])[0] == pytest.approx(plain["information"])
    assert plain["trace"] is None
    assert plain["run"]["settings"]["chosen"] == "the best 2, left by backward elimination"
    frame = pl.read_csv(output)
    assert sorted(frame["place"]) == [1, 1, 2, 3, 4, 5]
    assert frame.filter(pl.col("selected"))["place"].to_list() == [1, 1]
    dropped = [dropped[0] for dropped in plain["path"]["steps"]["dropped"][:-1]]
    assert frame.filter(pl.col("place") > 1).sort("place", descending=True)["feature"].to_list() == dropped


@pytest.mark.parametrize(
    "more", [["--rule", "best"], ["--rule", "one-se"], ["--rule", "tolerance", "--tolerance", "0.2"], []]
)
def test_size_is_picked_by_a_rule(run, wine, tmp_path, more):
    report = tmp_path / "run.json"
    words = ["--method", "backward", "--k", "auto", "--validation", 3, "--report", report, "--quiet"]
    assert run("select", wine, *words, *more).code == 0
    path = summary_of(report)["path"]
    assert path["steps"]["n_features"] == [6, 5, 4, 3, 2, 1]
    found = list(zip(information_along(path), path["steps"]["n_features"], strict=True))
    enough, size = max(found, key=lambda step: (step[0], -step[1]))
    if "one-se" in more:
        result = path["steps"]["result"][path["steps"]["n_features"].index(size)]
        enough -= path["results"]["standard_error"][result]
    if "tolerance" in more:
        enough *= 0.8
    sizes = [size for information, size in found if information >= enough - 1e-9]
    assert path["n_chosen"] == min(sizes)


@pytest.mark.parametrize(
    ("step", "sizes"), [("2", [6, 4, 2, 1]), ("0.5", [6, 3, 2, 1]), ("halving", [6, 5, 4, 3, 2, 1])]
)
def test_steps_may_be_larger(run, wine, tmp_path, step, sizes):
    report = tmp_path / "run.json"
    words = ["--method", "backward", "-k", 1, "--step", step, "--criterion", "margin"]
    assert run("select", wine, *words, "--report", report, "--quiet").code == 0
    assert summary_of(report)["path"]["steps"]["n_features"] == sizes


@pytest.mark.parametrize("init", ["credits", "random", "ash,hue,proline"])
def test_directed_search_reports_its_trace(run, wine, tmp_path, init):
    report = tmp_path / "run.json"
    words = ["--method", "directed", "-k", 3, "--init", init, "--report", report]
    outcome = run("select", wine, *words)
    assert outcome.code == 0
    assert "subsets of 3 features asked about" in outcome.out
    trace = summary_of(report)["trace"]
    if "," in init:
        assert [trace["names"][feature] for feature in trace["steps"][0]["features"]] == init.split(",")
    best = max(trace["steps"], key=lambda step: step["information"])
    chosen = set(summary_of(report)["selected"])
    assert {trace["names"][feature] for feature in best["features"]} == chosen
    assert best["information"] == pytest.approx(summary_of(report)["retrained"]["information"])


def test_directed_search_ends_after_so_many_trainings(run, wine, tmp_path):
    report = tmp_path / "run.json"
    words = ["--method", "directed", "-k", 3, "--max-trainings", 2, "--report", report, "--quiet"]
    assert run("select", wine, *words).code == 0
    assert summary_of(report)["trace"]["n_trainings"] == 2
    assert summary_of(report)["trace"]["end"] == "max_trainings"


@pytest.mark.parametrize("validation", ["0.3", "3"])
@pytest.mark.parametrize("criterion", ["angle", "separation"])
def test_gradient_angles_choose_and_judge(run, wine, tmp_path, validation, criterion):
    report = tmp_path / "run.json"
    words = ["--method", "angle", "-k", 2, "--criterion", criterion, "--validation", validation]
    outcome = run("select", wine, *words, "--report", report)
    assert outcome.code == 0
    plain = summary_of(report)
    assert sum(plain["features"]["selected"]) == 2
    assert plain["path"] is plain["trace"] is None
    assert plain["retrained"]["information"] > 0.5


def test_nominal_columns_come_and_go_as_one(run, mixed, tmp_path):
    report = tmp_path / "run.json"
    words = ["--impute", "mean", "--method", "backward", "-k", 1, "--report", report, "--quiet"]
    assert run("select", mixed, *words).code == 0
    path = summary_of(report)["path"]
    assert path["steps"]["n_features"] == [3, 2, 1]
    assert path["steps"]["n_columns"][0] == 6
    words = ["--impute", "mean", "--method", "directed", "-k", 1, "--init", "weight", "--quiet"]
    assert run("select", mixed, *words).code == 0


@pytest.mark.parametrize("method", ["backward", "directed"])
def test_checkpoint_ends_with_the_same_bytes(run, wine, tmp_path, method):
    journal = tmp_path / "wine.search"
    pages = [tmp_path / f"{name}.html" for name in "abc"]
    words = ["--method", method, "-k", 2, "--quiet"]
    assert run("select", wine, *words, "--report", pages[0]).code == 0
    for page in pages[1:]:
        assert run("select", wine, *words, "--report", page, "--checkpoint", journal).code == 0
    assert pages[0].read_bytes() == pages[1].read_bytes() == pages[2].read_bytes()


@pytest.mark.parametrize("method", ["backward", "directed"])
def test_interrupted_search_shows_the_best_so_far_and_goes_on_later(
    run, wine, tmp_path, interrupted, monkeypatch, method
):
    journal, report, page = tmp_path / "wine.search", tmp_path / "run.json", tmp_path / "whole.html"
    words = ["--method", method, "-k", 2, "--checkpoint", journal]
    interrupted(after := 2)
    outcome = run("select", wine, *words, "--report", report)
    assert outcome.code == 130
    assert "of 6 features" in outcome.out
    assert "was interrupted; it ends with the best subset found so far" in outcome.err
    assert f"goes on from the checkpoint {journal}" in outcome.err
    plain = summary_of(report)
    assert plain["run"]["settings"]["interrupted"] == "yes: the best found until then"
    n_steps = len(plain["path"]["steps"]["result"] if plain["path"] else plain["trace"]["steps"])
    assert n_steps == after + 1
    monkeypatch.undo()
    assert run("select", wine, *words, "--report", page, "--quiet").code == 0
    assert run("select", wine, *words[:4], "--report", tmp_path / "fresh.html", "--quiet").code == 0
    assert page.read_bytes() == (tmp_path / "fresh.html").read_bytes()


def test_interrupted_search_says_so_by_its_code_even_if_quiet(run, wine, interrupted):
    interrupted(1)
    outcome = run("select", wine, "--method", "directed", "-k", 2, "--quiet")
    assert outcome.code == 130
    assert outcome.err == ""
    assert "2 of 6 features" in outcome.out


def test_interruption_before_the_first_step_leaves_nothing(run, wine, interrupted):
    interrupted()
    outcome = run("select", wine, "--method", "directed", "-k", 2)
    assert outcome.code == 130
    assert outcome.out == ""
    assert outcome.err.splitlines()[-1] == "infoprop: interrupted"


def test_search_shows_its_own_progress_on_a_terminal(run, wine, monkeypatch):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert run("select", wine, "--method", "backward", "-k", 2).code == 0
    shown = screen.getvalue()
    assert "searching on 89 rows, 6 columns" in shown
    assert "BackwardEliminationSelector" in shown
    assert "6/6" in shown
    assert "training again on the chosen features" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["-k", "3", "--step", "2"],
            "--step goes with --method backward or --method stability or --method knockoffs, not with "
            "--method credit.",
        ),
        (["-k", "auto"], "-k auto goes with --method backward, which knows what every size delivers"),
        (["-k", "9", "--method", "backward"], "-k 9 asks for more features than the 6 there are."),
        (
            ["-k", "2", "--method", "directed", "--init", "ash,zebra"],
            "--init names 'zebra', and there is no such feature",
        ),
        (["-k", "2", "--method", "directed", "--init", ""], "--init names no feature"),
        (["-k", "3", "--method", "directed", "--init", "ash"], "must name the start: at least"),
        (["-k", "some"], "must be a whole number >= 1 or a fraction between 0 and 1, or auto, got 'some'"),
        (["-k", "2", "--method", "sideways"], "invalid choice: 'sideways'"),
        (["-k", "2", "--classifier", "knn"], "--method credit needs the credit of every feature"),
        (["-k", "2", "--classifier", "mlp", "--C", "3"], "--C goes with --classifier svm or --classifier"),
        (["-k", "9", "--classifier", "knn", "--method", "forward"], "-k 9 asks for more features than"),
        (
            ["-k", "2", "--method", "backward", "--step", "half"],
            "must be a whole number >= 1, a fraction between 0 and 1, or halving, got 'half'",
        ),
        (["-k", "2", "--method", "backward", "--step", "0"], "must be a whole number >= 1, a fraction"),
        (["-k", "2", "--tolerance", "2"], "must be a number from 0 to 1, got '2'"),
        (["-k", "2", "--tolerance", "x"], "must be a number from 0 to 1, got 'x'"),
        (["-k", "2", "--max-trainings", "0"], "must be a whole number >= 1, got '0'"),
        (
            ["-k", "2", "--method", "backward", "--checkpoint", "nowhere/x"],
            "--checkpoint nowhere/x cannot be written: there is no folder nowhere.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(refused, wine, words, sentence):
    assert sentence in refused("select", wine, *words)


def test_checkpoint_never_touches_other_files(refused, run, wine, tmp_path):
    before = wine.read_bytes()
    words = ["select", wine, "--method", "backward", "-k", 2]
    assert "would overwrite the data" in refused(*words, "--checkpoint", wine)
    page = tmp_path / "x.html"
    sentence = refused(*words, "--checkpoint", page, "--report", page)
    assert sentence == f"--report and --checkpoint would both write {page}; name another file."
    page.write_text("mine")
    assert "is not a checkpoint of infoprop" in refused(*words, "--checkpoint", page)
    assert page.read_text() == "mine"
    assert wine.read_bytes() == before


def test_checkpoint_of_another_search_is_refused(refused, run, wine, tmp_path):
    journal = tmp_path / "wine.search"
    words = ["select", wine, "--checkpoint", journal, "--quiet"]
    assert run(*words, "--method", "backward", "-k", 2).code == 0
    sentence = refused(*words, "--method", "backward", "-k", 3)
    assert "made with other data or settings" in sentence
    assert "made by BackwardEliminationSelector" in refused(*words, "--method", "directed", "-k", 2)


def test_same_search_gives_the_same_bytes(run, wine, tmp_path):
    for name in ("a", "b"):
        words = ["--method", "backward", "-k", "auto", "--report", tmp_path / f"{name}.html", "--quiet"]
        assert run("select", wine, *words).code == 0
    for ending in ("html", "json"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_help_explains_every_method(run):
    shown = run("select", "--help").out
    for word in (*METHODS, *CLASSIFIERS):
        assert f"\n  {word}" in shown
    for example in shown.partition("examples:")[2].splitlines():
        words = example.split()
        if words[:2] == ["infoprop", "select"]:
            choice_of(parsed(*words[1:]))


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("0.1", 0.1), ("halving", "halving")])
def test_step(text, value):
    step = parsed("select", "x.csv", "--step", text).step
    assert step == value
    assert type(step) is type(value)


def test_init_takes_names():
    assert parsed("select", "x.csv", "--init", "random").init == "random"
    assert parsed("select", "x.csv", "--init", 'a, "b,c"').init == ("a", "b,c")


def test_sparse_words_are_searched(run, write):
    generator = np.random.default_rng(0)
    rows = []
    for number in range(60):
        words = sorted({1 + number % 2, *generator.integers(3, 9, 3).tolist()})
        rows.append(f"{number % 2} " + " ".join(f"{word}:1" for word in words))
    path = write("words.svm", "\n".join(rows) + "\n")
    outcome = run("select", path, "--method", "backward", "-k", "auto", "--rule", "one-se")
    assert outcome.code == 0
    assert "1 of 8 features" in outcome.out


FEW = {
    "credit": ["-k", 2],
    "backward": ["-k", 4, "--step", 2],
    "directed": ["-k", 3, "--max-trainings", 2],
    "angle": ["-k", 2],
    "forward": ["-k", 1],
    "genetic": ["--population", 3, "--generations", 2],
    "stability": ["-k", 2, "--step", 0.5],
    "knockoffs": ["-k", 2, "--step", 0.5],
}
# Trained for every subset, or for every half.
LONG = {("stability", "mlp"), ("stability", "shaped"), ("forward", "shaped"), ("genetic", "shaped")}
COMBINED = [(method, name) for method in METHODS for name in COMBINATIONS[method]]


@pytest.mark.parametrize(
    ("method", "classifier"),
    [pytest.param(*pair, marks=[pytest.mark.soak] if pair in LONG else []) for pair in COMBINED],
)
def test_every_combination_runs_and_has_a_report(run, wine, tmp_path, method, classifier):
    page, table = tmp_path / "run.html", tmp_path / "chosen.csv"
    words = ["--method", method, "--classifier", classifier, *FEW[method]]
    words += ["--hidden", 2] if classifier == "mlp" else []
    outcome = run("select", wine, *words, "--report", page, "--output", table, "--json", "--quiet")
    assert outcome.code == 0
    plain = json.loads(outcome.out)
    frame = pl.read_csv(table)
    chosen = set(frame.filter(pl.col("selected"))["feature"])
    assert set(plain["selected"]) == chosen
    assert len(chosen) >= 1
    assert bool(plain["features"]["name"]) == (classifier not in ("knn", "pairwise"))
    assert "<html" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (["--classifier", "knn", "--method", "forward"], "best_with_it"),
        (["--classifier", "knn", "--method", "genetic", "--generations", 2], "last_generation"),
        (["--classifier", "pairwise", "--method", "forward", "--beam", 1], "pairs"),
    ],
)
def test_features_without_credits_are_listed_with_what_is_known_of_them(run, wine, tmp_path, words, column):
    table = tmp_path / "chosen.csv"
    outcome = run("select", wine, *words, "--output", table, "--top", 2)
    assert outcome.code == 0
    assert "and 4 more (--top 0 shows all)" in outcome.out
    frame = pl.read_csv(table)
    assert column in frame.columns
    assert frame["selected"].to_list() == sorted(frame["selected"], reverse=True)
    assert f"features written to {table}" in outcome.err


@pytest.mark.parametrize("method", ["forward", "genetic"])
def test_interrupted_wrapper_shows_the_best_so_far(run, wine, tmp_path, interrupted, method):
    interrupted(1)
    journal = tmp_path / "wine.search"
    words = ["--classifier", "knn", "--method", method, "--checkpoint", journal]
    outcome = run("select", wine, *words)
    assert outcome.code == 130
    assert "of 6 features" in outcome.out
    assert "was interrupted; it ends with the best subset found so far" in outcome.err


def test_interrupted_pairs_keep_what_they_have_chosen_and_go_on(run, wine, tmp_path, monkeypatch):
    calls = iter(range(2))
    plain = ForwardBeamSelector.fit

    def fit(self, *arguments, **more):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return plain(self, *arguments, **more)

    model = tmp_path / "pairs.skops"
    words = ["--classifier", "pairwise", "--member", "knn", "--method", "forward", "--model", model, "--json"]
    whole = run("select", wine, *words)
    model.unlink()
    words += ["--checkpoint", tmp_path / "pairs.search"]
    with monkeypatch.context() as context:
        context.setattr(ForwardBeamSelector, "fit", fit)
        outcome = run("select", wine, *words)
    assert outcome.code == 130
    assert "PairwiseClassifier was interrupted" in outcome.err
    told = json.loads(outcome.out)
    assert told["run"]["settings"]["interrupted"] == "yes: the best found until then"
    assert model.exists()
    assert run("select", wine, *words).out == whole.out


@pytest.mark.parametrize("method", ["stability", "knockoffs"])
def test_features_are_chosen_at_a_false_discovery_rate(run, wine, tmp_path, method):
    output, report = tmp_path / "chosen.csv", tmp_path / "run.json"
    words = ["--method", method, "--fdr", "0.3", "--output", output, "--report", report]
    outcome = run("select", wine, *words)
    assert outcome.code == 0
    frame = pl.read_csv(output)
    n_chosen = int(frame["selected"].sum())
    assert f"{n_chosen} of 6 features at an estimated false discovery rate of 30 %." in outcome.out
    assert (frame["q_value"] <= 0.3).to_list() == frame["selected"].to_list()
    assert f"false discovery rate of 30 % ({method})" in summary_of(report)["run"]["settings"]["chosen"]


def test_a_screen_cuts_the_table_before_the_search(run, wine, tmp_path):
    report = tmp_path / "run.json"
    outcome = run("select", wine, "--screen", 4, "--method", "backward", "-k", 2, "--report", report)
    assert outcome.code == 0
    assert "2 of 4 features" in outcome.out
    plain = summary_of(report)
    words = "the best 4 of 6 features by information gain on the training rows"
    assert words in json.dumps(plain)
    refused = run("select", wine, "--screen", 4, "-k", 2, "--validation", 5)
    assert refused.code == 2
    assert "--screen needs rows that only judge" in refused.err


@pytest.mark.parametrize("classifier", [["svm"], ["knn", "--method", "forward"]])
def test_output_of_the_chosen_features_alone(run, wine, tmp_path, classifier):
    table, whole = tmp_path / "chosen.csv", tmp_path / "all.csv"
    words = ["select", wine, "-k", 2, "--classifier", *classifier, "--quiet"]
    assert run(*words, "--output", whole).code == 0
    assert run(*words, "--output", table, "--chosen-only").code == 0
    assert pl.read_csv(table).rows() == pl.read_csv(whole).rows()[:2]
    assert pl.read_csv(whole)["selected"].sum() == 2


def test_the_chosen_alone_are_a_table(run, wine):
    outcome = run("select", wine, "-k", 2, "--chosen-only")
    assert outcome.code == 2
    assert "--chosen-only cuts the table of --output" in outcome.err


def test_with_nothing_named_several_methods_are_tried(run, wine, tmp_path):
    report = tmp_path / "run.json"
    outcome = run("select", wine, "--report", report)
    assert outcome.code == 0
    plain = summary_of(report)
    assert plain["front"]["reason"] in outcome.out
    assert [candidate["taken"] for candidate in plain["front"]["candidates"]].count(True) == 1
    assert plain["run"]["settings"]["chosen"] == "as many as do best, by the method that does best"
    assert plain["interactions"] is not None
    taken = run("select", wine, "--method", "auto", "-k", 2)
    assert "2 of 6 features" in taken.out


def test_with_nothing_named_missing_values_are_filled_in(run, wine, tmp_path):
    gaps = tmp_path / "gaps.csv"
    table = pl.read_csv(wine).with_row_index("row")
    first = table.columns[1]
    every_fifth = pl.when(pl.col("row") % 5 == 0).then(None).otherwise(pl.col(first))
    table.with_columns(every_fifth.alias(first)).drop("row").write_csv(gaps)
    model = tmp_path / "model.skops"
    outcome = run("select", gaps, "--impute", "median", "--method", "auto", "-k", 3, "--model", model)
    assert outcome.code == 0
    assert run("predict", model, gaps).code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--kernel", "rbf"], "finds kernel and C by itself"),
        (["--classifier", "knn"], "tries support vector machines; for --classifier knn name a --method"),
        (["--nested", "3"], "repeats one method; name one"),
        (["--no-scale"], "A choice without a method scales the columns"),
    ],
)
def test_what_does_not_go_with_no_method_is_said(refused, wine, words, sentence):
    assert sentence in refused("select", wine, *words)
