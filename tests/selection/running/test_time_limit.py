"""Searches that end when their time is up, with the best so far."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale

from infoprop._core._exceptions import ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    SearchInterruptedWarning,
    compare_selectors,
)

X, Y = load_wine(return_X_y=True)
X = scale(X)
AT_ONCE = 1e-9

SEARCHES = {
    "forward": ForwardBeamSelector(beam_width=2),
    "directed": DirectedSearchSelector(n_features_to_select=3, random_state=0),
    "genetic": GeneticSelector(GaussianNB(), random_state=0, validation=2, population_size=4),
    "backward": BackwardEliminationSelector(n_features_to_select="auto", random_state=0),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_without_time_ends_with_its_first_step(name):
    search = SEARCHES[name].set_params(time_limit=AT_ONCE).fit(X, Y)
    assert search.predict(X).shape == Y.shape
    if name == "backward":
        assert search.path_[0].n_features == 13
        assert len(search.path_) < 13
    else:
        assert search.trace_.end == "time"
        assert len(search.trace_) == 1


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_with_time_enough_is_the_search_without_a_limit(name):
    whole = SEARCHES[name].set_params(time_limit=None).fit(X, Y).feature_ranking_
    limited = SEARCHES[name].set_params(time_limit=1e6).fit(X, Y).feature_ranking_
    np.testing.assert_array_equal(limited, whole)


def test_an_elimination_says_that_it_has_not_come_to_its_number():
    search = BackwardEliminationSelector(GaussianNBShares(), n_features_to_select=2, random_state=0)
    with pytest.warns(UserWarning, match=r"time_limit of 1e-09 seconds with 13 features; .*=2 were asked"):
        search.set_params(time_limit=AT_ONCE).fit(X, Y)


class GaussianNBShares(GaussianNB):
    """A classifier that is trained anew in every step, and shares evenly."""

    def credit_shares(self, X=None):
        return np.full((3, self.n_features_in_), 1.0 / self.n_features_in_)


def test_a_limited_search_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "search.journal"
    search = ForwardBeamSelector(beam_width=2, checkpoint=path, time_limit=AT_ONCE).fit(X, Y)
    assert search.trace_.end == "time"
    whole = search.set_params(time_limit=None).fit(X, Y)
    assert whole.trace_ == ForwardBeamSelector(beam_width=2).fit(X, Y).trace_


def test_a_comparison_ends_with_whole_folds():
    methods = {"F": SelectKBest(k=3), "all": None}
    with pytest.warns(SearchInterruptedWarning, match=r"time_limit of 1e-09 s; it ends with 1 of 5 folds"):
        comparison = compare_selectors(
            methods, X, Y, estimator=GaussianNB(), sizes=[3], inner_validation=None, time_limit=AT_ONCE
        )
    assert comparison.n_folds == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_selectors(
            methods, X, Y, estimator=GaussianNB(), sizes=[3], inner_validation=None, time_limit=1e6
        )


def test_limits_that_are_none_are_refused():
    with pytest.raises(ParameterError, match="'time_limit' parameter of ForwardBeamSelector"):
        ForwardBeamSelector(time_limit=0).fit(X, Y)
    with pytest.raises(ParameterError, match="'time_limit' parameter of compare_selectors"):
        compare_selectors({"credit": CreditSelector()}, X, Y, time_limit=-1.0)
