"""The drop loop: count votes, rank the columns, drop the worst groups, and again.

It asks machines through a narrow protocol, :class:`~infoprop.svm.subset._protocol.EliminatingMachines`.
"""

from dataclasses import dataclass

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection.elimination._loop_fast import eliminate
from infoprop.selection.elimination._ranking import group_worth, worst_groups
from infoprop.selection.elimination._ranking_fast import Drops, Record, weigh_machines
from infoprop.selection.elimination._screening_fast import (
    CACHE_LINE,
    COLUMNS_PER_CANDIDATE,
    N_CANDIDATES,
)
from infoprop.svm.subset._gram_hinge import GramMachines
from infoprop.svm.subset._protocol import EliminatingMachines


@dataclass(frozen=True)
class Dropped:
    """Steps of an elimination: groups that went in each, their credits, and the table before each step.

    `starts` tells where the groups of each step begin in `groups` and `credits`.
    """

    groups: IntArray
    credits: FloatArray
    tables: FloatArray
    starts: IntArray

    def part(self, first: int, last: int) -> "Dropped":
        """The steps ``first : last``, in the same arrays."""
        starts = self.starts[first : last + 1]
        own = slice(starts[0], starts[-1])
        return Dropped(self.groups[own], self.credits[own], self.tables[first:last], starts - starts[0])


def drop_worst(
    machines: EliminatingMachines, counts: IntArray, group_of: IntArray, is_kept: BoolArray, by_credit: bool
) -> Dropped:
    """Drop the worst groups, `counts` of them in each step, by credit or by mean share."""
    dropped = new_dropped(counts, len(machines.splits.label_scale))
    if isinstance(machines, GramMachines):
        # Where many go at once, Gram matrices are built anew, and there is nothing to follow.
        n_large = int(np.argmin([*(counts > machines.splits.n.max()), False]))
        drop_step_by_step(machines, dropped.part(0, n_large), group_of, is_kept, by_credit)
        _drop_in_one_piece(
            machines, dropped.part(n_large, len(counts)), counts[n_large:], group_of, is_kept, by_credit
        )
    else:
        drop_step_by_step(machines, dropped, group_of, is_kept, by_credit)
    return dropped


def new_dropped(counts: IntArray, n_labels: int) -> Dropped:
    """Arrays for steps that drop so many groups each."""
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    total = int(starts[-1])
    tables = np.zeros((len(counts), n_labels, n_labels))
    return Dropped(np.zeros(total, dtype=np.int64), np.zeros(total), tables, starts)


def drop_step_by_step(
    machines: EliminatingMachines, dropped: Dropped, group_of: IntArray, is_kept: BoolArray, by_credit: bool
) -> None:
    """Make the steps that `dropped` has arrays for, one after another."""
    splits = machines.splits
    scale, shares = np.empty(len(splits.split)), np.empty(len(splits.label_scale))
    for step, (first, last) in enumerate(zip(dropped.starts[:-1], dropped.starts[1:], strict=True)):
        table = dropped.tables[step]
        machines.count_votes(table)
        information = weigh_machines(splits, table, by_credit, shares, scale)
        values = dropped.credits[first:last]
        goes = _worst_columns(machines, scale, group_of, is_kept, dropped.groups[first:last], values)
        if by_credit and information == 0.0:
            values[:] = 0.0
        machines.drop(machines.columns[goes])


def _worst_columns(
    machines: EliminatingMachines,
    scale: FloatArray,
    group_of: IntArray,
    is_kept: BoolArray,
    groups: IntArray,
    values: FloatArray,
) -> BoolArray:
    """Write the worst groups and what they are worth; returns which of the columns belong to them."""
    columns = machines.columns
    own = group_of[columns]
    is_leaving = np.zeros(len(is_kept), dtype=bool)
    is_leaving[own] = True
    may_go = np.flatnonzero(is_leaving & ~is_kept)
    found, doubts = machines.bounded_sensitivities()
    lowest = found if doubts is None else found - doubts
    is_known = np.full(len(columns), doubts is None)
    totals = found.sum(axis=1)
    while True:
        worth = group_worth(lowest, totals, scale, own, len(is_kept))
        groups[:] = worst_groups(worth, may_go, len(groups))
        is_leaving[:] = False
        is_leaving[groups] = True
        goes = is_leaving[own]
        unknown = np.flatnonzero(goes & ~is_known)
        if not len(unknown):
            values[:] = worth[groups]
            return goes
        # What may be among the worst has to be known exactly.
        for k in unknown:
            lowest[:, k] = machines.exact_sensitivities(columns[k])
        is_known[unknown] = True


def _drop_in_one_piece(
    machines: GramMachines,
    dropped: Dropped,
    counts: IntArray,
    group_of: IntArray,
    is_kept: BoolArray,
    by_credit: bool,
) -> None:
    """Let compiled code make all steps; where its machines get lost, a solver finds them and it goes on."""
    is_single = len(group_of) == len(is_kept)
    follows_few = is_single and bool((counts == 1).all())
    done = 0
    while done < len(counts):
        made, left = int(dropped.starts[done]), counts[done:]
        own = np.ascontiguousarray(group_of[machines.columns])
        record = Record(dropped.groups[made:], dropped.credits[made:], dropped.tables[done:])
        n_candidates = _candidates_for(len(own)) if follows_few else len(own)
        drops = Drops(own, is_kept, left, is_single, by_credit)
        settled = int(eliminate(machines.state(), drops, record, n_candidates))
        done += min(settled + 1, len(left))
        stays = np.ones(len(is_kept), dtype=bool)
        stays[dropped.groups[made : dropped.starts[done]]] = False
        machines.leave(machines.columns[stays[own]], is_settled=settled == len(left))


def _candidates_for(n_columns: int) -> int:
    """How many of so many columns to follow; see `_screening_fast`."""
    lines = n_columns // COLUMNS_PER_CANDIDATE // CACHE_LINE
    return max(N_CANDIDATES, CACHE_LINE * (lines | 1))
