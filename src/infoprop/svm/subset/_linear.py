"""Linear machines that are moved between subsets of the columns, several splits at once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._machine import DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.active_set._machines_fast import BIAS, Machines
from infoprop.svm.active_set._state import new_machines, new_numbers
from infoprop.svm.subset._protocol import stacked_splits
from infoprop.svm.subset._splits import MachineIndex, SplitProblem

NO_OPTIMUM = "A machine found no optimum; scale the features or lower C."


class LinearMachines(ABC):
    """Machines of several splits, standing at their optimum on the same columns.

    What they do next follows from the columns and `beta` at the last :meth:`rebuild`, bit for bit.

    Parameters
    ----------
    splits : sequence of SplitProblem
    index : MachineIndex
    truth : sequence of arrays
        Numbers of the labels of the validation rows of each split.
    weights : sequence of arrays
        Their weights in the table.
    n_labels : int
        Size of the table.
    n_threads : int
        Machines moved at once. The result does not depend on it.

    See Also
    --------
    MovingSVC : makes them, and holds them as `eliminating_machines`.

    Examples
    --------
    Two columns that say the same, in different voices: the quieter one goes first.

    >>> import numpy as np
    >>> from infoprop.svm import OneVsRestSVC
    >>> from infoprop.svm.subset._model import MovingSVC, SplitRows
    >>> X, y = np.array([[2.0, 1.0], [-2.0, -1.0]]), np.array([1, 0])
    >>> rows = SplitRows(X, y, np.ones(2), X, y, np.ones(2))
    >>> model = MovingSVC(OneVsRestSVC(kernel="linear"), [rows], np.array([0, 1]), n_labels=2)
    >>> model.fit()
    >>> machines = model.eliminating_machines
    >>> machines.sensitivities().round(3)
    array([[0.4, 0.2]])
    >>> machines.drop(np.array([1]))
    >>> machines.columns, machines.sensitivities()
    (array([0]), array([[0.5]]))
    """

    def __init__(
        self,
        splits: Sequence[SplitProblem],
        index: MachineIndex,
        truth: Sequence[IntArray],
        weights: Sequence[FloatArray],
        n_labels: int,
        n_threads: int,
    ) -> None:
        self.index = index
        self.n_labels = n_labels
        self.n_threads = n_threads
        self.members = tuple(splits)
        self.all_columns = np.arange(splits[0].X.shape[1])
        self.splits = stacked_splits(splits, index, truth, weights, n_labels)
        self.workers = Workers(n_threads)
        self._box = _stacked_boxes(splits, int(self.splits.n.max()))

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

    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        """Go to `columns` with dual variables `start` (None: from nothing), and from there to the optimum."""
        self.columns = columns
        beta = self._solved(np.zeros_like(self._box[0])) if start is None else start
        if not self._build(beta) and not self._build(self._solved(self.machines.beta)):
            raise ArithmeticError(NO_OPTIMUM)

    def rebuild(self) -> FloatArray:
        """Compute everything anew from the columns and beta; returns that beta."""
        beta = self.beta.copy()
        self.set_columns(self.columns, beta)
        return beta

    def _solved(self, beta: FloatArray) -> FloatArray:
        """Solve on the present columns from `beta`, by a solver that needs no good start."""
        solved = np.zeros_like(beta)
        for t, split in enumerate(self.members):
            own = slice(self.index.first[t], self.index.last[t])
            n = split.X.shape[0]
            starts = [row[:n] if row.any() else None for row in beta[own]]
            solutions = self._solve(split, starts)
            solved[own, :n] = np.stack([solution.beta for solution in solutions])
        return solved

    @abstractmethod
    def _solve(self, split: SplitProblem, starts: list[FloatArray | None]) -> list[DualSolution]:
        """Solve the problems of a split on the present columns."""

    @abstractmethod
    def _build(self, beta: FloatArray) -> bool:
        """Set up all arrays for the present columns and go to the optimum; False if it is not found."""

    @abstractmethod
    def count_votes(self, table: FloatArray) -> None:
        """Write the confusion counts of the validation rows: (n_labels, n_labels)."""

    def bounded_sensitivities(self) -> tuple[FloatArray, None]:
        """Sensitivities, which are exact."""
        return self.sensitivities(), None

    def exact_sensitivities(self, column: int) -> FloatArray:
        """Sensitivities of all machines to one column."""
        position = int(np.searchsorted(self.columns, column))
        return np.asarray(self.sensitivities()[:, position])

    def drop(self, columns: IntArray) -> None:
        """Leave some of the columns, and go to the optimum without them."""
        self.update_columns(np.setdiff1d(self.columns, columns, assume_unique=True))

    @abstractmethod
    def update_columns(self, columns: IntArray) -> None:
        """Go to other columns and to the optimum there."""

    @abstractmethod
    def sensitivities(self) -> FloatArray:
        """``|w|`` of the columns the machines stand on: (n_machines, n_columns)."""

    @abstractmethod
    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the validation rows of each split: (n_test, n_machines) each."""

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n); rows that a split has not got are zero."""
        return np.asarray(self.machines.beta)

    @property
    def bias(self) -> FloatArray:
        """The machines' b."""
        return np.asarray(self.machines.numbers[:, BIAS])

    machines: Machines

    def _new_machines(self, beta: FloatArray, f: Sequence[FloatArray], largest: float, capacity: int) -> None:
        """Set up the states of all machines with empty free sets.

        f holds ``K beta - y`` of each split's training rows, (n_machines, n); `largest` is the largest
        diagonal entry of K.
        """
        numbers = np.concatenate(
            [
                new_numbers(beta[first:last, : own.shape[1]], own, split.problems, largest)
                for split, own, first, last in zip(
                    self.members, f, self.index.first, self.index.last, strict=True
                )
            ]
        )
        index = self.index.split, self.index.positive
        self.machines = new_machines(self._box, beta, numbers, index, capacity)


def _stacked_boxes(splits: Sequence[SplitProblem], n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Signs and bounds of all machines: (n_machines, n) each; rows that a split has not got are zero."""
    stacked: list[Any] = []
    for split in splits:
        for problem in split.problems:
            gap = (0, n - problem.y.size)
            stacked.append([np.pad(part, gap) for part in (problem.y, problem.low, problem.high)])
    y, low, high = (np.stack(parts) for parts in zip(*stacked, strict=True))
    return y, low, high
