from pathlib import Path

import pytest

from infoprop.cli._display import _publishing
from infoprop.cli._display._publishing import announce_compilation, settings
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._grammar._choice import Choice
from infoprop.cli._grammar._options import DataOptions, ModelOptions


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize(
    ("classifier", "words"),
    [
        ("svm", "compiling numerical code (first run with svm only, about 10 s)\n"),
        ("mlp", "compiling numerical code (first run with mlp only, about 40 s)\n"),
        ("pairwise", "compiling numerical code (first run with svm only, about 10 s)\n"),
        ("logistic", ""),
    ],
)
def test_first_compilation_is_announced(monkeypatch, capsys, is_compiled, classifier, words):
    monkeypatch.setattr(_publishing, "is_compiled", lambda pattern: is_compiled)
    announce_compilation(Terminal(is_quiet=False), ModelOptions(classifier))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == ("" if is_compiled else words)


@pytest.mark.parametrize("is_moving", [True, False])
def test_first_search_is_announced_where_machines_move(monkeypatch, capsys, is_moving):
    lying_on_disk = {"svm/*_fast.py"}
    monkeypatch.setattr(_publishing, "is_compiled", lambda pattern: pattern in lying_on_disk)
    announce_compilation(Terminal(is_quiet=False), ModelOptions(), is_search=is_moving)
    expected = "compiling numerical code (first search only, up to a minute)\n" if is_moving else ""
    assert capsys.readouterr().err == expected
    lying_on_disk.add("*_moves_fast.py")
    announce_compilation(Terminal(is_quiet=False), ModelOptions(), is_search=is_moving)
    assert capsys.readouterr().err == ""


def test_settings_name_only_what_matters():
    assert settings(ModelOptions(), None, None) == {
        "classifier": "svm",
        "kernel": "linear",
        "C": "1",
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
        "validation": "10 folds",
        "seed": 0,
        "scaling": "no",
        "imputation": "mean",
        "left out": "a, b",
        "chosen": Choice(count=0.5),
    }
