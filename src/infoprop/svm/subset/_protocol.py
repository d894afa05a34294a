"""What an elimination asks of machines; `infoprop.selection` imports it from here."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._decision import with_exact_ties
from infoprop.svm.active_set._machines_fast import SplitIndex
from infoprop.svm.subset._splits import MachineIndex, SplitProblem


class EliminatingMachines(Protocol):
    """Machines that columns are taken from, step by step.

    What they do next follows from the columns and `beta` at the last :meth:`rebuild`, bit for bit.

    See Also
    --------
    MovingSVC : makes them, and holds them as `eliminating_machines`.

    Examples
    --------
    The class is the sign of the first column; the second column, a constant, goes.

    >>> import numpy as np
    >>> from infoprop.svm import OneVsRestSVC
    >>> from infoprop.svm.subset._model import MovingSVC, SplitRows
    >>> X, y = np.array([[2.0, 1.0], [-2.0, 1.0]]), np.array([1, 0])
    >>> rows = SplitRows(X, y, np.ones(2), X, y, np.ones(2))
    >>> model = MovingSVC(OneVsRestSVC(kernel="rbf"), [rows], np.array([0, 1]), n_labels=2)
    >>> model.fit()
    >>> machines = model.eliminating_machines
    >>> int(machines.bounded_sensitivities()[0].argmin())
    1
    >>> machines.drop(np.array([1]))
    >>> machines.columns
    array([0])
    """

    columns: IntArray
    index: MachineIndex
    splits: SplitIndex
    n_labels: int

    @property
    def cold_solver(self) -> str:
        """Solver of OneVsRestSVC that trains them from nothing, whatever the columns; "auto" if it varies."""

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n)."""

    @property
    def steps_between_rebuilds(self) -> int:
        """Number of steps after which rounding and gaps are cleaned away."""

    @property
    def steps_at_a_time(self) -> int:
        """Number of steps to make without a pause, so that they take a second or two."""

    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        """Go to `columns` and train from dual variables `start` (None: from nothing)."""

    def rebuild(self) -> FloatArray:
        """Compute everything anew from the columns and beta; returns that beta."""

    def count_votes(self, table: FloatArray) -> None:
        """Write the confusion counts of the validation rows: (n_labels, n_labels)."""

    def bounded_sensitivities(self) -> tuple[FloatArray, FloatArray | None]:
        """Sensitivities, (n_machines, n_columns), and by how much they may be off; None if they are exact."""

    def exact_sensitivities(self, column: int) -> FloatArray:
        """Sensitivities of all machines to one column."""

    def drop(self, columns: IntArray) -> None:
        """Leave some of the columns, and go to the optimum without them."""


def stacked_splits(
    splits: Sequence[SplitProblem],
    index: MachineIndex,
    truth: Sequence[IntArray],
    weights: Sequence[FloatArray],
    n_labels: int,
) -> SplitIndex:
    """Number splits and machines for compiled code.

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


def count_votes(
    outputs: Sequence[FloatArray], index: MachineIndex, splits: SplitIndex, table: FloatArray
) -> None:
    """Write the confusion counts of the validation rows, of the outputs of each split's machines for them."""
    table[:] = 0.0
    for t, (first, last) in enumerate(zip(index.first, index.last, strict=True)):
        labels = voted_labels(outputs[t], index.positive[first:last], index.negative[t])
        rows = slice(splits.start[t] + splits.n[t], splits.start[t] + splits.n_all[t])
        np.add.at(table, (splits.truth[rows], labels), splits.weight[rows])


def voted_labels(outputs: FloatArray, positive: IntArray, negative: int) -> IntArray:
    """Label of each row: that of the machine with the largest output; a single one has two labels."""
    if len(positive) == 1:
        return np.where(outputs[:, 0] > 0.0, positive[0], negative)
    return np.asarray(positive[with_exact_ties(outputs).argmax(axis=1)])


def validation_outputs(
    outputs: FloatArray, index: MachineIndex, splits: SplitIndex
) -> tuple[FloatArray, ...]:
    """Outputs for the validation rows of each split, (n_test, n_machines) each, of those for all rows."""
    return tuple(
        outputs[first:last, n:n_all].T
        for first, last, n, n_all in zip(index.first, index.last, splits.n, splits.n_all, strict=True)
    )
