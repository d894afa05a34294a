"""Options that all searches share, and words that were mistyped."""

import json

import pytest


def test_a_search_that_runs_out_of_time_shows_what_it_has(run, wine):
    outcome = run("select", wine, "--method", "forward", "--time-limit", "1e-9", "--json")
    assert outcome.code == 0
    plain = json.loads(outcome.out)
    assert plain["beam"]["end"] == "time"
    assert plain["run"]["settings"]["time limit"] == "1e-09 seconds"


def test_kept_features_are_kept(run, wine):
    words = ("select", wine, "-k", 2, "--class-weight", "balanced", "--json")
    chosen = json.loads(run(*words).out)["features"]["name"]
    worst = chosen[-1]
    plain = json.loads(run(*words, "--keep", worst).out)
    assert worst in plain["selected"]
    assert plain["run"]["settings"]["always kept"] == worst
    assert plain["run"]["settings"]["class weight"] == "balanced"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--keep", "nothing"), "--keep names 'nothing', and there is no such feature; it must be names"),
        (("--keep", "a", "--classifier", "pairwise", "--method", "forward"), "--keep does not go with --cl"),
        (("--time-limit", 5), "--time-limit goes with --method backward or"),
        (
            ("--classifier", "knn", "--method", "forward", "--class-weight", "balanced"),
            "--class-weight goes",
        ),
        (("--validatoin", 5), "unrecognized arguments: --validatoin 5; did you mean --validation?"),
        (("--method", "forwrd"), "did you mean forward?"),
    ],
)
def test_what_does_not_go_together_is_said(refused, wine, words, sentence):
    assert sentence in refused("select", wine, "-k", 2, *words)


def test_a_mistyped_command_is_answered_by_the_nearest(refused):
    assert "did you mean select?" in refused("selct", "wine.csv")
