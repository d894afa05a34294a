import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.svm import SVC

import infoprop.metrics
from infoprop.metrics import (
    output_information,
    output_information_scorer,
    relative_output_information,
    relative_output_information_scorer,
)

PAIRS = [
    (output_information_scorer, output_information),
    (relative_output_information_scorer, relative_output_information),
]


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    y = np.repeat(["x", "y", "z"], 30)
    X = random.normal(size=(90, 2)) + 1.5 * (y == "x")[:, None] * [1, 0] + 1.5 * (y == "y")[:, None] * [0, 1]
    return X, y


@pytest.mark.parametrize(("scorer", "measure"), PAIRS)
def test_scorer_gives_the_measure_of_the_predictions(data, scorer, measure):
    X, y = data
    model = LogisticRegression().fit(X, y)
    weights = np.linspace(0, 1, len(y))
    assert scorer(model, X, y) == measure(y, model.predict(X))
    assert scorer(model, X, y, sample_weight=weights) == measure(y, model.predict(X), sample_weight=weights)


@pytest.mark.parametrize(("scorer", "measure"), PAIRS)
def test_scorer_survives_pickling(data, scorer, measure):
    X, y = data
    model = LogisticRegression().fit(X, y)
    assert pickle.loads(pickle.dumps(scorer))(model, X, y) == measure(y, model.predict(X))


@pytest.mark.parametrize(("scorer", "measure"), PAIRS)
def test_scorer_works_in_a_grid_search(data, scorer, measure):
    X, y = data
    search = GridSearchCV(SVC(), {"gamma": [1e3, 0.1]}, scoring=scorer, cv=3).fit(X, y)
    assert search.best_params_ == {"gamma": 0.1}
    assert search.score(X, y) == measure(y, search.predict(X))
    assert (cross_val_score(SVC(), X, y, scoring=scorer, cv=3) > 0).all()


def test_scorers_work_together_and_by_name(data):
    X, y = data
    scoring = {"bits": output_information_scorer, "share": relative_output_information_scorer}
    found = cross_validate(SVC(), X, y, scoring=scoring, cv=3)
    # Folds are stratified: log2(3) bits to know in each.
    np.testing.assert_allclose(found["test_bits"], found["test_share"] * np.log2(3), rtol=1e-12)


def test_weights_are_routed_when_asked_for(data):
    X, y = data
    weights = np.where(y == "z", 0.0, 1.0)
    with config_context(enable_metadata_routing=True):
        scorer = output_information_scorer.set_score_request(sample_weight=True)
        model = SVC().set_fit_request(sample_weight=False)
        options = {"return_estimator": True, "return_indices": True, "params": {"sample_weight": weights}}
        found = cross_validate(model, X, y, scoring=scorer, cv=3, **options)
        folds = zip(found["test_score"], found["estimator"], found["indices"]["test"], strict=True)
        for score, fitted, test in folds:
            predicted = fitted.predict(X[test])
            assert score == output_information(y[test], predicted, sample_weight=weights[test])
            assert score != output_information(y[test], predicted)


def test_a_request_stays_with_the_scorer_it_was_made_on():
    with config_context(enable_metadata_routing=True):
        asked = infoprop.metrics.output_information_scorer.set_score_request(sample_weight=True)
        fresh = infoprop.metrics.output_information_scorer
        assert asked.get_metadata_routing().score.requests["sample_weight"] is True
        assert fresh.get_metadata_routing().score.requests.get("sample_weight") is None


@pytest.mark.parametrize(("scorer", "measure"), PAIRS)
def test_scorer_says_what_it_is(scorer, measure):
    assert f"Scorer of `{measure.__name__}`" in scorer.__doc__
