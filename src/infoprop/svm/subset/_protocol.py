"""What a search asks of machines, and an elimination; `infoprop.selection` imports it from here."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._decision import with_exact_ties
from infoprop.svm.active_set._machines_fast import SplitIndex


class Machines(ABC):
    """Machines of several splits, trained on the same columns, that go from some columns to others."""

    @property
    @abstractmethod
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n); rows that a split has not got are zero."""

    @abstractmethod
    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        """Go to `columns` and train from dual variables `start` (None: from nothing)."""

    @abstractmethod
    def update_columns(self, columns: IntArray) -> None:
        """Go to other columns and to the optimum there, from the present one."""

    @abstractmethod
    def sensitivities(self) -> FloatArray:
        """Sensitivities of the margins to the columns: (n_machines, n_columns)."""

    @abstractmethod
    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the validation rows of each split: (n_test, n_machines) each."""


class EliminatingMachines(Machines):
    """Machines that columns are taken from, step by step.

    What they do next follows from the columns and `beta` at the last :meth:`rebuild`, bit for bit.

    Attributes
    ----------
    columns : array of shape (n_columns,)
        Numbers of the present columns, ascending.
    splits : SplitIndex
        How splits, machines and rows are numbered; true labels and weights of the validation rows.

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
    splits: SplitIndex

    @property
    @abstractmethod
    def cold_solver(self) -> str:
        """Solver of OneVsRestSVC that trains them from nothing, whatever the columns; "auto" if it varies."""

    @property
    @abstractmethod
    def steps_between_rebuilds(self) -> int:
        """Number of steps after which rounding and gaps are cleaned away."""

    @property
    @abstractmethod
    def steps_at_a_time(self) -> int:
        """Number of steps to make without a pause, so that they take a second or two."""

    def rebuild(self) -> FloatArray:
        """Compute everything anew from the columns and beta; returns that beta."""
        beta = self.beta.copy()
        self.set_columns(self.columns, beta)
        return beta

    def count_votes(self, table: FloatArray) -> None:
        """Write the confusion counts of the validation rows: (n_labels, n_labels)."""
        table[:] = 0.0
        if (self.splits.n_all > self.splits.n).any():
            add_votes(self.outputs(), self.splits, table)

    def bounded_sensitivities(self) -> tuple[FloatArray, FloatArray | None]:
        """Sensitivities, (n_machines, n_columns), and by how much they may be off; None if they are exact."""
        return self.sensitivities(), None

    def exact_sensitivities(self, column: int) -> FloatArray:
        """Sensitivities of all machines to one column."""
        return np.asarray(self.sensitivities()[:, np.searchsorted(self.columns, column)])

    def drop(self, columns: IntArray) -> None:
        """Leave some of the columns, and go to the optimum without them."""
        self.update_columns(np.delete(self.columns, np.searchsorted(self.columns, columns)))


def add_votes(outputs: Sequence[FloatArray], splits: SplitIndex, table: FloatArray) -> None:
    """Add the confusion counts of the validation rows, of the outputs of each split's machines for them."""
    for t, (first, last) in enumerate(zip(splits.first, splits.last, strict=True)):
        labels = voted_labels(outputs[t], splits.positive[first:last], splits.negative[t])
        rows = slice(splits.start[t] + splits.n[t], splits.start[t] + splits.n_all[t])
        np.add.at(table, (splits.truth[rows], labels), splits.weight[rows])


def voted_labels(outputs: FloatArray, positive: IntArray, negative: int) -> IntArray:
    """Label of each row: that of the machine with the largest output; a single one has two labels."""
    if len(positive) == 1:
        return np.where(outputs[:, 0] > 0.0, positive[0], negative)
    return np.asarray(positive[with_exact_ties(outputs).argmax(axis=1)])


def validation_outputs(outputs: FloatArray, splits: SplitIndex) -> tuple[FloatArray, ...]:
    """Outputs for the validation rows of each split, (n_test, n_machines) each, of those for all rows."""
    return tuple(
        outputs[first:last, n:n_all].T
        for first, last, n, n_all in zip(splits.first, splits.last, splits.n, splits.n_all, strict=True)
    )
