"""Backward elimination: the group with the least credit goes, again and again (MOI-BE)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from infoprop._core._frozen import FrozenArrays
from infoprop._core._subset import SubsetModel
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._refit import subset_model
from infoprop.selection._schedule import Schedule

INFORMATION = "information"
MARGIN = "margin"
CRITERIA = (INFORMATION, MARGIN)

TIE_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class EliminationStep(FrozenArrays):
    """One training of an elimination: what was counted, and what went then.

    Attributes
    ----------
    counts : ndarray of shape (L, L)
        Confusion table of the columns standing; all zero if there are no rows to count.
    n_columns : int
        Number of these columns.
    dropped : ndarray
        Numbers of the groups dropped after counting, worst first; none in the last step.
    credits : ndarray
        Their credits in bits; with the criterion "margin" their mean shares.
    shares : ndarray of shape (n_classes, n_columns) or None
        Shares of all columns, mean over the splits: in the first step only.
    """

    counts: FloatArray
    n_columns: int
    dropped: IntArray
    credits: FloatArray
    shares: FloatArray | None = None

    def to_record(self) -> dict[str, Any]:
        """Return it as a journal keeps it."""
        return dict(vars(self))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Build it from what a journal kept."""
        return cls(**record)


class Elimination(Protocol):
    """A search that only drops, on whatever model.

    A step trains, counts, and drops. Between two steps the model has lost the groups of the last one and is
    not yet trained without them: that is where snapshots are taken, always after the same numbers of steps,
    whether anybody keeps them or not.
    """

    @property
    def steps_between_snapshots(self) -> int:
        """Number of steps to advance between two snapshots."""

    def advance(self, n_steps: int) -> list[EliminationStep]:
        """Make at most `n_steps` further steps; fewer at the end. The last step of all drops nothing."""

    def snapshot(self) -> Mapping[str, Any]:
        """Return arrays to go on from, and go on from them."""

    def restore(self, steps: Sequence[EliminationStep], snapshot: Mapping[str, Any]) -> None:
        """Stand where `steps`, all from the first, lead to, as after a `snapshot` taken there."""


def elimination_for(
    evaluator: SubsetEvaluator, choice: ColumnChoice, schedule: Schedule, criterion: str
) -> Elimination:
    """Return the fastest elimination there is for the evaluator's classifier."""
    return StepwiseElimination(subset_model(evaluator), evaluator, choice, schedule, criterion)


class StepwiseElimination:
    """Eliminates with any subset model: train, count, share, drop the worst, and again.

    Parameters
    ----------
    model : SubsetModel
        Standing on all columns.
    evaluator : SubsetEvaluator
    choice : ColumnChoice
        Its groups come and go together; those it keeps never go.
    schedule : Schedule
    criterion : {"information", "margin"}
        What the groups are compared by: credits ``sum_r I_r P[r, k]``, or mean shares ``mean_r P[r, k]``.
        Both are sums over the columns of a group and means over the splits.
    """

    def __init__(
        self,
        model: SubsetModel,
        evaluator: SubsetEvaluator,
        choice: ColumnChoice,
        schedule: Schedule,
        criterion: str,
    ) -> None:
        self._model = model
        self._table = evaluator.pooled
        self._choice = choice
        self._schedule = schedule
        self._criterion = criterion
        self._is_standing = np.ones(choice.groups.n_groups, dtype=bool)
        self._is_over = False

    @property
    def steps_between_snapshots(self) -> int:
        """Number of steps to advance between two snapshots."""
        return self._model.moves_between_snapshots

    def advance(self, n_steps: int) -> list[EliminationStep]:
        """Make at most `n_steps` further steps; fewer at the end. The last step of all drops nothing."""
        steps: list[EliminationStep] = []
        while len(steps) < n_steps and not self._is_over:
            steps.append(self._step())
        return steps

    def snapshot(self) -> Mapping[str, Any]:
        """Return the model's arrays to go on from."""
        return self._model.snapshot()

    def restore(self, steps: Sequence[EliminationStep], snapshot: Mapping[str, Any]) -> None:
        """Stand where `steps` lead to."""
        self._is_standing[:] = True
        for step in steps:
            self._is_standing[step.dropped] = False
        self._is_over = len(steps) > 0 and len(steps[-1].dropped) == 0
        self._model.restore(self._choice.groups.members(np.flatnonzero(self._is_standing)), snapshot)

    def _step(self) -> EliminationStep:
        self._model.fit()
        columns = self._model.columns
        counts = self._table.counts(self._model.predict())
        mean_shares = self._model.credit_shares()
        worth, tie_breaker = self._worth(counts, mean_shares, columns)
        n_dropped = self._schedule.count(int(self._is_standing.sum()))
        dropped = self._worst(worth, tie_breaker)[:n_dropped]
        is_first = bool(self._is_standing.all())
        if n_dropped:
            self._is_standing[dropped] = False
            self._model.drop(self._choice.groups.members(dropped))
        self._is_over = n_dropped == 0
        shares = mean_shares if is_first else None
        return EliminationStep(counts, len(columns), dropped, worth[dropped], shares)

    def _worth(
        self, counts: FloatArray, mean_shares: FloatArray, columns: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """What each group is worth by the criterion, and its mean share: (n_groups,) each."""
        shares = mean_shares * self._table.share_scale[:, None]
        margins = self._choice.group_sums(shares.mean(axis=0), columns)
        if self._criterion == MARGIN:
            return margins, margins
        indicator_credits = self._table.flow(counts).indicator_credits[: len(shares)]
        return self._choice.group_sums((indicator_credits[:, None] * shares).sum(axis=0), columns), margins

    def _worst(self, worth: FloatArray, margins: FloatArray) -> IntArray:
        """Groups that may go, worst first."""
        leaving = self._is_standing.copy()
        leaving[self._choice.keep] = False
        return worst_first(worth, margins, np.flatnonzero(leaving))


def worst_first(worth: FloatArray, margins: FloatArray, groups: IntArray) -> IntArray:
    """Order `groups` by what they are worth, the least first.

    Worth is compared to twelve decimals; of equal groups the one with the higher number goes first. Where
    no group is worth anything, which is where nothing is delivered, the mean shares decide.
    """
    compared = worth.round(TIE_DECIMALS)
    if not compared.any():
        compared = margins.round(TIE_DECIMALS)
    return groups[np.lexsort((-groups, compared[groups]))]
