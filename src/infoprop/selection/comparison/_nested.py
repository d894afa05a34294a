"""compare_selectors: nested cross-validation of several ways to choose features."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from infoprop._core._checks import check_integer, check_number
from infoprop._core._cluster import SharedData
from infoprop._core._deadline import OutOfTime
from infoprop._core._deadline import time_limit as limited_to
from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._tasks import run_tasks
from infoprop.selection.comparison._comparison import Comparison
from infoprop.selection.comparison._nested_plan import AUTO, OWNER, Nested, Settings, plan_nested
from infoprop.selection.comparison._nested_record import Record, joined_records, nested_record
from infoprop.selection.running._interruption import (
    SearchInterruptedWarning,
    note_interruption,
)
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._progress import Progress

Records: TypeAlias = Mapping[tuple[int, str], Record]
"""What was found, by fold and method."""

Judging: TypeAlias = Callable[[Nested, int, str], Record]
"""Lets one method (its name) choose in one outer fold (its number), and counts."""


class Race(Protocol):
    """What is asked after the first `n_folds` folds."""

    n_folds: int

    def sizes_left(self, records: Records) -> tuple[int, ...]:
        """Numbers of features that are tried in the other folds; none if it is not worth while."""


def compare_selectors(
    methods: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    sizes: Any = AUTO,
    validation: Any = 5,
    inner_validation: int | None = 5,
    groups: Any = None,
    row_groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    time_limit: float | None = None,
    checkpoint: Any = None,
) -> Comparison:
    """Compare ways to choose features by nested cross-validation.

    The rows are split into folds. In each of them every method sees the rows of the other folds alone,
    chooses features from them for every size, and the same classifier is trained on what it chose; then the
    rows of the fold are counted, which had no part in the choice. Beside that is the optimistic (inner)
    estimate: the same features cross-validated on the very rows that chose them.

    Parameters
    ----------
    methods : mapping from str to selector, callable or None
        A selector chooses as many features as it is told by its parameter `n_features_to_select`, `k` or
        `max_features`; one without such a parameter finds the number itself. A callable takes a number of
        features and returns a selector. None stands for all features. Selectors are cloned; whatever has a
        `random_state` without a value gets one, the same for all methods of a fold.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    estimator : classifier, default=None
        Trained on what each method chose. None means
        linear machines on scaled columns: ``make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))``.
        Columns of sparse rows are divided by their maximum.
    sizes : "auto", list of int or None, default="auto"
        Numbers of features to choose; with `groups`, of groups. "auto" means 1, 2, 5, 10, 20, 50 and 100,
        as far as there are more features. None takes every selector as it is.
    validation : int, splitter or iterable, default=5
        Outer folds: a number, a cross-validation splitter, or an iterable of splits.
    inner_validation : int or None, default=5
        Folds of the training rows for the optimistic (inner) estimate. None saves the time.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that are one feature: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. Selectors with a parameter `groups` are told; with others a
        group is chosen as soon as one of its columns is, and stands where the best of them stands.
    row_groups : array-like of shape (n_samples,), default=None
        Rows that stay together (subjects, donors): a label for every row. No outer or inner fold parts them;
        selectors of infoprop are told, others split rows as they do.
    random_state : int, RandomState instance or None, default=None
        Draws the folds, and the seeds of the methods.
    n_jobs : int, default=None
        Methods and folds at a time, through joblib. Everything but the times is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.
    time_limit : float, default=None
        Seconds after which the comparison ends with the folds in which all methods are done, and a
        :class:`SearchInterruptedWarning` that says how many. A search of infoprop that is under way then is
        given up, others are waited for. If there is no such fold five seconds later, it fails.
    checkpoint : str or path, default=None
        File to which each method is written when it is done with a fold. The same call goes on from there.

    Returns
    -------
    Comparison
        A sequence of :class:`ComparedChoice`, one for each method and size.

    Notes
    -----
    Methods that know all sizes after one run are run once in a fold: CreditSelector and GradientAngleSelector
    (their ranking), BackwardEliminationSelector (its path), ForwardBeamSelector (its levels; at size k its
    best subset of at most k features), scikit-learn's SelectKBest (its scores) and RFE with ``step=1`` (its
    ranking), and every selector with a method ``support_at(size)``, which is called after fit and returns a
    mask of columns. Others are run for every size. A BackwardEliminationSelector with
    ``n_features_to_select="auto"`` and a ForwardBeamSelector are also compared at the size they find.

    A fold where a method chooses nothing is predicted by the commonest class of its training rows.

    Ctrl-C ends the comparison with the folds in which all methods are done, and a
    :class:`SearchInterruptedWarning` that says how many.

    References
    ----------
    C. Ambroise, G. J. McLachlan, "Selection bias in gene extraction on the basis of microarray
    gene-expression data", Proceedings of the National Academy of Sciences 99 (10), 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.preprocessing import scale
    >>> from infoprop.selection import CreditSelector, compare_selectors
    >>> X, y = load_wine(return_X_y=True)
    >>> methods = {"credit": CreditSelector(), "F": SelectKBest()}
    >>> comparison = compare_selectors(methods, scale(X), y, sizes=[2, 5], random_state=0)
    >>> comparison.to_frame()[["method", "size", "accuracy", "stability"]].round(3)
       method  size  accuracy  stability
    0  credit     2     0.837      0.764
    1  credit     5     0.944      0.805
    2       F     2     0.848      0.645
    3       F     5     0.955      1.000
    """
    settings = Settings(
        estimator, sizes, validation, inner_validation, groups, row_groups, random_state, checkpoint
    )
    nested = plan_nested(methods, X, y, settings)
    check_integer("verbose", int(verbose) if isinstance(verbose, bool) else verbose, OWNER, low=0)
    if time_limit is not None:
        check_number("time_limit", time_limit, OWNER, low=0.0, low_open=True)
    found = compared(nested, n_jobs=n_jobs, verbose=verbose, time_limit=time_limit, checkpoint=checkpoint)
    assert found is not None
    return found


def compared(
    nested: Nested,
    *,
    n_jobs: int | None,
    verbose: int,
    time_limit: float | None,
    checkpoint: Any,
    judge: Judging = nested_record,
    race: Race | None = None,
) -> Comparison | None:
    """Do all tasks, or those that are not in the checkpoint, and bring them together.

    `judge` does one task: it may be another than :func:`nested_record`, with the same answers. A `race` says
    after the first folds which sizes are tried in the others, and found in the comparison; if it leaves none,
    None comes back.
    """
    known = "" if checkpoint is None else nested.fingerprint()
    n_tasks = len(nested.splits) * len(nested.methods)
    with (
        Journal.open(checkpoint, known, OWNER, nested.seed) as journal,
        Progress(verbose=verbose, title="comparing", total=n_tasks) as progress,
        limited_to(time_limit) as deadline,
    ):
        records = {(record["fold"], record["method"]): record for record in journal.records()}
        progress.advance(len(records))
        deadline.has_result = lambda: bool(_whole_folds(nested, records))
        n_first = len(nested.splits) if race is None else race.n_folds
        try:
            for folds in (range(n_first), range(n_first, len(nested.splits))):
                if folds.start and race is not None:
                    sizes = race.sizes_left(records)
                    if not sizes:
                        return None
                    nested = replace(nested, sizes=sizes)
                missing = [task for task in nested.tasks if task not in records and task[0] in folds]
                for record in _run(nested, missing, n_jobs, judge):
                    records[record["fold"], record["method"]] = record
                    journal.append([record], {})
                    progress.step()
        except KeyboardInterrupt:
            done = _whole_folds(nested, records)
            if not done:
                raise
            _warn("was interrupted", len(done), len(nested.splits), journal.path)
        except OutOfTime as error:
            done = _whole_folds(nested, records)
            if not deadline.is_over:
                raise
            if not done:
                raise ParameterError(
                    Parameter("time_limit", f"The time_limit of {OWNER}"),
                    f" ({time_limit:g} seconds) was over before all methods were done in one fold. Allow "
                    "more time, or compare fewer or faster methods.",
                ) from error
            _warn(f"reached its time_limit of {time_limit:g} s", len(done), len(nested.splits), journal.path)
    return _brought_together(nested, records)


def _run(
    nested: Nested, tasks: list[tuple[int, str]], n_jobs: int | None, judge: Judging
) -> Iterator[Record]:
    # As they are done, in any order: what is done is written down at once.
    for _, record in run_tasks(partial(_record, judge), SharedData(nested), tasks, n_jobs):
        yield record


def _record(judge: Judging, nested: Nested, task: tuple[int, str]) -> Record:
    return judge(nested, *task)


def _warn(reason: str, n_done: int, n_planned: int, checkpoint: Any) -> None:
    words = f"{OWNER} {reason}; it ends with {n_done} of {n_planned} folds."
    more = (
        "To be able to go on another time, give it a checkpoint."
        if checkpoint is None
        else f"The same call goes on from the checkpoint {checkpoint}."
    )
    note_interruption(OWNER)
    warnings.warn(f"{words} {more}", SearchInterruptedWarning, stacklevel=3)


def _whole_folds(nested: Nested, records: Mapping[tuple[int, str], Record]) -> list[int]:
    """Outer folds in which all methods are done."""
    folds = range(len(nested.splits))
    return [fold for fold in folds if all((fold, name) in records for name in nested.methods)]


def _brought_together(nested: Nested, records: Mapping[tuple[int, str], Record]) -> Comparison:
    folds = _whole_folds(nested, records)
    choices = [
        choice
        for name in nested.methods
        for choice in joined_records(name, [records[fold, name] for fold in folds])
    ]
    labels, names = np.unique(nested.y), nested.columns.names
    return Comparison(tuple(choices), labels, names, len(nested.y), len(nested.splits))
