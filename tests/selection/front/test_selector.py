"""The front door: what it tries, how that is judged, and what it takes."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import infoprop
from infoprop.exceptions import ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    FeatureSelector,
    SearchInterruptedWarning,
    compare_selectors,
)
from infoprop.selection._columns import choose_columns
from infoprop.selection.comparison._nested_plan import Settings, plan_nested
from infoprop.selection.comparison._nested_record import nested_record
from infoprop.selection.elimination._schedule import Schedule
from infoprop.selection.front import _selector
from infoprop.selection.front._candidates import STEP, candidates_for, sizes_for
from infoprop.selection.front._judging import CandidateJudge
from infoprop.selection.front._screened import ScreenSelector, ToldRows, _in_folds
from infoprop.svm import OneVsRestSVC

WINE, CULTIVARS = load_wine(return_X_y=True, as_frame=True)
X, y = WINE.to_numpy()[::2], CULTIVARS.to_numpy()[::2]
FEW = {
    "credits": CreditSelector(),
    "margin": BackwardEliminationSelector(criterion="margin", validation=None),
}
LINEAR = make_pipeline(StandardScaler(), OneVsRestSVC(C=0.1))


def chosen(**parameters):
    return FeatureSelector(**{"candidates": FEW, "validation": 3, "random_state": 0} | parameters).fit(X, y)


def test_the_best_of_all_is_taken_and_its_size_is_the_smallest_within_an_error():
    best, small = chosen(rule="best"), chosen()
    top = max(choice.accuracy for choice in best.comparison_)
    assert best.best_.accuracy == top == small.comparison_.best.accuracy
    assert small.best_.method == best.best_.method
    assert small.n_features_ <= best.n_features_
    assert small.best_.accuracy >= top - best.best_.accuracy_error
    assert small.reason_.startswith(f"{small.n_features_} of 13 features by '{small.best_.method}'")


def test_what_it_takes_is_that_candidate_on_all_rows():
    found = chosen(n_features_to_select=4)
    own = clone(FEW[found.best_.method]).set_params(
        n_features_to_select=4, random_state=found.selector_.random_state
    )
    np.testing.assert_array_equal(found.support_, own.fit(X, y).support_)
    np.testing.assert_array_equal(found.predict(X), own.predict(X))
    assert found.transform(X).shape == (len(X), 4)


def test_candidates_are_judged_as_a_comparison_judges_them():
    found = chosen(n_features_to_select=4, validation=KFold(3))
    for name, selector in FEW.items():
        (expected,) = compare_selectors(
            {name: selector},
            X,
            y,
            sizes=[4],
            validation=KFold(3),
            inner_validation=None,
            random_state=found.selector_.random_state,
        )
        np.testing.assert_array_equal(found.comparison_.at(name, 4).tables, expected.tables)


@pytest.mark.parametrize("groups", [None, [[0, 1, 2], [3, 4]]])
@pytest.mark.parametrize("name", ["screen", "linear", "rbf", "wide", "joined", "joined wide", "credits"])
def test_moved_machines_count_as_a_classifier_trained_at_every_size(name, groups):
    machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="rbf", C=10.0))
    candidate = {
        "screen": ScreenSelector(machine),
        "linear": BackwardEliminationSelector(criterion="margin", validation=None, keep=[12]),
        "rbf": ScreenSelector(machine, n_eliminated=6, keep=[12]),
        "wide": ScreenSelector(machine, ranked_by="credit", n_eliminated=6, keep=[12]),
        "joined": ScreenSelector(machine, n_eliminated=6, joined_with=LINEAR, keep=[12]),
        "joined wide": ScreenSelector(
            machine, ranked_by="credit", n_eliminated=6, joined_with=LINEAR, keep=[12]
        ),
        "credits": CreditSelector(),
    }[name]
    settings = Settings(machine, [2, 5, 8], 3, None, groups, None, 0, None)
    if name == "linear":
        candidate.set_params(estimator=machine)
    nested = plan_nested({name: candidate}, X, y, settings)
    fast, slow = CandidateJudge()(nested, 1, name), nested_record(nested, 1, name)
    for part in ("sizes", "supports", "tables", "inner_tables"):
        np.testing.assert_array_equal(fast[part], slow[part])


@pytest.mark.parametrize("ranked_by", ["screen", "credit"])
def test_missing_values_are_filled_in_by_training_rows_alone(ranked_by):
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    machine = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), OneVsRestSVC())
    candidate = ScreenSelector(machine, ranked_by=ranked_by, n_eliminated=6, joined_with=clone(machine))
    nested = plan_nested({"own": candidate}, gaps, y, Settings(machine, [2, 5], 3, None, None, None, 0, None))
    fast, slow = CandidateJudge()(nested, 1, "own"), nested_record(nested, 1, "own")
    for part in ("sizes", "supports", "tables"):
        np.testing.assert_array_equal(fast[part], slow[part])


def test_the_front_door_fills_in_missing_values_if_told_how():
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    with pytest.raises(ValueError, match="contains NaN"):
        FeatureSelector().fit(gaps, y)
    found = FeatureSelector(impute="median", validation=3, random_state=0).fit(gaps, y)
    assert found.score(gaps, y) > 0.9
    complete = FeatureSelector(impute="mean", validation=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        complete.support_, FeatureSelector(validation=3, random_state=0).fit(X, y).support_
    )


@pytest.mark.parametrize("name", ["joined, rbf", "screen, rbf", "linear, C=0.1", "joined, rbf, C=10"])
def test_one_judge_of_all_candidates_counts_as_a_comparison_of_each(name):
    candidates = candidates_for(*X.shape, 3, is_sparse=False)
    judge, sizes = CandidateJudge(), sizes_for(X.shape[1], 1)
    for other, selector in candidates.items():
        settings = Settings(selector.estimator, sizes, 3, None, None, None, 0, None)
        nested = plan_nested({other: selector}, X, y, settings)
        fast = judge(nested, 0, other)
        if other == name:
            slow = nested_record(nested, 0, other)
            np.testing.assert_array_equal(fast["tables"], slow["tables"])
            np.testing.assert_array_equal(fast["supports"], slow["supports"])


def test_eliminations_pass_the_sizes_that_are_tried():
    schedule = Schedule.from_step(STEP, 57, 1)
    passed = [57]
    while schedule.count(passed[-1]):
        passed.append(passed[-1] - schedule.count(passed[-1]))
    assert passed[::-1] == sizes_for(57, 1)
    assert candidates_for(10, 57, 2, is_sparse=False)["joined, linear"].n_eliminated in passed


def test_who_is_not_ahead_after_two_folds_is_given_up():
    found = chosen(candidates=FEW | {"again": FEW["margin"]}, rule="best")
    assert list(found.given_up_)[-1] == "again"
    assert "again" not in found.comparison_.methods
    assert "Not ahead after two folds, and given up: " in found.reason_
    assert found.reason_.endswith("'again'.")


def test_sizes_far_behind_after_two_folds_are_tried_in_no_other(monkeypatch):
    few = chosen(candidates={"margin": FEW["margin"]})
    monkeypatch.setattr(_selector, "FAR_BEHIND", np.inf)
    every = chosen(candidates={"margin": FEW["margin"]})
    sizes = [choice.size for choice in few.comparison_]
    assert sizes == [choice.size for choice in every.comparison_][-len(sizes) :]
    assert len(sizes) < len(every.comparison_)
    assert few.best_.size == every.best_.size
    for size in sizes:
        np.testing.assert_array_equal(
            few.comparison_.at("margin", size).tables, every.comparison_.at("margin", size).tables
        )


@pytest.mark.parametrize("sizes", [(1,), (3,), (9,), (1, 9), (4, 9), (30,)])
@pytest.mark.parametrize("ranked_by", ["screen", "credit"])
def test_an_elimination_goes_as_far_as_sizes_ask_for(sizes, ranked_by):
    rows = np.random.default_rng(3).random((240, 30))
    labels = np.abs(np.hypot(rows[:, 4] - 0.5, rows[:, 9] - 0.5) - 0.35) < 0.1
    selector = ScreenSelector(ranked_by=ranked_by, n_eliminated=20, step=STEP)
    machine = make_pipeline(StandardScaler(), OneVsRestSVC())
    choice = choose_columns(None, None, 1, None, tuple(map(str, range(30))))
    told = ToldRows(rows, labels, None)
    ranked = selector.ranked(told, machine, choice)
    assert (ranked.n_found == 0) if ranked_by == "credit" else (1 < ranked.n_found < 9)
    evaluator = _in_folds(machine, told, choice, 2)
    order, _ = selector.in_order(ranked, told, evaluator, choice, sizes, {})
    whole, _ = selector.in_order(ranked, told, evaluator, choice, [1], {})
    for size in sizes:
        assert set(order[:size]) == set(whole[:size])


def test_of_candidates_that_cannot_be_told_apart_the_first_is_taken():
    for order in (("credits", "margin"), ("margin", "credits")):
        found = chosen(candidates={name: FEW[name] for name in order}, n_features_to_select=13)
        assert found.best_.method == order[0]


def test_the_same_seed_gives_the_same_for_frames_and_any_number_of_jobs():
    one = chosen()
    frame = FeatureSelector(candidates=FEW, validation=3, random_state=0, n_jobs=1).fit(
        WINE.iloc[::2], CULTIVARS.iloc[::2]
    )
    np.testing.assert_array_equal(one.support_, frame.support_)
    assert frame.get_feature_names_out().tolist() == WINE.columns[one.support_].tolist()


def test_groups_come_together_and_what_is_kept_stays():
    found = chosen(groups=[[0, 1, 2], [3, 4]], keep=[12], n_features_to_select=3)
    assert found.support_[12]
    assert len(set(found.support_[:3])) == len(set(found.support_[3:5])) == 1
    assert found.best_.supports.shape[1] == 10


def test_rows_of_a_group_stay_together():
    subjects = np.arange(len(y)) // 3
    found = FeatureSelector(candidates=FEW, validation=3, random_state=0, n_features_to_select=5).fit(
        X, y, subjects
    )
    assert found.comparison_.n_folds == 3


def test_out_of_time_the_first_candidate_decides():
    with pytest.warns(SearchInterruptedWarning, match="ends with 1 of"):
        found = chosen(time_limit=1e-9)
    assert found.comparison_.methods == ("credits",)
    assert "others" not in found.reason_


def test_the_same_call_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    whole, path = chosen(), tmp_path / "front.journal"
    monkeypatch.setattr(_selector, "compared", once(_selector.compared))
    with pytest.raises(KeyboardInterrupt):
        chosen(checkpoint=path)
    monkeypatch.undo()
    assert path.exists()
    np.testing.assert_array_equal(chosen(checkpoint=path).support_, whole.support_)
    assert (tmp_path / "front.journal-2").exists()
    with pytest.raises(ParameterError, match="give it a random_state"):
        chosen(checkpoint=path, random_state=None)


def once(function):
    """Let a function do its work once, and be interrupted after that."""
    calls = []

    def called(*arguments, **options):
        if calls:
            raise KeyboardInterrupt
        calls.append(arguments)
        return function(*arguments, **options)

    return called


def test_an_interaction_is_found_without_any_setting():
    rows = np.random.default_rng(3).random((240, 12))
    labels = (rows[:, 4] - 0.5) * (rows[:, 9] - 0.5) > 0
    found = infoprop.select(rows, labels, random_state=0, n_features_to_select=2, validation=3)
    assert found.get_support(indices=True).tolist() == [4, 9]


def test_a_screen_knows_every_size():
    rows = np.random.default_rng(3).random((240, 12))
    labels = (rows[:, 4] - 0.5) * (rows[:, 9] - 0.5) > 0
    screen = ScreenSelector(n_features_to_select=2, keep=[0]).fit(rows, labels)
    for size in (1, 3, 12):
        again = clone(screen).set_params(n_features_to_select=size).fit(rows, labels)
        np.testing.assert_array_equal(screen.support_at(size), again.support_)
        np.testing.assert_array_equal(screen.at(size).support_, again.support_)
        assert again.support_[0]


def test_columns_that_the_screen_found_stay_before_the_others():
    rows = np.random.default_rng(3).random((240, 60))
    labels = np.abs(np.hypot(rows[:, 4] - 0.5, rows[:, 9] - 0.5) - 0.35) < 0.1
    machine = make_pipeline(StandardScaler(), OneVsRestSVC())
    found = set(np.flatnonzero(infoprop.selection.interaction_screen(rows, labels).support).tolist())
    order = ScreenSelector(machine, n_eliminated=30).fit(rows, labels).feature_ranking_
    assert found >= {4, 9}
    assert set(order[: len(found)].tolist()) == found


def test_joined_orders_are_those_of_the_product_of_places():
    rows = np.random.default_rng(3).random((240, 60))
    labels = np.hypot(rows[:, 4] - 0.5, rows[:, 9] - 0.5) + 0.1 * rows[:, 20] < 0.43
    machine = make_pipeline(StandardScaler(), OneVsRestSVC())
    screen = infoprop.selection.interaction_screen(rows, labels)
    alone = ScreenSelector(machine, n_eliminated=30, step=STEP).fit(rows, labels)
    linear = BackwardEliminationSelector(
        LINEAR, n_features_to_select=1, criterion="margin", validation=None, step=STEP
    ).fit(rows, labels)
    orders = [screen.feature_ranking, alone.feature_ranking_, linear.feature_ranking_]
    product = np.prod([1 + np.argsort(order) for order in orders], axis=0)
    product[~screen.support] += product.max()
    found = alone.set_params(joined_with=LINEAR, n_features_to_select=12).fit(rows, labels)
    np.testing.assert_array_equal(product[found.feature_ranking_], np.sort(product))


def test_rows_of_a_group_stay_together_in_the_folds_of_an_elimination():
    rng = np.random.default_rng(5)
    rows = np.repeat(rng.normal(size=(40, 6)), 4, axis=0) + 0.01 * rng.normal(size=(160, 6))
    subjects, labels = np.repeat(np.arange(40), 4), np.repeat(rng.integers(0, 2, 40), 4)
    choice = choose_columns(None, None, 2, None, tuple("abcdef"))
    evaluator = _in_folds(None, ToldRows(rows, labels, subjects), choice, 3)
    for split in evaluator.plan.splits:
        assert not set(subjects[split.train]) & set(subjects[split.test])


@pytest.mark.parametrize(("over_folds", "expected"), [(0.0, 0.04), (np.nan, 0.04), (0.1, 0.1)])
def test_an_answer_that_never_changes_is_not_certain(over_folds, expected):
    """Always the larger class: right equally often in every fold."""
    constant = SimpleNamespace(accuracy=0.8, accuracy_error=over_folds)
    assert _selector._error(constant, 100) == pytest.approx(expected)


def test_the_first_candidate_is_taken_within_the_error_of_independent_rows():
    rows = np.random.default_rng(0).normal(size=(100, 3))
    found = FeatureSelector(candidates=FEW, n_features_to_select=2, random_state=0).fit(
        rows, rows[:, 0] > 0.8
    )
    first, second = (
        SimpleNamespace(method=name, accuracy=accuracy, accuracy_error=0.0, n_features=2)
        for name, accuracy in (("credits", 0.78), ("margin", 0.8))
    )
    both = MagicMock(n_rows=100, best=second, of=lambda name: [first])
    both.__iter__.return_value = iter((first, second))
    assert found._best(both) is first


def test_sparse_rows_stay_sparse():
    rows = sparse.csr_array(np.where(np.median(X, axis=0) < X, X, 0.0))
    found = FeatureSelector(validation=2, n_features_to_select=3, random_state=0).fit(rows, y)
    assert found.comparison_.methods == ("linear, C=0.01", "linear")
    assert found.transform(rows).shape == (len(y), 3)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"rule": "worst"}, "'rule' parameter of FeatureSelector must be"),
        ({"candidates": {}}, "must be a mapping from names to selectors"),
        ({"candidates": {"svc": SVC()}}, "candidate 'svc' of FeatureSelector must be a selector of infoprop"),
        ({"time_limit": 0.0}, "time_limit"),
        ({"impute": "zero"}, "'impute' parameter of FeatureSelector must be"),
        ({"impute": "mean"}, "put imputers into yours"),
        ({"n_features_to_select": 99}, "n_features_to_select"),
    ],
)
def test_what_cannot_work_is_refused(parameters, words):
    with pytest.raises(ParameterError, match=words):
        chosen(**parameters)


def test_large_tables_have_fewer_candidates_and_sizes_have_an_end():
    assert list(candidates_for(5000, 20, 3, is_sparse=False)) == ["screen", "linear, C=0.1"]
    assert list(candidates_for(10**6, 1000, 2, is_sparse=False)) == ["linear, C=0.01", "linear, C=0.1"]
    assert list(candidates_for(500, 20, 2, is_sparse=False)) == [
        "joined, rbf",
        "screen, rbf",
        "linear, C=0.1",
        "joined, rbf, C=10",
    ]
    wide = ["joined, linear", "linear, C=0.1"]
    assert list(candidates_for(200, 3000, 2, is_sparse=False)) == [*wide, "screen"]
    assert list(candidates_for(200, 3000, 9, is_sparse=False)) == wide
    for n_features, n_eliminated in ((20, 40), (100, 50), (900, 200)):
        found = candidates_for(1000, n_features, 2, is_sparse=False)["joined, rbf"]
        assert found.n_eliminated == n_eliminated
    sizes = sizes_for(10**5, 2)
    assert sizes[0] == 2
    assert sizes[-1] == 10**5
    assert len(sizes) < 20
