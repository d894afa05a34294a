"""Backward elimination with machines that are moved: what all of them are asked for, and what they answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.svm.active_set._machines_fast import SplitIndex
from infoprop.svm.subset._splits import MachineIndex, SplitProblem
from infoprop.svm.subset._votes_fast import Drops, Record


@dataclass(frozen=True)
class Dropped:
    """Steps of an elimination: groups that went in each, their credits, and the table before each step.

    `starts` tells where the groups of each step begin in `groups` and `credits`.
    """

    groups: IntArray
    credits: FloatArray
    tables: FloatArray
    starts: IntArray


class EliminatingMachines(Protocol):
    """Machines that drop the worst columns, many steps at a time.

    What they do next follows from the columns and `beta` at the last :meth:`rebuild`, bit for bit.

    See Also
    --------
    MovingSVC : makes them, and holds them as `eliminating_machines`.

    Examples
    --------
    The class is the sign of the first column; the second column, a constant, goes.

    >>> import numpy as np
    >>> from infoprop.svm import MovingSVC, OneVsRestSVC, SplitRows
    >>> X, y = np.array([[2.0, 1.0], [-2.0, 1.0]]), np.array([1, 0])
    >>> rows = SplitRows(X, y, np.ones(2), X, y, np.ones(2))
    >>> model = MovingSVC(OneVsRestSVC(kernel="rbf"), [rows], np.array([0, 1]), n_labels=2)
    >>> model.fit()
    >>> machines = model.eliminating_machines
    >>> machines.drop_worst(np.array([1]), np.arange(2), np.zeros(2, dtype=bool), by_credit=True).groups
    array([1])
    >>> machines.columns
    array([0])
    """

    columns: IntArray

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n)."""

    @property
    def steps_between_rebuilds(self) -> int:
        """Number of steps after which rounding and gaps are cleaned away."""

    @property
    def steps_at_a_time(self) -> int:
        """Number of steps to ask :meth:`drop_worst` for, so that it answers within a second or two."""

    def set_columns(self, columns: IntArray, beta: FloatArray | None) -> None:
        """Go to `columns` and train from `beta` (None: from nothing)."""

    def rebuild(self) -> FloatArray:
        """Compute everything anew from the columns and beta; returns that beta."""

    def drop_worst(
        self, counts: IntArray, group_of: IntArray, is_kept: BoolArray, by_credit: bool
    ) -> Dropped:
        """Drop the worst groups, `counts` of them in each step, by credit or by mean share."""


def stacked_splits(
    splits: Sequence[SplitProblem],
    index: MachineIndex,
    truth: Sequence[IntArray],
    weights: Sequence[FloatArray],
    n_labels: int,
) -> SplitIndex:
    """Put splits in one line for compiled code.

    `truth` holds the numbers of the labels of the validation rows of each split, `weights` their weights in a
    table of `n_labels`.
    """
    n = np.array([split.X.shape[0] for split in splits])
    n_all = n + np.array([split.X_test.shape[0] for split in splits])
    start = np.cumsum(n_all) - n_all
    marks = np.zeros(n_all.sum(), dtype=np.int64)
    importance = np.zeros(n_all.sum())
    for t in range(len(splits)):
        validation_outputs = slice(start[t] + n[t], start[t] + n_all[t])
        marks[validation_outputs] = truth[t]
        importance[validation_outputs] = weights[t]
    return SplitIndex(
        start,
        n,
        n_all,
        index.first,
        index.last,
        index.negative,
        marks,
        importance,
        index.label_scale(n_labels),
        len(index.classes),
    )


def validation_outputs(
    outputs: FloatArray, index: MachineIndex, splits: SplitIndex
) -> tuple[FloatArray, ...]:
    """Outputs for the validation rows of each split, (n_test, n_machines) each, of those for all rows."""
    return tuple(
        outputs[first:last, n:n_all].T
        for first, last, n, n_all in zip(index.first, index.last, splits.n, splits.n_all, strict=True)
    )


def drops_and_record(
    columns: IntArray,
    counts: IntArray,
    group_of: IntArray,
    is_kept: BoolArray,
    by_credit: bool,
    n_labels: int,
) -> tuple[Drops, Record]:
    """What may go of `columns`, for compiled code, and arrays for what goes."""
    is_single = len(group_of) == len(is_kept)
    drops = Drops(np.ascontiguousarray(group_of[columns]), is_kept, counts, is_single, by_credit)
    total = int(counts.sum())
    tables = np.zeros((len(counts), n_labels, n_labels))
    return drops, Record(np.zeros(total, dtype=np.int64), np.zeros(total), tables)
