"""Nested cross-validation: the numbers of a plain twin, no leaks, one run for all sizes, resumable."""

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GradientAngleSelector,
    SearchInterruptedWarning,
    compare_selectors,
)
from infoprop.selection.comparison._nested_plan import automatic_sizes
from infoprop.svm import OneVsRestSVC
from reference.nested import plain_nested
from reference.running import best_so_far

SPLITTER = StratifiedKFold(4, shuffle=True, random_state=3)
MACHINE = OneVsRestSVC(kernel="linear")
SIZES = [1, 3, 6]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def splits(wine):
    return list(SPLITTER.split(*wine))


def compared(methods, data, **options):
    options = {"validation": SPLITTER, "inner_validation": None, "sizes": SIZES, "random_state": 0} | options
    return compare_selectors(methods, *data, **options)


def same(one, other):
    """Whether two comparisons agree in everything but the times."""
    return [(c.method, c.size) for c in one] == [(c.method, c.size) for c in other] and all(
        np.array_equal(first.supports, second.supports)
        and np.array_equal(first.tables, second.tables)
        and np.array_equal(first.inner_tables, second.inner_tables)
        for first, second in zip(one, other, strict=True)
    )


FRESH = {
    "credit": lambda k: CreditSelector(MACHINE, n_features_to_select=k, random_state=5),
    "backward": lambda k: BackwardEliminationSelector(MACHINE, n_features_to_select=k, random_state=5),
    "directed": lambda k: DirectedSearchSelector(
        MACHINE, n_features_to_select=k, random_state=5, max_trainings=5
    ),
    "angle": lambda k: GradientAngleSelector(MACHINE, n_features_to_select=k),
    "forward": lambda k: ForwardBeamSelector(beam_width=1, n_features_to_select=k, random_state=5),
    "rfe": lambda k: RFE(SVC(kernel="linear"), n_features_to_select=k),
    "coarse rfe": lambda k: RFE(SVC(kernel="linear"), n_features_to_select=k, step=3),
    "F": lambda k: SelectKBest(f_classif, k=k),
    "model": lambda k: SelectFromModel(LogisticRegression(), max_features=k, threshold=-np.inf),
}


@pytest.mark.parametrize("name", FRESH)
def test_every_size_is_what_a_fresh_selector_of_that_size_finds_and_the_twin_counts(name, wine, splits):
    method = FRESH[name](2)
    if name == "forward":
        method.set_params(n_features_to_select="auto")
    comparison = compared({name: method}, wine)
    for size in SIZES:
        supports, tables = plain_nested(lambda size=size: FRESH[name](size), MACHINE, *wine, splits)
        choice = comparison.at(name, size)
        np.testing.assert_array_equal(choice.supports, supports)
        np.testing.assert_array_equal(choice.tables, tables)


@pytest.mark.parametrize(
    ("method", "n_runs"),
    [
        (CreditSelector(), 1),
        (BackwardEliminationSelector(), 1),
        (GradientAngleSelector(), 1),
        (ForwardBeamSelector(), 1),
        (RFE(SVC(kernel="linear")), 1),
        (RFE(SVC(kernel="linear"), step=2), 3),
        (SelectKBest(), 1),
        (VarianceThreshold(), 1),
    ],
)
def test_methods_that_know_all_sizes_run_once_in_a_fold(method, n_runs, wine, monkeypatch):
    runs = []
    fit = type(method).fit
    monkeypatch.setattr(type(method), "fit", lambda self, X, y: runs.append(len(y)) or fit(self, X, y))
    compared({"it": method}, wine, validation=2)
    assert runs == [89] * (2 * n_runs)


def test_inner_numbers_are_those_of_the_rows_that_chose(wine):
    (choice,) = compared({"F": SelectKBest()}, wine, sizes=[2], inner_validation=3)
    assert choice.inner_tables.sum(axis=(1, 2)).tolist() == [133, 133, 134, 134]
    assert choice.tables.sum() == 178
    assert 0.5 < choice.inner_accuracy <= 1.0


def test_noise_looks_good_to_the_rows_that_chose_and_is_worthless_to_others():
    generator = np.random.default_rng(0)
    X, y = generator.standard_normal((60, 1000)), np.arange(60) % 2
    (choice,) = compared({"F": SelectKBest()}, (X, y), sizes=[20], inner_validation=5)
    assert choice.inner_accuracy > 0.85
    assert choice.accuracy < 0.65
    assert choice.stability.value < 0.5


class Spy(BaseEstimator):
    """Chooses the first columns, and remembers the rows it was shown."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.append(X[:, 0].tolist())
        return self

    def support_at(self, size):
        return np.arange(13) < size


def test_no_method_sees_a_test_row(wine, splits):
    X = wine[0].copy()
    X[:, 0] = np.arange(len(X))
    Spy.seen.clear()
    comparison = compared({"spy": Spy()}, (X, wine[1]))
    assert Spy.seen == [train.tolist() for train, _ in splits]
    assert comparison.at("spy", 3).supports.sum(axis=1).tolist() == [3] * 4


def test_own_sizes_stand_beside_those_asked_for(wine):
    methods = {
        "backward": BackwardEliminationSelector(n_features_to_select="auto"),
        "threshold": CreditSelector(threshold=0.1),
        "all": None,
        "made": lambda size: SelectKBest(k=size),
    }
    comparison = compared(methods, wine, sizes=[2])
    assert [(c.method, c.size) for c in comparison] == [
        ("backward", 2),
        ("backward", None),
        ("threshold", None),
        ("all", None),
        ("made", 2),
    ]
    assert comparison.at("all").n_features == 13
    assert comparison.at("all").search_seconds.sum() == 0


def test_without_sizes_selectors_are_taken_as_they_are(wine):
    comparison = compared({"F": SelectKBest(k=4), "credit": CreditSelector()}, wine, sizes=None)
    assert [(c.size, c.n_features) for c in comparison] == [(None, 4.0), (None, 6.0)]


def test_a_choice_of_nothing_is_judged_by_the_commonest_class(wine):
    class Nothing(BaseEstimator):
        def fit(self, X, y):
            self.support_ = np.zeros(X.shape[1], dtype=bool)
            return self

    (choice,) = compared({"nothing": Nothing()}, wine)
    assert choice.information == 0.0
    assert choice.accuracy == pytest.approx(71 / 178)
    assert choice.n_features == 0


def test_columns_of_a_group_come_together(wine):
    groups = ["a"] * 5 + [f"x{k}" for k in range(5, 13)]
    methods = {
        "credit": CreditSelector(),
        "rfe": RFE(SVC(kernel="linear")),
        "F": SelectKBest(),
        "coarse": RFE(SVC(kernel="linear"), step=4),
    }
    comparison = compared(methods, wine, groups=groups, sizes=[2, 4])
    assert comparison.feature_names == ("a", *groups[5:])
    for name in ("credit", "rfe", "F"):
        assert comparison.at(name, 4).supports.sum(axis=1).tolist() == [4] * 4
    assert (comparison.at("coarse", 4).supports.sum(axis=1) <= 4).all()
    scores = f_classif(*wine)[0]
    group_scores = np.append(scores[:5].max(), scores[5:])
    whole = compare_selectors(
        {"F": SelectKBest()},
        *wine,
        groups=groups,
        sizes=[3],
        inner_validation=None,
        validation=[(np.arange(178), [0])],
    )
    assert set(np.flatnonzero(whole[0].supports[0])) == set(np.argsort(-group_scores)[:3])


@pytest.mark.parametrize("form", ["csr", "pandas"])
def test_sparse_rows_and_frames_give_what_arrays_give(form, wine):
    X = sparse.csr_matrix(wine[0]) if form == "csr" else pd.DataFrame(wine[0]).rename(columns=str)
    methods = {"credit": CreditSelector(MACHINE), "F": SelectKBest()}
    # The order of CSR sums is another, so the machines are compared by what they choose and count.
    one, other = (compared(methods, (data, wine[1]), sizes=[3], estimator=MACHINE) for data in (wine[0], X))
    assert same(one, other)


def test_same_result_for_any_number_of_jobs_and_other_methods_change_nothing(wine):
    methods = {"credit": CreditSelector(), "F": SelectKBest()}
    one = compared(methods, wine, inner_validation=2, validation=3)
    # Processes take seconds to start; threads share the work in the same way.
    with joblib.parallel_config("threading"):
        assert same(one, compared(methods, wine, inner_validation=2, validation=3, n_jobs=2))
    alone = compared({"F": SelectKBest()}, wine, inner_validation=2, validation=3)
    np.testing.assert_array_equal(alone.at("F", 3).tables, one.at("F", 3).tables)


class Interrupting(BaseEstimator):
    """Chooses one column; raises at one of its runs."""

    def __init__(self, at=None):
        self.at = at

    runs = 0

    def fit(self, X, y):
        Interrupting.runs += 1
        if Interrupting.runs == self.at:
            raise KeyboardInterrupt
        self.support_ = np.arange(X.shape[1]) == 0
        return self


def test_interruption_keeps_whole_folds_and_says_how_many(wine):
    Interrupting.runs = 0
    methods = {"F": SelectKBest(), "it": Interrupting(at=3)}
    with pytest.warns(SearchInterruptedWarning, match="2 of 4 folds"):
        comparison = compared(methods, wine)
    assert (comparison.n_folds, comparison.n_planned) == (2, 4)
    whole = compared({"F": SelectKBest()}, wine)
    np.testing.assert_array_equal(comparison.at("F", 3).tables, whole.at("F", 3).tables[:2])


def test_interruption_before_the_first_fold_goes_its_way(wine):
    Interrupting.runs = 0
    with pytest.raises(KeyboardInterrupt):
        compared({"F": SelectKBest(), "it": Interrupting(at=1)}, wine)


def test_interrupted_search_inside_a_method_is_no_result(wine, monkeypatch):
    def interrupted(self, X, y):
        with best_so_far(lambda: True, "CreditSelector"):
            raise KeyboardInterrupt

    monkeypatch.setattr(CreditSelector, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compared({"credit": CreditSelector()}, wine)


def test_same_call_goes_on_from_its_checkpoint(wine, tmp_path, monkeypatch):
    Interrupting.runs = 0
    path = tmp_path / "compare.journal"
    methods = {"F": SelectKBest(), "it": Interrupting(at=3)}
    with pytest.warns(SearchInterruptedWarning, match="goes on from the checkpoint"):
        compared(methods, wine, checkpoint=path, inner_validation=2)
    resumed = compared(methods, wine, checkpoint=path, inner_validation=2)
    assert Interrupting.runs == 5
    assert resumed.n_folds == 4
    assert same(resumed, compared({"F": SelectKBest(), "it": Interrupting()}, wine, inner_validation=2))
    # Nothing is left to do.
    monkeypatch.setattr(SelectKBest, "fit", lambda self, X, y: pytest.fail("it ran again"))
    assert same(resumed, compared(methods, wine, checkpoint=path, inner_validation=2))


def test_unseeded_comparison_goes_on_with_the_seed_of_its_checkpoint(wine, tmp_path):
    path = tmp_path / "compare.journal"
    first, second = (
        compared({"credit": CreditSelector()}, wine, checkpoint=path, random_state=None, validation=2)
        for _ in range(2)
    )
    assert same(first, second)


def test_checkpoint_of_other_settings_is_refused(wine, tmp_path):
    path = tmp_path / "compare.journal"
    compared({"F": SelectKBest()}, wine, checkpoint=path)
    with pytest.raises(ParameterError, match=r"\(sizes\)"):
        compared({"F": SelectKBest()}, wine, checkpoint=path, sizes=[2])
    with pytest.raises(ParameterError, match=r"\(methods\)"):
        compared({"F": SelectKBest(k=3)}, wine, checkpoint=path)


def test_progress_is_shown_when_asked_for(wine, capsys):
    compared({"F": SelectKBest()}, wine, verbose=1)
    assert "4/4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n_features", "sizes"), [(1, (1,)), (13, (1, 2, 5, 10)), (5000, (1, 2, 5, 10, 20, 50, 100))]
)
def test_automatic_sizes_stay_below_the_number_of_features(n_features, sizes):
    assert automatic_sizes(n_features) == sizes


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"methods": {}}, ParameterError, "methods"),
        ({"methods": [SelectKBest()]}, ParameterError, "methods"),
        ({"methods": {"it": SelectKBest}}, UnsupportedEstimatorError, "'it'"),
        ({"methods": {"it": 3}}, UnsupportedEstimatorError, "'it'"),
        ({"methods": {"it": CreditSelector(groups=[0] * 13)}, "groups": [0] * 13}, ParameterError, "groups"),
        ({"methods": {"it": KNeighborsClassifier()}}, UnsupportedEstimatorError, "get_support"),
        ({"sizes": [14]}, ParameterError, "sizes"),
        ({"sizes": [0]}, ParameterError, "sizes"),
        ({"sizes": []}, ParameterError, "sizes"),
        ({"sizes": "many"}, ParameterError, "sizes"),
        ({"validation": 1}, ParameterError, "validation"),
        ({"validation": "five"}, ParameterError, "validation"),
        ({"validation": [(np.arange(50), np.arange(50, 178))]}, DataError, "single class"),
        ({"inner_validation": 1}, ParameterError, "inner_validation"),
        ({"verbose": -1}, ParameterError, "verbose"),
        ({"estimator": SelectKBest()}, UnsupportedEstimatorError, "estimator"),
        ({"methods": {"it": lambda size: SelectKBest()}, "sizes": None}, ParameterError, "sizes"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, error, words, wine):
    arguments = {"methods": {"F": SelectKBest()}} | change
    with pytest.raises(error, match=words):
        compared(arguments.pop("methods"), wine, **arguments)
