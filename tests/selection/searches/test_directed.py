import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from infoprop.credit import credit_features
from infoprop.datasets import make_corral
from infoprop.exceptions import ParameterError, UnsupportedEstimatorError
from infoprop.selection import CreditSelector, DirectedSearchSelector, SearchInterruptedWarning
from infoprop.selection.searches import _directed, _starts
from infoprop.svm import OneVsRestSVC
from reference.callbacks import Watcher
from reference.wine import NAMES, X, Y

HELD = np.arange(len(Y)) % 4 == 0


def ridge():
    # Solved exactly, so that equal problems have equal answers.
    return RidgeClassifier(alpha=5.0, solver="cholesky")


def selector(estimator=None, **parameters):
    return DirectedSearchSelector(
        ridge() if estimator is None else estimator,
        **{"random_state": 0, "n_features_to_select": 3} | parameters,
    )


def given(estimator=None, **parameters):
    search = selector(estimator, **parameters)
    return search.fit(X[~HELD], Y[~HELD], X_val=X[HELD], y_val=Y[HELD])


def chosen_by(search):
    return set(search.get_support(indices=True).tolist())


def corral(C, n_features_to_select, seed):
    train = make_corral(512, random_state=seed)
    exact = make_corral(complete=True)
    search = DirectedSearchSelector(
        OneVsRestSVC(kernel="rbf", gamma=1, C=C), n_features_to_select=n_features_to_select
    )
    return search.fit(train.X, train.y, X_val=exact.X, y_val=exact.y)


@pytest.mark.parametrize("C", [1, 10])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("n_features_to_select", "expected"),
    [(6, {0, 1, 2, 3, 4, 5}), (5, {0, 1, 2, 3, 4}), (4, {0, 1, 2, 3}), (1, {5})],
)
def test_corral_gives_the_sets_of_the_paper(C, seed, n_features_to_select, expected):
    assert chosen_by(corral(C, n_features_to_select, seed)) == expected


@pytest.mark.parametrize("C", [1, 10])
@pytest.mark.parametrize("seed", range(3))
def test_corral_with_two_features_gives_either_pair(C, seed):
    assert chosen_by(corral(C, 2, seed)) in ({0, 1}, {2, 3})


def test_corral_with_one_feature_credits_each_alone_as_published():
    # MOI (2004), section IV-A: .105 for the relevant four, 0 for the irrelevant, .180 for the correlated one.
    trace = corral(1, 1, 0).trace_
    assert trace.n_trainings == 6
    np.testing.assert_allclose(trace.last_credits[:4], 0.1058, atol=5e-4)
    assert trace.last_credits[4] == 0.0
    assert 0.17 < trace.last_credits[5] < 0.19


def test_two_features_of_corral_beat_those_of_one_training():
    train, exact = make_corral(512, random_state=0), make_corral(complete=True)
    machine = OneVsRestSVC(kernel="rbf", gamma=1)
    single = CreditSelector(machine, n_features_to_select=2)
    single.fit(train.X, train.y, X_val=exact.X, y_val=exact.y)
    assert corral(1, 2, 0).score(exact.X, exact.y) >= single.score(exact.X, exact.y)
    assert corral(1, 2, 0).score(exact.X, exact.y) > 0.8


def test_every_subset_is_credited_as_if_trained_alone():
    search = given()
    for step in search.trace_:
        alone = ridge().fit(X[~HELD][:, step.groups], Y[~HELD])
        expected = credit_features(alone, X[HELD][:, step.groups], Y[HELD], sharing="margin")
        np.testing.assert_allclose(step.credits, expected.values, atol=1e-12)
        assert step.information == pytest.approx(expected.information, abs=1e-12)
        assert step.relative_information == pytest.approx(expected.flow.relative_information, abs=1e-12)


def test_the_start_is_what_one_training_would_choose_and_the_end_is_no_worse():
    search, single = given(), CreditSelector(ridge(), n_features_to_select=3, sharing="margin")
    single.fit(X[~HELD], Y[~HELD], X_val=X[HELD], y_val=Y[HELD])
    np.testing.assert_array_equal(search.trace_[0].groups, single.get_support(indices=True))
    assert search.trace_.best.information >= search.trace_[0].information
    assert len(search.trace_) <= 4 * (13 - 3 + 1)


def test_the_best_subset_is_kept_and_its_credits_are_reported():
    search = given()
    best = search.trace_.best
    np.testing.assert_array_equal(search.get_support(indices=True), best.groups)
    np.testing.assert_array_equal(search.credits_.values[best.groups], best.credits)
    assert not search.credits_.values[~search.support_].any()
    assert search.credits_.values.sum() == pytest.approx(best.information, abs=1e-12)
    assert search.credits_.feature_names == tuple(f"x{k}" for k in range(13))
    assert search.n_features_ == 3
    assert search.n_trainings_ == search.trace_.n_trainings


def test_others_rank_by_the_credit_they_last_had():
    search = given()
    others = np.flatnonzero(~search.support_)
    assert sorted(search.ranking_[others]) == list(range(2, 12))
    assert (search.ranking_[search.support_] == 1).all()
    ranked = others[np.argsort(search.ranking_[others])]
    assert (np.diff(search.trace_.last_credits[ranked].round(12)) <= 0).all()


def test_those_never_used_rank_last_in_the_order_they_would_have_been_tested():
    order = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10, 11, 12]
    search = given(init=order, max_trainings=1)
    assert chosen_by(search) == {7, 8, 9}
    assert search.ranking_[order[3:]].tolist() == list(range(2, 12))


def test_the_classifier_is_trained_again_on_all_rows():
    search = selector().fit(X, Y)
    twin = ridge().fit(X[:, search.support_], Y)
    np.testing.assert_array_equal(search.predict(X), twin.predict(X[:, search.support_]))
    np.testing.assert_array_equal(search.transform(X), X[:, search.support_])


@pytest.mark.parametrize("n_features_to_select", [13, 1.0])
def test_all_features_are_one_training(n_features_to_select):
    search = given(n_features_to_select=n_features_to_select, n_starts=3)
    assert search.n_trainings_ == 1
    assert search.support_.all()


class CountingNB(GaussianNB):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)

    def credit_shares(self, X=None):
        spread = np.abs(self.theta_ - self.theta_.mean(axis=0))
        return spread / spread.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("init", "before"), [("credits", 1), ("random", 0), (range(13), 0)])
def test_nothing_is_trained_twice(init, before, monkeypatch):
    monkeypatch.setattr(CountingNB, "fits", 0)
    search = given(CountingNB(), init=init, n_starts=4)
    assert CountingNB.fits == search.n_trainings_ + before + 1


def test_the_same_seed_gives_the_same_trace_and_another_one_another():
    first = given(init="random", n_starts=2)
    assert given(init="random", n_starts=2).trace_ == first.trace_
    assert given(init="random", n_starts=2, random_state=1).trace_ != first.trace_


def test_a_list_gives_the_order_by_number_or_name():
    frame = pd.DataFrame(X, columns=NAMES)
    order = [NAMES[6], NAMES[2], NAMES[12], NAMES[0]]
    by_name = selector(init=order, validation=3).fit(frame, Y)
    by_number = selector(init=np.array([6, 2, -1, 0]), validation=3).fit(X, Y)
    np.testing.assert_array_equal(
        [step.groups for step in by_name.trace_], [step.groups for step in by_number.trace_]
    )
    np.testing.assert_array_equal(by_number.trace_[0].groups, [2, 6, 12])
    assert 0 in by_number.trace_[1].groups
    assert by_name.trace_.names == tuple(NAMES)


def test_enough_information_ends_the_search():
    whole = given(init="random")
    level = whole.trace_[3].relative_information
    search = given(init="random", satisfied=level)
    assert search.trace_.end == "satisfied"
    assert len(search.trace_) <= 4
    assert search.trace_.best.relative_information >= level


def test_a_limit_on_trainings_ends_the_search_with_the_best_so_far():
    whole = given(init="random", n_starts=3)
    search = given(init="random", n_starts=3, max_trainings=5)
    assert search.n_trainings_ == 5
    assert search.trace_.end == "max_trainings"
    most = whole.trace_.information[: len(search.trace_)].max()
    assert search.trace_.best.information == pytest.approx(most, abs=1e-12)


def test_restarts_keep_the_best_of_all_runs():
    alone = given(init="random", n_features_to_select=2)
    more = given(init="random", n_features_to_select=2, n_starts=5)
    assert more.trace_.n_runs == 5
    assert more.trace_.steps[: len(alone.trace_)] == alone.trace_.steps
    assert more.trace_.best.information >= alone.trace_.best.information


def test_groups_move_as_one_and_kept_ones_stay():
    groups = {"acids": [1, 2, 3], "colours": [9, 10], "phenols": [5, 6, 7]}
    search = given(groups=groups, keep=[2], n_features_to_select=3)
    assert "acids" in search.trace_.names
    acids = search.trace_.names.index("acids")
    for step in search.trace_:
        assert acids in step.groups
        assert step.credits.sum() == pytest.approx(step.information, abs=1e-12)
    for columns in groups.values():
        assert len({bool(search.support_[k]) for k in columns}) == 1
    assert search.support_[[1, 2, 3]].all()


@pytest.mark.parametrize("validation", [0.25, 3, StratifiedKFold(3)], ids=str)
def test_folds_and_holdouts_pool_one_table(validation):
    search = selector(validation=validation).fit(X, Y)
    with parallel_config("threading"):
        parallel = selector(validation=validation, n_jobs=2).fit(X, Y)
    assert parallel.trace_ == search.trace_
    counted = search.credits_.flow.counts.sum()
    assert counted == pytest.approx(178 / 4, abs=2) if validation == 0.25 else counted == 178


def test_a_row_of_weight_k_counts_as_k_rows():
    weights = np.random.default_rng(0).integers(0, 4, 178)
    copies = np.repeat(np.arange(178), weights)
    weighted = selector(validation=3).fit(X, Y, sample_weight=weights)
    copied = selector(validation=3).fit(X[copies], Y[copies])
    np.testing.assert_array_equal(weighted.support_, copied.support_)
    np.testing.assert_allclose(weighted.trace_.information, copied.trace_.information, rtol=1e-7)


def test_containers_give_the_same_search():
    plain = selector(OneVsRestSVC(tol=1e-8)).fit(X, Y)
    for rows in (pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES), sparse.csr_array(X)):
        other = selector(OneVsRestSVC(tol=1e-8)).fit(rows, Y)
        np.testing.assert_array_equal(other.support_, plain.support_)


def test_a_fitted_search_can_be_pickled_and_cloned():
    search = given(init=[0, 1, 2])
    again = pickle.loads(pickle.dumps(search))
    assert again.trace_ == search.trace_
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert clone(search).get_params()["init"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": "best"}, "'init' parameter of DirectedSearchSelector must be one of 'credits', 'random'"),
        ({"init": 3}, "must be 'credits', 'random' or a list of columns. Got 3"),
        ({"init": [0, 1]}, "at least n_features_to_select=3 features or groups, together with 'keep'. Got 2"),
        ({"init": [0, 1, 13]}, "There is no column 13"),
        ({"satisfied": 0.0}, "'satisfied'"),
        ({"satisfied": 1.5}, "'satisfied'"),
        ({"max_trainings": 0}, "'max_trainings'"),
        ({"n_starts": 0}, "'n_starts'"),
        ({"n_features_to_select": "auto"}, "'n_features_to_select'"),
        ({"n_features_to_select": 14}, "n_features_to_select=14 is more"),
        ({"validation": None}, "'validation'"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_before_any_work(parameters, message, tmp_path, monkeypatch):
    monkeypatch.setattr(CountingNB, "fits", 0)
    checkpoint = tmp_path / "search.journal"
    with pytest.raises(ParameterError, match=message):
        selector(CountingNB(), checkpoint=checkpoint, **parameters).fit(X, Y)
    assert CountingNB.fits == 0
    assert not checkpoint.exists()


def test_a_classifier_that_cannot_share_credit_is_refused():
    with pytest.raises(UnsupportedEstimatorError):
        selector(GaussianNB()).fit(X, Y)


def test_a_kept_column_may_fill_up_a_list_that_is_too_short():
    search = given(init=[0, 1], keep=[12])
    np.testing.assert_array_equal(search.trace_[0].groups, [0, 1, 12])


class Interrupted(CountingNB):
    """Is interrupted by the user in one of its trainings."""

    last = None

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if type(self).fits == type(self).last:
            raise KeyboardInterrupt
        return self


@pytest.fixture
def interrupt_after(monkeypatch):
    """Count trainings anew, and interrupt the one with the number given."""

    def begin(last):
        monkeypatch.setattr(Interrupted, "fits", 0)
        monkeypatch.setattr(Interrupted, "last", last)

    return begin


def test_ctrl_c_gives_the_best_so_far(interrupt_after):
    whole = given(CountingNB())
    interrupt_after(5)
    with pytest.warns(SearchInterruptedWarning):
        search = given(Interrupted())
    assert search.trace_.end == "interrupted"
    assert search.trace_.steps == whole.trace_.steps[:3]
    np.testing.assert_array_equal(search.get_support(indices=True), search.trace_.best.groups)
    assert search.predict(X).shape == Y.shape


@pytest.mark.parametrize("last", [1, 2])
def test_ctrl_c_before_the_first_subset_goes_through(last, interrupt_after):
    interrupt_after(last)
    with pytest.raises(KeyboardInterrupt):
        given(Interrupted())


def test_a_search_goes_on_from_its_checkpoint(tmp_path, interrupt_after):
    parameters = {"n_starts": 3, "checkpoint": tmp_path / "search.journal"}
    whole = given(CountingNB(), n_starts=3)
    interrupt_after(7)
    with pytest.warns(SearchInterruptedWarning, match="goes on from the checkpoint"):
        given(Interrupted(), **parameters)
    interrupt_after(None)
    assert given(Interrupted(), **parameters).trace_ == whole.trace_
    # One training with all features and one of the chosen subset come on top; six had been written down.
    assert Interrupted.fits == whole.n_trainings_ + 2 - 6
    interrupt_after(None)
    assert given(Interrupted(), **parameters).trace_ == whole.trace_
    assert Interrupted.fits == 1


@pytest.mark.parametrize("limits", [{}, {"max_trainings": 5}, {"satisfied": 0.85}, {"sharing": "covariance"}])
def test_starts_that_run_at_the_same_time_give_the_same_trace(limits, monkeypatch):
    told, run_tasks = [], _starts.run_tasks
    monkeypatch.setattr(_starts, "run_tasks", lambda *task: told.append(len(task[2])) or run_tasks(*task))
    with parallel_config("threading"):
        there = given(init="random", n_starts=4, n_jobs=2, **limits)
    assert told == [4]
    assert there.trace_ == given(init="random", n_starts=4, **limits).trace_
    assert told == [4]


def test_starts_that_run_at_the_same_time_go_on_from_a_checkpoint(tmp_path, interrupt_after, monkeypatch):
    monkeypatch.setattr(_directed, "has_workers", lambda n_jobs: True)
    parameters = {"n_starts": 3, "checkpoint": tmp_path / "search.journal"}
    whole = given(CountingNB(), n_starts=3)
    n_first = sum(step.run == 0 and step.is_new for step in whole.trace_)
    # The training with all features, the first run, and some of the second.
    interrupt_after(1 + n_first + 3)
    with pytest.raises(KeyboardInterrupt):
        given(Interrupted(), **parameters)
    interrupt_after(None)
    assert given(Interrupted(), **parameters).trace_ == whole.trace_
    n_anew = Interrupted.fits
    interrupt_after(None)
    assert given(Interrupted(), **parameters).trace_ == whole.trace_
    assert (n_anew > 1, Interrupted.fits) == (True, 1)


def test_random_orders_go_on_from_a_checkpoint_without_a_seed(tmp_path):
    parameters = {"init": "random", "random_state": None, "checkpoint": tmp_path / "search.journal"}
    assert given(**parameters).trace_ == given(**parameters).trace_


def test_a_callback_sees_every_training_and_may_stop_the_search():
    watcher = Watcher(3, lambda fitted: int(fitted.support_.sum()))
    whole = given()
    search = selector().set_callbacks(watcher)
    search.fit(X[~HELD], Y[~HELD], X_val=X[HELD], y_val=Y[HELD])
    assert search.trace_.end == "interrupted"
    assert search.trace_.steps == whole.trace_.steps[:3]
    assert watcher.seen == [3, 3, 3]


def test_progress_is_shown_when_asked_for(capsys):
    selector(verbose=1).fit(X, Y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "subsets (converged). 3 of 13 features kept." in " ".join(shown.err.split())
