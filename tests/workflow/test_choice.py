from pathlib import Path

import pytest

from infoprop.exceptions import ParameterError
from infoprop.workflow._choice import COMBINATIONS, Choice, combinations_help
from reference.command_line import CLASSIFIERS, METHODS


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
        (
            Choice(method="forward"),
            "as many as make it right more often, added one by one (beam 5)",
        ),
        (
            Choice(method="forward", count=7, beam=2),
            "as many as make it right more often, at most 7, added one by one (beam 2)",
        ),
        (
            Choice(method="genetic", generations=9),
            "as many as the fittest of 9 generations of 30 subsets has (start: random)",
        ),
        (Choice(count=4, method="angle", criterion="separation"), "the best 4 by average separation"),
        (
            Choice(method="stability", fdr=0.2),
            "as many as there are at an estimated false discovery rate of 20 % (stability)",
        ),
        (Choice(count=4, method="knockoffs"), "the best 4 by knockoffs"),
    ],
)
def test_choice_in_words(choice, words):
    choice.check()
    assert str(choice) == words


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (
            Choice(count=3, step=2),
            "--step goes with --method backward or --method stability or --method knockoffs, not with "
            "--method credit.",
        ),
        (Choice(count=3, method="stability", fdr=0.1), "--fdr says how many; leave out -k 3, or --fdr."),
        (
            Choice(count=3, method="angle", checkpoint=Path("x")),
            "--checkpoint goes with --method backward or --method directed or --method forward or --method "
            "genetic or --method stability or --method knockoffs, not with --method angle.",
        ),
        (
            Choice(threshold=0.1, method="directed"),
            "--threshold goes with --method credit, not with --method directed.",
        ),
        (
            Choice(count=3, method="backward", init="random"),
            "--init goes with --method directed or --method genetic, not with --method backward.",
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
        (
            Choice(count=5, method="genetic"),
            "--method genetic finds the number of features itself; leave out -k 5.",
        ),
        (
            Choice(method="genetic", init="credits"),
            "--init of --method genetic is random or forward, not 'credits'.",
        ),
        (
            Choice(method="genetic", init=("a", "b")),
            "--init of --method genetic is random or forward, not 'a,b'.",
        ),
        (Choice(), "--method credit must be told how many: give -k N, --threshold BITS or --per-class N."),
        (
            Choice(method="auto", rule="best"),
            "--rule goes with --method backward, not with --method auto.",
        ),
        (Choice(method="backward"), "--method backward must be told how many: give -k N, or -k auto."),
        (
            Choice(count=2, beam=3),
            "--beam goes with --method forward, not with --method credit.",
        ),
    ],
)
def test_what_does_not_go_together_is_said_in_one_sentence(choice, sentence):
    with pytest.raises(ParameterError) as refusal:
        choice.check()
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("choice", "classifier", "sentence"),
    [
        (
            Choice(count=3),
            "knn",
            "--method credit needs the credit of every feature, which --classifier knn does not have; take "
            "--classifier svm, mlp, logistic or shaped, or --method forward or genetic.",
        ),
        (
            Choice(count=3, method="angle"),
            "mlp",
            "--method angle needs the slope of a decision function, which --classifier mlp does not have; "
            "take --classifier svm or logistic, or --method forward or genetic.",
        ),
    ],
)
def test_method_that_the_classifier_does_not_go_with_is_refused(choice, classifier, sentence):
    with pytest.raises(ParameterError) as refusal:
        choice.check(classifier)
    assert str(refusal.value) == sentence


def test_help_tells_every_combination():
    lines = combinations_help().splitlines()[1:]
    assert lines[0].split() == list(CLASSIFIERS)
    told = {
        line.split()[0]: tuple(
            name for name, word in zip(CLASSIFIERS, line.split()[1:], strict=True) if word == "yes"
        )
        for line in lines[1:]
    }
    assert told == COMBINATIONS
    assert tuple(COMBINATIONS) == METHODS


def test_searches_are_those_that_try_more_than_one_subset():
    searches = [method for method in METHODS if Choice(method=method).is_search]
    assert searches == ["backward", "directed", "forward", "genetic", "stability", "knockoffs"]


def test_only_what_was_given_is_handed_on():
    choice = Choice(count=3, method="backward", step=2)
    assert choice.given("rule", "tolerance", "step") == {"step": 2}
    assert Choice(method="forward", beam=3).given("rule", beam_width="beam") == {"beam_width": 3}
