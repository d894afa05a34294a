"""Linear machines with far more rows than columns, solved exactly on the primal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from infoprop._core._stopping import check_stop
from infoprop._core._typing import FloatArray, Matrix
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.solvers._dual_cd import LinearSolver
from infoprop.svm.solvers._primal_fast import (
    BIAS,
    N_NUMBERS,
    FreeSet,
    LineSearch,
    Point,
    Task,
    first_ascent,
    solve_primal,
)

# Steps of a machine where nobody set a limit; it takes two to four for each column.
_STEPS_PER_COLUMN = 64
_FEWEST_STEPS = 1000
# Products between two looks for an interrupt: some tenths of a second.
_WORK_BETWEEN_LOOKS = 100_000_000
# From so many rows on, few of them are asked at first and in most steps; below, all are.
_MANY_ROWS = 8_000
# One row in so many is trained on for a start; one in so many, nearest to its margin, may change sides. As a
# free set may hold a row for each column, so many times as many at least.
_SAMPLED = 8
_NEAR = 32
_NEAR_PER_COLUMN = 4
# Weights of a sample that are less than this share of those they started from are rounding.
_NO_WEIGHT = 1e-9
# How many times the weights of least squares a start may be.
_LARGEST_SCALE = 16.0
# Of the mean squared length of a column, so that the start of the descent is defined where columns repeat.
_RIDGE = 1e-3


def suits_primal(X: Matrix) -> bool:
    """Whether rows are dense, and no fewer than columns: of more columns, a free set would be too large."""
    return not sparse.issparse(X) and X.shape[0] >= X.shape[1]


@dataclass(frozen=True)
class PrimalSolver:
    """Descent through kinks to the exact optimum; see `_primal_fast`.

    Rows that nearly depend on one another can hold it up from kink to kink. What it leaves unsolved is then
    solved by coordinate descent, from where it stands.

    Parameters
    ----------
    tol : float
        Of the coordinate descent.
    max_steps : int
        Limit on the steps of each machine; -1 for one that ought not to be reached.
    n_threads : int
        Machines solved at once. Each is solved alone, so the number changes nothing but the time.
    """

    tol: float
    max_steps: int
    n_threads: int

    def solve(
        self,
        X: FloatArray,
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
        columns: FloatArray | None = None,
    ) -> list[DualSolution]:
        """Solve every problem over the rows of X; `starts` may hold old solutions to start from.

        `columns` is ``X.T`` in one piece, for callers that come with the same rows again: turning them takes
        half as long as a machine that starts near its optimum.
        """
        is_long = X.shape[0] >= _MANY_ROWS and self.max_steps < 0
        by_column = np.ascontiguousarray(X.T) if columns is None and not is_long else columns
        if not is_long and any(start is None for start in starts):
            separations = _separations(X, problems)

        def solve_one(r: int) -> DualSolution:
            start, problem = starts[r], problems[r]
            if is_long:
                w = self._sampled_weights(X, problem) if start is None else X.T @ start
                return self._solve_long(X, problem, w)
            w = separations[r] if start is None else X.T @ start
            beta, _, _, n_steps = self._descend(X, by_column, problem, w, np.zeros(X.shape[1]), 0.0)
            return _solution(X, problem, beta, n_steps)

        with Workers(min(self.n_threads, len(problems))) as workers:
            solutions = workers.map(solve_one, range(len(problems)))
        held_up = [r for r, solution in enumerate(solutions) if not solution.converged]
        if held_up and self.max_steps < 0:
            solver = LinearSolver(self.tol, -1, self.n_threads)
            found = solver.solve(X, [problems[r] for r in held_up], [solutions[r].beta for r in held_up])
            for r, solution in zip(held_up, found, strict=True):
                solutions[r] = solution
        return solutions

    def _sampled_weights(self, X: FloatArray, problem: DualProblem) -> FloatArray:
        """Weights of a machine on a sample of the rows, each of which counts for many."""
        n = X.shape[0]
        sample = np.sort(np.random.default_rng(0).permutation(n)[: n // _SAMPLED])
        rows = np.ascontiguousarray(X[sample])
        fewer = DualProblem(problem.y[sample], problem.upper[sample] * (n / len(sample)))
        start = _separations(rows, [fewer])[0]
        if len(sample) >= _MANY_ROWS:
            w = rows.T @ self._solve_long(rows, fewer, self._sampled_weights(rows, fewer)).beta
        else:
            columns, pull = np.ascontiguousarray(rows.T), np.zeros(X.shape[1])
            w = self._descend(rows, columns, fewer, start, pull, 0.0)[1]
        # Where no weights are the best, all rows of a class are on their margins: a start that leads nowhere.
        return w if np.abs(w).max() > _NO_WEIGHT * np.abs(start).max() else start

    def _solve_long(self, X: FloatArray, problem: DualProblem, w: FloatArray) -> DualSolution:
        """Solve for the rows near their margins, the others kept on their sides, until these are right.

        Kept rows add a linear function to the objective, which is their loss as long as they are on their
        sides: if none has changed sides at the end, that is the optimum over all rows. Else the way there is
        gone as far as the objective over all rows falls, and twice as many rows are near ones.
        """
        n = X.shape[0]
        g = X @ w - problem.y
        g += _best_bias(g, problem)
        n_near = min(n, max(n // _NEAR, _NEAR_PER_COLUMN * X.shape[1]))
        n_steps = 0
        while True:
            near = np.abs(g) <= np.partition(np.abs(g), n_near - 1)[n_near - 1]
            beta = np.where(g * problem.y < 0.0, problem.upper * problem.y, 0.0)
            beta[near] = 0.0
            rows, own = X[near], DualProblem(problem.y[near], problem.upper[near])
            columns = np.ascontiguousarray(rows.T)
            found = self._descend(rows, columns, own, w, X.T @ beta, float(beta.sum()))
            beta[near], end, b, made = found
            n_steps += abs(made)
            ends = X @ end + (b - problem.y)
            is_wrong = (ends[~near] * problem.y[~near] < 0.0) != (beta[~near] != 0.0)
            if n_near == n or not (is_wrong & (problem.upper[~near] > 0.0)).any():
                return _solution(X, problem, beta, n_steps if made > 0 else -n_steps)
            length = _lowest(g, ends, w, end, problem)
            g += length * (ends - g)
            w = w + length * (end - w)
            n_near = min(n, 2 * n_near)

    def _descend(
        self,
        X: FloatArray,
        columns: FloatArray | None,
        problem: DualProblem,
        w: FloatArray,
        fixed_pull: FloatArray,
        fixed_excess: float,
    ) -> tuple[FloatArray, FloatArray, float, int]:
        """Return beta, w, b and the number of steps, negative if these were not enough."""
        n, d = X.shape
        size = d + 2
        free = FreeSet(
            np.zeros(size, dtype=np.int64),
            np.full(n, -1, dtype=np.int64),
            np.zeros((size, d)),
            np.zeros((size, size)),
            np.zeros(size),
            np.zeros(size),
            np.zeros(size),
        )
        point = Point(w.copy(), np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(N_NUMBERS))
        search = LineSearch(np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64))
        most = max(_FEWEST_STEPS, _STEPS_PER_COLUMN * d) if self.max_steps < 0 else self.max_steps
        task = Task(X, columns, problem.y, problem.low, problem.high, fixed_pull, fixed_excess)
        between = max(1, _WORK_BETWEEN_LOOKS // X.size)
        n_steps = 0
        for pause_at in range(between, most + between, between):
            check_stop()
            n_steps = solve_primal(task, point, free, search, most, pause_at)
            if n_steps != 0:
                break
        return point.beta, point.w, float(point.numbers[BIAS]), n_steps


def _solution(X: FloatArray, problem: DualProblem, beta: FloatArray, n_steps: int) -> DualSolution:
    beta = problem.settled(problem.feasible(beta))
    return DualSolution(beta, X @ (X.T @ beta) - problem.y, abs(n_steps), n_steps > 0)


def _best_bias(g: FloatArray, problem: DualProblem) -> float:
    """The b that is best for given weights; g is ``X w - y``."""
    n = len(g)
    positive = float(problem.upper[problem.y > 0].sum())
    order = np.arange(n)
    _, row, _ = first_ascent(-g, problem.upper, order, n, -positive, 0.0)
    return -float(g[row])


def _lowest(g: FloatArray, ends: FloatArray, w: FloatArray, end: FloatArray, problem: DualProblem) -> float:
    """Where on the way from w to `end`, with outputs from g to `ends`, the objective is lowest, at most 1."""
    change, step = ends - g, end - w
    is_inside = problem.y * np.where(g == 0.0, change, g) < 0.0
    slope = float(w @ step) - float((problem.upper * problem.y * change)[is_inside].sum())
    crosses = np.flatnonzero(g * change < 0.0)
    crossing = -g[crosses] / change[crosses]
    steepening = problem.upper[crosses] * np.abs(change[crosses])
    order = np.flatnonzero(crossing < 1.0)
    return float(first_ascent(crossing, steepening, order, len(order), slope, float(step @ step))[0])


def _separations(X: FloatArray, problems: Sequence[DualProblem]) -> list[FloatArray]:
    """Weights to start from: the least-squares separation of every class, scaled as far as the loss falls.

    Least squares want outputs of 1 and -1. The hinge lets them be larger, and mostly wants 2 to 5 times the
    weights: a scaled start saves a sixth to a third of the steps.
    """

    def scaled(problem: DualProblem, w: FloatArray) -> FloatArray:
        if not w.any():
            # Nothing curves along a step of nothing.
            return w
        outputs = X @ w
        ends = _LARGEST_SCALE * (outputs - outputs.mean() + problem.y.mean()) - problem.y
        end = _LARGEST_SCALE * w
        return _lowest(-problem.y, ends, np.zeros_like(w), end, problem) * end

    separations = least_squares(X, np.stack([problem.y for problem in problems]))
    return [scaled(problem, w) for problem, w in zip(problems, separations, strict=True)]


def least_squares(X: FloatArray, targets: FloatArray) -> FloatArray:
    """Weights that reproduce the targets, each of shape (n,), best in the mean; a constant is left free."""
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred
    ridge = _RIDGE * float(np.trace(gram)) / len(gram)
    if ridge == 0.0:
        return np.zeros((len(targets), X.shape[1]))
    gram[np.diag_indices_from(gram)] += ridge
    return np.asarray(linalg.cho_solve(linalg.cho_factor(gram), centred.T @ targets.T)).T
