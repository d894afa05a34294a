"""Training and judging a classifier, with or without a choice of features."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from infoprop._core._typing import BoolArray
from infoprop.cli._data._files import tell_files, write_report, write_table
from infoprop.cli._display._prediction_tables import confusion_table, predictions_frame
from infoprop.cli._display._publishing import show_features
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._grammar._options import OutputOptions
from infoprop.report import Report
from infoprop.workflow._analysis import check_choice, column_names, trained_model
from infoprop.workflow._choice import Choice
from infoprop.workflow._classifier_names import PAIRWISE
from infoprop.workflow._classifiers import classifier_for
from infoprop.workflow._finding import Finding, Measure
from infoprop.workflow._judging import Judged, check_classes, judge, judging_rows, support_of
from infoprop.workflow._models import SavedModel
from infoprop.workflow._options import SPLIT, DataOptions, ModelOptions
from infoprop.workflow._pair_selectors import name_columns, pair_search
from infoprop.workflow._preparation import Problem
from infoprop.workflow._selectors import selector_for
from infoprop.workflow._steps import Steps


def classified(
    problem: Problem, data: DataOptions | None, model: ModelOptions, choice: Choice | None, steps: Steps
) -> tuple[Judged, Finding]:
    """Judge a classifier, and choose features from all rows if `choice` says how.

    The answers that are judged come from classifiers whose features, if any were chosen, were chosen from
    training rows alone. The features told are those chosen from all rows in the same way; if the judging was
    interrupted, those that most of the folds chose.
    """
    check_classes(problem, model)
    check_choice(problem, choice)
    judging = judging_rows(problem, model)
    n_rows, n_columns = problem.X.shape
    steps.begin(f"training on {n_rows:,} rows, {n_columns:,} columns")
    # Folds are what is done at the same time, so that within them one thing comes after another.
    inner = replace(model, jobs=None) if isinstance(model.validation, int) else model
    estimator = classifier_for(inner, data, problem.is_sparse)
    chooser = estimator if choice is None else choosing(choice, problem, estimator, inner)
    judged = judge(
        chooser,
        problem.X,
        problem.y,
        judging,
        model.jobs,
        steps.watch,
        may_stop=True,
        with_probabilities=True,
    )
    names = tuple(dict.fromkeys(problem.owners))
    if choice is None:
        return judged, Finding(judged.flow, names)
    assert judged.supports is not None  # whoever chooses says what
    counts = np.array([_features(problem, support) for support in judged.supports]).sum(axis=0)
    measure = None
    if judged.n_folds > 1:
        measure = Measure("folds", counts.astype(np.float64), is_count=True)
    if not judged.is_whole:
        return judged, Finding(judged.flow, names, selected=2 * counts > judged.n_done, measure=measure)
    steps.begin_aside("choosing from all rows")
    chooser = choosing(choice, problem, estimator, model, verbose=int(steps.is_shown))
    fitted = chooser.fit(problem.X, problem.y)
    support = support_of(fitted)
    assert support is not None
    selected = _features(problem, support)
    if model.classifier != PAIRWISE:
        return judged, Finding(judged.flow, names, selected=selected, measure=measure)
    pairs = name_columns(fitted, column_names(problem))
    found = {"pairs": pairs}
    return judged, Finding(judged.flow, names, None, selected, None, None, measure, found, pairs)


def choosing(
    choice: Choice, problem: Problem, estimator: BaseEstimator, model: ModelOptions, *, verbose: int = 0
) -> BaseEstimator:
    """Return a classifier that chooses features when it is trained."""
    if model.classifier == PAIRWISE:
        return pair_search(choice, problem, estimator, verbose=verbose)
    return selector_for(choice, problem, estimator, model, verbose=verbose)


def _features(problem: Problem, support: BoolArray) -> BoolArray:
    """From columns to the features that they belong to."""
    chosen = {owner for owner, is_chosen in zip(problem.owners, support, strict=True) if is_chosen}
    return np.array([name in chosen for name in dict.fromkeys(problem.owners)])


def save_model(
    path: Path, problem: Problem, finding: Finding, data: DataOptions, model: ModelOptions, steps: Steps
) -> None:
    """Train the classifier on all rows, with the features that were chosen, and write it to `path`."""
    steps.begin("training on all rows")
    trained = trained_model(problem, classifier_for(model, data, problem.is_sparse), finding)
    SavedModel.of(problem, trained, finding.used, (*data.drop, SPLIT)).save(path)


def publish_judged(
    terminal: Terminal, judged: Judged, finding: Finding, report: Report, output: OutputOptions
) -> None:
    """Show what was judged, and write what was asked for."""
    # Files first: whoever reads the terminal may stop reading in the middle.
    if output.output is not None:
        answers = (judged.predicted, judged.true, judged.classes, judged.probabilities)
        write_table(predictions_frame(judged.rows, *answers), output.output, is_raw=output.is_raw)
    if output.report is not None:
        write_report(report, output.report)
    if output.is_json:
        terminal.show_json(report.json())
    else:
        terminal.show_lead(report.summary)
        terminal.show_table(confusion_table(judged.flow, terminal.width))
        for words in report.summary.error_sentences:
            terminal.result(words)
        if finding.selected is not None:
            show_features(terminal, finding, output.top)
            terminal.result(_choice_words(judged))
    if not judged.is_whole:
        kept = ", and no model is written" if output.model is not None else ""
        terminal.say(f"note: interrupted; {judged.n_done} of {judged.n_folds} folds were judged{kept}")
    model = output.model if judged.is_whole else None
    tell_files(
        terminal.say,
        {"predictions": output.output, "report": output.report, "model": model},
    )


def _choice_words(judged: Judged) -> str:
    parts = "the training rows alone" if judged.n_folds == 1 else "the training rows of each fold alone"
    figures = f"The figures above are of classifiers whose features were chosen from {parts}"
    if not judged.is_whole:
        return f"{figures}; the features listed are those that most of these folds chose."
    return f"{figures}; the features listed are those chosen from all rows in the same way."
