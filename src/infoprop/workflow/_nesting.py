"""Nested validation of a selection: what the whole of it delivers on rows that took no part in it."""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from infoprop._core._exceptions import ParameterError
from infoprop.workflow._choice import Choice
from infoprop.workflow._classifier_names import PAIRWISE
from infoprop.workflow._options import SPLIT, DataOptions, ModelOptions
from infoprop.workflow._workers import quiet_workers

if TYPE_CHECKING:
    from infoprop.selection import Comparison
    from infoprop.workflow._preparation import Problem
    from infoprop.workflow._steps import Steps


def check_nested(n_folds: int | None, model: ModelOptions) -> None:
    """Refuse what cannot be nested, before any work."""
    if n_folds is None:
        return
    if model.classifier == PAIRWISE:
        raise ParameterError(
            "--nested goes with one choice of features for all classes, not with --classifier pairwise; "
            "`infoprop classify --classifier pairwise` with --validation N judges pairs and their features "
            "on rows not seen."
        )
    if model.validation == SPLIT:
        raise ParameterError(
            "--nested judges every row in turn, so it does not go with --validation split; give a fraction "
            "or a number of folds."
        )


def nested_validation(
    problem: "Problem", model: ModelOptions, data: DataOptions, choice: Choice, n_folds: int, steps: "Steps"
) -> "Comparison | None":
    """Repeat the whole selection in each of `n_folds` outer folds, and judge it on the rows left out.

    Returns None, with a warning, if it is interrupted before the first fold is done.

    Parameters
    ----------
    problem : Problem
        What is learned from.
    model, data : ModelOptions, DataOptions
        The classifier, and how rows are judged inside the folds and prepared.
    choice : Choice
        How features are chosen. A checkpoint of the search has another beside it for the folds.
    n_folds : int
        Outer folds.
    steps : Steps
        Told what is being done.
    """
    from infoprop.selection import SearchInterruptedWarning, compare_selectors
    from infoprop.workflow._classifiers import classifier_for
    from infoprop.workflow._selectors import selector_for

    # Threads are shared out among folds, not inside them.
    alone = replace(model, jobs=None)
    estimator = classifier_for(alone, data, problem.is_sparse)
    selector = selector_for(replace(choice, checkpoint=None), problem, estimator, alone)
    # The comparison tells the selector what belongs together.
    selector.set_params(groups=None)
    if not choice.counts_nothing and (isinstance(model.validation, int) or not choice.counts_apart):
        selector.set_params(validation=model.validation)
    steps.begin_aside(f"repeating the selection in {n_folds} outer folds")
    journal = choice.checkpoint
    try:
        with quiet_workers():
            return compare_selectors(
                {choice.method: selector},
                problem.X,
                problem.y,
                estimator=estimator,
                sizes=None,
                validation=n_folds,
                groups=list(problem.owners),
                random_state=model.seed,
                n_jobs=model.jobs,
                verbose=int(steps.is_shown),
                checkpoint=None if journal is None else journal.with_name(f"{journal.name}.nested"),
            )
    except KeyboardInterrupt:
        words = "The nested validation was interrupted before its first fold was done; the selection stands."
        warnings.warn(words, SearchInterruptedWarning, stacklevel=2)
        return None
