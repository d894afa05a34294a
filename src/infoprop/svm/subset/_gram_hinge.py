"""Moved linear machines for few dense rows, with either loss: each split keeps its Gram matrix."""

import numpy as np
from numpy.linalg import norm

from infoprop._core._matrices import column_norms_squared, taken_columns
from infoprop._core._typing import FloatArray, IntArray
from infoprop.kernels import KernelSpec
from infoprop.svm._machine import DualSolution
from infoprop.svm._sensitivity import above_rounding
from infoprop.svm.active_set._gram_machines_fast import (
    GramState,
    change_all,
    is_off_scale,
    settle_all,
)
from infoprop.svm.active_set._state import new_scratch
from infoprop.svm.solvers._newton import NewtonSolver
from infoprop.svm.solvers._smo import SMOSolver
from infoprop.svm.subset._linear import LinearMachines
from infoprop.svm.subset._protocol import validation_outputs
from infoprop.svm.subset._splits import SplitProblem
from infoprop.svm.subset._votes_fast import count_votes

# Steps between two rebuilds, at least; and one for so many columns.
_REBUILD = 512
_COLUMNS_PER_STEP = 64
# Products in about a second; how often a machine goes over its free set in a step; steps between two full
# pricings.
_PRODUCTS_AT_A_TIME = 4e8
_PASSES = 4
_STEPS_PER_PRICING = 16
_SOLVER_TOL = 1e-3
# Dense machines of so few rows keep products of their rows, however few the columns are.
VERY_FEW_ROWS = 128


class GramMachines(LinearMachines):
    """Machines over Gram matrices, which have the ridge of the squared hinge on their diagonals.

    See :class:`LinearMachines`.
    """

    cold_solver = "smo"
    _held: tuple[IntArray, FloatArray] = np.zeros(0, dtype=np.int64), np.zeros((0, 0))

    @property
    def steps_between_rebuilds(self) -> int:
        """Number of steps after which rounding and gaps are cleaned away: in many columns, one is little."""
        return max(_REBUILD, len(self.all_columns) // _COLUMNS_PER_STEP)

    @property
    def steps_at_a_time(self) -> int:
        """Number of steps to ask for at a time. Compiled steps hear no interrupt.

        It depends on sizes alone, as the last bits of credits depend on how many steps go together.
        """
        n, n_all, n_machines = self.splits.n, self.splits.n_all, self.splits.last - self.splits.first
        per_machine = _PASSES * n + len(self.all_columns) / _STEPS_PER_PRICING
        products = float((n * (n_all + per_machine * n_machines)).sum())
        return int(np.clip(_PRODUCTS_AT_A_TIME / products, 1, self.steps_between_rebuilds))

    def _solve(self, split: SplitProblem, starts: list[FloatArray | None]) -> list[DualSolution]:
        X = np.ascontiguousarray(split.X[:, self.columns])
        if np.any(split.problems[0].ridge):
            return NewtonSolver(_SOLVER_TOL, -1, np.inf, 1).solve(X, split.problems, starts)
        solver = SMOSolver(_SOLVER_TOL, -1, np.inf, 1)
        return solver.solve(X, KernelSpec("linear"), split.problems, starts)

    def _build(self, beta: FloatArray) -> bool:
        n_splits, n = len(self.members), beta.shape[1]
        self._K = np.zeros((n_splits, n, int(self.splits.n_all.max())))
        self._f = np.zeros((len(beta), self._K.shape[2]))
        largest = 0.0
        for t, split in enumerate(self.members):
            n_own, n_all = self.splits.n[t], self.splits.n_all[t]
            rows = split.rows_on(self.columns)
            np.matmul(rows[:n_own], rows.T, out=self._K[t, :n_own, :n_all])
            # Rows have the same costs in all machines of a split, and so the same ridge.
            self._K[t, np.arange(n_own), np.arange(n_own)] += split.problems[0].ridge
            largest = max(largest, float(self._K[t].diagonal().max()))
            own = slice(self.splits.first[t], self.splits.last[t])
            self._f[own, :n_all] = beta[own, :n_own] @ self._K[t, :n_own, :n_all]
            self._f[own, :n_own] -= np.stack([problem.y for problem in split.problems])
        f = (own[:n_own] for own, n_own in zip(self._f, self.splits.n[self.splits.split], strict=True))
        self._new_machines(beta, f, largest, n + 1)
        self._scratch = new_scratch(n + 1, n, 0)
        return bool(settle_all(self._K, self._f, self.machines, self.splits, True, self._scratch))

    def state(self) -> GramState:
        """All that compiled steps work on."""
        return GramState(self._transposed(), self._K, self._f, self.machines, self.splits, self._scratch)

    def leave(self, columns: IntArray, is_settled: bool) -> None:
        """Note the columns that compiled steps have left; if machines got lost, solve there."""
        self.columns = columns
        if not is_settled:
            self.set_columns(columns, self._solved(self.machines.beta))

    def count_votes(self, table: FloatArray) -> None:
        numbers = self.machines.numbers
        count_votes(self._f, numbers, self.splits, np.empty(len(numbers)), table)

    def _columns_of(self, columns: IntArray) -> FloatArray:
        """Some columns, each in one piece: (n_columns, n_rows of all splits)."""
        XT = np.empty((len(columns), int(self.splits.n_all.sum())))
        for split, start, n_all in zip(self.members, self.splits.start, self.splits.n_all, strict=True):
            XT[:, start : start + n_all] = split.rows_on(columns).T
        return XT

    def _transposed(self) -> FloatArray:
        """The columns the machines stand on, each in one piece; they are kept for the steps that follow."""
        held, XT = self._held
        places = np.searchsorted(held, self.columns)
        if len(held) < len(self.columns) or not np.array_equal(held.take(places, mode="clip"), self.columns):
            self._held = self.columns[:0], XT[:0]  # Two at a time would be twice the memory.
            XT = self._columns_of(self.columns)
        elif len(held) > len(self.columns):
            XT = XT[places]
        self._held = self.columns, XT
        return XT

    def update_columns(self, columns: IntArray) -> None:
        """Go to other columns, one by one or, if they are many, at once, and to the optimum there."""
        gone = np.setdiff1d(self.columns, columns, assume_unique=True)
        come = np.setdiff1d(columns, self.columns, assume_unique=True)
        if len(gone) + len(come) > int(self.splits.n.max()):
            # A product of matrices takes less time than so many changes of rank one.
            self.set_columns(columns, self.machines.beta.copy())
            return
        for sign, changed in ((-1.0, gone), (1.0, come)):
            for x in self._columns_of(changed):
                change_all(self._K, self._f, self.machines, self.splits, x, sign, self._scratch)
        self.columns = columns
        if is_off_scale(self._K, self.machines, self.splits) or not settle_all(
            self._K, self._f, self.machines, self.splits, False, self._scratch
        ):
            self.set_columns(columns, self._solved(self.machines.beta))

    def sensitivities(self) -> FloatArray:
        found = []
        for split, first, last, n in zip(
            self.members, self.splits.first, self.splits.last, self.splits.n, strict=True
        ):
            X = taken_columns(split.X, self.columns)
            length = float(np.sqrt(column_norms_squared(X)).sum())
            found += [
                above_rounding(np.abs(beta @ X), float(norm(beta)) * length)
                for beta in self.beta[first:last, :n]
            ]
        return np.stack(found)

    def outputs(self) -> tuple[FloatArray, ...]:
        return validation_outputs(self._f + self.bias[:, None], self.splits)
