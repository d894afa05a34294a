"""Backward elimination: the group with the least credit goes, again and again (MOI-BE)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from infoprop._core._frozen import FrozenArrays
from infoprop._core._subset import SubsetModel
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator, Train
from infoprop.selection._sharing import CovarianceSharing
from infoprop.selection.elimination._by_covariance import Prices, least_first
from infoprop.selection.elimination._ranking import worst_groups
from infoprop.selection.elimination._schedule import Schedule

INFORMATION = "information"
MARGIN = "margin"
CRITERIA = (INFORMATION, MARGIN)

TIE_DECIMALS = 12


class EliminationStep(NamedTuple):
    """One training of an elimination: what was counted, and what went then; see :class:`StepBatch`."""

    counts: FloatArray
    n_columns: int
    dropped: IntArray
    credits: FloatArray
    shares: FloatArray | None


@dataclass(frozen=True, eq=False)
class StepBatch(FrozenArrays):
    """Some trainings of an elimination, one after another: what was counted, and what went then.

    Attributes
    ----------
    counts : ndarray of shape (n_steps, L, L)
        Confusion table of the columns standing, for every step; all zero if there are no rows to count.
    n_columns : ndarray of shape (n_steps,)
        Number of these columns.
    dropped : ndarray of shape (n_dropped,)
        Numbers of the groups dropped after counting, step after step, worst first.
    credits : ndarray of shape (n_dropped,)
        Their credits in bits; with the criterion "margin" their mean shares.
    starts : ndarray of shape (n_steps + 1,)
        Step number i drops ``dropped[starts[i]:starts[i + 1]]``: none in the last step of all.
    shares : ndarray of shape (n_classes, n_columns) or None
        Shares of all columns, mean over the splits: only if the first step of all is here.
    """

    counts: FloatArray
    n_columns: IntArray
    dropped: IntArray
    credits: FloatArray
    starts: IntArray
    shares: FloatArray | None = None

    @classmethod
    def from_steps(cls, steps: Sequence[EliminationStep], n_labels: int) -> Self:
        """Put steps, possibly none, together in their order."""
        counts = np.array([step.counts for step in steps], dtype=np.float64)
        return cls(
            counts=counts.reshape(-1, n_labels, n_labels),
            n_columns=np.array([step.n_columns for step in steps], dtype=np.intp),
            dropped=np.concatenate([np.empty(0, dtype=np.intp), *(step.dropped for step in steps)]),
            credits=np.concatenate([np.empty(0), *(step.credits for step in steps)]),
            starts=np.cumsum([0, *(len(step.dropped) for step in steps)], dtype=np.intp),
            shares=steps[0].shares if steps else None,
        )

    @classmethod
    def joined(cls, batches: Sequence[Self]) -> Self:
        """Put batches, at least one, together in their order."""
        before = np.cumsum([0, *(batch.starts[-1] for batch in batches)])
        shifted = [batch.starts[1:] + shift for batch, shift in zip(batches, before, strict=False)]
        return cls(
            counts=np.concatenate([batch.counts for batch in batches]),
            n_columns=np.concatenate([batch.n_columns for batch in batches]),
            dropped=np.concatenate([batch.dropped for batch in batches]),
            credits=np.concatenate([batch.credits for batch in batches]),
            starts=np.concatenate([batches[0].starts[:1], *shifted]),
            shares=batches[0].shares,
        )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Build it from what a journal kept."""
        return cls(**record)

    def to_record(self) -> dict[str, Any]:
        """Return it as a journal keeps it."""
        return dict(vars(self))

    def __len__(self) -> int:
        return len(self.n_columns)

    @property
    def is_last(self) -> bool:
        """Whether the last step of all is here: the one that drops nothing."""
        return len(self) > 0 and bool(self.starts[-1] == self.starts[-2])

    def one_by_one(self) -> Iterator[Self]:
        """Yield its steps, each a batch of its own."""
        for step in range(len(self)):
            gone = slice(self.starts[step], self.starts[step + 1])
            yield type(self)(
                counts=self.counts[step : step + 1],
                n_columns=self.n_columns[step : step + 1],
                dropped=self.dropped[gone],
                credits=self.credits[gone],
                starts=np.array([0, gone.stop - gone.start], dtype=np.intp),
                shares=self.shares if step == 0 else None,
            )


class Elimination(Protocol):
    """A search that only drops, on whatever model.

    A step trains, counts, and drops. Between two steps the model has lost the groups of the last one and is
    not yet trained without them: that is where snapshots are taken, always after the same numbers of steps,
    whether anybody keeps them or not.
    """

    @property
    def steps_between_snapshots(self) -> int:
        """Number of steps to advance between two snapshots."""

    @property
    def steps_at_a_time(self) -> int:
        """Number of steps to advance without a pause: what an interrupt may cost."""

    def advance(self, n_steps: int) -> StepBatch:
        """Make `n_steps` further steps; fewer at the end, then none. The last of all drops nothing.

        After an exception, an interrupt for instance, only `restore` brings it back to work.
        """

    def snapshot(self) -> Mapping[str, Any]:
        """Return arrays to go on from, and go on from them."""

    def restore(self, steps: StepBatch, snapshot: Mapping[str, Any]) -> None:
        """Stand where `steps`, all from the first, lead to, as after a `snapshot` taken there."""

    def trainer(self, columns: IntArray) -> Train | None:
        """What trains the classifier on all rows and these columns, if it knows better than to start anew."""


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
    sharing : CovarianceSharing, default=None
        Where shares come from, if not from the model: by covariance.

    Attributes
    ----------
    earned : ndarray of shape (n_groups,)
        Mean shares of each group, summed over the steps so far.
    """

    def __init__(
        self,
        model: SubsetModel,
        evaluator: SubsetEvaluator,
        choice: ColumnChoice,
        schedule: Schedule,
        criterion: str,
        sharing: CovarianceSharing | None = None,
    ) -> None:
        self._model = model
        self._sharing = sharing
        self._table = evaluator.pooled
        self._choice = choice
        self._schedule = schedule
        self._criterion = criterion
        self._is_standing = np.ones(choice.groups.n_groups, dtype=bool)
        self._is_over = False
        self._prices = Prices(choice.groups.n_groups)
        self.earned: FloatArray = np.zeros(choice.groups.n_groups)

    @property
    def steps_between_snapshots(self) -> int:
        """Number of steps to advance between two snapshots."""
        return self._model.moves_between_snapshots

    @property
    def steps_at_a_time(self) -> int:
        """One: every step trains."""
        return 1

    def advance(self, n_steps: int) -> StepBatch:
        """Make `n_steps` further steps; fewer at the end, then none. The last of all drops nothing."""
        steps: list[EliminationStep] = []
        while len(steps) < n_steps and not self._is_over:
            steps.append(self._step())
        return StepBatch.from_steps(steps, len(self._table.labels))

    def snapshot(self) -> Mapping[str, Any]:
        """Return the model's arrays to go on from."""
        return {**self._model.snapshot(), **({} if self._sharing is None else self._prices.snapshot())}

    def restore(self, steps: StepBatch, snapshot: Mapping[str, Any]) -> None:
        """Stand where `steps` lead to."""
        self._is_standing[:] = True
        self._is_standing[steps.dropped] = False
        self._is_over = steps.is_last
        self._prices = Prices.from_snapshot(snapshot, len(self._is_standing))
        self._model.restore(self._choice.groups.members(np.flatnonzero(self._is_standing)), snapshot)

    def trainer(self, columns: IntArray) -> None:
        """None: it knows nothing of its model."""

    def _step(self) -> EliminationStep:
        self._model.fit()
        columns = self._model.columns
        counts = self._table.counts(self._model.predict())
        scale = self._table.share_scale[:, None]
        if self._sharing is None:
            shares = self._model.credit_shares()
            worth, margins = self._worth(counts, shares * scale, columns)
            order = worst_first(worth, margins, self._leaving())
        else:
            found = self._sharing.found(columns)
            shares = found.shares / scale
            worth, margins = self._worth(counts, found.shares, columns)
            signed, mean_signed = self._worth(counts, found.signed, columns)
            has_worth = bool(worth.round(TIE_DECIMALS).any())
            compared = (worth, signed) if has_worth else (margins, mean_signed)
            n_left = int(self._is_standing.sum())
            if self._prices.are_due(n_left):
                self._prices.set(*compared, worth, n_left)
            worth = self._prices.credits
            order = least_first(self._prices.worth, self._prices.signed, self._leaving())
        self.earned += margins
        n_dropped = self._schedule.count(int(self._is_standing.sum()))
        dropped = order[:n_dropped]
        is_first = bool(self._is_standing.all())
        if n_dropped:
            self._is_standing[dropped] = False
            self._model.drop(self._choice.groups.members(dropped))
        self._is_over = n_dropped == 0
        return EliminationStep(counts, len(columns), dropped, worth[dropped], shares if is_first else None)

    def _worth(
        self, counts: FloatArray, shares: FloatArray, columns: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """What each group is worth by the criterion, and its mean share: (n_groups,) each."""
        margins = self._choice.group_sums(shares.mean(axis=0), columns)
        if self._criterion == MARGIN:
            return margins, margins
        indicator_credits = self._table.flow(counts).indicator_credits[: len(shares)]
        return self._choice.group_sums((indicator_credits[:, None] * shares).sum(axis=0), columns), margins

    def _leaving(self) -> IntArray:
        """Groups that may go."""
        leaving = self._is_standing.copy()
        leaving[self._choice.keep] = False
        return np.flatnonzero(leaving)


def worst_first(worth: FloatArray, margins: FloatArray, groups: IntArray) -> IntArray:
    """Order `groups` by what they are worth, the least first; see :func:`worst_groups`.

    Where no group is worth anything, which is where nothing is delivered, the mean shares decide.
    """
    has_worth = bool(worth.round(TIE_DECIMALS).any())
    return worst_groups(worth if has_worth else margins, groups, len(groups))
