from pathlib import Path

from infoprop.cli._display._publishing import settings
from infoprop.workflow._choice import Choice
from infoprop.workflow._options import DataOptions, ModelOptions


def test_settings_name_only_what_matters():
    assert settings(ModelOptions(), None, None) == {
        "classifier": "svm",
        "kernel": "linear",
        "C": "1",
        "sharing": "covariance",
        "shuffled labels": "199 times",
        "validation": "0.25 of the rows held out",
        "seed": 0,
        "scaling": "yes",
    }
    assert settings(ModelOptions("pairwise", member="knn", neighbors=3), None, None) == {
        "classifier": "pairwise",
        "member": "knn",
        "neighbors": 3,
        "validation": "0.25 of the rows held out",
        "seed": 0,
        "scaling": "yes",
    }
    assert settings(ModelOptions("mlp", hidden=(5, 4)), None, None)["hidden"] == "5, 4"
    data = DataOptions(Path("x"), None, None, ("a", "b"), (), "mean", False)
    model = ModelOptions(kernel="poly", degree=2, validation=10)
    assert settings(model, data, Choice(count=0.5)) == {
        "classifier": "svm",
        "kernel": "poly",
        "C": "1",
        "gamma": "scale",
        "degree": 2,
        "coef0": "0",
        "sharing": "covariance",
        "shuffled labels": "199 times",
        "validation": "10 folds",
        "seed": 0,
        "scaling": "no",
        "imputation": "mean",
        "left out": "a, b",
        "chosen": Choice(count=0.5),
    }
