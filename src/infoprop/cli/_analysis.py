"""The work itself: one training, credits, a choice, and what the chosen features deliver alone."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._typing import BoolArray, IntArray
from infoprop.cli._choice import ANGLE, Choice
from infoprop.cli._options import ModelOptions
from infoprop.cli._preparation import Problem
from infoprop.cli._searching import Selector, selector_for
from infoprop.credit import FeatureCredits, credit_features, credit_shares
from infoprop.metrics import InformationFlow
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    SearchTrace,
    SelectionPath,
)

Begin = Callable[[str], None]
"""Told the name of every step when it begins."""


@dataclass(frozen=True)
class Finding:
    """What came out: credits per feature, and after a choice which were chosen and what they deliver.

    Attributes
    ----------
    credits : FeatureCredits
        With all features there.
    selected : ndarray of bool of shape (n_features,), or None
        The features chosen.
    retrained : InformationFlow or None
        What they deliver alone.
    places : ndarray of shape (n_features,), or None
        1 for chosen features, then in the order in which the search would have kept them.
    path, trace : SelectionPath, SearchTrace or None
        What a search went through.
    """

    credits: FeatureCredits
    selected: BoolArray | None = None
    retrained: InformationFlow | None = None
    places: IntArray | None = None
    path: SelectionPath | None = None
    trace: SearchTrace | None = None


@dataclass(frozen=True)
class Holdout:
    """Rows to learn from, and other rows to judge by."""

    train: IntArray
    judge: IntArray


Judging: TypeAlias = Holdout | StratifiedKFold
"""Rows set apart, or folds that take turns."""


def analyse(
    problem: Problem,
    estimator: BaseEstimator,
    options: ModelOptions,
    choice: Choice | None,
    begin: Begin,
    *,
    verbose: int = 0,
) -> Finding:
    """Credit the features of `problem`, and choose among them if `choice` says how.

    Parameters
    ----------
    problem : Problem
        What is learned from.
    estimator : classifier
        Not yet trained.
    options : ModelOptions
        Which rows judge it.
    choice : Choice or None
        How features are chosen; None leaves it at credits.
    begin : callable
        Told the name of every step.
    verbose : int
        1 lets a search show its own progress.
    """
    check_classes(problem, options)
    _check_choice(problem, choice)
    judging = judging_rows(problem, options)
    n_rows, n_columns = problem.X.shape
    size = f"{n_rows:,} rows, {n_columns:,} columns"
    begin(f"searching on {size}" if choice is not None and choice.is_search else f"training on {size}")
    if choice is None:
        return Finding(_credits(problem, estimator, judging, options.jobs).grouped(list(problem.owners)))
    selector = selector_for(choice, problem, estimator, options, verbose=verbose)
    _fit(selector, problem, choice, judging)
    begin("training again on the chosen features")
    credits = _credits_of(selector, problem, estimator, judging, options)
    _check_threshold(credits, choice)
    first = [problem.owners.index(name) for name in credits.feature_names]
    return Finding(
        credits,
        selector.support_[first],
        _judge(problem, selector, judging, options.jobs),
        None if isinstance(selector, CreditSelector) else selector.ranking_[first],
        getattr(selector, "path_", None),
        getattr(selector, "trace_", None),
    )


def check_classes(problem: Problem, options: ModelOptions) -> None:
    """Refuse a target that holds no classes, and rows too few to both learn from and judge by."""
    counts = Counter(problem.y.tolist())
    name = problem.target
    if len(counts) < 2:
        only = next(iter(counts), None)
        raise DataError(
            f"Column {name!r} holds a single class ({only!r}); telling classes apart takes at least two."
        )
    single = [label for label, count in counts.items() if count == 1]
    if len(single) > max(2, len(counts) / 2):
        raise DataError(
            f"Column {name!r} holds {len(counts):,} distinct values in {len(problem.y):,} rows, most of them "
            "once: that looks like a number or a name, not a class."
        )
    _check_sizes(counts, options)


def _check_sizes(counts: Counter[object], options: ModelOptions) -> None:
    n_rows, n_classes = counts.total(), len(counts)
    how = options.validation
    if isinstance(how, int) and how > max(counts.values()):
        raise ParameterError(f"--validation {how} asks for more folds than the largest class has rows.")
    if isinstance(how, float):
        n_judging = ceil(how * n_rows)
        if min(n_judging, n_rows - n_judging) < n_classes:
            raise ParameterError(
                f"--validation {how:g} sets {n_judging} of {n_rows} rows apart; {n_classes} classes need at "
                f"least {n_classes} rows on each side."
            )


def _check_choice(problem: Problem, choice: Choice | None) -> None:
    n_features = problem.n_features
    if choice is not None and isinstance(choice.count, int) and choice.count > n_features:
        raise ParameterError(f"-k {choice.count} asks for more features than the {n_features} there are.")


def _check_threshold(credits: FeatureCredits, choice: Choice) -> None:
    name, bits = credits.top(1)[0]
    if choice.threshold is not None and bits < choice.threshold:
        raise ParameterError(
            f"No feature is worth --threshold {choice.threshold:g} bits; the best, {name!r}, has {bits:.4g}."
        )


def judging_rows(problem: Problem, options: ModelOptions) -> Judging:
    """Decide which rows judge: those of a split column, a random part, or all of them in turn (folds)."""
    how = options.validation
    rows = np.arange(len(problem.y))
    if problem.is_test is not None:
        if len(set(problem.y[~problem.is_test].tolist())) < 2:
            raise DataError("The training rows of the split column hold a single class.")
        return Holdout(rows[~problem.is_test], rows[problem.is_test])
    if isinstance(how, int):
        return StratifiedKFold(how, shuffle=True, random_state=options.seed)
    counts = Counter(problem.y.tolist())
    # A class with a single row can be learned or judged, not both; it is learned.
    is_shared = np.array([counts[label] > 1 for label in problem.y.tolist()])
    train, judge = train_test_split(
        rows[is_shared], test_size=how, stratify=problem.y[is_shared], random_state=options.seed
    )
    return Holdout(np.sort(np.concatenate([train, rows[~is_shared]])), np.sort(judge))


def _credits(
    problem: Problem, estimator: BaseEstimator, judging: Judging, jobs: int | None
) -> FeatureCredits:
    """Credits of the columns of `problem`, from one training (and one per fold, if there are folds)."""
    X, y = problem.X, problem.y
    if isinstance(judging, Holdout):
        fitted = clone(estimator).fit(X[judging.train], y[judging.train])
        return credit_features(fitted, X[judging.judge], y[judging.judge])
    predicted = cross_val_predict(clone(estimator), X, y, cv=judging, n_jobs=jobs)
    fitted = clone(estimator).fit(X, y)
    return FeatureCredits.from_predictions(
        y,
        predicted,
        classes=fitted.classes_,
        shares=credit_shares(fitted, X),
        feature_names=[f"x{column}" for column in range(X.shape[1])],
    )


def _fit(selector: Selector, problem: Problem, choice: Choice, judging: Judging) -> None:
    X, y = problem.X, problem.y
    if isinstance(judging, Holdout):
        train, judge = judging.train, judging.judge
        # Gradient angles count no errors, so that the judging rows stay untouched.
        given = {} if choice.method == ANGLE else {"X_val": X[judge], "y_val": y[judge]}
        selector.fit(X[train], y[train], **given)
    else:
        if choice.method != ANGLE:
            selector.set_params(validation=judging)
        selector.fit(X, y)


def _credits_of(
    selector: Selector, problem: Problem, estimator: BaseEstimator, judging: Judging, options: ModelOptions
) -> FeatureCredits:
    """Credits of the features when all are there, which not every selector has."""
    if isinstance(selector, CreditSelector | BackwardEliminationSelector):
        credits = selector.credits_
    else:
        credits = _credits(problem, estimator, judging, options.jobs)
    return credits.grouped(list(problem.owners))


def _judge(problem: Problem, selector: Selector, judging: Judging, jobs: int | None) -> InformationFlow:
    """Information delivered by the classifier trained on the chosen columns alone, on the judging rows."""
    X, y = problem.X, problem.y
    if isinstance(judging, Holdout):
        judge = judging.judge
        return InformationFlow.from_predictions(y[judge], selector.predict(X[judge]))
    reduced = X[:, np.flatnonzero(selector.support_)]
    predicted = cross_val_predict(clone(selector.estimator), reduced, y, cv=judging, n_jobs=jobs)
    return InformationFlow.from_predictions(y, predicted)
