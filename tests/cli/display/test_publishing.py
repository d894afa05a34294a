"""What a report says of the run that it is about."""

import json

import pytest

DEFAULTS = {
    "classifier": "svm",
    "kernel": "linear",
    "C": "1",
    "sharing": "covariance",
    "shuffled labels": "199 times",
    "validation": "0.25 of the rows held out",
    "seed": "0",
    "scaling": "yes",
}
POLY = {"kernel": "poly", "C": "1", "gamma": "scale", "degree": "2", "coef0": "0"}
PAIRS = {
    "classifier": "pairwise",
    "member": "knn",
    "neighbors": "3",
    "validation": "0.25 of the rows held out",
    "seed": "0",
    "scaling": "yes",
}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("credit", DEFAULTS),
        ("credit --classifier mlp --hidden 5,4", {"classifier": "mlp", "hidden": "5, 4"}),
        (
            "select --method credit -k 0.5 --kernel poly --degree 2 --validation 10 --no-scale --impute mean "
            "--drop alcohol,ash",
            DEFAULTS
            | POLY
            | {"validation": "10 folds", "scaling": "no", "imputation": "mean", "left out": "alcohol, ash"}
            | {"chosen": "the best 0.5 of all"},
        ),
        (
            "select --method genetic --classifier pairwise --member knn --neighbors 3 --population 2 "
            "--generations 1",
            PAIRS,
        ),
    ],
    ids=["defaults", "network", "all", "pairs"],
)
def test_settings_name_only_what_matters(run, wine, words, expected):
    command, *options = words.split()
    outcome = run(command, wine, *options, "--json", "--quiet")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)["run"]["settings"]
    if "genetic" in words:
        assert told.pop("chosen").startswith("as many as the fittest of 1 generations of 2 subsets has")
    if "mlp" in words:
        told = {name: told[name] for name in expected}
    assert told == expected
