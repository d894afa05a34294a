"""Coordinate descent on the dual of linear machines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from infoprop._core._matrices import row_norms_squared
from infoprop._core._stopping import check_stop
from infoprop._core._typing import FloatArray, Matrix
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.solvers._dual_cd_fast import FIRST_GOAL, Descent, DualTask, solve_linear
from infoprop.svm.solvers._matrix_rows_fast import MatrixRows
from infoprop.svm.solvers._smo_fast import CONVERGED, PAUSED

# Sweeps where nobody set a limit; ordinary rows take about a hundred.
_UNLIMITED = 100_000
# Products in block steps after the sweeps, for each entry of the rows. Ordinary rows take a hundredth.
_WORK_PER_ENTRY = 5_000
_FEW_ENTRIES = 10_000
_NO_BOUND = np.iinfo(np.int64).max


@dataclass(frozen=True)
class LinearSolver:
    """Dual coordinate descent with a free bias, for both losses; see `_dual_cd_fast`.

    Needs memory for the data and one weight vector a machine.

    Parameters
    ----------
    tol : float
        Bound on the violation of the optimality conditions, the same measure as in :class:`SMOSolver`.
    max_sweeps : int
        Limit on the passes of each machine; -1 for 100,000.
    n_threads : int
        Machines solved at once. Each is solved alone, so the number changes nothing but the time.
    """

    tol: float
    max_sweeps: int
    n_threads: int

    def solve(
        self, X: Matrix, problems: Sequence[DualProblem], starts: Sequence[FloatArray | None]
    ) -> list[DualSolution]:
        """Solve every problem over the rows of X; `starts` may hold old solutions to start from."""
        rows = matrix_rows(X)
        norms = row_norms_squared(X)
        # The penalty on sum beta: weak enough not to slow the sweeps, strong enough to fix b in few rounds.
        rho = 0.1 * float(norms.mean()) or 1.0
        n_entries = max(_FEW_ENTRIES, int(rows.indptr[-1]))
        max_work = _WORK_PER_ENTRY * n_entries if self.max_sweeps < 0 else _NO_BOUND

        def solve_one(problem: DualProblem, start: FloatArray | None) -> DualSolution:
            n, n_columns = X.shape
            ridge = np.zeros(n) + problem.ridge
            task = DualTask(problem.y, problem.low, problem.high, ridge, norms + ridge)
            if start is None:
                beta, w, f, bias = np.zeros(n), np.zeros(n_columns), -problem.y, float(problem.y.mean())
            else:
                beta = problem.feasible(start)
                w = np.asarray(X.T @ beta).ravel()
                f = np.asarray(X @ w).ravel() + ridge * beta - problem.y
                bias = DualSolution(beta, f, 0, False).bias(problem)
            report = np.zeros(2, dtype=np.int64)
            max_sweeps = _UNLIMITED if self.max_sweeps < 0 else self.max_sweeps
            progress = np.array([bias, float(beta.sum()), FIRST_GOAL])
            descent = Descent(beta, w, f, progress, np.arange(n), np.ones(1, dtype=np.uint64), report)
            status = PAUSED
            while status == PAUSED:
                check_stop()
                status = solve_linear(rows, task, descent, rho, self.tol, max_sweeps, max_work)
            return DualSolution(problem.settled(beta), f, int(report[0]), status == CONVERGED)

        with Workers(min(self.n_threads, len(problems))) as workers:
            return workers.map(lambda r: solve_one(problems[r], starts[r]), range(len(problems)))


def matrix_rows(X: Matrix) -> MatrixRows:
    """Return the rows of X as compiled code reads them: one signature for all, compiled once."""
    if sparse.issparse(X):
        # Unsigned indices need no test for negative ones.
        indices = X.indices.astype(np.int32, copy=False).view(np.uint32)
        return MatrixRows(X.data, indices, X.indptr.astype(np.int64), 0)
    n, n_features = X.shape
    indptr = np.arange(n + 1, dtype=np.int64) * n_features
    return MatrixRows(X.ravel(), np.zeros(0, dtype=np.uint32), indptr, n_features)
