"""Moved linear machines for many rows, dense or sparse: each keeps its weights."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.linalg import norm
from scipy import sparse

from infoprop._core._matrices import column_norms_squared, row_norms_squared, taken_columns
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._sensitivity import above_rounding
from infoprop.svm.active_set._feature_machines_fast import Columns, move_machine
from infoprop.svm.active_set._feature_pivots import (
    NO_COLUMNS,
    SPARE,
    LeavingColumns,
    near_optima,
    new_stores,
    rows_of,
)
from infoprop.svm.active_set._gram_machines_fast import OFF_SCALE
from infoprop.svm.active_set._machines_fast import BIAS, SHIFT
from infoprop.svm.active_set._state import has_few_rows, new_scratch
from infoprop.svm.solvers._dual_cd import LinearSolver
from infoprop.svm.solvers._primal import PrimalSolver, suits_primal
from infoprop.svm.subset._linear import LinearMachines
from infoprop.svm.subset._splits import SplitProblem

# The solver need not be exact: pivots finish what it leaves.
_SOLVER_TOL = 0.1
_FEWEST_STEPS = 8
_MOST_STEPS = 512
# Free sets of sparse machines may grow by so many rows.
_SPARE_ROWS = 256


class RowMachines(LinearMachines):
    """Machines that keep their weights; see :class:`LinearMachines`."""

    # Cheap beside the steps themselves; interrupts are heard inside a step too.
    steps_at_a_time = 16
    _memory = np.zeros(0)

    @property
    def cold_solver(self) -> str:
        """Solver of OneVsRestSVC that trains sparse rows from nothing; that of dense ones varies."""
        if not sparse.issparse(self.members[0].X):
            return "auto"
        return "smo" if has_few_rows(int(self.splits.n.max())) else "cd"

    @property
    def steps_between_rebuilds(self) -> int:
        return int(np.clip(len(self.all_columns) // 8, _FEWEST_STEPS, _MOST_STEPS))

    def _solve(self, split: SplitProblem, starts: list[FloatArray | None]) -> list[DualSolution]:
        X = taken_columns(split.X, self.columns)
        return _solved(X, split.problems, starts, self.n_threads)

    def _build(self, beta: FloatArray) -> bool:
        X = self._all_rows()
        self._norms = norms = row_norms_squared(X)
        rows_of_all, self._leaving = rows_of(X, norms), LeavingColumns(X)
        parts = [X[start : start + n] for start, n in zip(self.splits.start, self.splits.n_all, strict=True)]
        n_machines, n_columns = len(beta), len(self.columns)
        w = np.empty((n_machines, n_columns))
        f: list[FloatArray] = []
        for t, split in enumerate(self.members):
            own, n = slice(self.splits.first[t], self.splits.last[t]), self.splits.n[t]
            rows = parts[t][:n]
            w[own] = (rows.T @ beta[own, :n].T).T
            f += list(np.asarray(rows @ w[own].T).T - np.stack([problem.y for problem in split.problems]))
        self._stores = new_stores(rows_of_all, w, beta.shape[1])
        self._new_machines(beta, f, float(norms.max()), self._capacity(beta, n_columns))
        counted = list(zip(parts, self.splits.n, strict=True))
        self._lengths = np.array([np.sqrt(column_norms_squared(part[:n])).sum() for part, n in counted])
        self._validation = [part[n:] for part, n in counted]
        self._built_on = self.columns
        self._is_left = np.ones(n_columns, dtype=bool)
        capacity = self.machines.free.shape[1]
        self._scratch = [new_scratch(capacity, beta.shape[1], n_columns) for _ in range(n_machines)]
        return all(self.workers.map(self._build_one, range(n_machines)))

    def _all_rows(self) -> Matrix:
        """Rows of all splits on the present columns, a copy; dense ones where the last ones were."""
        parts = [part for split in self.members for part in (split.X, split.X_test)]
        if sparse.issparse(parts[0]):
            return sparse.vstack([taken_columns(part, self.columns) for part in parts], format="csr")
        n, n_columns = int(self.splits.n_all.sum()), len(self.columns)
        if self._memory.size < n * n_columns:
            self._memory = np.empty(n * n_columns)
        rows = self._memory[: n * n_columns].reshape(n, n_columns)
        start = 0
        for part in parts:
            # Checked, they would be taken into a buffer first.
            part.take(self.columns, axis=1, out=rows[start : start + len(part)], mode="clip")
            start += len(part)
        return rows

    def _build_one(self, q: int) -> bool:
        return self._move(q, np.zeros(0, dtype=np.int64), NO_COLUMNS, is_new=True)

    def _move(self, q: int, gone: IntArray, entries: Columns, is_new: bool) -> bool:
        state = self._stores, entries, self.machines
        return bool(move_machine(*state, q, gone, is_new, self._scratch[q]))

    def _capacity(self, beta: FloatArray, n_columns: int) -> int:
        """Most rows that a free set can hold: independent ones, one more than columns; and some to spare."""
        own = [(problem, row[: problem.y.size]) for problem, row in zip(self.problems, beta, strict=True)]
        free = max(np.count_nonzero((problem.low < row) & (row < problem.high)) for problem, row in own)
        most = min(beta.shape[1], n_columns + 1) + SPARE
        return int(most if self._stores.rows.stride else min(most, free + free // 2 + _SPARE_ROWS))

    def drop(self, columns: IntArray) -> None:
        gone = np.searchsorted(self._built_on, columns)
        self._is_left[gone] = False
        self.columns = self._built_on[self._is_left]
        entries = self._leaving.take(gone)
        drop = partial(self._drop_one, gone, entries)
        is_found = all(self.workers.map(drop, range(len(self.splits.split))))
        if not is_found or self._is_off_scale(entries):
            # A free set has outgrown its arrays, or the longest columns have gone: build it all anew.
            self.set_columns(self.columns, self.machines.beta.copy())

    def _is_off_scale(self, entries: Columns) -> bool:
        """Whether the columns that made up most of the rows' lengths have gone, the last of them now."""
        self._norms -= np.bincount(entries.holders, entries.values**2, len(self._norms))
        return bool(0.0 < self._norms.max() < OFF_SCALE * self.machines.numbers[0, SHIFT])

    def _drop_one(self, gone: IntArray, entries: Columns, q: int) -> bool:
        return self._move(q, gone, entries, is_new=False) or self._solve_one(q)

    def _solve_one(self, q: int) -> bool:
        """Let the solver take machine q most of the way: few columns and many rows make for many pivots."""
        t = self.splits.split[q]
        n = self.splits.n[t]
        X = taken_columns(self.members[t].X, self._built_on[self._is_left])
        problem = self.problems[q]
        solution = _solved(X, [problem], [self.machines.beta[q, :n]], 1)[0]
        self.machines.beta[q, :n] = solution.beta
        self.machines.numbers[q, BIAS] = solution.bias(problem)
        self.machines.place[q] = -1
        self.machines.counts[q] = 0
        self._stores.w[q, self._is_left] = X.T @ solution.beta
        return self._build_one(q)

    def sensitivities(self) -> FloatArray:
        largest = norm(self.beta, axis=1) * self._lengths[self.splits.split]
        return above_rounding(np.abs(self._stores.w[:, self._is_left]), largest)

    def outputs(self) -> tuple[FloatArray, ...]:
        return tuple(
            np.asarray(rows @ self._stores.w[first:last].T) + self.bias[first:last]
            for rows, first, last in zip(self._validation, self.splits.first, self.splits.last, strict=True)
        )


def _solved(
    X: Matrix, problems: Sequence[DualProblem], starts: Sequence[FloatArray | None], n_threads: int
) -> list[DualSolution]:
    """Solve by the quickest solver, to where pivots take over."""
    if suits_primal(X):
        return PrimalSolver(_SOLVER_TOL, -1, n_threads).solve(X, problems, starts)
    if has_few_rows(X.shape[0]):
        return near_optima(X, problems, starts)
    return LinearSolver(_SOLVER_TOL, -1, n_threads).solve(X, problems, starts)
