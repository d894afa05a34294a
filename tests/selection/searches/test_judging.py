"""Judges of subsets: the one that trains is always right, and the fast one says the same."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC

from infoprop.exceptions import InfopropError
from infoprop.metrics import relative_output_information
from infoprop.neighbors import KNNJudge
from infoprop.selection.searches._judging import ModelJudge, RefitJudge, subset_judge
from infoprop.svm import OneVsRestSVC
from reference.evaluators import LabelledRows, SubsetEvaluator, plan_validation, subset_model

X, Y = load_wine(return_X_y=True)
# Measured to two digits, rows are often equally far; scikit-learn does not say who of them is a neighbour.
X, Y = X[::3, :6] * (1.0 + 0.01 * np.random.default_rng(0).random((60, 6))), Y[::3]
Y = np.array(["a", "b", "c"])[Y]
MASKS = np.random.default_rng(0).random((5, 6)) < 0.5
MASKS[0] = False


def evaluator_of(estimator, validation=5, weights=None, rows=X, given=None):
    used = np.ones(len(Y)) if weights is None else weights
    plan = plan_validation(validation, X, Y, used, has_given=given is not None, seed=0, split_parameters={})
    names = tuple(f"x{k}" for k in range(6))
    return SubsetEvaluator(estimator, LabelledRows(rows, Y, weights), {}, plan, given, names, None)


def twin_of(evaluator):
    return ModelJudge(subset_model(evaluator, has_shares=False), evaluator)


def neighbors(*steps, **parameters):
    return make_pipeline(*steps, KNeighborsClassifier(**{"n_neighbors": 1} | parameters))


@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (GaussianNB(), RefitJudge),
        (RidgeClassifier(), RefitJudge),
        (OneVsRestSVC(kernel="linear"), ModelJudge),
    ],
)
def test_accuracy_is_that_of_classifiers_trained_from_nothing(estimator, kind):
    evaluator = evaluator_of(estimator)
    judge = subset_judge(evaluator)
    assert isinstance(judge, kind)
    for mask, accuracy in zip(MASKS[1:], judge.judge(MASKS[1:]), strict=True):
        right = 0
        for split in evaluator.plan.splits:
            model = evaluator.estimator.fit(X[split.train][:, mask], Y[split.train])
            right += (model.predict(X[split.test][:, mask]) == Y[split.test]).sum()
        assert accuracy == pytest.approx(right / len(Y), abs=1e-12)


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [("balanced_accuracy", balanced_accuracy_score), ("information", relative_output_information)],
)
@pytest.mark.parametrize("estimator", [GaussianNB(), OneVsRestSVC(kernel="linear"), KNeighborsClassifier(1)])
def test_scores_are_those_of_all_out_of_fold_predictions(estimator, scoring, expected):
    evaluator = evaluator_of(estimator)
    found = subset_judge(evaluator, scoring).judge(MASKS)
    for mask, score in zip(MASKS[1:], found[1:], strict=True):
        predicted = np.empty_like(Y)
        for split in evaluator.plan.splits:
            model = evaluator.estimator.fit(X[split.train][:, mask], Y[split.train])
            predicted[split.test] = model.predict(X[split.test][:, mask])
        assert score == pytest.approx(expected(Y, predicted), abs=1e-12)
    # Without columns one class is named, which says nothing.
    assert found[0] == pytest.approx(1 / 3 if scoring == "balanced_accuracy" else 0.0, abs=1e-12)


def test_without_columns_the_most_frequent_class_is_named():
    counted = (Y == "b").mean()
    assert (Y == "b").sum() > max((Y == "a").sum(), (Y == "c").sum())
    for estimator in (GaussianNB(), neighbors()):
        assert subset_judge(evaluator_of(estimator)).judge(MASKS[:1])[0] == pytest.approx(counted)


def test_weights_decide_what_is_frequent_and_what_being_right_counts():
    weights = np.where(Y == "c", 9.0, 1.0)
    judges = [
        subset_judge(evaluator_of(neighbors(), weights=weights)),
        twin_of(evaluator_of(neighbors(), weights=weights)),
    ]
    assert isinstance(judges[0], KNNJudge)
    expected = weights[Y == "c"].sum() / weights.sum()
    for judge in judges:
        assert judge.judge(MASKS[:1])[0] == pytest.approx(expected)
    np.testing.assert_allclose(judges[0].judge(MASKS), judges[1].judge(MASKS), rtol=1e-12)


VALIDATIONS = {
    "folds": 5,
    "loo": "loo",
    "held out": 0.3,
    "splitter of folds": KFold(4),
    "splitter of single rows": LeaveOneOut(),
    "overlapping": ShuffleSplit(4, random_state=0),
    "repeated": RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    "few are tested": [(np.arange(5, len(Y)), np.arange(5)), (np.arange(40), np.arange(40, 50))],
}


@pytest.mark.parametrize("validation", VALIDATIONS.values(), ids=VALIDATIONS)
def test_fast_neighbors_are_judged_as_trained_ones(validation):
    evaluator = evaluator_of(neighbors(MinMaxScaler()), validation)
    judge = subset_judge(evaluator)
    assert isinstance(judge, KNNJudge)
    # Its twin trains once for every mask and split.
    masks = MASKS if len(evaluator.plan.splits) < 10 else MASKS[:2]
    np.testing.assert_allclose(judge.judge(masks), twin_of(evaluator).judge(masks), rtol=1e-12)


@pytest.mark.parametrize("parameters", [{"n_neighbors": 4}, {"n_neighbors": 5, "weights": "distance"}])
@pytest.mark.parametrize("validation", [5, pytest.param("loo", marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "scalers",
    [
        (),
        (StandardScaler(),),
        (StandardScaler(with_std=False), MaxAbsScaler()),
        (RobustScaler(unit_variance=True),),
        (RobustScaler(with_scaling=False), MinMaxScaler((-3, 1))),
        (MinMaxScaler(clip=True),),
    ],
    ids=str,
)
def test_scalers_learn_from_the_rows_that_vote(scalers, validation, parameters):
    evaluator = evaluator_of(neighbors(*scalers, metric="euclidean", **parameters), validation)
    judge = subset_judge(evaluator)
    assert isinstance(judge, KNNJudge)
    np.testing.assert_allclose(judge.judge(MASKS[1:3]), twin_of(evaluator).judge(MASKS[1:3]), rtol=1e-12)


def test_scales_leave_constant_columns_and_rows_that_stand_out_to_the_scaler():
    rows = X.copy()
    rows[:, 0] = 1.0
    rows[7, 1] = 1e4
    rows[8, 2] = -1e4
    evaluator = evaluator_of(neighbors(MinMaxScaler()), "loo", rows=rows)
    masks = np.ones((1, 6), bool)
    np.testing.assert_allclose(
        subset_judge(evaluator).judge(masks), twin_of(evaluator).judge(masks), rtol=1e-12
    )


@pytest.mark.parametrize("validation", [5, 0.3])
def test_neighbors_behind_imputers_are_judged_as_trained_ones(validation):
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    evaluator = evaluator_of(neighbors(SimpleImputer(), MinMaxScaler()), validation, rows=rows)
    judge = subset_judge(evaluator)
    assert isinstance(judge, KNNJudge)
    np.testing.assert_allclose(judge.judge(MASKS), twin_of(evaluator).judge(MASKS), rtol=1e-12)


def test_rows_that_are_given_are_judged():
    given = LabelledRows(X[::3] + 0.1, np.where(Y[::3] == "a", "z", Y[::3]), np.linspace(1, 2, len(Y[::3])))
    evaluator = evaluator_of(neighbors(MinMaxScaler()), "given", given=given)
    judge = subset_judge(evaluator)
    assert isinstance(judge, KNNJudge)
    np.testing.assert_allclose(judge.judge(MASKS), twin_of(evaluator).judge(MASKS), rtol=1e-12)


def test_frames_of_numbers_are_rows():
    frame = pl.DataFrame(X, schema=[f"x{k}" for k in range(6)])
    judge = subset_judge(evaluator_of(neighbors(), rows=frame))
    assert isinstance(judge, KNNJudge)
    assert judge.judge(MASKS).tolist() == subset_judge(evaluator_of(neighbors())).judge(MASKS).tolist()


@pytest.mark.parametrize(
    "estimator",
    [
        neighbors(p=1),
        neighbors(metric="manhattan"),
        neighbors(weights=lambda distances: distances + 1.0),
        neighbors(n_neighbors=58),
        make_pipeline(GaussianNB()),
    ],
)
def test_what_is_not_understood_is_trained(estimator):
    assert isinstance(subset_judge(evaluator_of(estimator)), RefitJudge)


def test_missing_values_and_parameters_of_fit_are_left_to_the_classifier():
    rows = X.copy()
    rows[3, 3] = np.nan
    assert isinstance(subset_judge(evaluator_of(neighbors(), rows=rows)), RefitJudge)
    assert isinstance(subset_judge(replace(evaluator_of(neighbors()), fit_parameters={"a": 1})), RefitJudge)


@pytest.mark.parametrize("estimator", [neighbors(), GaussianNB(), OneVsRestSVC(kernel="linear")])
def test_growing_is_judged_as_the_grown_subsets_are(estimator):
    masks = np.zeros((3, 6), dtype=bool)
    masks[:, [4, 1]] = True
    masks[[0, 1, 2], [0, 2, 5]] = True
    judge = subset_judge(evaluator_of(estimator))
    grown = judge.judge_grown(np.array([4, 1]), np.array([0, 2, 5]))
    assert judge.n_columns == 6
    np.testing.assert_allclose(grown, judge.judge(masks), rtol=1e-12)


def test_a_judge_goes_on_from_its_snapshot():
    evaluator = evaluator_of(OneVsRestSVC(kernel="rbf", gamma=0.01))
    first = subset_judge(evaluator)
    first.judge(MASKS[1:3])
    state = first.snapshot()
    other = subset_judge(evaluator)
    other.restore(state)
    assert first.judge(MASKS[3:]).tolist() == other.judge(MASKS[3:]).tolist()


def areas_twin(evaluator, mask, weights):
    """Mean over the splits of the mean over the classes of scikit-learn's area of one against the others."""
    areas = []
    for split in evaluator.plan.splits:
        model = evaluator.estimator.fit(X[split.train][:, mask], Y[split.train])
        method = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
        scores = getattr(model, method)(X[split.test][:, mask])
        areas.append(
            np.mean(
                [
                    roc_auc_score(Y[split.test] == label, scores[:, k], sample_weight=weights[split.test])
                    for k, label in enumerate(model.classes_)
                ]
            )
        )
    return np.mean(areas)


@pytest.mark.parametrize("estimator", [GaussianNB(), OneVsRestSVC(kernel="linear"), neighbors()])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_area_is_that_of_the_scores_of_each_split(estimator, n_jobs):
    weights = np.linspace(0.5, 2.0, len(Y))
    # Row weights count in the areas only: classifiers here are trained without them.
    evaluator = replace(evaluator_of(estimator, validation=3, weights=weights), n_jobs=n_jobs)
    with parallel_config("threading"):
        judge = subset_judge(evaluator, "roc_auc")
        found = judge.judge(MASKS)
        grown = judge.judge_grown(np.array([0]), np.array([3]))
    assert found[0] == 0.5
    for mask, area in zip(MASKS[1:], found[1:], strict=True):
        assert area == pytest.approx(areas_twin(evaluator, mask, weights), abs=1e-12)
    both = np.isin(np.arange(6), [0, 3])
    assert grown[0] == pytest.approx(areas_twin(evaluator, both, weights), abs=1e-12)


def test_the_area_agrees_with_sklearns_roc_auc_ovr():
    evaluator = evaluator_of(GaussianNB(), validation=3)
    splits = [(split.train, split.test) for split in evaluator.plan.splits]
    expected = cross_val_score(GaussianNB(), X[:, :3], Y, cv=splits, scoring="roc_auc_ovr").mean()
    mask = np.arange(6) < 3
    assert subset_judge(evaluator, "roc_auc").judge(mask[None])[0] == pytest.approx(expected, abs=1e-12)


class NoScores(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("nothing is to be trained")


@pytest.mark.parametrize(
    ("estimator", "validation", "sentence"),
    [
        (GaussianNB(), "loo", "validation rows of two classes in every split.*Split 1 of 60"),
        (GaussianNB(), KFold(6), "has rows of 'a' only"),
        (NoScores(), 3, "NoScores has neither"),
        (make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo")), 3, "Set it to 'ovr'"),
    ],
)
def test_where_there_is_nothing_to_rank_the_area_is_refused_before_training(estimator, validation, sentence):
    with pytest.raises(InfopropError, match=sentence):
        subset_judge(evaluator_of(estimator, validation), "roc_auc")
