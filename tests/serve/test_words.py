"""What a page asks for becomes words of the command line, and nothing else does."""

import pytest

from infoprop.exceptions import ParameterError
from infoprop.serve._words import words_of
from reference.command_line import parsed


def told_by(**asked):
    return parsed(*words_of(asked, "wine.csv"))


def test_words_are_those_of_the_command_line():
    told = told_by(
        command="select", method="backward", classifier="svm", target="--class", size="auto", nested=True
    )
    assert (told.command, told.target, told.k, told.nested) == ("select", "--class", "auto", 5)
    assert (str(told.checkpoint), str(told.report)) == ("search.journal", "report.html")
    assert told_by().command == "credit"
    told = told_by(command="compare", methods=["credit", "rfe"], size="2,3", classifier="logistic")
    assert (told.command, told.methods, told.sizes) == ("compare", ("credit", "rfe"), (2, 3))
    assert str(told.checkpoint) == "search.journal"
    assert told_by(command="compare").methods is None
    told = told_by(command="shape", method="bns")
    assert (told.command, told.method) == ("shape", "bns")
    told = told_by(command="classify", classifier="knn")
    assert (told.command, told.classifier, told.method) == ("classify", "knn", None)
    told = told_by(command="classify", classifier="knn", method="forward", size="3")
    assert (told.method, told.k) == ("forward", 3)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"command": "demo"}, "no command"),
        ({"command": "--help"}, "no command"),
        ({"classifier": "rm -rf"}, "no classifier"),
        ({"classifier": "knn"}, "does not go with"),
        ({"command": "select", "method": "magic"}, "no method"),
        ({"command": "select", "method": "angle", "classifier": "knn"}, "does not go with"),
        ({"command": "select", "method": "credit", "size": "5 --output=x"}, "must be a number"),
        ({"command": "compare", "methods": ["credit,--output=x"]}, "no method"),
        ({"command": "compare", "size": "2,,3"}, "one or more numbers"),
        ({"command": "shape", "method": "credit"}, "no method"),
    ],
)
def test_anything_else_is_refused(asked, words):
    with pytest.raises(ParameterError, match=words):
        words_of(asked, "wine.csv")
