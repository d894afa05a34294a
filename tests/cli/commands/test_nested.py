"""Nested validation of a selection from the command line."""

import json

import pytest

from infoprop.workflow import _nesting
from reference.command_line import METHODS


def nested_of(outcome):
    return json.loads(outcome.out)["nested"]


def size_of(method):
    return ("-k", 2) if method not in ("forward", "genetic") else ()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_repeated_in_outer_folds(run, iris, method):
    few = ("--generations", 2, "--population", 4) if method == "genetic" else ()
    outcome = run("select", iris, "--method", method, *size_of(method), *few, "--nested", 3, "--json")
    assert outcome.code == 0
    nested = nested_of(outcome)
    assert (nested["n_folds"], nested["n_rows"]) == (3, 150)
    (choice,) = nested["choices"]
    assert choice["method"] == method
    assert 0.8 < choice["accuracy"] <= 1.0
    assert all(len(fold) >= 1 for fold in choice["folds"])


def test_words_and_page_say_what_rows_not_seen_say(run, iris, tmp_path):
    page = tmp_path / "iris.html"
    outcome = run("select", iris, "--method", "backward", "-k", "auto", "--nested", 2, "--report", page)
    assert "The whole selection was judged by nested cross-validation on 150 rows (2 folds)" in outcome.out
    assert "On rows not seen: backward with" in outcome.out
    assert "would promise" in outcome.out
    assert "have a stability of" in outcome.out
    text = page.read_text(encoding="utf-8")
    assert "What the whole selection delivers on rows it has not seen" in text
    assert "2 outer folds" in text


def test_folds_that_judge_inside_are_those_asked_for(run, iris, monkeypatch):
    seen = []
    compare = _nesting.compare_selectors

    def watched(methods, *rows, **options):
        seen.append((methods["credit"].validation, options["validation"], options["sizes"]))
        return compare(methods, *rows, **options)

    monkeypatch.setattr(_nesting, "compare_selectors", watched)
    run("select", iris, "-k", 2, "--nested", 2, "--validation", 4)
    run("select", iris, "-k", 2, "--nested", 2)
    assert seen == [(4, 2, None), (0.25, 2, None)]


def test_without_it_nothing_is_nested(run, iris):
    assert nested_of(run("select", iris, "-k", 2, "--json")) is None


def test_interruption_leaves_the_selection(run, iris, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_nesting, "compare_selectors", interrupted)
    outcome = run("select", iris, "-k", 2, "--nested", 5)
    assert outcome.code == 130
    assert "2 of 4 features" in outcome.out
    assert "The nested validation was interrupted before its first fold was done" in outcome.err


def test_checkpoint_of_the_folds_lies_beside_that_of_the_search(run, iris, tmp_path, monkeypatch):
    journal = tmp_path / "search"
    words = (
        "select",
        iris,
        "--method",
        "backward",
        "-k",
        2,
        "--nested",
        2,
        "--checkpoint",
        journal,
        "--json",
    )
    first = run(*words)
    assert (tmp_path / "search.nested").is_file()
    monkeypatch.setattr(
        "infoprop.selection.comparison._nested.nested_record", lambda *_: pytest.fail("it was done again")
    )
    assert nested_of(run(*words)) == nested_of(first)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--nested", "1"), "must be a whole number >= 2"),
        (("--nested", "3", "--validation", "split"), "does not go with --validation split"),
        (
            ("--nested", "3", "--classifier", "pairwise", "--method", "forward"),
            "not with --classifier pairwise; `infoprop classify",
        ),
    ],
)
def test_what_cannot_be_nested_is_refused_in_one_sentence(refused, mixed, words, sentence):
    size = () if "forward" in words else ("-k", 1)
    assert sentence in refused("select", mixed, *size, *words)
