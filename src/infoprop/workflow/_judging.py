"""Rows that judge a classifier: which they are, and what it says of them when it has not seen them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline

from infoprop._core._cluster import SharedData
from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop._core._row_folds import row_group_parameters
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.metrics import InformationFlow
from infoprop.metrics._area import area_under_curve, mean_area
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import RowFolds
from infoprop.selection._validation import plan_validation
from infoprop.selection.running._interruption import interruptions_pass
from infoprop.workflow._classifiers import last_step, n_neighbors_of
from infoprop.workflow._preparation import Problem
from infoprop.workflow._probabilities import to_calibrate
from infoprop.workflow._workers import quiet_workers

Watch: TypeAlias = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Passes a number of items on, one by one, and shows under a name how many are done."""


@dataclass(frozen=True)
class Holdout:
    """Rows to learn from, and other rows to judge by."""

    train: IntArray
    judge: IntArray


Judging: TypeAlias = Holdout | RowFolds
"""Rows set apart, or folds that take turns."""


@dataclass(frozen=True)
class Judged:
    """What classifiers said of rows that they had not seen.

    Attributes
    ----------
    rows : ndarray of shape (n_judged,)
        Numbers of the rows, ascending.
    true, predicted : ndarray of shape (n_judged,)
        Their classes, and what they were taken for.
    classes : ndarray of shape (n_classes,)
        In the order of the columns of `probabilities`.
    probabilities : ndarray of shape (n_judged, n_classes), or None
        If the classifier gives any.
    supports : ndarray of bool of shape (n_done, n_columns), or None
        Columns that each classifier chose, if they choose.
    n_folds, n_done : int
        Folds there were, and those that had been judged when the work ended.
    area : float or None
        Area under the ROC curve, the mean over the folds; None if the classifier gives no scores.
    """

    rows: IntArray
    true: LabelArray
    predicted: LabelArray
    classes: LabelArray
    probabilities: FloatArray | None
    supports: BoolArray | None = None
    n_folds: int = 1
    n_done: int = 1
    area: float | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all folds were judged."""
        return self.n_done == self.n_folds

    @property
    def flow(self) -> InformationFlow:
        """What the answers deliver about the classes."""
        return InformationFlow.from_predictions(self.true, self.predicted)


def count_classes(problem: Problem) -> Counter[Any]:
    """How many rows every class has."""
    return Counter(problem.y.tolist())


def check_classes(problem: Problem, validation: Any, estimator: Any) -> None:
    """Refuse a target that holds no classes, and rows too few to both learn from and judge by."""
    counts = count_classes(problem)
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
    _check_sizes(counts, validation)
    _check_neighbors(counts, validation, estimator)


def _check_sizes(counts: Counter[object], validation: Any) -> None:
    n_rows, n_classes = counts.total(), len(counts)
    if isinstance(validation, int):
        check_folds("validation", validation, counts)
    if isinstance(validation, float):
        n_judging = ceil(validation * n_rows)
        if min(n_judging, n_rows - n_judging) < n_classes:
            raise ParameterError(
                Parameter("validation", "validation"),
                f" {validation:g} sets {n_judging} of {n_rows} rows apart; {n_classes} classes need at least "
                f"{n_classes} rows on each side.",
            )


def check_folds(name: str, n_folds: int | None, counts: Mapping[object, int]) -> None:
    """Refuse more folds, given by the parameter `name`, than the largest class has rows."""
    if n_folds is not None and n_folds > max(counts.values()):
        raise ParameterError(
            Parameter(name, name),
            f" {n_folds} asks for more folds than the largest class has rows: {max(counts.values())}.",
        )


def _check_neighbors(counts: Counter[object], validation: Any, estimator: Any) -> None:
    """Refuse to ask more neighbours than there are, in the smallest part that anybody may be trained on."""
    n_neighbors = n_neighbors_of(estimator)
    sizes = sorted(counts.values())
    is_pairwise = isinstance(last_step(estimator), PairwiseClassifier)
    n_rows = sum(sizes[:2]) if is_pairwise else sum(sizes)
    part = 1.0
    if isinstance(validation, int | float):
        part = 1.0 - 1.0 / validation if isinstance(validation, int) else 1.0 - validation
    # A search sets rows apart once more, a fifth of them.
    n_least = int(0.8 * part * n_rows)
    if n_neighbors is not None and n_neighbors > max(1, n_least):
        of_whom = "the two smallest classes have" if is_pairwise else "there are"
        raise ParameterError(
            Parameter("n_neighbors", "n_neighbors"),
            f" {n_neighbors} asks more rows than {of_whom} to learn from; take at most {max(1, n_least)}.",
        )


def judging_rows(problem: Problem, validation: Any, seed: int) -> Judging:
    """Decide which rows judge: those of a split column, a part, or all of them in turn (folds).

    Parts and folds are dealt as selectors deal them (see :class:`~infoprop.selection.RowFolds`): by class,
    copies of a row and row groups together, whatever the order of the rows.
    """
    rows = np.arange(len(problem.y))
    if problem.is_test is not None and problem.is_train is not None:
        if len(set(problem.y[problem.is_train].tolist())) < 2:
            raise DataError("The training rows of the split column hold a single class.")
        return Holdout(rows[problem.is_train], rows[problem.is_test])
    if isinstance(validation, int):
        return RowFolds(validation, random_state=seed)
    if not isinstance(validation, float):
        return cast(Judging, check_cv(validation))
    plan = plan_validation(
        validation,
        problem.X,
        problem.y,
        np.ones(len(rows)),
        has_given=False,
        seed=seed,
        split_parameters={"groups": problem.row_groups},
    )
    (split,) = plan.splits
    assert split.test is not None  # rows are held out
    return Holdout(split.train, split.test)


def judge(
    estimator: BaseEstimator,
    problem: Problem,
    judging: Judging,
    jobs: int | None,
    watch: Watch,
    *,
    may_stop: bool = False,
    with_probabilities: bool = False,
    calibrates: bool = False,
) -> Judged:
    """Train clones of `estimator` and ask them about the rows that judge them.

    Parameters
    ----------
    estimator : classifier
        Told of the row groups, if it deals rows to folds itself.
    problem : Problem
    judging : Holdout or RowFolds
    jobs : int or None
        Folds at a time.
    watch : callable
        Shows how many folds are done.
    may_stop : bool
        Whether Ctrl-C leaves the folds that are done, if there are any.
    with_probabilities : bool
        Whether to ask for probabilities too, if the classifier gives any.
    calibrates : bool
        Whether machines, which give none, are then trained once more on the training rows to calibrate some.
    """
    if isinstance(judging, Holdout):
        splits = [(judging.train, judging.judge)]
    else:
        splits = list(judging.split(problem.X, problem.y, problem.row_groups))
    # A single search that is stopped has its best so far to judge; one of several folds is not done.
    is_one = len(splits) == 1
    sent = SharedData(_Asked(estimator, problem, with_probabilities, calibrates, is_one))
    done: list[_Answer] = []
    try:
        with nullcontext() if is_one or jobs in (None, 1) else quiet_workers():
            # One by one, so that progress can be seen. A single search shares its own work out.
            answers = results_in_order(run_tasks(_answer, sent, splits, 1 if is_one else jobs))
            done.extend(watch(answers, len(splits), "folds"))
    except KeyboardInterrupt:
        if not (may_stop and done):
            raise
    return _pooled(problem.y, [test for _, test in splits], done)


class _Answer(NamedTuple):
    """What one classifier says: predictions, probabilities if asked for, classes, columns chosen, area."""

    predicted: LabelArray
    probabilities: FloatArray | None
    classes: LabelArray
    support: BoolArray | None
    area: float | None


class _Asked(NamedTuple):
    """What all folds are asked."""

    estimator: BaseEstimator
    problem: Problem
    with_probabilities: bool
    calibrates: bool
    keeps_best: bool


def _answer(asked: _Asked, split: tuple[IntArray, IntArray]) -> _Answer:
    X, y = asked.problem.X, asked.problem.y
    train, test = split
    told = fit_groups(asked.estimator, asked.problem, train)
    with nullcontext() if asked.keeps_best else interruptions_pass():
        fitted = clone(asked.estimator).fit(X[train], y[train], **told)
    found = None
    if asked.with_probabilities and hasattr(fitted, "predict_proba"):
        found = np.asarray(fitted.predict_proba(X[test]))
    elif asked.with_probabilities and asked.calibrates:
        beside, columns = to_calibrate(asked.estimator, fitted)
        if beside is not None:
            told = fit_groups(beside, asked.problem, train)
            beside.fit(X[train][:, columns], y[train], **told)
            found = np.asarray(beside.predict_proba(X[test][:, columns]))
    area = area_under_curve(fitted, X[test], y[test])
    return _Answer(np.asarray(fitted.predict(X[test])), found, fitted.classes_, support_of(fitted), area)


def fit_groups(estimator: Any, problem: Problem, rows: IntArray | None = None) -> dict[str, LabelArray]:
    """Arguments of fit that tell the row groups of some rows, if `estimator` deals rows to folds."""
    own = problem.row_groups
    return row_group_parameters(estimator, own if own is None or rows is None else own[rows])


def support_of(fitted: Any) -> BoolArray | None:
    """Columns that a fitted classifier chose, for any of its pairs if it has pairs; None without a choice."""
    last = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    if hasattr(last, "pairs_"):
        return np.asarray(last.pairs_.support.any(axis=0))
    return np.asarray(last.get_support()) if hasattr(last, "get_support") else None


def _pooled(y: LabelArray, tests: list[IntArray], answers: list[_Answer]) -> Judged:
    """Put the answers of the first folds together, in the order of the rows."""
    rows = np.concatenate(tests[: len(answers)])
    order = np.argsort(rows, kind="stable")
    predicted = np.concatenate([answer.predicted for answer in answers])
    classes = np.unique(y)
    blocks = []
    is_told = all(answer.probabilities is not None for answer in answers)
    for answer in answers:
        if is_told and answer.probabilities is not None:
            # A fold may not have met a class with few rows; to it, that class is impossible.
            block = np.zeros((len(answer.predicted), len(classes)))
            block[:, np.searchsorted(classes, answer.classes)] = answer.probabilities
            blocks.append(block)
    return Judged(
        rows[order],
        y[rows[order]],
        predicted[order],
        classes,
        np.concatenate(blocks)[order] if blocks else None,
        np.array([answer.support for answer in answers]) if answers[0].support is not None else None,
        n_folds=len(tests),
        n_done=len(answers),
        area=mean_area([answer.area for answer in answers]),
    )
