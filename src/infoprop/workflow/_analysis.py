"""The work itself: one training, credits, a choice, and what the chosen features deliver alone."""

from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import check_cv

from infoprop._core._exceptions import Parameter, ParameterError, UnsupportedEstimatorError
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit import FeatureCredits, credit_features
from infoprop.credit._features import cross_val_credits_and_area
from infoprop.metrics import InformationFlow
from infoprop.metrics._area import area_under_curve
from infoprop.report._selectors import interactions_in, search_parts
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    FeatureSelector,
    ForwardBeamSelector,
    GeneticSelector,
    KnockoffSelector,
    StabilitySelector,
)
from infoprop.workflow._classifiers import tells_row_terms
from infoprop.workflow._finding import Finding, Measure
from infoprop.workflow._judging import (
    Holdout,
    Judging,
    Watch,
    check_classes,
    fit_groups,
    judge,
    judging_rows,
)
from infoprop.workflow._pair_selectors import name_columns, pair_search, with_known_columns
from infoprop.workflow._preparation import Problem
from infoprop.workflow._request import Task
from infoprop.workflow._steps import Steps
from infoprop.workflow._workers import quiet_workers


def find(problem: Problem, task: Task, steps: Steps) -> Finding:
    """Credit the features of `problem`, and choose among them if `task` has a selector."""
    request = task.request
    if isinstance(task.selector, FeatureSelector) and not request.scale:
        raise ParameterError(
            "A choice without a method scales the columns; name a method to take them as they are."
        )
    check_classes(problem, request.validation, task.estimator)
    check_size(problem, task)
    judging = judging_rows(problem, request.validation, request.random_state)
    n_rows, n_columns = problem.X.shape
    size = f"{n_rows:,} rows, {n_columns:,} columns"
    if task.selector is None:
        steps.begin(f"training on {size}")
        credits, auc = _credits(problem, task, judging)
        return Finding(
            credits.flow,
            credits.feature_names,
            credits,
            markers=_markers(credits, request.per_class),
            auc=auc,
        )
    begin = steps.begin_aside if task.is_search else steps.begin
    begin(f"searching on {size}" if task.is_search else f"training on {size}")
    if task.is_pairwise:
        return _pairs_finding(problem, task, judging, steps)
    selector = task.told_of(problem, verbose=int(steps.is_shown))
    _fit(selector, problem, task, judging)
    steps.begin("training again on the chosen features")
    return _finding(selector, problem, task.with_classifier_of(selector), judging, steps.watch)


def trained_model(
    problem: Problem, estimator: BaseEstimator, finding: Finding, rows: IntArray | None = None
) -> BaseEstimator:
    """Return `estimator` trained on all rows of `problem`, or on some, with the features that were chosen."""
    X, y = (problem.X, problem.y) if rows is None else (problem.X[rows], problem.y[rows])
    if finding.pairs is not None:
        model = with_known_columns(estimator, finding.pairs)
        model.fit(X, y, **fit_groups(model, problem, rows))
        # What was searched is known by now, and no business of the trained classifier.
        name_columns(model, problem.column_names).set_params(selector=None)
        return model
    chosen = X[:, chosen_columns(problem, finding.used)]
    model = clone(or_constant(estimator, chosen))
    return model.fit(chosen, y, **fit_groups(model, problem, rows))


def or_constant(estimator: BaseEstimator, X: Any) -> BaseEstimator:
    """Return `estimator`, or, for rows without columns, what knows the rates of the classes alone."""
    return estimator if X.shape[1] else DummyClassifier(strategy="prior")


def chosen_columns(problem: Problem, selected: BoolArray | None) -> IntArray:
    """Numbers of the columns that belong to the chosen features; all if there was no choice."""
    if selected is None:
        return np.arange(len(problem.owners))
    names = dict.fromkeys(problem.owners)
    chosen = {name for name, is_chosen in zip(names, selected, strict=True) if is_chosen}
    return np.flatnonzero([owner in chosen for owner in problem.owners])


def check_size(problem: Problem, task: Task) -> None:
    """Refuse to choose more features than there are."""
    n_features, count = problem.n_features, getattr(task.selector, "n_features_to_select", None)
    if isinstance(count, int) and count > n_features:
        raise ParameterError(
            Parameter("n_features_to_select", "n_features_to_select"),
            f" {count} asks for more features than the {n_features} there are.",
        )


def _check_threshold(credits: FeatureCredits, selector: Any) -> None:
    name, bits = credits.top(1)[0]
    threshold = getattr(selector, "threshold", None)
    if threshold is not None and bits < threshold:
        raise ParameterError(
            "No feature is worth ",
            Parameter("threshold", "threshold"),
            f" {threshold:g} bits; the best, {name!r}, has {bits:.4g}.",
        )


def _credits(
    problem: Problem, task: Task, judging: Judging, *, n_null: int | None = None
) -> tuple[FeatureCredits, float | None]:
    """Credits of the features of `problem`, and the area under the ROC curve.

    Without a holdout they come from one training for each fold, and the area is the mean of the folds'.
    """
    X, y, request = problem.X, problem.y, task.request
    n_null = request.n_null if n_null is None else n_null
    how: dict[str, Any] = {"sharing": request.sharing, "groups": list(problem.owners)}
    if n_null > 0 and tells_row_terms(task.estimator):
        how |= {"null": "shuffled", "n_null": n_null, "random_state": request.random_state}
    if isinstance(judging, Holdout):
        told = fit_groups(task.estimator, problem, judging.train)
        fitted = clone(task.estimator).fit(X[judging.train], y[judging.train], **told)
        rows, labels = X[judging.judge], y[judging.judge]
        return credit_features(fitted, rows, labels, **how), area_under_curve(fitted, rows, labels)
    with nullcontext() if request.n_jobs in (None, 1) else quiet_workers():
        return cross_val_credits_and_area(
            task.estimator,
            X,
            y,
            validation=judging,
            row_groups=problem.row_groups,
            n_jobs=request.n_jobs,
            **how,
        )


def _fit(selector: Any, problem: Problem, task: Task, judging: Judging) -> None:
    X, y = problem.X, problem.y
    if isinstance(judging, Holdout):
        train, rows = judging.train, judging.judge
        # Who counts errors on the training rows, or none, leaves the judging rows untouched.
        is_given = task.has_validation and not task.counts_apart
        given = {"X_val": X[rows], "y_val": y[rows]} if is_given else {}
        selector.fit(X[train], y[train], **given, **fit_groups(selector, problem, train))
    else:
        if task.has_validation:
            selector.set_params(validation=judging)
        selector.fit(X, y, **fit_groups(selector, problem))


def _finding(selector: Any, problem: Problem, task: Task, judging: Judging, watch: Watch) -> Finding:
    credits = None
    if isinstance(selector, BackwardEliminationSelector):
        credits = selector.credits_.grouped(list(problem.owners))
    else:
        # A classifier need not tell what a feature is worth to be searched for.
        with suppress(UnsupportedEstimatorError):
            # By covariance these are the credits that were chosen by: same rows, same training.
            credits, _ = _credits(problem, task, judging)
    if isinstance(selector, CreditSelector) and credits is not None:
        _check_threshold(credits, selector)
    jobs = task.request.n_jobs
    if credits is None:
        flow = judge(task.estimator, problem, judging, jobs, watch).flow
    else:
        flow = credits.flow
    names = tuple(dict.fromkeys(problem.owners))
    first = [problem.owners.index(name) for name in names]
    retrained, chosen_credits, auc = _retrained(problem, selector, task, judging, watch)
    return Finding(
        flow,
        names,
        credits,
        np.asarray(selector.support_[first]),
        retrained,
        None if isinstance(selector, CreditSelector) else selector.ranking_[first],
        _measure(selector),
        search_parts(selector) | _interactions(selector, problem, judging),
        q_values=_q_values(selector, first),
        selector=selector,
        chosen_credits=chosen_credits,
        judged_on=_judged_on(task, judging),
        auc=auc,
        markers=_markers(credits, getattr(selector, "per_class", None)),
    )


def _interactions(selector: Any, problem: Problem, judging: Judging) -> dict[str, Any]:
    """Pairs of columns that work together, where several searches were tried; by the rows that chose."""
    if not isinstance(selector, FeatureSelector):
        return {}
    rows = judging.train if isinstance(judging, Holdout) else np.arange(len(problem.y))
    X = problem.X[rows]
    if selector.impute is not None:
        X = SimpleImputer(strategy=selector.impute, keep_empty_features=True).fit_transform(X)
    return interactions_in(X, problem.y[rows])


def _markers(credits: FeatureCredits | None, per_class: int | None) -> dict[Any, Any]:
    return {} if credits is None or per_class is None else credits.markers(per_class)


def _judged_on(task: Task, judging: Judging) -> str:
    """Whether the judging rows helped to choose: folds always do, rows held out if the search counts them."""
    is_apart = isinstance(judging, Holdout) and (not task.has_validation or task.counts_apart)
    return "unseen" if is_apart else "choice"


def _q_values(selector: Any, first: list[int]) -> FloatArray | None:
    controls = isinstance(selector, StabilitySelector | KnockoffSelector)
    return selector.q_values_[first] if controls else None


def _retrained(
    problem: Problem, selector: Any, task: Task, judging: Judging, watch: Watch
) -> tuple[InformationFlow, FeatureCredits | None, float | None]:
    """What the classifier trained on the chosen columns alone delivers on the judging rows.

    Also what each chosen feature is worth then (None for a classifier that does not tell; without a noise
    floor, which rows that helped to choose cannot give), and the area under the ROC curve.
    """
    X, y = problem.X, problem.y
    columns = np.flatnonzero(selector.support_)
    reduced = X[:, columns]
    if not isinstance(judging, Holdout):
        # Folds are dealt by what is in the rows; with fewer columns they would be others than those that
        # all features, and every size of an elimination, were judged by.
        judging = cast(Judging, check_cv(list(judging.split(X, y, problem.row_groups))))
    if len(columns):
        alone = replace(problem, X=reduced, owners=tuple(problem.owners[column] for column in columns))
        with suppress(UnsupportedEstimatorError):
            credits, auc = _credits(alone, task, judging, n_null=0)
            return credits.flow, credits, auc
    if isinstance(judging, Holdout):
        rows, labels = X[judging.judge], y[judging.judge]
        flow = InformationFlow.from_predictions(labels, selector.predict(rows))
        return flow, None, area_under_curve(selector, rows, labels) if len(columns) else None
    estimator = or_constant(getattr(selector, "estimator", task.estimator), reduced)
    jobs = task.request.n_jobs
    judged = judge(estimator, replace(problem, X=reduced), judging, jobs, watch)
    return judged.flow, None, judged.area if len(columns) else None


def _measure(selector: Any) -> Measure | None:
    if isinstance(selector, ForwardBeamSelector):
        return Measure("best with it", selector.trace_.best_with)
    if isinstance(selector, GeneticSelector):
        last = selector.trace_[-1].population[:, 0]
        return Measure("last generation", last.mean(axis=0))
    return None


def _pairs_finding(problem: Problem, task: Task, judging: Judging, steps: Steps) -> Finding:
    """Search features for every pair of classes."""
    X, y, jobs = problem.X, problem.y, task.request.n_jobs
    train = judging.train if isinstance(judging, Holdout) else np.arange(len(y))
    n_folds = {} if isinstance(judging, Holdout) else {"n_folds": judging.n_splits}
    verbose = int(steps.is_shown)
    search = pair_search(task.selector, problem, task.estimator, verbose=verbose, **n_folds)
    fitted = search.fit(X[train], y[train], **fit_groups(search, problem, train))
    steps.begin("training again on the chosen features")
    if isinstance(judging, Holdout):
        rows = judging.judge
        retrained = InformationFlow.from_predictions(y[rows], fitted.predict(X[rows]))
        auc = area_under_curve(fitted, X[rows], y[rows])
    else:
        known = with_known_columns(task.estimator, fitted)
        judged = judge(known, problem, judging, jobs, steps.watch)
        retrained, auc = judged.flow, judged.area
    flow = judge(task.estimator, problem, judging, jobs, steps.watch).flow
    pairs = name_columns(fitted, problem.column_names)
    names = tuple(dict.fromkeys(problem.owners))
    uses = np.array(
        [pairs.pairs_.support[:, [owner == name for owner in problem.owners]].any(axis=1) for name in names]
    )
    searches = {"pairs": pairs, "evolution": getattr(pairs, "trace_", None)}
    measure = Measure("pairs", uses.sum(axis=1).astype(np.float64), is_count=True)
    return Finding(
        flow,
        names,
        None,
        np.asarray(uses.any(axis=1)),
        retrained,
        None,
        measure,
        searches,
        pairs,
        judged_on="unseen" if isinstance(judging, Holdout) else "choice",
        auc=auc,
    )
