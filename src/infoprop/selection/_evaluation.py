"""SubsetEvaluator: the only code that trains a classifier on a subset of the columns."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.credit import FeatureCredits
from infoprop.credit._covariance import Contributions
from infoprop.credit._crediting import Judged, SharingRule, credits_of
from infoprop.credit._groups import ColumnGroups
from infoprop.credit._networks import NETWORKS
from infoprop.credit._shares import contributions, credit_shares, has_own_rule
from infoprop.credit._unwrapping import unwrapped
from infoprop.selection._containers import take_columns, take_parameters, take_rows
from infoprop.selection._pooling import PooledTable
from infoprop.selection._validation import Split, ValidationPlan
from infoprop.selection.running._progress import Progress
from infoprop.svm.subset._model import SplitRows


@dataclass(frozen=True)
class LabelledRows:
    """Rows with labels and weights (None: all one)."""

    X: Any
    y: LabelArray
    sample_weight: FloatArray | None = None


class Answer(NamedTuple):
    """What one training gives: predictions of the rows asked for; shares or contributions if asked for."""

    predicted: LabelArray | None
    shares: FloatArray | None
    classes: LabelArray
    contributions: Contributions | None = None


Sharing: TypeAlias = bool | ColumnGroups
"""Whether to share, or groups of the columns whose contributions by covariance are wanted instead."""

Task: TypeAlias = tuple[int, Sharing, IntArray | None]
"""Number of the split (`ALL_ROWS` for none), whether to share, columns (None for all)."""

ALL_ROWS = -1
"""Train on all rows and predict none."""

Train: TypeAlias = Callable[..., Any]
"""Fits an estimator, given first, with the arguments of its own fit, and returns it."""


Measure: TypeAlias = Callable[[Any, Any, LabelArray, FloatArray | None], float | None]
"""Of a fitted classifier, rows, their labels and weights: how good it is on them, None if unknown."""


@dataclass(frozen=True)
class SubsetEvaluator:
    """Trains `estimator` on columns of the training rows and credits them on the validation rows.

    `fit_parameters` go to the estimator's fit, weights among them; `given` holds validation rows that were
    passed to fit; `row_groups` are the labels of rows that stay together, for selectors within the search.
    `known_rows` are those of every split as the classifier behind its scalers sees them, where a caller has
    them already; see :func:`~infoprop.selection._moving.split_rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.selection._preparation import prepared_rows
    >>> from infoprop.svm import OneVsRestSVC
    >>> owner = DirectedSearchSelector(validation=4, random_state=0)
    >>> rows, _ = prepared_rows(owner, OneVsRestSVC(), *load_iris(return_X_y=True), None, {})
    >>> credits = rows.credits(np.array([2, 3]))
    >>> len(credits.values), credits.information > 1.0
    (2, True)
    """

    estimator: Any
    training: LabelledRows
    fit_parameters: dict[str, Any]
    plan: ValidationPlan
    given: LabelledRows | None
    feature_names: tuple[str, ...]
    n_jobs: int | None
    progress: Progress = field(default_factory=Progress)
    row_groups: LabelArray | None = None
    known_rows: Sequence[SplitRows] | None = None

    def watched_by(self, progress: Progress) -> "SubsetEvaluator":
        """Return the same evaluator, reporting each training to `progress`."""
        return replace(self, progress=progress)

    def on_the_same_rows(self, **changes: Any) -> "SubsetEvaluator":
        """Return the same evaluator with other columns or another classifier; its table is known already."""
        found = replace(self, **changes)
        vars(found)["pooled"] = self.pooled
        return found

    @property
    def n_trainings(self) -> int:
        """Number of classifiers trained for one set of credits."""
        return len(self.plan.splits) + self.plan.shares_from_all

    @cached_property
    def classes(self) -> LabelArray:
        """Labels of the training rows that have a weight, ascending."""
        return np.unique(self.training.y[self.all_rows()])

    @cached_property
    def pooled(self) -> PooledTable:
        """The table of the validation rows of all splits, to be filled with predictions."""
        tests = [self.test_rows(split, with_X=False) for split in self.plan.splits]
        learned = [np.isin(self.classes, self.training.y[split.train]) for split in self.plan.splits]
        return PooledTable.from_rows(
            self.classes, learned, [rows.y for rows in tests], _pooled_weights(tests)
        )

    def answers(self, columns: IntArray, *, with_shares: Sharing = True) -> list[Answer]:
        """Train on `columns` once in every split: predictions of its validation rows, and shares if wanted.

        Groups of all columns in `with_shares` ask for contributions by covariance; networks share anyway.
        Unlike :meth:`credits` this does not report to `progress`: a search counts its own steps.
        """
        return self.answers_of([columns], with_shares=with_shares)[0]

    def answers_of(self, subsets: Sequence[IntArray], *, with_shares: Sharing = True) -> list[list[Answer]]:
        """Answers for each of several subsets, all of them trained on independently of one another."""
        numbers = range(len(self.plan.splits))
        tasks: list[Task] = [(number, with_shares, columns) for columns in subsets for number in numbers]
        found = dict(run_tasks(_answer, self._sent, tasks, self.n_jobs))
        answers = [found[number] for number in range(len(tasks))]
        return [answers[k * len(numbers) : (k + 1) * len(numbers)] for k in range(len(subsets))]

    def measured(self, measure: Measure, subsets: Sequence[IntArray]) -> FloatArray:
        """`measure` of a classifier trained on each subset in each split: (n_subsets, n_splits)."""
        n_splits = len(self.plan.splits)
        tasks = [(measure, number, columns) for columns in subsets for number in range(n_splits)]
        found = dict(run_tasks(_measured, self._sent, tasks, self.n_jobs))
        values = [found[number] for number in range(len(tasks))]
        return np.array(values, dtype=np.float64).reshape(len(subsets), n_splits)

    def credits(self, columns: IntArray | None = None) -> FeatureCredits:
        """Credits of `columns` (all if None), with the confusion table of the validation rows."""
        tasks: list[Task] = [
            (number, not self.plan.shares_from_all, columns) for number in range(len(self.plan.splits))
        ]
        if self.plan.shares_from_all:
            tasks.append((ALL_ROWS, True, columns))
        found = results_in_order(run_tasks(_answer, self._sent, tasks, self.n_jobs))
        answers = list(self.progress.watch(found))
        sharing = answers[-1]
        tests = [self.test_rows(split) for split in self.plan.splits]
        predicted = [answer.predicted for answer in answers[: len(tests)]]
        names = self.feature_names if columns is None else tuple(self.feature_names[k] for k in columns)
        return FeatureCredits.from_predictions(
            np.concatenate([rows.y for rows in tests]),
            np.concatenate([labels for labels in predicted if labels is not None]),
            classes=sharing.classes,
            shares=sharing.shares,
            feature_names=names,
            sample_weight=_pooled_weights(tests),
        )

    def out_of_fold_credits(self, groups: ColumnGroups | None = None) -> FeatureCredits:
        """Credits of all columns, or of groups of them, by covariance on the validation rows of every split.

        Each split is credited by the classifier that was trained without its validation rows; contributions
        are averaged over splits before they are shared out.
        """
        counted = [number for number, split in enumerate(self.plan.splits) if self._has_test_rows(split)]
        found = results_in_order(run_tasks(_fitted_in_split, self._sent, counted, self.n_jobs))
        fitted = list(self.progress.watch(found))
        tests = [self.test_rows(self.plan.splits[number]) for number in counted]
        judged = [
            Judged(model, rows.X, rows.y, rows.sample_weight)
            for model, rows in zip(fitted, tests, strict=True)
        ]
        return credits_of(judged, SharingRule("covariance", groups, self.feature_names, has_errors=False))

    def constant_accuracy(self) -> float:
        """Validated accuracy of always naming the heaviest class trained on, the first of equals."""
        right = total = 0.0
        for split, named in zip(self.plan.splits, self.heaviest_classes(), strict=True):
            tested = self.test_rows(split, with_X=False)
            counted = np.ones(len(tested.y)) if tested.sample_weight is None else tested.sample_weight
            right += float(counted[tested.y == named].sum())
            total += float(counted.sum())
        return right / total

    def heaviest_classes(self) -> list[Any]:
        """The class with most weight, the first of equals, among the training rows of each split."""
        weights = np.ones(len(self.training.y))
        if self.training.sample_weight is not None:
            weights = self.training.sample_weight
        heaviest = []
        for split in self.plan.splits:
            codes = np.searchsorted(self.classes, self.training.y[split.train])
            heaviest.append(self.classes[np.argmax(np.bincount(codes, weights=weights[split.train]))])
        return heaviest

    def fitted(self, columns: IntArray | None = None, train: Train | None = None) -> Any:
        """Return the estimator trained on `columns` of all rows that have a weight; None: by its own fit."""
        return _fitted(self.estimator, self.training, self.fit_parameters, self.all_rows(), columns, train)

    def all_rows(self) -> IntArray:
        """Numbers of the training rows that have a weight."""
        weights = self.training.sample_weight
        return np.arange(len(self.training.y)) if weights is None else np.flatnonzero(weights > 0.0)

    def test_rows(self, split: Split, *, with_X: bool = True) -> LabelledRows:
        """Rows that the split predicts; X is None if there are none, or if it is not asked for."""
        if split.test is None:
            assert self.given is not None
            return self.given
        weights = self.training.sample_weight
        return LabelledRows(
            take_rows(self.training.X, split.test) if with_X and len(split.test) else None,
            self.training.y[split.test],
            None if weights is None else weights[split.test],
        )

    def _has_test_rows(self, split: Split) -> bool:
        return split.test is None or len(split.test) > 0

    def __getstate__(self) -> dict[str, Any]:
        # What was sent is this evaluator again.
        return {name: value for name, value in self.__dict__.items() if name != "_sent"}

    @cached_property
    def _sent(self) -> SharedData:
        """What tasks are given, once for all of them."""
        return SharedData(replace(self, progress=Progress()))


def _fitted_in_split(evaluator: SubsetEvaluator, number: int) -> Any:
    rows = evaluator.plan.splits[number].train
    return _fitted(evaluator.estimator, evaluator.training, evaluator.fit_parameters, rows, None)


def _fitted(
    estimator: Any,
    data: LabelledRows,
    parameters: dict[str, Any],
    rows: IntArray,
    columns: IntArray | None,
    train: Train | None = None,
) -> Any:
    n_rows = len(data.y)
    every = None if len(rows) == n_rows and bool((rows == np.arange(n_rows)).all()) else rows
    X = take_columns(take_rows(data.X, every), columns)
    y = data.y if every is None else data.y[every]
    model = clone(estimator)
    fit = model.fit if train is None else partial(train, model)
    return fit(X, y, **take_parameters(parameters, every, n_rows))


def _measured(evaluator: SubsetEvaluator, task: tuple[Measure, int, IntArray]) -> float | None:
    """Train on columns in one split and measure on its validation rows; None if it has none."""
    measure, number, columns = task
    split = evaluator.plan.splits[number]
    test = evaluator.test_rows(split)
    if test.X is None:
        return None
    model = _fitted(evaluator.estimator, evaluator.training, evaluator.fit_parameters, split.train, columns)
    return measure(model, take_columns(test.X, columns), test.y, test.sample_weight)


def _answer(evaluator: SubsetEvaluator, task: Task) -> Answer:
    """Train, predict and share in one task, so that no trained classifier has to travel between processes."""
    number, wants_shares, columns = task
    data = evaluator.training
    test = None if number == ALL_ROWS else evaluator.test_rows(evaluator.plan.splits[number])
    train = evaluator.all_rows() if number == ALL_ROWS else evaluator.plan.splits[number].train
    model = _fitted(evaluator.estimator, data, evaluator.fit_parameters, train, columns)
    asked = None if test is None or test.X is None else take_columns(test.X, columns)
    predicted = None if asked is None else np.asarray(model.predict(asked))
    shares = None
    if isinstance(wants_shares, ColumnGroups) and asked is not None:
        assert test is not None
        assert columns is not None
        inner = unwrapped(model, asked)
        # Networks that a search moves share by equation 8 by either rule, and so do those trained anew.
        if not (has_own_rule(inner.classifier) or isinstance(inner.classifier, NETWORKS)):
            standing = wants_shares.standing_on(columns)
            found = contributions(inner, test.y, test.sample_weight, standing)
            return Answer(predicted, None, model.classes_, found)
    if wants_shares and asked is not None:
        assert test is not None
        shares = credit_shares(model, asked, test.sample_weight)
    elif wants_shares:
        weights = None if data.sample_weight is None else data.sample_weight[train]
        shares = credit_shares(model, take_columns(take_rows(data.X, train), columns), weights)
    return Answer(predicted, shares, model.classes_)


def _pooled_weights(tests: Iterable[LabelledRows]) -> FloatArray | None:
    weights = [rows.sample_weight for rows in tests]
    if all(weight is None for weight in weights):
        return None
    return np.concatenate([weight for weight in weights if weight is not None])
