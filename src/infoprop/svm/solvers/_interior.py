"""An interior point method for linear machines on columns so different in scale that other solvers get lost.

In the variables ``v_k = s_k w_k``, s_k the largest entry of column k, the machine is

    min  1/2 sum_k v_k^2 / s_k^2 + sum_i C_i xi_i,    y_i (x_i . v + b) - 1 + xi_i = r_i,   r, xi >= 0,

over columns of size one: the same problem, but no product of rows has lost what the small columns say. Each
step solves for v and b with a matrix of one row for each column. Cholesky's method does not mind what is on
the diagonal, so that scales from 1e-100 to 1e100 make no difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse

from infoprop._core._blas import one_blas_thread
from infoprop._core._matrices import centred, column_norms_squared
from infoprop._core._stopping import check_stop
from infoprop._core._typing import FloatArray, Matrix
from infoprop.svm._columns import rounding_of
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.active_set._cholesky_fast import NOISE_FLOOR

# An interior point method takes ten to thirty steps, whatever the size of the problem.
_MOST_STEPS = 100
# Relative difference of primal and dual objective that is rounding.
_CLOSED = 1e-13
# So many steps in a row that do not bring them nearer: nothing is left to gain.
_MOST_IDLE = 8
# How much of the way to the next bound is gone.
_SHORT_OF_BOUNDS = 0.995
# Share of the largest multiplier, or of the box, within which a multiplier is on its bound.
_AT_BOUND = 1e-8
# Multipliers put on their bounds may violate the conditions by a little more than was asked for.
_ALLOWANCE = 2.0
# A multiplier that is put on its bound moves by so many units of rounding at most.
_SETTLING = 1e6
# Share of the bound on violations that rounding in outputs may take.
_MOST_NOISE = 0.1
# Products of one step above this are left to solvers that look at one row at a time.
_MOST_PRODUCTS = 2e8
# Share of a diagonal entry that is added where columns depend on each other, at first.
_RIDGE = 1e-15


def solved_after_all(
    X: Matrix, problems: Sequence[DualProblem], solutions: Sequence[DualSolution], tol: float
) -> list[DualSolution]:
    """Solve again what did not converge over the rows of X, if steps on so many numbers are cheap enough.

    Where multipliers and entries are of very different size, rounding in the multipliers alone may spoil the
    weights: what does not pass with ``w = X' beta`` has not converged either.
    """
    n, d = X.shape
    energy = float(column_norms_squared(X).sum())
    found = [_verified(X, energy, *pair, tol) for pair in zip(problems, solutions, strict=True)]
    left = [r for r, solution in enumerate(found) if not solution.converged]
    if left and n * min(n, d) ** 2 <= _MOST_PRODUCTS:
        given = X.toarray() if sparse.issparse(X) else X
        rows = centred(given)
        with one_blas_thread():
            for r in left:
                solution = of_uncentred(solve_interior(rows, problems[r], tol), given, rows)
                if solution.converged:
                    found[r] = solution
    return found


def _verified(
    X: Matrix, energy: float, problem: DualProblem, solution: DualSolution, tol: float
) -> DualSolution:
    """Return the solution, not converged if rounding in ``w = X' beta`` may spoil outputs; energy: |X|^2."""
    if not solution.converged or solution.w is not None:
        return solution
    if rounding_of(solution.beta, energy) > _MOST_NOISE * tol:
        return replace(solution, converged=False)
    if rounding_of(problem.upper, energy) * _SETTLING <= _MOST_NOISE * tol:
        return solution
    f = np.asarray(X @ (X.T @ solution.beta)).ravel() - problem.y
    return replace(solution, converged=bool(replace(solution, f=f).gap(problem) < _ALLOWANCE * tol))


def of_uncentred(solution: DualSolution, X: FloatArray, rows: FloatArray) -> DualSolution:
    """Return the solution for rows X that was found for the same rows, centred."""
    w = solution.w
    if w is None:
        w = rows.T @ solution.beta
        lengths = np.sqrt(column_norms_squared(rows))
        w[np.abs(w) <= NOISE_FLOOR * linalg.norm(solution.beta) * lengths] = 0.0
    # Every row has the same difference but for rounding: that of the row next to the centre has the least.
    nearest = int(np.argmin(np.abs(rows).max(axis=1)))
    offset = float((X[nearest] - rows[nearest]) @ w)
    return replace(solution, w=w, offset=solution.offset + offset)


def solve_interior(X: FloatArray, problem: DualProblem, tol: float) -> DualSolution:
    """Solve one problem over centred rows; the solution knows its weights better than ``X' beta`` does.

    A sum of multipliers times entries of 1e8 has an error of 1e-8; the weight of that column may be less.
    """
    n, d = X.shape
    basis, rows = None, X
    if d > n:
        # As many columns as rows: lengths and products of rows stay. Largest columns first and pivoting keep
        # what small columns say (A. J. Cox, N. J. Higham, 1998).
        order = np.argsort(-np.abs(X).max(axis=0), kind="stable")
        Q, R, pivots = linalg.qr(X.T[order], mode="economic", pivoting=True)
        rows, basis = np.empty((n, n)), np.empty_like(Q)
        rows[pivots], basis[order] = R.T, Q
    scale = np.abs(rows).max(axis=0)
    scale[scale == 0.0] = 1.0
    path = _Path(rows / scale, 1.0 / scale**2, problem.y, problem.upper)
    n_steps = path.follow()
    w = path.v / scale if basis is None else basis @ (path.v / scale)
    beta = problem.y * path.settled_alpha()
    f = X @ w - problem.y
    solution = DualSolution(beta, f, n_steps, False, w)
    return DualSolution(beta, f, n_steps, bool(solution.gap(problem) < tol and path.is_dual(tol)), w)


@dataclass
class _Step:
    v: FloatArray
    b: float
    alpha: FloatArray
    slack: FloatArray
    excess: FloatArray


class _Path:
    """The central path of one machine, by Mehrotra's predictor and corrector.

    Parameters
    ----------
    X : array of shape (n, d)
    penalty : array of shape (d,)
        Of the squares of v.
    y, upper : arrays of shape (n,)
        Signs of the rows, and C times their weights.
    """

    def __init__(self, X: FloatArray, penalty: FloatArray, y: FloatArray, upper: FloatArray) -> None:
        self.X, self.penalty, self.y, self.upper = X, penalty, y, upper
        self.v, self.b = np.zeros(X.shape[1]), 0.0
        # What is left up to the upper bounds, too: the difference would lose it where it is small.
        self.alpha, self.rest = 0.5 * upper, 0.5 * upper
        self.slack, self.excess = np.ones(len(y)), np.full(len(y), 2.0)

    def follow(self) -> int:
        """Go to the end of the path; returns the number of steps, and stands where it was nearest."""
        best, lowest, idle = np.inf, np.inf, 0
        kept = self._point()
        n_steps = 0
        while n_steps < _MOST_STEPS:
            n_steps += 1
            check_stop()
            with np.errstate(all="ignore"):
                if not self._advance():
                    break
            distance, mu = self._distance(), self._complementarity(0.0, None)
            idle = 0 if distance < 0.9 * best or mu < 0.9 * lowest else idle + 1
            lowest = min(lowest, mu)
            if distance < best:
                best, kept = distance, self._point()
            if best <= _CLOSED or idle == _MOST_IDLE:
                break
        self.v, self.b, self.alpha, self.rest, self.slack, self.excess = kept
        return n_steps

    def _point(self) -> tuple[FloatArray, float, FloatArray, FloatArray, FloatArray, FloatArray]:
        v, alpha, rest = self.v.copy(), self.alpha.copy(), self.rest.copy()
        return v, self.b, alpha, rest, self.slack.copy(), self.excess.copy()

    def _distance(self) -> float:
        """How far primal and dual objective, and the dual equations, are from where they ought to be."""
        energy = float(self.v @ (self.penalty * self.v))
        loss = float(self.upper @ np.maximum(0.0, 1.0 - self.y * self._outputs()))
        gap = abs(energy + loss - float(self.alpha.sum())) / (energy + loss)
        return max(gap, self._dual_error())

    def _outputs(self) -> FloatArray:
        return np.asarray(self.X @ self.v) + self.b

    def _dual_error(self) -> float:
        """Largest error of ``X' (y alpha) = penalty v`` and ``sum y alpha = 0``, as a share of its terms."""
        beta = self.y * self.alpha
        errors = np.abs(beta @ self.X - self.penalty * self.v)
        terms = self.alpha @ np.abs(self.X) + np.abs(self.penalty * self.v)
        shares = np.divide(errors, terms, out=np.zeros_like(errors), where=terms > 0.0)
        return max(float(shares.max(initial=0.0)), abs(float(beta.sum())) / float(self.alpha.sum()))

    def is_dual(self, tol: float) -> bool:
        """Whether the multipliers belong to the weights."""
        return self._distance() < tol

    def settled_alpha(self) -> FloatArray:
        """Multipliers, those next to a bound put on it; what that does to their sum the others make good.

        Each gives in proportion to its distance to the bound, so that none is pushed over its bounds.
        """
        is_low = self.alpha < _AT_BOUND * float(self.alpha.max())
        is_high = self.rest < _AT_BOUND * self.upper
        alpha = np.where(is_low, 0.0, np.where(is_high, self.upper, self.alpha))
        surplus = float(self.y @ alpha)
        slack = np.where(self.y * surplus > 0.0, alpha, self.upper - alpha) * ~(is_low | is_high)
        share = min(1.0, abs(surplus) / (float(slack.sum()) or np.inf))
        return np.clip(alpha - np.sign(surplus) * self.y * share * slack, 0.0, self.upper)

    def _advance(self) -> bool:
        """One step; False if rounding leaves none."""
        self._curve = 1.0 / (self.excess / self.rest + self.slack / self.alpha)
        if not self._factor():
            return False
        mu = self._complementarity(0.0, None)
        nothing = np.zeros_like(self.alpha)
        plain = self._solve(nothing, nothing)
        length = self._reach(plain)
        target = mu * (self._complementarity(length, plain) / mu) ** 3
        step = self._solve(
            (target - plain.alpha * plain.slack) / self.alpha,
            (target + plain.alpha * plain.excess) / self.rest,
        )
        length = min(1.0, _SHORT_OF_BOUNDS * self._reach(step))
        if not (np.isfinite(length) and length > 1e-12 and np.isfinite(step.v).all()):
            return False
        self.v += length * step.v
        self.b += length * step.b
        self.alpha += length * step.alpha
        self.rest -= length * step.alpha
        self.slack += length * step.slack
        self.excess += length * step.excess
        return True

    def _complementarity(self, length: float, step: _Step | None) -> float:
        alpha, rest, slack, excess = self.alpha, self.rest, self.slack, self.excess
        if step is not None:
            alpha, rest = alpha + length * step.alpha, rest - length * step.alpha
            slack, excess = slack + length * step.slack, excess + length * step.excess
        return float(alpha @ slack + rest @ excess) / (2 * len(alpha))

    def _factor(self) -> bool:
        """Factor ``penalty + X' (Q - Q 1 1' Q / sum Q) X``, Q the curvature: b is eliminated by centring."""
        q = self._curve
        self._centre = q @ self.X / q.sum()
        self._rows = self.X - self._centre
        M = (self._rows * q[:, None]).T @ self._rows
        M[np.diag_indices_from(M)] += self.penalty
        self._norms = 1.0 / np.sqrt(np.maximum(M.diagonal(), np.finfo(float).tiny))
        M *= self._norms
        M *= self._norms[:, None]
        ridge = _RIDGE
        while ridge < 1e-6:
            M[np.diag_indices_from(M)] = 1.0 + ridge
            try:
                self._factored = linalg.cho_factor(M, check_finite=False)
            except linalg.LinAlgError:
                ridge *= 10.0
            else:
                return True
        return False

    def _solve(self, more_slack: FloatArray, more_excess: FloatArray) -> _Step:
        """The step that makes slack and excess `more` than zero, as the products with their variables ask."""
        y, q = self.y, self._curve
        primal = y * self._outputs() - 1.0 + self.excess - self.slack
        wanted = -primal + self.excess - more_excess - self.slack + more_slack
        dual = self.penalty * self.v - (y * self.alpha) @ self.X
        imbalance = float(y @ self.alpha)
        right = (y * q * wanted) @ self._rows - dual - imbalance * self._centre
        v = self._norms * linalg.cho_solve(self._factored, self._norms * right, check_finite=False)
        b = (imbalance + float((y * q) @ wanted) - float(q @ (self.X @ v))) / float(q.sum())
        alpha = q * (wanted - y * (self.X @ v + b))
        return _Step(
            v,
            b,
            alpha,
            -self.slack + more_slack - self.slack / self.alpha * alpha,
            -self.excess + more_excess + self.excess / self.rest * alpha,
        )

    def _reach(self, step: _Step) -> float:
        """How much of the step leads to the first bound; at most 1."""
        parts = (
            (self.alpha, step.alpha),
            (self.rest, -step.alpha),
            (self.slack, step.slack),
            (self.excess, step.excess),
        )
        return min(1.0, *(float((-x[dx < 0.0] / dx[dx < 0.0]).min(initial=1.0)) for x, dx in parts))
