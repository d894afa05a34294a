"""ScreenSelector: a ranking of all columns, an elimination of the best of them, and a classifier on those."""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._deadline import check_time
from infoprop._core._matrices import taken_columns
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice, choose_columns
from infoprop.selection._containers import take_columns, take_rows
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._moving import fills_gaps, parts_of
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection._sharing import COVARIANCE
from infoprop.selection._validation import plan_validation
from infoprop.selection.elimination._backward import pieces
from infoprop.selection.elimination._moved import elimination_for
from infoprop.selection.elimination._path import SelectionPath
from infoprop.selection.elimination._schedule import HALVING, Schedule, check_step
from infoprop.selection.elimination._stepwise import INFORMATION, MARGIN, StepBatch
from infoprop.selection.running._work import Work
from infoprop.selection.screen._interactions import interaction_screen

SCREEN, CREDIT = "screen", "credit"
RANKINGS = (SCREEN, CREDIT)
# Folds whose rows left out say what columns are worth, to an elimination and to a ranking by credit.
ELIMINATION_FOLDS = 3
CREDIT_FOLDS = 5

Order: TypeAlias = tuple[IntArray, dict[int, FloatArray]]
"""Groups, best first, and tables of the rows left out that are known by their elimination, by size."""
Orders: TypeAlias = dict[Any, Order]
"""Orders of the same rows, by what made them."""


class ScreenSelector(ResizableSelector):
    """Select the columns that rank first in a screen or by credit, or that an elimination of those leaves.

    Weights of rows are the classifier's alone.

    Parameters
    ----------
    estimator : classifier, default=None
        Trained on the chosen columns; credits and eliminates.
    eliminated_by : classifier, default=None
        Eliminates after a screen. None means `estimator`.
    ranked_by : {"screen", "credit"}, default="screen"
        What all columns are ranked by: an :func:`~infoprop.selection.interaction_screen`, or credit by
        covariance for rows left out of five folds.
    n_eliminated : int, default=None
        How many of the best are put in order by backward elimination. After a ranking by credit it goes by
        margins. After a screen it goes by credits by covariance for rows left out of three folds, and
        columns that the screen found stay before those that it did not. None leaves the ranking as it is.
    joined_with : classifier, default=None
        Eliminates all columns by margins. Their order is then by the product of their places: in this
        elimination, in the other, and after a screen in its ranking, too. None leaves the order as it is.
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
        eliminated_by: Any = None,
        ranked_by: str = SCREEN,
        n_eliminated: int | None = None,
        joined_with: Any = None,
        step: Any = HALVING,
        n_features_to_select: Any = None,
        groups: Any = None,
        keep: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.eliminated_by = eliminated_by
        self.ranked_by = ranked_by
        self.n_eliminated = n_eliminated
        self.joined_with = joined_with
        self.step = step
        self.n_features_to_select = n_features_to_select
        self.groups = groups
        self.keep = keep
        self.random_state = random_state
        self.verbose = verbose

    n_jobs = None
    validation = None

    def support_at(self, size: int) -> BoolArray:
        """Return a mask of the columns that are chosen for another number of features (groups)."""
        choice = choose_columns(self.groups, self.keep, size, None, self._input_names())
        return choice.support(self._ranked_at(choice)[0])

    def _check_own_parameters(self) -> None:
        owner = type(self).__name__
        check_choice("ranked_by", self.ranked_by, RANKINGS, owner)
        if self.n_eliminated is not None:
            check_integer("n_eliminated", self.n_eliminated, owner, low=1)
        check_step(self.step, owner)

    def _may_skip_validation(self) -> bool:
        return True

    def _sizes(self) -> range:
        return self._ranked_sizes()

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        return Selection(*self._ranked_at(choice))

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return 1

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        rows = evaluator.all_rows()
        training = evaluator.training
        known = None if evaluator.row_groups is None else evaluator.row_groups[rows]
        told = ToldRows(take_rows(training.X, rows), training.y[rows], known)
        ranked = self.ranked(told, evaluator.estimator, choice)
        order, _ = self.in_order(ranked, told, evaluator, choice, [choice.fewest], {})
        work.progress.step()
        return Selection(np.sort(order[: choice.n_select]), order)

    def ranked(self, rows: "ToldRows", estimator: Any, choice: ColumnChoice) -> "RankedGroups":
        """Return all groups, best first, before any of them is eliminated."""
        if self.ranked_by == SCREEN:
            return screened(_filled(estimator, rows.X), rows.y, choice)
        credits = _in_folds(estimator, rows, choice, CREDIT_FOLDS).out_of_fold_credits(choice.groups)
        return RankedGroups(choice.order(credits), 0)

    def eliminating(self, estimator: Any) -> Any:
        """Return what eliminates if `estimator` is trained on the chosen columns."""
        return estimator if self.eliminated_by is None else self.eliminated_by

    def in_order(
        self,
        ranked: "RankedGroups",
        rows: "ToldRows",
        evaluator: SubsetEvaluator,
        choice: ColumnChoice,
        sizes: Sequence[int],
        known: Orders,
    ) -> Order:
        """Return the order after the eliminations, and tables of :func:`eliminated` that are known by it.

        Parameters
        ----------
        ranked : RankedGroups
        rows : ToldRows
            Those to choose from.
        evaluator : SubsetEvaluator
            Trains on these rows; its validation rows, if any, are counted.
        choice : ColumnChoice
            How groups are made, and which are always kept.
        sizes : sequence of int
            Ascending. Which groups are the best so many the order is to tell, for each of these.
        known : dict
            Orders that another selector has made of the same rows; those that are made now are added.
        """
        if self.n_eliminated is None:
            return ranked.order, {}
        is_joined = self.joined_with is not None
        wanted = replace(choice, n_select=choice.fewest if is_joined else sizes[0])
        eliminating = pickle.dumps(self.eliminating(evaluator.estimator))
        # After a screen, an elimination goes all the way.
        depth = wanted.n_select if self.ranked_by == CREDIT else None
        key = self.ranked_by, self.n_eliminated, eliminating, self.step, depth
        if key not in known:
            known[key] = self._reordered(ranked, rows, evaluator, wanted)
        if not is_joined:
            return known[key]
        if (joining := (pickle.dumps(self.joined_with), self.step)) not in known:
            linear = evaluator.on_the_same_rows(estimator=self.joined_with)
            known[joining] = eliminated(linear, np.sort(ranked.order), wanted, self.step)
        orders = [known[key][0], known[joining][0]] + ([] if self.ranked_by == CREDIT else [ranked.order])
        return joined(orders, choice.keep, ranked.order[: ranked.n_found]), {}

    def _reordered(
        self, ranked: "RankedGroups", rows: "ToldRows", evaluator: SubsetEvaluator, choice: ColumnChoice
    ) -> Order:
        """The ranking, the best of it after an elimination."""
        assert self.n_eliminated is not None
        n_head = max(self.n_eliminated, choice.fewest)
        head, others = ranked.order[:n_head], ranked.order[n_head:]
        if self.ranked_by == CREDIT:
            first, tables = eliminated(evaluator, head, choice, self.step)
            return np.concatenate([first, others]), tables
        own = _in_folds(self.eliminating(evaluator.estimator), rows, choice, ELIMINATION_FOLDS)
        first, _ = eliminated(own, head, replace(choice, n_select=choice.fewest), self.step, COVARIANCE)
        # Those that were found come first.
        is_found = np.isin(first, ranked.order[: ranked.n_found])
        return np.concatenate([first[is_found], first[~is_found], others]), {}


@dataclass(frozen=True, eq=False)
class ToldRows:
    """Rows to choose from, their classes, and labels of rows that stay together, if there are any."""

    X: Any
    y: LabelArray
    row_groups: LabelArray | None


@dataclass(frozen=True, eq=False)
class RankedGroups:
    """Groups of columns, those always kept first, then the best; the first `n_found` are kept or found."""

    order: IntArray
    n_found: int


def joined(orders: Sequence[IntArray], *first: IntArray) -> IntArray:
    """Groups by the product of their places in several orders; those in each of `first` before all others.

    Examples
    --------
    >>> joined([np.array([0, 1, 2, 3]), np.array([3, 1, 0, 2])], np.array([2]))
    array([2, 0, 1, 3])
    """
    places = np.argsort(orders, axis=1)
    product = np.prod(places + 1, axis=0)
    is_behind = [~np.isin(np.arange(len(product)), groups) for groups in reversed(first)]
    # Equal ones as in the first order.
    return np.lexsort((places[0], product, *is_behind))


def screened(X: Any, y: Any, choice: ColumnChoice) -> RankedGroups:
    """Groups of columns as a screen ranks them: by their best columns."""
    screen = interaction_screen(X, y, n_pairs=1)
    labels = choice.groups.labels[screen.feature_ranking]
    _, first = np.unique(labels, return_index=True)
    ranked = labels[np.sort(first)]
    is_kept = np.isin(ranked, choice.keep)
    is_found = np.isin(ranked, choice.groups.labels[screen.support]) | is_kept
    return RankedGroups(np.concatenate([ranked[is_kept], ranked[~is_kept]]), int(is_found.sum()))


def _imputers(estimator: Any) -> list[Any]:
    """What fills in missing values before the classifier."""
    return [step for step in parts_of(estimator)[0] if fills_gaps(step)]


def _filled(estimator: Any, X: Any) -> Any:
    """Rows as the imputers of `estimator` fill them in."""
    for imputer in _imputers(estimator):
        X = clone(imputer).fit_transform(X)
    return X


def _in_folds(estimator: Any, rows: ToldRows, choice: ColumnChoice, n_folds: int) -> SubsetEvaluator:
    """What trains in so many folds of the rows. The folds are drawn by what the rows hold."""
    finite = "allow-nan" if _imputers(estimator) else True
    X = check_array(rows.X, accept_sparse="csr", ensure_all_finite=finite)
    split = {} if rows.row_groups is None else {"groups": rows.row_groups}
    plan = plan_validation(
        n_folds, X, rows.y, np.ones(len(rows.y)), has_given=False, seed=0, split_parameters=split
    )
    return SubsetEvaluator(estimator, LabelledRows(X, rows.y), {}, plan, None, choice.groups.columns, 1)


def eliminated(
    evaluator: SubsetEvaluator, head: IntArray, choice: ColumnChoice, step: Any, by: str = MARGIN
) -> tuple[IntArray, dict[int, FloatArray]]:
    """Order some groups by backward elimination, down to `choice.n_select` of them.

    Parameters
    ----------
    evaluator : SubsetEvaluator
    head : ndarray
        The groups.
    choice : ColumnChoice
    step : int, float or "halving"
    by : {"margin", "covariance"}
        Mean shares of the margin, or bits shared by covariance.

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
    schedule = Schedule.from_step(step, len(head), n_select)
    criterion = MARGIN if by == MARGIN else INFORMATION
    elimination = elimination_for(own, inner, schedule, criterion, by)
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
