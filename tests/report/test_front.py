"""What a page says of a choice without a method, and of pairs that work together."""

import json

import jsonschema
import numpy as np
import pytest

from infoprop.report import Report
from infoprop.selection import FeatureSelector, interaction_screen
from reference.pages import summary_of


@pytest.fixture(scope="module")
def report():
    X = np.random.default_rng(0).random((200, 8))
    y = np.where((X[:, 1] - 0.5) * (X[:, 4] - 0.5) > 0, "same", "other")
    found = FeatureSelector(random_state=0, validation=3).fit(X, y)
    return found, Report.from_selector(found, X, y, validation=3)


def test_what_was_tried_and_why(report):
    found, page = report
    front = page.summary.front
    assert front.sentence == found.reason_
    assert {candidate.name for candidate in front.candidates} == {
        "joined, rbf",
        "screen, rbf",
        "linear, C=0.1",
        "joined, rbf, C=10",
    }
    (taken,) = (candidate for candidate in front.candidates if candidate.taken)
    assert (taken.name, taken.n_features) == (found.best_.method, found.best_.size)
    assert found.reason_ in page.summary.search_sentences
    for text in (page.html(), page.markdown()):
        assert "What was tried" in text
        assert "given up after two folds" in text


def test_pairs_that_work_together(report):
    (pair,) = report[1].summary.interactions.pairs
    assert (pair.first, pair.second, pair.shape, pair.label) == ("x1", "x4", "monotone", "same")
    assert pair.z > 8
    assert pair.expected < 1e-10
    for text in (report[1].html(), report[1].markdown()):
        assert "Pairs that work together" in text
    jsonschema.validate(json.loads(report[1].json()), Report.schema())


def test_columns_of_one_feature_are_no_pair_and_noise_has_none():
    X = np.random.default_rng(0).random((200, 8))
    screen = interaction_screen(X, (X[:, 1] - 0.5) * (X[:, 4] - 0.5) > 0)
    owners = ["a", "b", "c", "d", "b", "e", "f", "g"]
    found = summary_of("abcdefg", interactions=screen, owners=owners).interactions
    assert not found.pairs
    assert found.sentence.startswith("No two features")
    named = summary_of(interactions=screen, column_names=list("abcdefgh")).interactions
    assert named.sentence.startswith("Pairs that work together: b and e (z = ")
    assert summary_of().interactions is None
