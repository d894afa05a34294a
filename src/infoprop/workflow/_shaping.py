"""Columns shaped for linear machines, and what that brings on rows that took no part in it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix
from infoprop.selection import RowFolds
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from infoprop.workflow._judging import Holdout, Judged, Judging, check_classes, judge, judging_rows
from infoprop.workflow._options import APART, BNS, PROBABILITY, DataOptions, ModelOptions, ShapeOptions
from infoprop.workflow._preparation import Problem
from infoprop.workflow._steps import Steps

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""Costs that both machines choose from, each by inner folds."""

N_INNER_FOLDS = 5


@dataclass(frozen=True)
class ShapingFinding:
    """What shaping made of a table, and what it brings.

    Attributes
    ----------
    raw, shaped : Judged
        What linear machines say of the rows that judge, on columns as they are and as they are shaped.
    shaper : FeatureShaper, LocalProbabilityShaper or BNSScaler
        Fitted on the rows that are learned from.
    labels : tuple of str
        Classes that the columns are shaped for.
    names : tuple of str
        The columns of numbers.
    raw_scores, shaped_scores : ndarray of shape (n_labels, n_columns)
        Bi-normal separation by the best threshold, on values as they are and as they are shaped.
    X : ndarray or CSR of shape (n_rows, n_labels * n_columns)
        All rows, shaped.
    X_names : tuple of str
        Names of its columns.
    is_test : ndarray of bool of shape (n_rows,), or None
        Rows that the shapes were not learned from; None if there are none.
    model : classifier or None
        Trained on all rows, if asked for.
    """

    raw: Judged
    shaped: Judged
    shaper: Any
    labels: tuple[str, ...]
    names: tuple[str, ...]
    raw_scores: FloatArray
    shaped_scores: FloatArray
    X: Matrix
    X_names: tuple[str, ...]
    is_test: BoolArray | None
    model: BaseEstimator | None

    @property
    def ranking(self) -> FloatArray:
        """The scores that the columns are ranked by: those of the values that a machine gets to see."""
        return self.raw_scores if isinstance(self.shaper, BNSScaler) else self.shaped_scores


def one_against_the_rest(problem: Problem, positive: str | None) -> Problem:
    """Return the problem of telling one class from all others, if one is named.

    Its classes are the label and "not label". It has a target of its own: a model of it does not know the
    classes of the table's target.
    """
    if positive is None:
        return problem
    labels = {str(label): label for label in np.unique(problem.y).tolist()}
    if positive not in labels:
        raise ParameterError(
            f"--positive {positive} is not among the classes of {problem.target!r}: {', '.join(labels)}."
        )
    is_positive = problem.y == labels[positive]
    return replace(
        problem,
        y=np.where(is_positive, positive, f"not {positive}"),
        target=f"{problem.target}={positive}",
    )


def shape_problem(
    problem: Problem,
    data: DataOptions,
    model: ModelOptions,
    options: ShapeOptions,
    steps: Steps,
    *,
    with_model: bool,
) -> ShapingFinding:
    """Learn the shapes, and judge linear machines on raw and on shaped columns.

    Parameters
    ----------
    problem : Problem
        Of several classes, or of one against the rest.
    data, model, options
        How columns become numbers, which rows judge, how values are shaped.
    steps : Steps
        Told what is being done.
    with_model : bool
        Whether to train a classifier on all rows as well.
    """
    check_classes(problem, model)
    judging = judging_rows(problem, model)
    X, y = problem.X, problem.y
    n_rows, n_columns = X.shape
    steps.begin(f"training on raw columns ({n_rows:,} rows, {n_columns:,} columns)")
    raw = judge(raw_classifier(problem, data, model), X, y, judging, model.jobs, steps.watch)
    steps.begin("training on shaped columns")
    estimator = shaped_classifier(data, model, options)
    shaped = judge(estimator, X, y, judging, model.jobs, steps.watch)
    steps.begin("learning the shapes")
    learned = _learned(problem, data, model, options, judging)
    trained = None
    if with_model:
        steps.begin("training on all rows")
        trained = clone(estimator).fit(X, y)
        trained = getattr(trained, "best_estimator_", trained)
    return ShapingFinding(raw=raw, shaped=shaped, model=trained, **learned)


def raw_classifier(problem: Problem, data: DataOptions, model: ModelOptions) -> BaseEstimator:
    """Linear machines on the columns as they are, C chosen by inner folds."""
    # Where gaps are values of their own, raw columns still need something there.
    steps: list[Any] = [_imputer("mean" if data.impute == APART else data.impute)]
    if data.is_scaled:
        steps.append(MaxAbsScaler() if problem.is_sparse else StandardScaler())
    pipeline = make_pipeline(*filter(None, steps), OneVsRestSVC(kernel="linear"))
    return _with_chosen_cost(pipeline, "onevsrestsvc__C", model)


def shaped_classifier(data: DataOptions, model: ModelOptions, options: ShapeOptions) -> BaseEstimator:
    """Linear machines on shaped columns, C chosen by inner folds."""
    imputer = None if data.impute == APART else _imputer(data.impute)
    if options.method == BNS:
        one = make_pipeline(*filter(None, [imputer]), BNSScaler(), OneVsRestSVC(kernel="linear"))
        return _with_chosen_cost(OneVsRestClassifier(one), "estimator__onevsrestsvc__C", model)
    shaper = FeatureShaper(window=options.window, policy=options.policy, missing=_missing(data))
    if options.method == PROBABILITY:
        shaper.set_params(scaling=None, norm=None)
    machines = ShapedLinearClassifier(
        shaper, Cs=COSTS, validation=N_INNER_FOLDS, random_state=model.seed, n_jobs=model.jobs
    )
    return make_pipeline(imputer, machines) if imputer is not None else machines


def _with_chosen_cost(pipeline: BaseEstimator, parameter: str, model: ModelOptions) -> GridSearchCV:
    return GridSearchCV(pipeline, {parameter: COSTS}, cv=RowFolds(N_INNER_FOLDS, random_state=model.seed))


def _imputer(impute: str | None) -> SimpleImputer | None:
    return None if impute is None else SimpleImputer(strategy=impute, keep_empty_features=True)


def _missing(data: DataOptions) -> Any:
    return "bin" if data.impute == APART else "error"


def _learned(
    problem: Problem, data: DataOptions, model: ModelOptions, options: ShapeOptions, judging: Judging
) -> dict[str, Any]:
    """The shapes and what follows from them, learned from the rows that do not judge."""
    X, y = problem.X, problem.y
    is_test = None
    rows = np.arange(len(y))
    if isinstance(judging, Holdout):
        rows = judging.train
        is_test = np.zeros(len(y), dtype=np.bool_)
        is_test[judging.judge] = True
    is_apart = data.impute == APART
    X = X if is_apart else _filled(X, rows, data.impute)
    # Bi-normal separation asks on which side of a threshold a value lies, and a gap lies on neither.
    without_gaps = _filled(X, rows, "mean") if is_apart else X
    common: dict[str, Any] = {
        "multiclass": "ovr",
        "positive_label": options.positive,
        "n_jobs": model.jobs,
    }
    local: dict[str, Any] = {"window": options.window, "missing": _missing(data), **common}
    whole = FeatureShaper(policy=options.policy, **local).fit(X[rows], y[rows])
    scaler = BNSScaler(**common).fit(without_gaps[rows], y[rows])
    shaper: Any = scaler if options.method == BNS else whole
    if options.method == PROBABILITY:
        shaper = LocalProbabilityShaper(**local).fit(X[rows], y[rows])
    assert problem.coding is not None  # the problem was a table
    names = problem.coding.column_names
    return {
        "shaper": shaper,
        "labels": _labels(shaper),
        "names": names,
        "raw_scores": np.atleast_2d(scaler.scores_),
        "shaped_scores": np.atleast_2d(whole.scores_),
        "X": shaper.transform(X),
        "X_names": tuple(str(name) for name in shaper.get_feature_names_out(list(names))),
        "is_test": is_test,
    }


def _filled(X: Matrix, rows: IntArray, impute: str | None) -> Matrix:
    imputer = _imputer(impute)
    return X if imputer is None else imputer.fit(X[rows]).transform(X)


def _labels(shaper: Any) -> tuple[str, ...]:
    if len(shaper.shapes_) > 1:
        return tuple(str(label) for label in shaper.classes_.tolist())
    positive = shaper.classes_[1] if shaper.positive_label is None else shaper.positive_label
    return (str(positive),)
