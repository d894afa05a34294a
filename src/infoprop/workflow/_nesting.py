"""Nested validation of a selection: what the whole of it delivers on rows that took no part in it."""

import warnings
from pathlib import Path

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop.selection import Comparison, FeatureSelector, SearchInterruptedWarning, compare_selectors
from infoprop.selection.running._interruption import note_interruption
from infoprop.workflow._preparation import Problem
from infoprop.workflow._request import Task
from infoprop.workflow._selectors import name_of_selector
from infoprop.workflow._steps import Steps
from infoprop.workflow._workers import quiet_workers


def check_nested(task: Task) -> None:
    """Refuse what cannot be nested, before any work."""
    request = task.request
    nested, consensus = Parameter("nested", "nested"), Parameter("consensus", "consensus")
    if request.consensus is not None and (request.nested is None or request.repeat_choice):
        raise ParameterError(consensus, " counts outer folds; say how many there are by ", nested, ".")
    if request.nested is None:
        return
    if request.consensus is not None and not 1 <= request.consensus <= request.nested:
        raise ParameterError(
            consensus, f" {request.consensus} must lie between 1 and the {request.nested} outer folds."
        )
    if task.selector is None:
        raise ParameterError(nested, " repeats a choice of features, and there is none; name a method.")
    if isinstance(task.selector, FeatureSelector):
        raise ParameterError(
            nested,
            " repeats one method; name one, or give a FeatureSelector to compare_selectors or to "
            "cross_val_score.",
        )
    if task.is_pairwise:
        raise ParameterError(
            nested,
            " goes with one choice of features for all classes, not with ",
            *(
                Parameter("classifier", "classifier"),
                " pairwise; ",
                Parameter("repeat_choice"),
                " with folds as ",
            ),
            *(Parameter("validation"), " judges pairs and their features on rows not seen."),
        )
    if request.split is not None:
        raise ParameterError(
            nested,
            " judges every row in turn, so it does not go with ",
            *(Parameter("validation", "validation"), " split; give a fraction or a number of folds."),
        )


def nested_validation(problem: Problem, task: Task, steps: Steps) -> Comparison | None:
    """Repeat the whole selection in outer folds, and judge it on the rows left out.

    Returns None, with a warning, if it is interrupted before the first fold is done. A checkpoint of the
    search has another beside it for the folds.
    """
    request = task.request
    alone = task.alone(problem)
    selector = alone.told_of(problem)
    journal = getattr(selector, "checkpoint", None)
    # The comparison tells the selector what belongs together.
    selector.set_params(groups=None, verbose=0)
    if journal is not None:
        selector.set_params(checkpoint=None)
        journal = Path(journal)
    if alone.has_validation and (isinstance(request.validation, int) or not alone.counts_apart):
        selector.set_params(validation=request.validation)
    steps.begin_aside(f"repeating the selection in {request.nested} outer folds")
    try:
        with quiet_workers():
            return compare_selectors(
                {name_of_selector(selector): selector},
                problem.X,
                problem.y,
                estimator=alone.estimator,
                sizes=None,
                validation=request.nested,
                groups=list(problem.owners),
                row_groups=problem.row_groups,
                random_state=request.random_state,
                n_jobs=request.n_jobs,
                verbose=int(steps.is_shown),
                checkpoint=None if journal is None else journal.with_name(f"{journal.name}.nested"),
            )
    except KeyboardInterrupt:
        note_interruption("nested validation")
        words = "The nested validation was interrupted before its first fold was done; the selection is kept."
        warnings.warn(words, SearchInterruptedWarning, stacklevel=2)
        return None
