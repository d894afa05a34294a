"""Moved linear machines for many rows, dense or sparse: each keeps its weights."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.linalg import norm
from scipy import sparse

from infoprop._core._matrices import column_norms_squared, row_norms_squared, taken_columns
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.svm._machine import DualSolution
from infoprop.svm._sensitivity import above_rounding
from infoprop.svm.active_set._feature_machines_fast import build_free_set
from infoprop.svm.active_set._feature_store_fast import AllWeights, Rows
from infoprop.svm.active_set._gram_machines_fast import OFF_SCALE
from infoprop.svm.active_set._pivots_fast import BIAS, SHIFT
from infoprop.svm.active_set._state import new_scratch
from infoprop.svm.solvers._dual_cd import LinearSolver
from infoprop.svm.solvers._primal import PrimalSolver, suits_primal
from infoprop.svm.subset import _feature_hinge_fast as fast
from infoprop.svm.subset._linear import LinearMachines
from infoprop.svm.subset._splits import SplitProblem

# The solver need not be exact: pivots finish what it leaves.
_SOLVER_TOL = 0.1
_FEWEST_STEPS = 8
_MOST_STEPS = 512
# Cheap beside the steps themselves; interrupts are heard inside a step too.
_STEPS_AT_A_TIME = 16
# Free sets of sparse machines may grow by so many rows.
_SPARE_ROWS = 256
# Rows that depend on others but for rounding may pass for independent.
_SPARE = 8


class RowMachines(LinearMachines):
    """Machines that keep their weights; see :class:`LinearMachines`."""

    steps_at_a_time = _STEPS_AT_A_TIME

    @property
    def steps_between_rebuilds(self) -> int:
        """Number of steps after which rounding and gaps are cleaned away."""
        return int(np.clip(len(self.all_columns) // 8, _FEWEST_STEPS, _MOST_STEPS))

    def _solve(self, split: SplitProblem, starts: list[FloatArray | None]) -> list[DualSolution]:
        X = taken_columns(split.X, self.columns)
        return _solver(X, self.n_threads).solve(X, split.problems, starts)

    def _build(self, beta: FloatArray) -> bool:
        parts = [taken_columns(split.rows, self.columns) for split in self.members]
        X = parts[0] if len(parts) == 1 else _stacked(parts)
        self._norms = norms = row_norms_squared(X)
        self._rows, self._columns = _both_ways(X, norms)
        n_machines, n_columns = len(beta), len(self.columns)
        w = np.empty((n_machines, n_columns))
        f = []
        for t, split in enumerate(self.members):
            own, n = slice(self.index.first[t], self.index.last[t]), self.splits.n[t]
            rows = parts[t][:n]
            w[own] = (rows.T @ beta[own, :n].T).T
            f.append(np.asarray(rows @ w[own].T).T - np.stack([problem.y for problem in split.problems]))
        self._weights = AllWeights(
            w, np.empty((n_machines, n_columns + 1)), np.empty(beta.shape, dtype=np.int64)
        )
        self._new_machines(beta, f, float(norms.max()), self._capacity(beta, n_columns))
        lengths = [
            np.sqrt(column_norms_squared(part[:n])).sum()
            for part, n in zip(parts, self.splits.n, strict=True)
        ]
        self._new_validation(n_columns, np.array(lengths))
        self._built_on = self.columns
        self._is_left = np.ones(n_columns, dtype=bool)
        capacity = self.machines.free.shape[1]
        n_rows = X.shape[0]
        self._scratch = [(new_scratch(capacity, n_columns), np.empty(n_rows)) for _ in range(n_machines)]
        return all(self.workers.map(self._build_one, range(n_machines)))

    def _build_one(self, q: int) -> bool:
        scratch, slack = self._scratch[q]
        return bool(build_free_set(self._rows, self._weights, self.machines, self.splits, q, scratch, slack))

    def _capacity(self, beta: FloatArray, n_columns: int) -> int:
        """Most rows that a free set can hold: independent ones, one more than columns; and some to spare."""
        _, low, high = self._box
        free = ((low < beta) & (beta < high)).sum(axis=1).max()
        most = min(beta.shape[1], n_columns + 1) + _SPARE
        return int(most if self._rows.stride else min(most, free + free // 2 + _SPARE_ROWS))

    def _new_validation(self, n_columns: int, lengths: FloatArray) -> None:
        n_splits, n_rows = len(self.members), len(self.splits.truth)
        self._validation = fast.ValidationLabels(
            np.zeros(n_rows, dtype=np.int64),
            np.zeros(n_rows, dtype=np.int64),
            np.zeros(n_splits, dtype=np.int64),
            np.full(n_splits, -1.0),
            np.zeros((len(self.index.split), n_columns + 1)),
            lengths,
        )

    def count_votes(self, table: FloatArray) -> None:
        """Write the confusion counts of the validation rows."""
        gaps = self._scratch[0][1]
        fast.count_votes(self._rows, self._weights, self.machines, self.splits, self._validation, gaps, table)

    def drop(self, columns: IntArray) -> None:
        """Leave some of the columns, and go to the optimum without them."""
        gone = np.searchsorted(self._built_on, columns)
        self._is_left[gone] = False
        self.columns = self._built_on[self._is_left]
        fast.clear_columns(self._rows, self._columns, gone)
        is_found = all(self.workers.map(partial(self._drop_one, gone), range(len(self.index.split))))
        if not is_found or self._is_off_scale(gone):
            # A free set has outgrown its arrays, or the longest columns have gone: build it all anew.
            self.set_columns(self.columns, self.machines.beta.copy())

    def _is_off_scale(self, gone: IntArray) -> bool:
        """Whether the columns that made up most of the rows' lengths have gone, the last of them now."""
        for k in gone:
            own = slice(self._columns.starts[k], self._columns.starts[k + 1])
            self._norms[self._columns.holders[own]] -= self._columns.values[own] ** 2
        return bool(0.0 < self._norms.max() < OFF_SCALE * self.machines.numbers[0, SHIFT])

    def _drop_one(self, gone: IntArray, q: int) -> bool:
        scratch, slack = self._scratch[q]
        is_settled = fast.drop_from_machine(
            self._rows, self._columns, self._weights, self.machines, self.splits, q, gone, scratch, slack
        )
        return bool(is_settled) or self._solve_one(q)

    def _solve_one(self, q: int) -> bool:
        """Let the solver take machine q most of the way: few columns and many rows make for many pivots."""
        t = self.index.split[q]
        n = self.splits.n[t]
        X = taken_columns(self.members[t].X, self._built_on[self._is_left])
        problem = self.members[t].problems[q - self.index.first[t]]
        solution = _solver(X, 1).solve(X, [problem], [self.machines.beta[q, :n]])[0]
        self.machines.beta[q, :n] = solution.beta
        self.machines.numbers[q, BIAS] = solution.bias(problem)
        self.machines.place[q] = -1
        self.machines.counts[q] = 0
        self._weights.w[q, self._is_left] = X.T @ solution.beta
        return self._build_one(q)

    def update_columns(self, columns: IntArray) -> None:
        """Go to other columns and to the optimum there."""
        self.set_columns(columns, self.machines.beta.copy())

    def sensitivities(self) -> FloatArray:
        """``|w|`` of the columns the machines stand on: (n_machines, n_columns)."""
        largest = norm(self.beta, axis=1) * self._validation.lengths[self.index.split]
        w = np.abs(self._weights.w[:, self._is_left])
        return np.stack([above_rounding(own, bound) for own, bound in zip(w, largest, strict=True)])

    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the validation rows of each split: (n_test, n_machines) each."""
        w = self._weights.w[:, self._is_left]
        return tuple(
            np.asarray(taken_columns(split.X_test, self.columns) @ w[first:last].T) + self.bias[first:last]
            for split, first, last in zip(self.members, self.index.first, self.index.last, strict=True)
        )


def _solver(X: Matrix, n_threads: int) -> PrimalSolver | LinearSolver:
    kind = PrimalSolver if suits_primal(X) else LinearSolver
    return kind(_SOLVER_TOL, -1, n_threads)


def _stacked(parts: Sequence[Matrix]) -> Matrix:
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)


def _both_ways(X: Matrix, norms: FloatArray) -> tuple[Rows, fast.Columns]:
    """Return the entries by rows, as a copy, and by columns."""
    n, n_columns = X.shape
    lengths = np.sqrt(norms + 1.0)
    if not sparse.issparse(X):
        indptr = np.arange(n + 1, dtype=np.int64) * n_columns
        rows = Rows(X.ravel().copy(), np.zeros(0, dtype=np.int32), indptr, n_columns, lengths)
        positions = (np.arange(n) * n_columns + np.arange(n_columns)[:, None]).ravel()
        holders = np.tile(np.arange(n, dtype=np.int32), n_columns)
        starts = np.arange(n_columns + 1, dtype=np.int64) * n
        return rows, fast.Columns(holders, X.T.ravel(), positions, starts)
    rows = Rows(X.data.copy(), X.indices.astype(np.int32), X.indptr.astype(np.int64), 0, lengths)
    numbered = sparse.csr_array((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape).tocsc()
    positions = numbered.data.astype(np.int64)
    holders = numbered.indices.astype(np.int32)
    return rows, fast.Columns(holders, X.data[positions], positions, numbered.indptr.astype(np.int64))
