"""ScreenSelector: the best columns of a screen of all columns and pairs, and a classifier on them."""

from dataclasses import replace
from typing import Any

import numpy as np

from infoprop._core._checks import check_integer
from infoprop._core._deadline import check_time
from infoprop._core._matrices import taken_columns
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice, choose_columns
from infoprop.selection._containers import take_columns, take_rows
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection.elimination._backward import pieces
from infoprop.selection.elimination._moved import elimination_for
from infoprop.selection.elimination._path import SelectionPath
from infoprop.selection.elimination._schedule import HALVING, Schedule, check_step
from infoprop.selection.elimination._stepwise import MARGIN, StepBatch
from infoprop.selection.running._work import Work
from infoprop.selection.screen._interactions import interaction_screen


class ScreenSelector(ResizableSelector):
    """Select the columns that an :func:`~infoprop.selection.interaction_screen` ranks first.

    The best of them may be put in order by a backward elimination, which knows what they tell together.
    Weights of rows are the classifier's alone.

    Parameters
    ----------
    estimator : classifier, default=None
        Trained on the chosen columns; eliminates.
    n_eliminated : int, default=None
        How many of the best are ordered by backward elimination by margin, with the classifier. None leaves
        all as the screen ranks them.
    step : int, float or "halving", default="halving"
        How many of them go at a time, as in :class:`~infoprop.selection.BackwardEliminationSelector`.
    n_features_to_select : int or float, default=None
        How many, or which fraction. None means half of them.
    groups, keep, random_state, verbose
        As in the other selectors.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection.front._screened import ScreenSelector
    >>> X = np.random.default_rng(0).random((300, 8))
    >>> y = (X[:, 2] - 0.5) * (X[:, 5] - 0.5) > 0
    >>> ScreenSelector(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 5])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_eliminated: int | None = None,
        step: Any = HALVING,
        n_features_to_select: Any = None,
        groups: Any = None,
        keep: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_eliminated = n_eliminated
        self.step = step
        self.n_features_to_select = n_features_to_select
        self.groups = groups
        self.keep = keep
        self.random_state = random_state
        self.verbose = verbose

    n_jobs = None
    validation = None

    def needs_screen(self, n_groups: int) -> bool:
        """Whether the order of a screen matters: not if so many groups are all put in order anew."""
        return self.n_eliminated is None or self.n_eliminated < n_groups

    def support_at(self, size: int) -> BoolArray:
        """Return a mask of the columns that are chosen for another number of features (groups)."""
        choice = choose_columns(self.groups, self.keep, size, None, self._input_names())
        return choice.support(self._ranked_at(choice)[0])

    def _check_own_parameters(self) -> None:
        if self.n_eliminated is not None:
            check_integer("n_eliminated", self.n_eliminated, type(self).__name__, low=1)
        check_step(self.step, type(self).__name__)

    def _may_skip_validation(self) -> bool:
        return True

    def _sizes(self) -> range:
        return self._ranked_sizes()

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        return Selection(*self._ranked_at(choice))

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return 1

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        order = np.arange(choice.groups.n_groups)
        if self.needs_screen(len(order)):
            rows = evaluator.all_rows()
            order = screened(take_rows(evaluator.training.X, rows), evaluator.training.y[rows], choice)
        if self.n_eliminated is not None:
            head = order[: max(self.n_eliminated, choice.fewest)]
            first, _ = eliminated(evaluator, head, replace(choice, n_select=choice.fewest), self.step)
            order = np.concatenate([first, order[len(head) :]])
        work.progress.step()
        return Selection(np.sort(order[: choice.n_select]), order)


def screened(X: Any, y: Any, choice: ColumnChoice) -> IntArray:
    """Groups of columns as a screen ranks them: those always kept first, then by their best columns."""
    labels = choice.groups.labels[interaction_screen(X, y, n_pairs=1).feature_ranking]
    _, first = np.unique(labels, return_index=True)
    ranked = labels[np.sort(first)]
    is_kept = np.isin(ranked, choice.keep)
    return np.concatenate([ranked[is_kept], ranked[~is_kept]])


def eliminated(
    evaluator: SubsetEvaluator, head: IntArray, choice: ColumnChoice, step: Any
) -> tuple[IntArray, dict[int, FloatArray]]:
    """Order some groups by backward elimination by margin, down to `choice.n_select` of them.

    Returns
    -------
    order : ndarray
        The groups, best first; those never dropped in the order of their numbers.
    tables : dict from int to ndarray of shape (L, L)
        What the machines say of the evaluator's validation rows, for every size that they passed.
    """
    assert choice.n_select is not None
    ascending = np.sort(head)
    columns = choice.groups.members(ascending)
    own = restricted(evaluator, columns)
    labels = np.searchsorted(ascending, choice.groups.labels[columns])
    groups = ColumnGroups(tuple(choice.groups.names[k] for k in ascending), labels, own.feature_names)
    n_select = min(choice.n_select, len(head))
    inner = ColumnChoice(groups, np.searchsorted(ascending, choice.keep), n_select, None)
    elimination = elimination_for(own, inner, Schedule.from_step(step, len(head), n_select), MARGIN)
    found: list[StepBatch] = []
    for piece in pieces(elimination):
        check_time()
        found.append(piece)
    steps = StepBatch.joined(found)
    path = SelectionPath.from_steps(steps, own.pooled, groups)
    return ascending[path.best_first], dict(zip(path.n_features.tolist(), steps.counts, strict=True))


def restricted(evaluator: SubsetEvaluator, columns: IntArray) -> SubsetEvaluator:
    """The same evaluator, on some of the columns."""
    if len(columns) == len(evaluator.feature_names):
        return evaluator
    known = evaluator.known_rows
    if known is not None:
        known = [
            replace(rows, X=taken_columns(rows.X, columns), X_test=taken_columns(rows.X_test, columns))
            for rows in known
        ]
    return evaluator.on_the_same_rows(
        training=replace(evaluator.training, X=take_columns(evaluator.training.X, columns)),
        feature_names=tuple(evaluator.feature_names[k] for k in columns),
        known_rows=known,
    )
