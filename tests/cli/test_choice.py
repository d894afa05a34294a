from pathlib import Path

import pytest

from infoprop._core._exceptions import ParameterError
from infoprop.cli._choice import METHODS, Choice


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice(count=3), "the best 3"),
        (Choice(count=0.25), "the best 0.25 of all"),
        (Choice(threshold=0.01), "at least 0.01 bits"),
        (Choice(count=3, method="backward"), "the best 3, left by backward elimination"),
        (
            Choice(count=3, method="backward", step=0.1, criterion="margin"),
            "the best 3, left by backward elimination (step 0.1, by the margin alone)",
        ),
        (
            Choice(count="auto", method="backward", step="halving"),
            "as many as the rule best says, left by backward elimination (halving)",
        ),
        (
            Choice(count="auto", method="backward", rule="tolerance", tolerance=0.05),
            "as many as the rule tolerance (0.05) says, left by backward elimination",
        ),
        (Choice(count=4, method="directed"), "the best 4, found by directed search (start: credits)"),
        (
            Choice(count=4, method="directed", init=("a", "b")),
            "the best 4, found by directed search (start: a, b)",
        ),
        (Choice(count=4, method="angle"), "the best 4 by gradient angle"),
        (Choice(count=4, method="angle", criterion="separation"), "the best 4 by average separation"),
    ],
)
def test_choice_in_words(choice, words):
    choice.check()
    assert str(choice) == words


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (Choice(count=3, step=2), "--step goes with --method backward, not with --method credit."),
        (
            Choice(count=3, method="angle", checkpoint=Path("x")),
            "--checkpoint goes with --method backward or --method directed, not with --method angle.",
        ),
        (
            Choice(threshold=0.1, method="directed"),
            "--threshold goes with --method credit, not with --method directed.",
        ),
        (
            Choice(count=3, method="backward", init="random"),
            "--init goes with --method directed, not with --method backward.",
        ),
        (
            Choice(count=3, max_trainings=5),
            "--max-trainings goes with --method directed, not with --method credit.",
        ),
        (
            Choice(count="auto", method="directed"),
            "-k auto goes with --method backward, which knows what every size delivers; --method directed "
            "needs a number of features.",
        ),
        (
            Choice(count=5, method="backward", rule="one-se"),
            "--rule picks a size, so it goes with -k auto, not with -k 5.",
        ),
        (
            Choice(count="auto", method="backward", tolerance=0.1),
            "--tolerance goes with --rule tolerance.",
        ),
        (
            Choice(count=5, method="backward", criterion="separation"),
            "--criterion of --method backward is information or margin, not separation.",
        ),
        (
            Choice(count=5, method="angle", criterion="margin"),
            "--criterion of --method angle is angle or separation, not margin.",
        ),
    ],
)
def test_what_does_not_go_together_is_said_in_one_sentence(choice, sentence):
    with pytest.raises(ParameterError) as refusal:
        choice.check()
    assert str(refusal.value) == sentence


def test_searches_are_those_that_try_more_than_one_subset():
    assert [method for method in METHODS if Choice(method=method).is_search] == ["backward", "directed"]


def test_only_what_was_given_is_handed_on():
    choice = Choice(count=3, method="backward", step=2)
    assert choice.given("rule", "tolerance", "step") == {"step": 2}
