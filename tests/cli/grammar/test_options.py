from pathlib import Path

import pytest

from infoprop.cli._grammar import _options
from infoprop.exceptions import ParameterError
from reference.command_line import parsed


def test_defaults_of_the_grammar_are_those_of_the_types():
    arguments = parsed("credit", "x.csv")
    assert _options.model_options(arguments) == _options.ModelOptions()
    assert _options.output_options(arguments) == _options.OutputOptions()


def test_every_option_arrives():
    words = "credit d.csv --target y --format tsv --drop a,b --drop c --nominal z --impute median --no-scale"
    more = "--kernel poly --C 2 --gamma 0.5 --degree 2 --coef0 1 --validation 5 --seed 7 --jobs -1"
    last = "--top 3 --output o.csv --report r.html --quiet --json"
    arguments = parsed(*f"{words} {more} {last}".split())
    data = _options.data_options(arguments)
    assert (data.target, data.format, data.impute, data.is_scaled) == ("y", "tsv", "median", False)
    assert (data.drop, data.nominal) == (("a", "b", "c"), ("z",))
    model = _options.model_options(arguments)
    assert model == _options.ModelOptions(
        kernel="poly", C=2.0, gamma=0.5, degree=2, coef0=1.0, validation=5, seed=7, jobs=-1
    )
    output = _options.output_options(arguments)
    assert output == _options.OutputOptions(3, Path("o.csv"), Path("r.html"), None, True, True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--classifier mlp --hidden 8,4", {"classifier": "mlp", "hidden": (8, 4)}),
        ("--classifier knn --neighbors 3", {"classifier": "knn", "neighbors": 3}),
        ("--classifier logistic --C 2", {"classifier": "logistic", "C": 2.0}),
        ("--classifier shaped", {"classifier": "shaped"}),
        ("--classifier pairwise", {"classifier": "pairwise", "member": "svm"}),
        ("--classifier pairwise --kernel rbf", {"classifier": "pairwise", "kernel": "rbf"}),
        (
            "--classifier pairwise --member knn --neighbors 2",
            {"classifier": "pairwise", "member": "knn", "neighbors": 2},
        ),
    ],
)
def test_each_classifier_takes_its_own_options(words, expected):
    assert _options.model_options(parsed("credit", "x.csv", *words.split())) == _options.ModelOptions(
        **expected
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--hidden 3", "--hidden goes with --classifier mlp, not with --classifier svm; leave it out."),
        (
            "--classifier mlp --C 3",
            "--C goes with --classifier svm or --classifier logistic, not with --classifier mlp; leave it",
        ),
        (
            "--classifier shaped --kernel rbf",
            "--kernel goes with --classifier svm, not with --classifier shaped; leave it out.",
        ),
        (
            "--member knn",
            "--member goes with --classifier pairwise, not with --classifier svm; leave it out.",
        ),
        (
            "--classifier pairwise --neighbors 3",
            "--neighbors goes with --member knn, not with --classifier pairwise --member svm; leave it out.",
        ),
        (
            "--classifier pairwise --hidden 3",
            "--hidden goes with --classifier mlp, not with --classifier pairwise --member svm; leave it out.",
        ),
        (
            "--gamma 2",
            "--gamma goes with --kernel poly or --kernel rbf or --kernel sigmoid or --kernel anova, "
            "not with --kernel linear.",
        ),
        ("--kernel anova --coef0 2", "--coef0 goes with --kernel poly or --kernel sigmoid, not with"),
    ],
)
def test_options_of_others_are_refused_in_one_sentence(words, sentence):
    with pytest.raises(ParameterError) as refusal:
        _options.model_options(parsed("credit", "x.csv", *words.split()))
    assert sentence in str(refusal.value)
