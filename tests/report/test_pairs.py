import json

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.pairwise import PairwiseClassifier
from infoprop.report import Report
from infoprop.report._pairs import N_PAIRS, PairsSummary, PairSummary
from infoprop.selection import ForwardBeamSelector
from reference.pages import summary_of

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, np.array(["barolo", "grignolino", HOSTILE])[y]


@pytest.fixture(scope="module")
def forward(wine):
    return PairwiseClassifier(selector=ForwardBeamSelector(beam_width=1), random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def plain(wine):
    return PairwiseClassifier(validation=None).fit(*wine)


def report(wine, model, names=None, **more):
    flow = InformationFlow.from_predictions(wine[1], model.predict(wine[0]))
    names = [f"feature {column}" for column in range(13)] if names is None else names
    return Report.from_flow(flow, feature_names=names, pairs=model, **more)


def test_pairs_and_their_features_are_those_of_the_classifier(wine, forward):
    plain = json.loads(report(wine, forward).json())["pairs"]
    assert plain["validated_accuracy"] == forward.validated_accuracy_
    for told, pair in zip(plain["pairs"], forward.pairs_, strict=True):
        assert (told["first"], told["second"]) == pair.classes
        assert told["features"] == pair.columns.tolist()
        assert told["credibility"] == pair.credibility
        assert told["n_rows"] == pair.n_rows


def test_page_marks_who_uses_what(wine, forward):
    made = report(wine, forward)
    assert made.html().count('<td class="use"><i') == forward.pairs_.support.sum()
    assert made.html().count("<script") == 2
    assert "Hardest to tell apart" in made.summary.pairs.sentence
    assert "<script" not in made.markdown()


def test_columns_of_one_owner_are_one_feature(forward):
    owners = ["first"] * 7 + ["second"] * 6
    told = summary_of(pairs=forward, owners=owners).pairs
    assert told.names == ("first", "second")
    for pair, found in zip(forward.pairs_, told.pairs, strict=True):
        assert found.features == tuple(sorted({int(column >= 7) for column in pair.columns}))


def test_pairs_that_use_everything_have_no_columns(wine, plain):
    made = report(wine, plain)
    assert made.summary.pairs.shown_columns == ()
    assert "Each uses all 13 features." in made.summary.pairs.sentence
    assert made.summary.pairs.validated_accuracy is None
    assert json.loads(made.json())["pairs"]["pairs"][0]["credibility"] is None


def test_of_many_pairs_the_hardest_are_shown():
    X, y = load_digits(return_X_y=True)
    model = PairwiseClassifier(validation=2, random_state=0).fit(X[:200], y[:200])
    told = summary_of([f"x{column}" for column in range(64)], pairs=model).pairs
    assert told.shown_pairs == told.pairs
    many = PairsSummary(
        ("a",), 0.5, tuple(PairSummary(str(n), "z", 1 - n / 1000, 9, (0,)) for n in range(N_PAIRS + 5))
    )
    assert [pair.first for pair in many.shown_pairs] == [str(n) for n in range(5, N_PAIRS + 5)]


def test_others_than_fitted_pairs_are_refused(wine, forward):
    with pytest.raises(ParameterError, match=r"must be a fitted PairwiseClassifier. Got PairwiseClassifier"):
        summary_of(pairs=PairwiseClassifier())
    with pytest.raises(ParameterError, match=r"each of 13 columns. Got 2"):
        report(wine, forward, owners=["a", "b"])


def test_other_columns_than_features_keep_their_names(wine, forward):
    assert report(wine, forward, names=["a", "b"]).summary.pairs.names == forward.pairs_.feature_names
