"""Coordinate descent on the dual of linear machines."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._matrices import row_norms_squared
from infoprop._core._typing import FloatArray, Matrix
from infoprop.svm._cd_fast import solve_linear
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._smo_fast import CONVERGED

_UNLIMITED = 100_000


@dataclass(frozen=True)
class LinearSolver:
    """Dual coordinate descent with a free bias; needs memory for the data and one weight vector a machine.

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
        rows = _row_arrays(X)
        norms = row_norms_squared(X)
        # The penalty on sum beta: weak enough not to slow the sweeps, strong enough to fix b in few rounds.
        rho = 0.1 * float(norms.mean()) or 1.0

        def solve_one(problem: DualProblem, start: FloatArray | None) -> DualSolution:
            beta = np.zeros(X.shape[0]) if start is None else problem.feasible(start)
            w = np.asarray(X.T @ beta).ravel()
            f = np.asarray(X @ w).ravel() - problem.y
            bias = 0.0 if start is None else DualSolution(beta, f, 0, False).bias(problem)
            report = np.zeros(2, dtype=np.int64)
            max_sweeps = _UNLIMITED if self.max_sweeps < 0 else self.max_sweeps
            status = solve_linear(
                *rows,
                norms,
                problem.y,
                problem.low,
                problem.high,
                beta,
                w,
                f,
                bias,
                rho,
                self.tol,
                max_sweeps,
                report,
            )
            return DualSolution(problem.settled(beta), f, int(report[0]), status == CONVERGED)

        if self.n_threads == 1 or len(problems) == 1:
            return [solve_one(problem, start) for problem, start in zip(problems, starts, strict=True)]
        with ThreadPoolExecutor(max_workers=self.n_threads) as pool:
            return list(pool.map(solve_one, problems, starts))


def _row_arrays(X: Matrix) -> tuple[Any, Any, Any, int]:
    """Return data, indices, indptr and stride as `_cd_fast` reads them."""
    if sparse.issparse(X):
        # One signature for all inputs: each further one would be compiled anew.
        return X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64), 0
    n, n_features = X.shape
    indptr = np.arange(n + 1, dtype=np.int64) * n_features
    return X.ravel(), np.arange(n_features, dtype=np.int32), indptr, n_features
