"""The work itself: one training, credits, a choice, and what the chosen features deliver alone."""

from contextlib import nullcontext
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier

from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit import FeatureCredits, credit_features, cross_val_credits
from infoprop.metrics import InformationFlow
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    KnockoffSelector,
    StabilitySelector,
)
from infoprop.workflow._choice import CREDITED, RULES, Choice
from infoprop.workflow._classifier_names import PAIRWISE
from infoprop.workflow._finding import Finding, Measure
from infoprop.workflow._judging import Holdout, Judging, Watch, check_classes, judge, judging_rows
from infoprop.workflow._options import AUTO, ModelOptions, draws_noise
from infoprop.workflow._pair_selectors import name_columns, pair_search, with_known_columns
from infoprop.workflow._preparation import Problem
from infoprop.workflow._selectors import Selector, selector_for
from infoprop.workflow._steps import Steps
from infoprop.workflow._workers import quiet_workers


def analyse(
    problem: Problem,
    estimator: BaseEstimator,
    options: ModelOptions,
    choice: Choice | None,
    steps: Steps,
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
        Which classifier it is, and which rows judge it.
    choice : Choice or None
        How features are chosen; None leaves it at credits.
    steps : Steps
        Told what is being done.
    verbose : int
        1 lets a search show its own progress.
    """
    check_classes(problem, options)
    check_choice(problem, choice)
    judging = judging_rows(problem, options)
    n_rows, n_columns = problem.X.shape
    size = f"{n_rows:,} rows, {n_columns:,} columns"
    if choice is None:
        steps.begin(f"training on {size}")
        credits = _credits(problem, estimator, judging, options)
        return Finding(credits.flow, credits.feature_names, credits)
    begin = steps.begin_aside if choice.is_search else steps.begin
    begin(f"searching on {size}" if choice.is_search else f"training on {size}")
    if options.classifier == PAIRWISE:
        return _pairs_finding(problem, estimator, options, choice, judging, steps, verbose)
    selector = selector_for(choice, problem, estimator, options, verbose=verbose)
    _fit(selector, problem, choice, judging)
    steps.begin("training again on the chosen features")
    return _finding(selector, problem, estimator, options, choice, judging, steps.watch)


def trained_model(problem: Problem, estimator: BaseEstimator, finding: Finding) -> BaseEstimator:
    """Return `estimator` trained on all rows of `problem`, with the features that were chosen."""
    if finding.pairs is not None:
        model = with_known_columns(estimator, finding.pairs).fit(problem.X, problem.y)
        # What was searched is known by now, and no business of the trained classifier.
        name_columns(model, column_names(problem)).set_params(selection=None)
        return model
    chosen = problem.X[:, chosen_columns(problem, finding.used)]
    return clone(_or_constant(estimator, chosen)).fit(chosen, problem.y)


def _or_constant(estimator: BaseEstimator, X: Any) -> BaseEstimator:
    """Return `estimator`, or, for rows without columns, what knows the rates of the classes alone."""
    return estimator if X.shape[1] else DummyClassifier(strategy="prior")


def chosen_columns(problem: Problem, selected: BoolArray | None) -> IntArray:
    """Numbers of the columns that belong to the chosen features; all if there was no choice."""
    if selected is None:
        return np.arange(len(problem.owners))
    names = dict.fromkeys(problem.owners)
    chosen = {name for name, is_chosen in zip(names, selected, strict=True) if is_chosen}
    return np.flatnonzero([owner in chosen for owner in problem.owners])


def column_names(problem: Problem) -> tuple[str, ...]:
    """A name for each column of numbers."""
    return problem.owners if problem.coding is None else problem.coding.column_names


def check_choice(problem: Problem, choice: Choice | None) -> None:
    """Refuse to choose more features than there are."""
    n_features = problem.n_features
    if choice is not None and isinstance(choice.count, int) and choice.count > n_features:
        raise ParameterError(f"-k {choice.count} asks for more features than the {n_features} there are.")


def _check_threshold(credits: FeatureCredits, choice: Choice) -> None:
    name, bits = credits.top(1)[0]
    if choice.threshold is not None and bits < choice.threshold:
        raise ParameterError(
            f"No feature is worth --threshold {choice.threshold:g} bits; the best, {name!r}, has {bits:.4g}."
        )


def _credits(
    problem: Problem, estimator: BaseEstimator, judging: Judging, options: ModelOptions
) -> FeatureCredits:
    """Credits of the features of `problem`, from one training, or from one for each fold."""
    X, y = problem.X, problem.y
    how: dict[str, Any] = {"sharing": options.credit_sharing, "groups": list(problem.owners)}
    if draws_noise(options):
        how |= {"null": "shuffled", "n_null": options.n_null, "random_state": options.seed}
    if isinstance(judging, Holdout):
        fitted = clone(estimator).fit(X[judging.train], y[judging.train])
        return credit_features(fitted, X[judging.judge], y[judging.judge], **how)
    with nullcontext() if options.jobs in (None, 1) else quiet_workers():
        return cross_val_credits(estimator, X, y, validation=judging, n_jobs=options.jobs, **how)


def _fit(selector: Selector, problem: Problem, choice: Choice, judging: Judging) -> None:
    X, y = problem.X, problem.y
    if isinstance(judging, Holdout):
        train, rows = judging.train, judging.judge
        # Who counts errors on the training rows, or none, leaves the judging rows untouched.
        given = {} if choice.counts_apart else {"X_val": X[rows], "y_val": y[rows]}
        selector.fit(X[train], y[train], **given)
    else:
        if not choice.counts_nothing:
            selector.set_params(validation=judging)
        selector.fit(X, y)


def _finding(
    selector: Selector,
    problem: Problem,
    estimator: BaseEstimator,
    options: ModelOptions,
    choice: Choice,
    judging: Judging,
    watch: Watch,
) -> Finding:
    credits = None
    if isinstance(selector, BackwardEliminationSelector):
        credits = selector.credits_.grouped(list(problem.owners))
    elif options.classifier in CREDITED:
        # By covariance these are the credits that were chosen by: same rows, same training.
        credits = _credits(problem, estimator, judging, options)
        _check_threshold(credits, choice)
    if credits is None:
        flow = judge(estimator, problem.X, problem.y, judging, options.jobs, watch).flow
    else:
        flow = credits.flow
    names = tuple(dict.fromkeys(problem.owners))
    first = [problem.owners.index(name) for name in names]
    return Finding(
        flow,
        names,
        credits,
        np.asarray(selector.support_[first]),
        _retrained(problem, selector, judging, options.jobs, watch),
        None if isinstance(selector, CreditSelector) else selector.ranking_[first],
        _measure(selector),
        _searches(selector, choice),
        q_values=_q_values(selector, first),
        sentence=_controlled_words(selector, choice, len(names)),
    )


def _q_values(selector: Selector, first: list[int]) -> FloatArray | None:
    controls = isinstance(selector, StabilitySelector | KnockoffSelector)
    return selector.q_values_[first] if controls else None


def _controlled_words(selector: Selector, choice: Choice, n_features: int) -> str:
    """How many features, at which false discovery rate; nothing for a choice that has none."""
    if not isinstance(selector, StabilitySelector | KnockoffSelector) or choice.count is not None:
        return ""
    n_chosen = len(np.unique(np.asarray(selector.groups)[selector.support_]))
    rate = f"an estimated false discovery rate of {100 * choice.level:g} %"
    return f"{n_chosen:,} of {n_features:,} features at {rate}."


def _retrained(
    problem: Problem, selector: Selector, judging: Judging, jobs: int | None, watch: Watch
) -> InformationFlow:
    """Information delivered by the classifier trained on the chosen columns alone, on the judging rows."""
    X, y = problem.X, problem.y
    if isinstance(judging, Holdout):
        rows = judging.judge
        return InformationFlow.from_predictions(y[rows], selector.predict(X[rows]))
    reduced = X[:, np.flatnonzero(selector.support_)]
    return judge(_or_constant(selector.estimator, reduced), reduced, y, judging, jobs, watch).flow


def _measure(selector: Selector) -> Measure | None:
    if isinstance(selector, ForwardBeamSelector):
        return Measure("best with it", selector.trace_.best_with)
    if isinstance(selector, GeneticSelector):
        last = selector.trace_[-1].population[:, 0]
        return Measure("last generation", last.mean(axis=0))
    return None


def _searches(selector: Selector, choice: Choice) -> dict[str, Any]:
    if isinstance(selector, BackwardEliminationSelector):
        return {"path": selector.path_, "rule": _rule(choice), "tolerance": choice.tolerance}
    if isinstance(selector, DirectedSearchSelector):
        return {"trace": selector.trace_}
    if isinstance(selector, ForwardBeamSelector):
        return {"beam": selector.trace_}
    return {"evolution": selector.trace_} if isinstance(selector, GeneticSelector) else {}


def _rule(choice: Choice) -> str | None:
    return (choice.rule or RULES[0]) if choice.count == AUTO else None


def _pairs_finding(
    problem: Problem,
    estimator: BaseEstimator,
    options: ModelOptions,
    choice: Choice,
    judging: Judging,
    steps: Steps,
    verbose: int,
) -> Finding:
    """Search features for every pair of classes."""
    X, y, jobs = problem.X, problem.y, options.jobs
    train = judging.train if isinstance(judging, Holdout) else np.arange(len(y))
    n_folds = {} if isinstance(judging, Holdout) else {"n_folds": judging.n_splits}
    search = pair_search(choice, problem, estimator, verbose=verbose, **n_folds)
    fitted = search.fit(X[train], y[train])
    steps.begin("training again on the chosen features")
    if isinstance(judging, Holdout):
        rows = judging.judge
        retrained = InformationFlow.from_predictions(y[rows], fitted.predict(X[rows]))
    else:
        retrained = judge(with_known_columns(estimator, fitted), X, y, judging, jobs, steps.watch).flow
    flow = judge(estimator, X, y, judging, jobs, steps.watch).flow
    pairs = name_columns(fitted, column_names(problem))
    names = tuple(dict.fromkeys(problem.owners))
    uses = np.array(
        [pairs.pairs_.support[:, [owner == name for owner in problem.owners]].any(axis=1) for name in names]
    )
    searches = {"pairs": pairs, "evolution": getattr(pairs, "trace_", None)}
    measure = Measure("pairs", uses.sum(axis=1).astype(np.float64), is_count=True)
    return Finding(flow, names, None, np.asarray(uses.any(axis=1)), retrained, None, measure, searches, pairs)
