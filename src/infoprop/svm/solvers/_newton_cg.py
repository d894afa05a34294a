"""Machines with the squared hinge on large sparse rows: Newton's method by conjugate gradients."""

from typing import NamedTuple

import numpy as np
from numpy.linalg import norm

from infoprop._core._stopping import check_stop
from infoprop._core._typing import FloatArray, Matrix
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.solvers._newton_fast import lowest

# Of what is left of the optimality conditions, a step leaves this share: more would serve a quadratic that
# changes with the next step.
_GOAL = 0.1
_MOST_PRODUCTS = 1000
_UNLIMITED = 1000
# So many steps in a row that lower the objective by no more than rounding: nothing is left to gain.
_MOST_IDLE = 10
_ROUNDING = 1e-15
# The machines are solved to this share of the bound that is asked for.
_PRECISELY = 1e-3


class _Point(NamedTuple):
    """Weights, bias, outputs; dual variables that follow from the outputs, and ``X' beta - w``."""

    w: FloatArray
    b: float
    g: FloatArray
    beta: FloatArray
    pull: FloatArray


class SparseNewton:
    """Newton's method for machines over the same rows.

    A step solves for the minimum of the quadratic of the rows inside their margins. b is eliminated from it,
    so that columns need not be centred. Its length is searched for, then b is put where it is best.

    Parameters
    ----------
    X : CSR matrix of shape (n, n_columns)
    tol : float
        Bound on the violation of the optimality conditions, the same measure as in `SMOSolver`.
    max_steps : int
        Limit on the steps of each machine; -1 for one that ought not to be reached.
    """

    def __init__(self, X: Matrix, tol: float, max_steps: int) -> None:
        self._X = X
        self._XT = X.T.tocsr()
        self._squares = self._XT.multiply(self._XT).tocsr()
        self._tol = tol
        self._max_steps = _UNLIMITED if max_steps < 0 else max_steps

    def solve(self, problem: DualProblem, start: FloatArray | None) -> DualSolution:
        """Solve one problem, from an old solution if there is one."""
        y, cost = problem.y, np.asarray(1.0 / problem.ridge)
        w = np.zeros(self._X.shape[1]) if start is None else np.asarray(self._XT @ start)
        point = self._point(y, cost, w, 0.0)
        first, height = float(norm(point.pull)), np.inf
        violation = self._violation(point)
        n_steps = n_idle = 0
        while n_steps < self._max_steps and n_idle < _MOST_IDLE and violation > _PRECISELY * self._tol:
            check_stop()
            step, change = self._step(cost, point, min(_GOAL, float(norm(point.pull)) / first))
            ends = point.g + np.asarray(self._X @ step) + change
            length = 1.0
            if not np.array_equal(y * ends < 1.0, point.beta != 0.0):
                length = lowest(y, cost, point.g, ends, float(step @ point.w), float(step @ step))
            point = self._point(y, cost, point.w + length * step, point.b + length * change)
            violation = self._violation(point)
            n_steps += 1
            before, height = height, float(point.w @ point.w + point.beta @ (point.beta * problem.ridge))
            n_idle = 0 if before - height > _ROUNDING * height else n_idle + 1
        f = np.asarray(self._X @ (self._XT @ point.beta)) + problem.ridge * point.beta - y
        return DualSolution(point.beta, f, n_steps, violation < self._tol)

    def _violation(self, point: _Point) -> float:
        """Return a bound on the violation by the dual variables, whose weights are ``w + pull``."""
        return float(np.ptp(self._X @ point.pull))

    def _point(self, y: FloatArray, cost: FloatArray, w: FloatArray, b: float) -> _Point:
        """Put b where it is best for w; the search begins at the b given."""
        g = np.asarray(self._X @ w) + b
        slope = -float(cost * y @ np.maximum(0.0, 1.0 - y * g))
        change = -np.sign(slope) * lowest(y, cost, g, g - np.sign(slope), 0.0, 0.0) if slope else 0.0
        g += change
        beta = cost * y * np.maximum(0.0, 1.0 - y * g)
        return _Point(w, b + change, g, beta, np.asarray(self._XT @ beta) - w)

    def _step(self, cost: FloatArray, point: _Point, share: float) -> tuple[FloatArray, float]:
        """Solve for the changes of w and b that lead to the minimum, up to a share of what there is to do.

        Conjugate gradients on ``I + X' (D - D 1 1' D / sum D) X`` over the rows inside their margins, those
        with dual variables; D are their costs.
        """
        inside = np.flatnonzero(point.beta)
        rows, D = self._X[inside], cost[inside]
        total = float(D.sum()) or 1.0
        diagonal = 1.0 + self._squares @ np.where(point.beta != 0.0, cost, 0.0)
        step, residual = np.zeros_like(point.w), point.pull.copy()
        toward = residual / diagonal
        direction, size = toward, float(residual @ toward)
        goal = share**2 * size
        for _ in range(_MOST_PRODUCTS):
            check_stop()
            if size <= goal:
                break
            products = rows @ direction
            curved = direction + rows.T @ (D * (products - D @ products / total))
            length = size / float(direction @ curved)
            step += length * direction
            residual -= length * curved
            toward = residual / diagonal
            before, size = size, float(residual @ toward)
            direction = toward + size / before * direction
        return step, -float(D @ (rows @ step)) / total
