"""A classifier judged together with its choice of features, which is made anew inside every training part."""

from dataclasses import replace
from typing import Any

import numpy as np

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._typing import BoolArray, IntArray
from infoprop.workflow._analysis import check_size
from infoprop.workflow._finding import Finding, Measure
from infoprop.workflow._judging import (
    Holdout,
    Judged,
    check_classes,
    fit_groups,
    judge,
    judging_rows,
    support_of,
)
from infoprop.workflow._pair_selectors import name_columns, pair_search
from infoprop.workflow._preparation import Problem
from infoprop.workflow._request import Task
from infoprop.workflow._steps import Steps


def find_repeatedly(problem: Problem, task: Task, steps: Steps) -> tuple[Judged, Finding]:
    """Judge a classifier, and choose features from all rows if `task` has a selector.

    The answers that are judged come from classifiers whose features, if any were chosen, were chosen from
    training rows alone. The features told are those chosen from all rows in the same way; if the judging was
    interrupted, those that most of the folds chose.
    """
    request = task.request
    check_classes(problem, request.validation, task.estimator)
    check_size(problem, task)
    judging = judging_rows(problem, request.validation, request.random_state)
    n_rows, n_columns = problem.X.shape
    steps.begin(f"training on {n_rows:,} rows, {n_columns:,} columns")
    # Folds are what is done at the same time, so that within them one thing comes after another.
    inner = task.alone(problem) if isinstance(request.validation, int) else task
    chooser = inner.estimator if task.selector is None else _choosing(problem, inner)
    judged = judge(
        chooser,
        problem,
        judging,
        request.n_jobs,
        steps.watch,
        may_stop=True,
        with_probabilities=True,
        calibrates=request.probabilities,
    )
    names = tuple(dict.fromkeys(problem.owners))
    auc = judged.area
    if task.selector is None:
        return judged, Finding(judged.flow, names, auc=auc)
    assert judged.supports is not None  # a choice says what it chose
    counts = np.array([_features(problem, support) for support in judged.supports]).sum(axis=0)
    measure = None
    if judged.n_folds > 1:
        measure = Measure("folds", counts.astype(np.float64), is_count=True)
    if not judged.is_whole:
        return judged, Finding(
            judged.flow, names, selected=2 * counts > judged.n_done, measure=measure, auc=auc
        )
    steps.begin_aside("choosing from all rows")
    chooser = _choosing(problem, task, verbose=int(steps.is_shown))
    fitted = chooser.fit(problem.X, problem.y, **fit_groups(chooser, problem))
    support = support_of(fitted)
    assert support is not None
    selected = _features(problem, support)
    if not task.is_pairwise:
        return judged, Finding(
            judged.flow, names, selected=selected, measure=measure, selector=fitted, auc=auc
        )
    pairs = name_columns(fitted, problem.column_names)
    found = {"pairs": pairs}
    return judged, Finding(judged.flow, names, None, selected, None, None, measure, found, pairs, auc=auc)


def _choosing(problem: Problem, task: Task, *, verbose: int = 0) -> Any:
    """Return a classifier that chooses features when it is trained."""
    if task.is_pairwise:
        return pair_search(task.selector, problem, task.estimator, verbose=verbose)
    return task.told_of(problem, verbose=verbose)


def _features(problem: Problem, support: BoolArray) -> BoolArray:
    """From columns to the features that they belong to."""
    chosen = {owner for owner, is_chosen in zip(problem.owners, support, strict=True) if is_chosen}
    return np.array([name in chosen for name in dict.fromkeys(problem.owners)])


def finding_of_training_rows(
    problem: Problem, task: Task, finding: Finding, judged: Judged | None
) -> tuple[Finding, IntArray]:
    """Return what the training rows alone have found, and these rows."""
    judging = judging_rows(problem, task.request.validation, task.request.random_state)
    check_has_training_rows(isinstance(judging, Holdout))
    assert isinstance(judging, Holdout)
    supports = None if judged is None else judged.supports
    if supports is not None:
        if finding.pairs is not None:
            raise ParameterError(
                "Pairs whose features were chosen anew cannot be kept for the training rows alone; keep the "
                "model of all rows."
            )
        names = dict.fromkeys(problem.owners)
        chosen = {problem.owners[column] for column in np.flatnonzero(supports[0])}
        finding = replace(finding, selected=np.array([name in chosen for name in names]))
    return finding, judging.train


def check_has_training_rows(is_held_out: bool) -> None:
    """Refuse a model of the training rows where every row judges in turn."""
    if not is_held_out:
        raise ParameterError(
            "A model of the training rows needs rows that only judge: give ",
            *(Parameter("validation", "validation"), " as a fraction or as split, not as folds."),
        )
