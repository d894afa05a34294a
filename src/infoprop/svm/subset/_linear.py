"""Linear machines that are moved between subsets of the columns, several splits at once."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._machine import DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.active_set._machines_fast import BIAS, Machine, SplitIndex
from infoprop.svm.active_set._state import new_machines, set_numbers
from infoprop.svm.subset._protocol import EliminatingMachines
from infoprop.svm.subset._splits import SplitProblem

NO_OPTIMUM = "A machine found no optimum; scale the features or lower C."


class LinearMachines(EliminatingMachines):
    """Linear machines; their sensitivities are ``|w|``.

    Parameters
    ----------
    splits : sequence of SplitProblem
    index : SplitIndex
        How these splits and their machines are numbered.
    n_threads : int
        Machines moved at once. The result does not depend on it.

    Examples
    --------
    Two columns that are the same but for their scale: the smaller one goes first.

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

    def __init__(self, splits: Sequence[SplitProblem], index: SplitIndex, n_threads: int) -> None:
        self.n_threads = n_threads
        self.members = tuple(splits)
        self.problems = [problem for split in splits for problem in split.problems]
        self.all_columns = np.arange(splits[0].X.shape[1])
        self.splits = index
        self.workers = Workers(n_threads)

    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        self.columns = columns
        beta = start
        if beta is None:
            beta = self._solved(np.zeros((len(self.splits.split), int(self.splits.n.max()))))
        if not self._build(beta) and not self._build(self._solved(self.machines.beta)):
            raise ArithmeticError(NO_OPTIMUM)

    def _solved(self, beta: FloatArray) -> FloatArray:
        """Solve on the present columns from `beta`, by a solver that needs no good start."""
        solved = np.zeros_like(beta)
        for t, split in enumerate(self.members):
            own = slice(self.splits.first[t], self.splits.last[t])
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

    def update_columns(self, columns: IntArray) -> None:
        self.set_columns(columns, self.beta.copy())

    @property
    def beta(self) -> FloatArray:
        return np.asarray(self.machines.beta)

    @property
    def bias(self) -> FloatArray:
        """The machines' b."""
        return np.asarray(self.machines.numbers[:, BIAS])

    machines: Machine

    def _new_machines(self, beta: FloatArray, f: Iterable[FloatArray], largest: float, capacity: int) -> None:
        """Set up the states of all machines with empty free sets.

        f holds ``K beta - y`` of each machine's training rows; `largest` is the largest diagonal entry of K.
        """
        self.machines = new_machines(self.problems, beta, capacity, self.splits.start[self.splits.split])
        set_numbers(self.machines, self.problems, f, largest)
