import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from infoprop.credit._unwrapping import unwrapped
from infoprop.exceptions import UnsupportedEstimatorError

X, Y = load_wine(return_X_y=True)


def test_wrappers_inside_wrappers_are_looked_through():
    steps = make_pipeline(StandardScaler(), SelectKBest(k=8), RFE(LinearSVC(), n_features_to_select=3))
    search = FrozenEstimator(GridSearchCV(steps, {"selectkbest__k": [8]}, cv=2).fit(X, Y))
    inner = unwrapped(search, X)
    assert isinstance(inner.classifier, LinearSVC)
    assert inner.rows.shape == (len(X), 3)
    assert inner.origins.shape == (3, 13)
    back = inner.given_back(np.ones((2, 4, 3)))
    assert back.shape == (2, 4, 13)
    assert (back.sum(axis=2) == 3.0).all()


def test_a_classifier_alone_is_itself():
    model = LinearSVC().fit(X, Y)
    inner = unwrapped(model, X)
    assert inner.classifier is model
    assert inner.origins is None
    assert inner.given_back(X) is X


def test_words_at_the_beginning_are_the_features():
    documents, y = ["red wine", "white wine", "red ale", "pale ale"], [0, 0, 1, 1]
    model = make_pipeline(CountVectorizer(), TfidfTransformer(), LinearSVC()).fit(documents, y)
    inner = unwrapped(model, documents)
    assert inner.origins is None
    assert inner.rows.shape == (4, 5)


@pytest.mark.parametrize("model", [LinearSVC, "LinearSVC"])
def test_what_is_no_classifier_is_refused(model):
    with pytest.raises(UnsupportedEstimatorError, match="fitted classifier"):
        unwrapped(model)
