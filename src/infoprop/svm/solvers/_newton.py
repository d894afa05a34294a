"""Machines with the squared hinge on dense rows, solved exactly by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from infoprop._core._blas import one_blas_thread
from infoprop._core._matrices import centred, row_norms_squared
from infoprop._core._stopping import check_stop
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.svm._columns import rounding_of
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.solvers import _newton_fast as fast
from infoprop.svm.solvers._curvature_fast import (
    IS_STALE,
    MOST_STEPS,
    N_COUNTS,
    N_STEPS,
    Curve,
    Rows,
    Workspace,
)
from infoprop.svm.solvers._dual_cd import LinearSolver
from infoprop.svm.solvers._primal import least_squares
from infoprop.svm.solvers._row_store import numbers_in

# Steps of a machine where nobody set a limit; it takes about ten.
_UNLIMITED = 200
# Sparse rows are made dense if they, or their columns, are at most so many.
_FEW = 500
# A pivot of a column below this, in the place of 1 or more, comes of rounding.
_DEPENDENT = 0.9


class Newton:
    """Newton's method for several machines, each over rows of its own among those given.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        The rows of all machines. Columns of about zero mean make for little rounding; see :func:`centred`.
    problems : sequence of DualProblem
        One for each machine.
    first : array of shape (n_machines,)
        Where the rows of each machine begin; it has as many as its problem.
    max_steps : int
        Limit on the steps of each machine to an optimum; -1 for one that ought not to be reached.
    """

    def __init__(
        self, X: FloatArray, problems: Sequence[DualProblem], first: IntArray, max_steps: int = -1
    ) -> None:
        n_machines, size = len(problems), X.shape[1] + 1
        n = np.array([problem.y.size for problem in problems])
        widest = int(n.max())
        y, cost = np.zeros((n_machines, widest)), np.zeros((n_machines, widest))
        for q, problem in enumerate(problems):
            y[q, : n[q]], cost[q, : n[q]] = problem.y, 1.0 / problem.ridge
        norms = np.sqrt(1.0 + row_norms_squared(X))
        self.rows = Rows(X, np.ascontiguousarray(X.T), np.arange(X.shape[1]), norms)
        self.n_left = X.shape[1]
        self.curves = Curve(
            y=y,
            cost=cost,
            H=np.zeros((n_machines, size, size)),
            U=np.zeros((n_machines, size, size)),
            r=np.zeros((n_machines, size)),
            theta=np.zeros((n_machines, size)),
            g=np.zeros((n_machines, widest)),
            seen=np.zeros((n_machines, size)),
            is_active=np.zeros((n_machines, widest), dtype=bool),
            counts=np.zeros((n_machines, N_COUNTS), dtype=np.int64),
            first=first,
            n=n,
        )
        self.curves.counts[:, MOST_STEPS] = _UNLIMITED if max_steps < 0 else max_steps

    def new_workspace(self) -> Workspace:
        """Vectors for one machine at a time."""
        p, n = self.rows.by_row.shape[1], self.curves.y.shape[1]
        return Workspace(
            step=np.zeros(p + 1),
            end=np.zeros(p + 1),
            spread=np.zeros(p + 1),
            outputs=np.zeros(n),
            changed=np.zeros(n + 1, dtype=np.int64),
            changes=np.zeros((4, p + 3)),
        )

    def start_at(self, q: int, w: FloatArray, b: float) -> bool:
        """Put machine q at given weights, and take it to the optimum; False if it is not found."""
        self.curves.theta[q, 0], self.curves.theta[q, 1:] = b, w
        fast.find_active(self.rows, self.curves, q, self.n_left)
        return self.finish(q, self.new_workspace())

    def start_from(self, q: int, beta: FloatArray) -> bool:
        """Take machine q from dual variables to the optimum; False if it is not found."""
        own = slice(self.curves.first[q], self.curves.first[q] + self.curves.n[q])
        self.curves.theta[q, 1:] = beta @ self.rows.by_row[own]
        self.curves.is_active[q, : self.curves.n[q]] = beta != 0.0
        return self.finish(q, self.new_workspace())

    def finish(self, q: int, workspace: Workspace) -> bool:
        """Take machine q to the optimum, beginning with H and r for the rows that are active now."""
        self.curves.counts[q, N_STEPS] = 0
        while True:
            check_stop()
            self._build(q)
            status = fast.settle_one(self.rows, self.curves, q, self.n_left, workspace)
            if status != fast.NEEDS_CURVATURE:
                return bool(status == fast.SETTLED)

    def _build(self, q: int) -> None:
        """Compute H and r from the active rows, by one product of matrices."""
        curves, m = self.curves, self.n_left
        active = np.flatnonzero(curves.is_active[q])
        cost, y = curves.cost[q, active], curves.y[q, active]
        rows = np.empty((len(active), m + 1))
        rows[:, 0] = 1.0
        rows[:, 1:] = self.rows.by_row[np.ix_(curves.first[q] + active, self.rows.left[:m])]
        curves.r[q, : m + 1] = (cost * y) @ rows
        rows *= np.sqrt(cost)[:, None]
        H = rows.T @ rows
        H[np.arange(1, m + 1), np.arange(1, m + 1)] += 1.0
        curves.H[q, : m + 1, : m + 1] = H
        U, fault = lapack.dpotrf(H, overwrite_a=True)
        curves.U[q, : m + 1, : m + 1] = U
        curves.counts[q, IS_STALE] = fault != 0 or U.diagonal()[1:].min() < _DEPENDENT

    def beta(self, q: int) -> FloatArray:
        """Dual variables of machine q, which stands at its optimum."""
        beta = np.empty(self.curves.n[q])
        fast.write_beta(self.rows, self.curves, q, self.n_left, beta)
        return beta


@dataclass(frozen=True)
class NewtonSolver:
    """Newton's method from nothing or from old solutions; see `_newton_fast`.

    Large sparse rows go to :class:`LinearSolver`.

    Parameters
    ----------
    tol : float
        Bound on the violation of the optimality conditions on large sparse rows; else the optimum is exact.
    max_steps : int
        Limit on the steps (sweeps) of each machine; -1 for one that ought not to be reached.
    megabytes : float
        Budget for the curvatures of machines, and for sparse rows made dense.
    n_threads : int
        Machines solved at once. Each is solved alone, so the number changes nothing but the time.
    """

    tol: float
    max_steps: int
    megabytes: float
    n_threads: int

    def solve(
        self, X: Matrix, problems: Sequence[DualProblem], starts: Sequence[FloatArray | None]
    ) -> list[DualSolution]:
        """Solve every problem over the rows of X; `starts` may hold old solutions to start from."""
        if sparse.issparse(X) and not self._becomes_dense(X):
            return LinearSolver(self.tol, self.max_steps, self.n_threads).solve(X, problems, starts)
        with one_blas_thread(), Workers(min(self.n_threads, len(problems))) as workers:
            rows = centred(X.toarray() if sparse.issparse(X) else X)
            if X.shape[0] < X.shape[1]:
                # Turned into as many columns as there are rows: lengths and products of rows stay.
                rows = np.ascontiguousarray(np.asarray(np.linalg.qr(rows.T, mode="r")).T)
            separations = np.zeros((len(problems), rows.shape[1]))
            if any(start is None for start in starts):
                separations = least_squares(rows, np.stack([problem.y for problem in problems]))
            at_most = numbers_in(self.megabytes) / (2 * (rows.shape[1] + 1) ** 2)
            at_once = int(min(len(problems), max(self.n_threads, at_most)))
            solutions: list[DualSolution] = []
            for part in range(0, len(problems), at_once):
                own = slice(part, part + at_once)
                solutions += self._solve_dense(X, rows, problems[own], starts[own], separations[own], workers)
        return solutions

    def _becomes_dense(self, X: Matrix) -> bool:
        return min(X.shape) <= _FEW and X.shape[0] * X.shape[1] <= numbers_in(self.megabytes)

    def _solve_dense(
        self,
        X: Matrix,
        rows: FloatArray,
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
        separations: FloatArray,
        workers: Workers,
    ) -> list[DualSolution]:
        newton = Newton(rows, problems, np.zeros(len(problems), dtype=np.int64), self.max_steps)

        def solve_one(r: int) -> DualSolution:
            start, problem = starts[r], problems[r]
            if start is None:
                converged = newton.start_at(r, separations[r], float(problem.y.mean()))
            else:
                converged = newton.start_from(r, start)
            beta = newton.beta(r) if converged else problem.feasible(newton.beta(r))
            n_steps, w = int(newton.curves.counts[r, N_STEPS]), newton.curves.theta[r, 1:].copy()
            products, rest = np.asarray(X @ (X.T @ beta)), problem.ridge * beta - problem.y
            is_noisy = rounding_of(beta, float(newton.rows.norms @ newton.rows.norms)) > self.tol
            if is_noisy and len(w) == X.shape[1] and np.ptp(X @ w - products) > self.tol:
                # Rounding in the multipliers alone has spoilt the weights.
                return DualSolution(beta, np.asarray(X @ w) + rest, n_steps, converged, w)
            return DualSolution(beta, products + rest, n_steps, converged)

        return workers.map(solve_one, range(len(problems)))
