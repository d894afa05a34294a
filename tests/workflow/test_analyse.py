"""`analyse` itself: every method, from a file, a frame and arrays; nested folds, the page, the model."""

import json

import numpy as np
import pandas as pd
import pytest

from infoprop.cli import main
from infoprop.datasets import load_table
from infoprop.exceptions import ParameterError
from infoprop.report import Report
from infoprop.selection import BackwardEliminationSelector, CreditSelector
from infoprop.workflow import analyse

METHODS = ("credit", "backward", "directed", "angle", "forward", "genetic", "stability", "knockoffs")


@pytest.fixture(scope="module")
def frame():
    """Eighty rows: a size and a colour that tell the class, two numbers that do not."""
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    colours = np.where(random.random(80) < 0.85, np.array(["red", "blue"])[y], "green")
    return pd.DataFrame(
        {
            "size": y + random.normal(0.0, 0.4, 80),
            "colour": colours,
            "noise": random.normal(size=80),
            "more": random.normal(size=80),
            "kind": np.array(["a", "b"])[y],
        }
    )


@pytest.fixture
def table(frame, tmp_path):
    path = tmp_path / "things.csv"
    frame.to_csv(path, index=False)
    return load_table(path, "kind")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_chooses_and_says_what_it_chose(frame, method):
    size = {"n_features_to_select": 2} if method not in ("forward", "genetic") else {}
    found = analyse(frame, "kind", method=method, n_null=0, **size)
    assert 1 <= len(found.chosen) <= 4
    assert found.selector.n_features_in_ == 6
    assert set(found.chosen) <= {"size", "colour", "noise", "more"}
    assert "size" in found.chosen or "colour" in found.chosen
    assert found.judgement.accuracy > 0.8


def test_a_file_a_frame_and_arrays_give_the_same_analysis(frame, table):
    numbers = frame.drop(columns=["colour"])
    arrays = analyse(numbers.drop(columns=["kind"]).to_numpy(), numbers["kind"].to_numpy(), n_null=0)
    for found in (analyse(numbers, "kind", n_null=0), analyse(table.without(["colour"]), n_null=0)):
        np.testing.assert_array_equal(found.judgement.counts, arrays.judgement.counts)
        np.testing.assert_allclose(found.credits.values, arrays.credits.values, rtol=1e-12)
    assert arrays.chosen == ("x0", "x1", "x2")
    assert analyse(frame, "kind", n_null=0).chosen == ("size", "colour", "noise", "more")


def test_nested_folds_judge_the_whole_choice(frame):
    found = analyse(frame, "kind", method="credit", n_features_to_select=1, nested=3, n_null=0)
    (choice,) = found.nested
    assert choice.supports.shape == (3, 4)
    assert (choice.supports.sum(axis=1) == 1).all()
    assert found.report().summary is not None
    with pytest.raises(ParameterError, match="nested repeats a choice of features, and there is none"):
        analyse(frame, "kind", nested=3)


def test_the_choice_is_repeated_in_every_fold(frame):
    selector = CreditSelector(n_features_to_select=1)
    found = analyse(frame, "kind", method=selector, validation=4, repeat_choice=True)
    assert len(found.judged.predicted) == 80
    assert found.judged.supports.shape == (4, 6)
    assert found.credits is None
    assert not hasattr(selector, "support_")


def test_the_page_and_the_model_are_those_of_the_analysis(table, frame, tmp_path, capsys):
    search = BackwardEliminationSelector(n_features_to_select=2)
    found = analyse(table, method=search, validation=5, n_null=0)
    page = found.report(title="Things")
    assert isinstance(page, Report)
    assert page.summary.title == "Things"
    assert [feature.name for feature in page.summary.features if feature.selected] != []
    path = tmp_path / "things.skops"
    found.save(path)
    frame[list(found.chosen)].to_csv(tmp_path / "few.csv", index=False)
    capsys.readouterr()
    assert main(["predict", str(path), str(tmp_path / "few.csv"), "--json"]) == 0
    expected = found.model().predict(found.problem.X[:, np.isin(found.problem.owners, found.chosen)])
    assert json.loads(capsys.readouterr().out)["predicted"] == expected.tolist()
    assert "load_table" in found.code
    assert "BackwardEliminationSelector" in found.code


def test_what_cannot_be_is_refused_before_any_work(frame, table):
    with pytest.raises(ParameterError, match="A Table knows its classes"):
        analyse(table, "kind")
    with pytest.raises(ParameterError, match="The classes are missing"):
        analyse(frame)
    with pytest.raises(ParameterError, match="'method'"):
        analyse(frame, "kind", method="best")
    with pytest.raises(ParameterError, match="goes with the name of a method"):
        analyse(frame, "kind", method=CreditSelector(), n_features_to_select=2)
    with pytest.raises(ParameterError, match="asks for more features than the 4 there are"):
        analyse(frame, "kind", method="credit", n_features_to_select=9)


def test_chosen_features_deliver_what_the_elimination_counted():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 20)
    # Few distinct rows once columns are left out: folds of their own would part the classes.
    X = np.column_stack([y % 2, y // 2, random.normal(size=(80, 3))])
    X[::9, 0] = 1 - X[::9, 0]
    found = analyse(X, y, method="backward", n_features_to_select=2, validation=4)
    path = found.finding.searches["path"]
    (step,) = [step for step in path if step.n_features == 2]
    assert found.judgement.information == pytest.approx(step.information)
    assert found.judgement.accuracy == pytest.approx(step.accuracy)
    assert found.judgement.accuracy > 0.8
