"""Other sizes from one search, and the ranking that all selectors have."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import scale

from infoprop.exceptions import ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    GradientAngleSelector,
)

X, Y = load_wine(return_X_y=True)
X = scale(X)
GROUPS = np.arange(13) // 2

SELECTORS = {
    "credit": CreditSelector(RidgeClassifier(), n_features_to_select=3, validation=3, random_state=0),
    "angle": GradientAngleSelector(n_features_to_select=3, criterion="separation"),
    "backward": BackwardEliminationSelector(
        RidgeClassifier(), n_features_to_select=3, validation=3, random_state=0
    ),
    "forward": ForwardBeamSelector(n_features_to_select=4, beam_width=1),
    "directed": DirectedSearchSelector(RidgeClassifier(), n_features_to_select=3, random_state=0),
    "genetic": GeneticSelector(population_size=4, n_generations=2, random_state=0),
}


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["columns", "groups"])
@pytest.mark.parametrize("name", SELECTORS)
def test_the_ranking_has_every_column_once_and_the_chosen_ones_first(name, groups):
    selector = clone(SELECTORS[name]).set_params(groups=groups).fit(X, Y)
    order = selector.feature_ranking_
    assert sorted(order) == list(range(13))
    assert sorted(order[: selector.n_features_]) == np.flatnonzero(selector.support_).tolist()
    assert (np.diff(selector.ranking_[order]) >= 0).all()
    if groups is not None:
        assert (np.diff(groups[order]) != 0).sum() == len(np.unique(groups)) - 1


@pytest.mark.parametrize("name", ["credit", "angle"])
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["columns", "groups"])
def test_a_ranking_knows_all_sizes(name, groups):
    selector = clone(SELECTORS[name]).set_params(groups=groups).fit(X, Y)
    for size in (1, 5, 7):
        fresh = clone(SELECTORS[name]).set_params(n_features_to_select=size, groups=groups).fit(X, Y)
        other = selector.at(size)
        np.testing.assert_array_equal(other.support_, fresh.support_)
        np.testing.assert_array_equal(other.feature_ranking_, fresh.feature_ranking_)
        np.testing.assert_array_equal(other.predict(X), fresh.predict(X))
        assert other.n_features_to_select == size


def test_a_threshold_gives_way_to_a_number():
    selector = CreditSelector(RidgeClassifier(), threshold=0.1, random_state=0).fit(X, Y)
    other = selector.at(2)
    assert (other.threshold, other.n_features_to_select, other.n_features_) == (None, 2, 2)
    assert other.credits_ is selector.credits_


def test_a_forward_search_gives_the_best_subset_of_each_size_it_tried():
    search = ForwardBeamSelector(beam_width=2).fit(X, Y)
    for level in search.trace_:
        other = search.at(level.size)
        assert np.flatnonzero(other.support_).tolist() == level.beam[0].tolist()
        assert other.validated_accuracy_ == level.best_accuracy == level.accuracy.max()
    with pytest.raises(ParameterError, match=r"parameter of ForwardBeamSelector\.at"):
        search.at(13)
    assert pickle.loads(pickle.dumps(search)).at(1, X, Y).n_features_ == 1


def test_a_size_that_the_search_did_not_reach_is_told_with_what_to_do():
    search = BackwardEliminationSelector(n_features_to_select=8, random_state=0).fit(X, Y)
    with pytest.raises(ParameterError, match=r">= 8 and <= 13\. Got 5\..*n_features_to_select=5 for that"):
        search.at(5)
