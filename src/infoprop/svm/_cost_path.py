"""Linear machines for a series of C, each trained from the one before."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from infoprop._core._typing import FloatArray, Matrix
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.solvers._dual_cd import LinearSolver
from infoprop.svm.solvers._primal import PrimalSolver, suits_primal


@dataclass(frozen=True)
class LinearMachine:
    """``g(x) = w . x + b``; whether training has converged, and how many passes or steps it took."""

    w: FloatArray
    b: float
    converged: bool
    n_iter: int

    def outputs(self, X: Matrix) -> FloatArray:
        """Return g at the rows of X."""
        return np.asarray(X @ self.w).ravel() + self.b


def machines_along(
    X: Matrix, signs: FloatArray, weights: FloatArray, costs: FloatArray, tol: float
) -> Iterator[LinearMachine]:
    """Yield the machine of each C, lowest first.

    Each starts from the dual variables of the one before, which a higher C allows too. Stretching them with C
    would keep those on their bounds there, and takes longer: most of them come to rest below.
    """
    solve: Callable[..., list[DualSolution]] = LinearSolver(tol, -1, 1).solve
    if suits_primal(X):
        solve = partial(PrimalSolver(tol, -1, 1).solve, columns=np.ascontiguousarray(X.T))
    beta: FloatArray | None = None
    for cost in costs:
        problem = DualProblem(signs, cost * weights)
        solution = solve(X, [problem], [beta])[0]
        beta = solution.beta
        w = np.asarray(X.T @ beta).ravel()
        yield LinearMachine(w, solution.bias(problem), solution.converged, solution.n_iter)
