"""Which classifiers are moved, which are trained anew, and that nobody can tell them apart."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC

from infoprop.exceptions import ParameterError
from infoprop.selection import BackwardEliminationSelector, DirectedSearchSelector
from infoprop.selection.searches import _starts
from infoprop.svm import OneVsRestSVC
from reference.engine import MovingSVC
from reference.evaluators import (
    LabelledRows,
    RefitSubsetModel,
    Split,
    SubsetEvaluator,
    ValidationPlan,
    moving_model,
    subset_model,
)

RAW, Y = load_wine(return_X_y=True)
X = (RAW - RAW.mean(axis=0)) / RAW.std(axis=0)
NAMES = tuple(f"x{k}" for k in range(13))
ROWS = np.arange(178)
WEIGHTS = np.random.default_rng(0).uniform(0.2, 3.0, 178)
# Twelve decimals of credits need machines at their optimum.
EXACT = {"tol": 1e-10}


class Loud(OneVsRestSVC):
    """A classifier of somebody else, who may have changed anything."""


class Watching(OneVsRestSVC):
    """A classifier that takes more than weights."""

    def fit(self, X, y, sample_weight=None, marks=None):
        return super().fit(X, y, sample_weight)


def linear(**parameters):
    return OneVsRestSVC(**({"kernel": "linear"} | EXACT | parameters))


def evaluator(estimator, rows=X, y=Y, *, weights=None, given=None, n_jobs=None, parameters=None):
    splits = [(ROWS[k != ROWS % 3], ROWS[k == ROWS % 3]) for k in range(2)]
    if given is not None:
        splits = [(ROWS, None)]
    name = "sample_weight"
    if isinstance(estimator, Pipeline):
        name = f"{estimator.steps[-1][0]}__sample_weight"
    own = {} if weights is None else {name: weights}
    return SubsetEvaluator(
        estimator=estimator,
        training=LabelledRows(rows, y, weights),
        fit_parameters=own if parameters is None else parameters,
        plan=ValidationPlan(tuple(Split(*split) for split in splits), shares_from_all=False),
        given=given,
        feature_names=NAMES[: rows.shape[1]],
        n_jobs=n_jobs,
    )


SCALED = [
    make_pipeline(StandardScaler(), linear()),
    make_pipeline(MinMaxScaler(clip=True), linear()),
    make_pipeline(MaxAbsScaler(), linear()),
    make_pipeline(RobustScaler(), StandardScaler(), linear()),
    make_pipeline("passthrough", StandardScaler(with_std=False), None, linear(C=1e-4)),
    make_pipeline(StandardScaler().set_output(transform="pandas"), linear()),
    make_pipeline(linear(C=1e-4)),
    make_pipeline(SimpleImputer(), StandardScaler(), linear()),
    make_pipeline(StandardScaler(), SimpleImputer(strategy="median"), linear()),
]
PLAIN = [
    linear(),
    linear(C=0.05, class_weight="balanced"),
    linear(class_weight={0: 2.0, 1: 1.0, 2: 0.3}),
    linear(solver="cd"),
    linear(normalize_margin=False),
    linear(kernel="rbf"),
    linear(kernel="rbf", gamma="auto", C=10.0),
    linear(kernel="poly", degree=2, coef0=1.0),
    linear(kernel="sigmoid", gamma=0.01),
    linear(kernel="anova", gamma=0.5, degree=2),
    linear(kernel={0: "linear", 1: "rbf", 2: {"kernel": "rbf", "gamma": 0.3}}, normalize_margin=False),
]
ANEW = [
    make_pipeline(StandardScaler(), PCA(5), linear()),
    make_pipeline(Normalizer(), linear()),
    make_pipeline(SimpleImputer(add_indicator=True), linear()),
    make_pipeline(FunctionTransformer(np.tanh), linear()),
    make_pipeline(ColumnTransformer([("some", StandardScaler(), [0, 1])]), linear()),
    make_pipeline(FrozenEstimator(StandardScaler().fit(X)), linear()),
    make_pipeline(make_pipeline(StandardScaler()), linear()),
    Loud(kernel="linear"),
    make_pipeline(StandardScaler(), Loud(kernel="linear")),
    linear(max_iter=1000),
    linear(warm_start=True),
    linear(normalize_margin=True),
    linear(kernel="rbf", solver="cd"),
    linear(kernel={0: "linear", 1: "linear", 2: "linear"}),
    LinearSVC(),
    SVC(kernel="linear"),
    OneVsRestClassifier(linear()),
]


def assert_same_answers(estimator, **parameters):
    """The moved model and the one trained anew answer alike, wherever they go."""
    asked = evaluator(estimator, **parameters)
    moved, anew = moving_model(asked), RefitSubsetModel(asked)
    assert isinstance(moved, MovingSVC)
    np.testing.assert_array_equal(moved.classes, anew.classes)
    for gone, come in [([], []), ([3, 8], []), ([0, 1, 2], [3]), ([5], [0, 8])]:
        for model in (moved, anew):
            model.add(np.array(come, dtype=int))
            model.drop(np.array(gone, dtype=int))
            model.fit()
        np.testing.assert_array_equal(moved.columns, anew.columns)
        np.testing.assert_allclose(moved.credit_shares(), anew.credit_shares(), atol=1e-7)
        for found, expected in zip(moved.predict(), anew.predict(), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("estimator", PLAIN, ids=str)
def test_own_machines_are_moved(estimator):
    assert_same_answers(estimator)


@pytest.mark.parametrize("estimator", SCALED, ids=lambda pipeline: "+".join(dict(pipeline.steps)))
def test_machines_behind_scalers_of_single_columns_are_moved(estimator):
    assert_same_answers(estimator, rows=RAW)


@pytest.mark.parametrize("estimator", ANEW, ids=lambda estimator: " ".join(repr(estimator).split())[:60])
def test_everything_else_is_trained_anew(estimator):
    assert moving_model(evaluator(estimator)) is None
    assert isinstance(subset_model(evaluator(estimator)), RefitSubsetModel)


@pytest.mark.parametrize(
    "estimator", [linear(), make_pipeline(StandardScaler(), linear())], ids=["", "scaled"]
)
def test_weights_go_to_the_machines_and_the_table(estimator):
    assert_same_answers(estimator, weights=WEIGHTS)


def test_scaled_sparse_rows_are_moved():
    rows = sparse.csr_array(np.where(X > 0.3, X, 0.0))
    assert_same_answers(make_pipeline(MaxAbsScaler(), linear()), rows=rows)
    assert_same_answers(make_pipeline(StandardScaler(with_mean=False), linear()), rows=rows)


@pytest.mark.parametrize("library", [pd.DataFrame, lambda rows: pl.DataFrame(rows, schema=list(NAMES))])
def test_frames_of_numbers_are_moved(library):
    assert_same_answers(make_pipeline(StandardScaler(), linear()), rows=library(RAW))
    assert_same_answers(linear(), rows=library(X))


def test_given_rows_are_scaled_as_the_training_rows():
    given = LabelledRows(RAW[::5], Y[::5], WEIGHTS[::5])
    assert_same_answers(make_pipeline(StandardScaler(), linear()), rows=RAW, given=given)


def test_rows_that_are_not_finite_numbers_are_left_to_the_classifier():
    gap, words, missing = X.copy(), X.astype(object), np.where(X > 2.0, np.nan, X)
    gap[3, 3] = np.inf
    words[:, 0] = "red"
    for rows in (gap, words, missing):
        assert moving_model(evaluator(linear(), rows=rows)) is None
        assert moving_model(evaluator(make_pipeline(StandardScaler(), linear()), rows=rows)) is None
    assert moving_model(evaluator(linear(), given=LabelledRows(missing, Y))) is None


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_missing_values_behind_an_imputer_are_moved(strategy):
    rows = np.where(np.random.default_rng(0).random(RAW.shape) < 0.1, np.nan, RAW)
    imputer = SimpleImputer(strategy=strategy)
    assert_same_answers(make_pipeline(imputer, StandardScaler(), linear()), rows=rows)
    assert_same_answers(make_pipeline(StandardScaler(), imputer, linear()), rows=pd.DataFrame(rows))
    given = LabelledRows(rows[::5], Y[::5], WEIGHTS[::5])
    assert_same_answers(make_pipeline(imputer, MinMaxScaler(), linear()), rows=rows, given=given)
    sparse_rows = sparse.csr_array(np.where(rows > 2.0, 0.0, rows))
    assert_same_answers(make_pipeline(imputer, MaxAbsScaler(), linear()), rows=sparse_rows)


def test_columns_that_hold_nothing_are_moved_if_the_imputer_keeps_them():
    rows = RAW.copy()
    rows[ROWS % 3 != 0, 4] = np.nan
    kept, left_out = (
        make_pipeline(SimpleImputer(keep_empty_features=kept), StandardScaler(), linear())
        for kept in (True, False)
    )
    assert_same_answers(kept, rows=rows)
    with pytest.warns(UserWarning, match="without any observed values"):
        assert moving_model(evaluator(left_out, rows=rows)) is None


def test_scaled_rows_that_are_no_numbers_any_more_are_left_to_the_classifier():
    rows = X * 1e300
    with np.errstate(over="ignore", invalid="ignore"):
        assert moving_model(evaluator(make_pipeline(StandardScaler(), linear()), rows=rows)) is None


def test_a_split_that_teaches_one_class_is_left_to_the_classifier():
    asked = evaluator(linear(), y=np.where(ROWS % 3 == 0, Y, 0))
    assert moving_model(asked) is None


def test_other_fit_parameters_are_left_to_the_classifier():
    assert moving_model(evaluator(linear(), parameters={"sample_weight": WEIGHTS})) is None
    assert moving_model(evaluator(linear(), parameters={"marks": ROWS})) is None
    assert moving_model(evaluator(linear(), weights=WEIGHTS, parameters={})) is None
    assert (
        moving_model(evaluator(linear(), weights=WEIGHTS, parameters={"sample_weight": WEIGHTS + 1})) is None
    )
    behind = make_pipeline(StandardScaler(), linear())
    only_scaler = {"standardscaler__sample_weight": WEIGHTS}
    assert moving_model(evaluator(behind, weights=WEIGHTS, parameters=only_scaler)) is None
    assert moving_model(evaluator(linear(), parameters={"sample_weight": None})) is not None


def test_scalers_may_have_the_weights_of_the_rows():
    behind = make_pipeline(StandardScaler(), linear())
    both = {f"{name}__sample_weight": WEIGHTS for name in dict(behind.steps)}
    asked = evaluator(behind, weights=WEIGHTS, parameters=both)
    moved, anew = moving_model(asked), RefitSubsetModel(asked)
    for model in (moved, anew):
        model.drop(np.array([1, 5]))
        model.fit()
    np.testing.assert_allclose(moved.credit_shares(), anew.credit_shares(), rtol=1e-6)
    np.testing.assert_array_equal(np.concatenate(moved.predict()), np.concatenate(anew.predict()))


@pytest.fixture
def models(monkeypatch):
    """Types of the models that searches asked for."""
    seen = []

    def asked(evaluator, **options):
        model = subset_model(evaluator, **options)
        seen.append(type(model))
        return model

    monkeypatch.setattr(_starts, "subset_model", asked)
    monkeypatch.setattr("infoprop.selection.elimination._moved.subset_model", asked)
    return seen


def support(selector, *arguments, anew=False, **parameters):
    """What a selector chooses; `anew` lets it train its classifiers from nothing."""
    with pytest.MonkeyPatch.context() as patch:
        if anew:
            patch.setattr(_starts, "subset_model", RefitSubsetModel)
            patch.setattr("infoprop.selection.elimination._moved.subset_model", RefitSubsetModel)
        return selector.fit(*arguments, **parameters).ranking_.tolist()


SELECTORS = [
    BackwardEliminationSelector(n_features_to_select=4, random_state=0),
    DirectedSearchSelector(n_features_to_select=4, random_state=0),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=["backward", "directed"])
def test_with_routing_weights_go_where_they_are_requested(models, selector):
    with config_context(enable_metadata_routing=True):
        weighted = linear().set_fit_request(sample_weight=True)
        other = linear().set_fit_request(sample_weight="marks")
        none = linear().set_fit_request(sample_weight=False)
        marks = WEIGHTS[::-1].copy()
        for estimator, moved, given in [
            (weighted, MovingSVC, {"sample_weight": WEIGHTS}),
            (other, RefitSubsetModel, {"sample_weight": WEIGHTS, "marks": marks}),
            (none, RefitSubsetModel, {"sample_weight": WEIGHTS}),
            (make_pipeline(StandardScaler(), weighted), RefitSubsetModel, {"sample_weight": WEIGHTS}),
        ]:
            if isinstance(estimator, Pipeline):
                estimator[0].set_fit_request(sample_weight=True)
            selector.set_params(estimator=estimator)
            found = support(selector, X, Y, **given)
            assert models.pop() is moved
            assert found == support(selector, X, Y, anew=True, **given)


@pytest.mark.parametrize("selector", SELECTORS, ids=["backward", "directed"])
def test_without_routing_weights_go_to_the_last_step(models, selector):
    selector.set_params(estimator=make_pipeline(StandardScaler(), linear()))
    found = support(selector, RAW, Y, sample_weight=WEIGHTS)
    assert models == [MovingSVC]
    assert found == support(selector, RAW, Y, sample_weight=WEIGHTS, anew=True)


@pytest.mark.parametrize("selector", SELECTORS, ids=["backward", "directed"])
def test_rows_without_weight_are_left_out(models, selector):
    weights = np.where(ROWS % 4 == 0, 0.0, WEIGHTS)
    rows = np.where((weights > 0.0)[:, None], X, 1e6)
    selector.set_params(estimator=linear())
    found = support(selector, rows, Y, sample_weight=weights)
    assert models == [MovingSVC]
    assert found == support(selector, rows, Y, sample_weight=weights, anew=True)


@pytest.mark.parametrize("selector", SELECTORS, ids=["backward", "directed"])
def test_parameters_of_fit_are_known_to_the_classifier_alone(models, selector):
    selector.set_params(estimator=Watching(**EXACT))
    selector.fit(X, Y, marks=ROWS)
    assert models == [RefitSubsetModel]


@pytest.mark.parametrize("selector", SELECTORS, ids=["backward", "directed"])
@pytest.mark.parametrize("parameters", [{"C": -1.0}, {"kernel": "rbf", "solver": "cd"}, {"kernel": "cosine"}])
def test_wrong_parameters_are_refused_before_the_search(selector, parameters):
    selector.set_params(estimator=linear(**parameters))
    with pytest.raises(ParameterError):
        selector.fit(X, Y)


RUNS = [
    (
        BackwardEliminationSelector,
        {"n_features_to_select": "auto", "validation": KFold(3, shuffle=True, random_state=0)},
    ),
    (BackwardEliminationSelector, {"n_features_to_select": 3, "step": 3, "criterion": "margin"}),
    (DirectedSearchSelector, {"n_features_to_select": 5, "n_starts": 2}),
]


def learned(kind, parameters, rows, **own):
    """Everything that a search gives, as values that differ if a bit does."""
    fitted = kind(**(parameters | {"random_state": 0} | own)).fit(rows, Y)
    way = fitted.path_ if hasattr(fitted, "path_") else fitted.trace_
    return fitted.support_.tolist(), fitted.ranking_.tolist(), way, fitted.credits_.by_class.tobytes()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("kind", "parameters"), RUNS, ids=["auto", "margin", "directed"])
def test_the_same_search_gives_the_same_bits_again_and_with_more_workers(kind, parameters, kernel):
    machine = OneVsRestSVC(kernel=kernel)
    first = learned(kind, parameters, X, estimator=machine)
    assert learned(kind, parameters, X, estimator=machine) == first
    assert learned(kind, parameters, X, estimator=machine, n_jobs=2) == first
    assert learned(kind, parameters, X, estimator=OneVsRestSVC(kernel=kernel, n_jobs=2)) == first


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("kind", "parameters"), RUNS, ids=["auto", "margin", "directed"])
def test_dense_and_sparse_rows_choose_the_same_in_the_same_order(kind, parameters, kernel):
    machine = linear(kernel=kernel)
    rows = np.where(X > -0.5, X, 0.0)
    dense, csr = (
        learned(kind, parameters, form(rows), estimator=machine) for form in (np.array, sparse.csr_array)
    )
    assert dense[:2] == csr[:2]
    if kind is BackwardEliminationSelector:
        assert dense[2].order.tolist() == csr[2].order.tolist()
    else:
        assert [step.groups.tolist() for step in dense[2]] == [step.groups.tolist() for step in csr[2]]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("kind", "parameters"), RUNS, ids=["auto", "margin", "directed"])
def test_a_shift_of_the_columns_changes_no_choice(kind, parameters, kernel):
    rows = np.round(X[:, :6] * 2**10) / 2**10
    machine = linear(kernel=kernel, gamma=0.2)
    # Folds that are drawn at random depend on the numbers in the rows.
    own = {"estimator": machine, "validation": KFold(3, shuffle=True, random_state=0)}
    here, far = (learned(kind, parameters, rows + shift, **own) for shift in (0.0, 1e8))
    assert here[:2] == far[:2]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_columns_of_extreme_scale_are_moved_as_they_are_trained(loss):
    rows = X[:, :5] * [1e7, 1.0, 1.0, 1.0, 1e-3]
    machine = OneVsRestSVC(kernel="linear", loss=loss)
    found = BackwardEliminationSelector(machine, n_features_to_select=2, validation=3).fit(rows, Y)
    assert found.n_features_ == 2
    assert found.estimator_.score(rows[:, found.support_], Y) > 0.6
