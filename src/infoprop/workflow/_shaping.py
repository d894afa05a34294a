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

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix
from infoprop.selection import RowFolds
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from infoprop.workflow._judging import (
    Holdout,
    Judged,
    Judging,
    check_classes,
    fit_groups,
    judge,
    judging_rows,
)
from infoprop.workflow._options import APART, BNS, PROBABILITY, SHAPE
from infoprop.workflow._preparation import Problem
from infoprop.workflow._problems import problem_of
from infoprop.workflow._request import Request
from infoprop.workflow._steps import Steps

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""Costs that both machines choose from, each by inner folds."""

N_INNER_FOLDS = 5


@dataclass(frozen=True)
class ShapingRequest:
    """The parameters of :func:`shape_table`, which explains them."""

    method: str = SHAPE
    positive: str | None = None
    window: Any = 15
    policy: Any = "all"
    validation: Any = 0.25
    impute: str | None = None
    missing_apart: bool = False
    scale: bool = True
    min_df: int = 2
    ngrams: int = 1
    row_groups: Any = None
    random_state: int = 0
    n_jobs: int | None = None

    @property
    def coding(self) -> Request:
        """How columns become numbers; gaps that are values of their own are left to the shapes."""
        impute = APART if self.missing_apart else self.impute
        return Request(
            validation=self.validation,
            impute=impute,
            min_df=self.min_df,
            ngrams=self.ngrams,
            row_groups=self.row_groups,
        )

    @property
    def missing(self) -> Any:
        """What a shaper makes of a gap."""
        return "bin" if self.missing_apart else "error"


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

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.workflow import shape_table
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> found = shape_table(X, X[:, 0] > 0)
    >>> found.names, found.X.shape, int(found.is_test.sum())
    (('x0', 'x1', 'x2'), (60, 3), 15)
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
            Parameter("positive", "positive"),
            f" {positive} is not among the classes of {problem.target!r}: {', '.join(labels)}.",
        )
    is_positive = problem.y == labels[positive]
    return replace(
        problem,
        y=np.where(is_positive, positive, f"not {positive}"),
        target=f"{problem.target}={positive}",
    )


def shape_table(
    data: Any,
    target: Any = None,
    *,
    method: str = SHAPE,
    positive: str | None = None,
    window: Any = 15,
    policy: Any = "all",
    validation: Any = 0.25,
    impute: str | None = None,
    missing_apart: bool = False,
    scale: bool = True,
    min_df: int = 2,
    ngrams: int = 1,
    row_groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> ShapingFinding:
    """Shape the columns of a table for linear machines, and see what that brings, as ``infoprop shape`` does.

    Parameters
    ----------
    data, target
        As in :func:`analyse`.
    method : {"shape", "probability", "bns"}, default="shape"
        What becomes of a value: its probability of the class, stretched to its bi-normal separation (BNS);
        the probability alone; or the value, stretched.
    positive : str or None, default=None
        The class to tell from all others; None for each of them.
    window : float or "auto", default=15
        Rows on each side that a probability is estimated from.
    policy : {"all", "auto"}, default="all"
        Shape all columns, or only those that gain.
    validation
        As in :func:`analyse`.
    impute, scale, min_df, ngrams, row_groups, random_state, n_jobs
        As in :func:`analyse`.
    missing_apart : bool, default=False
        Whether a missing number is a value of its own, instead of `impute`.

    Returns
    -------
    ShapingFinding
        The shaped rows, the shapes, and what linear machines deliver on raw and on shaped columns.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.workflow import shape_table
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> found = shape_table(X, np.abs(X[:, 0]) > 0.7, positive="True")
    >>> bool(found.shaped.flow.accuracy > found.raw.flow.accuracy + 0.2)
    True
    """
    if missing_apart and impute is not None:
        raise ParameterError(
            Parameter("missing_apart"), " leaves nothing to fill; leave out it or ", Parameter("impute"), "."
        )
    request = ShapingRequest(
        method,
        positive,
        window,
        policy,
        validation,
        impute,
        missing_apart,
        scale,
        min_df,
        ngrams,
        row_groups,
        random_state,
        n_jobs,
    )
    whole, _ = problem_of(data, target, request.coding)
    return shape_problem(one_against_the_rest(whole, positive), request, Steps())


def shape_problem(
    problem: Problem, request: ShapingRequest, steps: Steps, *, with_model: bool = False
) -> ShapingFinding:
    """Learn the shapes, and judge linear machines on raw and on shaped columns.

    Parameters
    ----------
    problem : Problem
        Of several classes, or of one against the rest.
    request : ShapingRequest
        How columns become numbers, which rows judge, how values are shaped.
    steps : Steps
        Told what is being done.
    with_model : bool
        Whether to train a classifier on all rows as well.
    """
    estimator = shaped_classifier(request)
    check_classes(problem, request.validation, estimator)
    judging = judging_rows(problem, request.validation, request.random_state)
    X, y, jobs = problem.X, problem.y, request.n_jobs
    n_rows, n_columns = X.shape
    steps.begin(f"training on raw columns ({n_rows:,} rows, {n_columns:,} columns)")
    raw = judge(raw_classifier(problem, request), problem, judging, jobs, steps.watch)
    steps.begin("training on shaped columns")
    shaped = judge(estimator, problem, judging, jobs, steps.watch)
    steps.begin("learning the shapes")
    learned = _learned(problem, request, judging)
    trained = None
    if with_model:
        steps.begin("training on all rows")
        trained = clone(estimator).fit(X, y, **fit_groups(estimator, problem))
        trained = getattr(trained, "best_estimator_", trained)
    return ShapingFinding(raw=raw, shaped=shaped, model=trained, **learned)


def raw_classifier(problem: Problem, request: ShapingRequest) -> BaseEstimator:
    """Linear machines on the columns as they are, C chosen by inner folds."""
    # Where gaps are values of their own, raw columns still need something there.
    steps: list[Any] = [_imputer("mean" if request.missing_apart else request.impute)]
    if request.scale:
        steps.append(MaxAbsScaler() if problem.is_sparse else StandardScaler())
    pipeline = make_pipeline(*filter(None, steps), OneVsRestSVC(kernel="linear"))
    return _with_chosen_cost(pipeline, "onevsrestsvc__C", request)


def shaped_classifier(request: ShapingRequest) -> BaseEstimator:
    """Linear machines on shaped columns, C chosen by inner folds."""
    imputer = _imputer(request.impute)
    if request.method == BNS:
        one = make_pipeline(*filter(None, [imputer]), BNSScaler(), OneVsRestSVC(kernel="linear"))
        return _with_chosen_cost(OneVsRestClassifier(one), "estimator__onevsrestsvc__C", request)
    shaper = FeatureShaper(
        window=request.window,
        policy=request.policy,
        missing=request.missing,
    )
    if request.method == PROBABILITY:
        shaper.set_params(scaling=None, norm=None)
    machines = ShapedLinearClassifier(
        shaper, Cs=COSTS, validation=N_INNER_FOLDS, random_state=request.random_state, n_jobs=request.n_jobs
    )
    return make_pipeline(imputer, machines) if imputer is not None else machines


def _with_chosen_cost(pipeline: BaseEstimator, parameter: str, request: ShapingRequest) -> GridSearchCV:
    return GridSearchCV(
        pipeline, {parameter: COSTS}, cv=RowFolds(N_INNER_FOLDS, random_state=request.random_state)
    )


def _imputer(impute: str | None) -> SimpleImputer | None:
    return None if impute is None else SimpleImputer(strategy=impute, keep_empty_features=True)


def _learned(problem: Problem, request: ShapingRequest, judging: Judging) -> dict[str, Any]:
    """The shapes and what follows from them, learned from the rows that do not judge."""
    X, y = problem.X, problem.y
    is_test = None
    rows = np.arange(len(y))
    if isinstance(judging, Holdout):
        rows = judging.train
        is_test = np.zeros(len(y), dtype=np.bool_)
        is_test[judging.judge] = True
    is_apart = request.missing_apart
    X = X if is_apart else _filled(X, rows, request.impute)
    # Bi-normal separation asks on which side of a threshold a value lies, and a gap lies on neither.
    without_gaps = _filled(X, rows, "mean") if is_apart else X
    common: dict[str, Any] = {
        "multiclass": "ovr",
        "positive_label": request.positive,
        "n_jobs": request.n_jobs,
    }
    local: dict[str, Any] = {"window": request.window, "missing": request.missing, **common}
    whole = FeatureShaper(policy=request.policy, **local).fit(X[rows], y[rows])
    scaler = BNSScaler(**common).fit(without_gaps[rows], y[rows])
    shaper: Any = scaler if request.method == BNS else whole
    if request.method == PROBABILITY:
        shaper = LocalProbabilityShaper(**local).fit(X[rows], y[rows])
    names = problem.column_names
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
