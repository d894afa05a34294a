"""Searches that end when their time is up, with the best so far."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale

from infoprop._core import _deadline
from infoprop._core._cluster import SharedData
from infoprop._core._deadline import OutOfTime, check_time, seconds_left, time_limit
from infoprop._core._tasks import run_tasks
from infoprop.exceptions import ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    FeatureSelector,
    ForwardBeamSelector,
    GeneticSelector,
    KnockoffSelector,
    SearchInterruptedWarning,
    StabilitySelector,
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


class Clock:
    """What takes the place of the time: it goes on by a second with every training."""

    seconds = 0.0


class Slow(GaussianNBShares):
    """A training takes a second."""

    def fit(self, X, y, sample_weight=None):
        Clock.seconds += 1.0
        return super().fit(X, y)


@pytest.fixture
def clock(monkeypatch):
    Clock.seconds = 0.0
    monkeypatch.setattr(_deadline, "now", lambda: Clock.seconds)
    return Clock


SLOW = {
    "forward": ForwardBeamSelector(Slow(), validation=2),
    "area": ForwardBeamSelector(Slow(), validation=2, scoring="roc_auc"),
    "groups": ForwardBeamSelector(Slow(), validation=2, groups=[[0, 1], [2, 3]]),
    "genetic": GeneticSelector(Slow(), validation=2, random_state=0, init="random"),
    "genetic forward": GeneticSelector(Slow(), validation=2, random_state=0, init="forward"),
    "directed": DirectedSearchSelector(Slow(), n_features_to_select=3, validation=2, random_state=0),
    "backward": BackwardEliminationSelector(
        Slow(), n_features_to_select="auto", validation=2, random_state=0
    ),
    "stability": StabilitySelector(Slow(), n_pairs=9, step=0.9, n_copies=0, random_state=0),
    "knockoffs": KnockoffSelector(Slow(), n_draws=9, step=0.9, random_state=0),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_limit_holds_within_the_first_step(name, clock):
    search = clone(SLOW[name]).set_params(time_limit=8.0).fit(X, Y)
    assert search.predict(X).shape == Y.shape
    assert clock.seconds <= 14.0
    if name in ("forward", "area", "groups"):
        assert search.trace_.end == "time"
        assert 1 <= search.trace_.n_trainings <= 5


@pytest.mark.parametrize("name", SLOW)
def test_a_search_without_any_result_fails_soon_with_a_sentence(name, clock, tmp_path):
    search = clone(SLOW[name]).set_params(time_limit=1.0, checkpoint=tmp_path / "search.journal")
    search.set_params(**({"step": 0.1} if name in ("stability", "knockoffs") else {"validation": 20}))
    with pytest.raises(ParameterError, match=r"time_limit of .* \(1 seconds\) was over before there was any"):
        search.fit(X, Y)
    assert clock.seconds <= 8.0


def test_a_level_judged_in_part_counts(clock):
    search = ForwardBeamSelector(Slow(), validation=2, keep=[6], time_limit=20.0).fit(X, Y)
    assert search.trace_.end == "time"
    assert [len(level.added) for level in search.trace_] == [1, 9]
    assert search.n_features_ == 2
    assert search.validated_accuracy_ > search.trace_[0].best_accuracy


def test_a_search_that_was_cut_within_a_level_goes_on_from_its_checkpoint(clock, tmp_path):
    search = ForwardBeamSelector(Slow(), validation=2, n_features_to_select=2, random_state=0)
    whole = search.fit(X, Y).trace_
    search.set_params(checkpoint=tmp_path / "search.journal", time_limit=35.0).fit(X, Y)
    assert search.trace_.end == "time"
    assert search.set_params(time_limit=None).fit(X, Y).trace_ == whole


def test_a_comparison_gives_up_the_search_under_way(clock):
    methods = {"forward": ForwardBeamSelector(Slow(), validation=2, n_features_to_select=1), "all": None}
    told = {"estimator": GaussianNB(), "sizes": None, "inner_validation": None, "random_state": 0}
    with pytest.warns(SearchInterruptedWarning, match="ends with 1 of 5 folds"):
        compare_selectors(methods, X, Y, time_limit=33.0, **told)
    assert clock.seconds <= 35.0
    clock.seconds = 0.0
    with pytest.raises(ParameterError, match="before all methods were done in one fold"):
        compare_selectors(methods, X, Y, time_limit=10.0, **told)
    assert clock.seconds <= 17.0


def test_candidates_that_take_too_long_are_left_out(clock):
    candidates = {
        "quick": BackwardEliminationSelector(GaussianNBShares(), validation=2),
        "slow": BackwardEliminationSelector(Slow(), validation=2),
    }
    found = FeatureSelector(candidates=candidates, validation=2, time_limit=6.0, random_state=0).fit(X, Y)
    assert found.comparison_.methods == ("quick",)
    assert clock.seconds <= 8.0


def left(_, task):
    return seconds_left()


def test_limits_around_others_hold_and_workers_are_told(clock):
    with time_limit(10.0), time_limit(60.0):
        assert seconds_left() == 10.0
        clock.seconds = 1.0
        with parallel_config("threading"):
            assert dict(run_tasks(left, SharedData(None), range(3), n_jobs=2)) == {0: 9.0, 1: 9.0, 2: 9.0}
        clock.seconds = 16.0
        with pytest.raises(OutOfTime):
            check_time()
    assert seconds_left() is None
