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
from infoprop.svm.solvers._primal_fast import N_NUMBERS, Face, Line, Point, Task, solve_primal

# Steps grow with the columns, each looks at all rows.
_ROWS_PER_COLUMN = 16
_STEPS_PER_COLUMN = 64
_FEWEST_STEPS = 1000
# Products between two looks for an interrupt: some tenths of a second.
_WORK_BETWEEN_LOOKS = 100_000_000
# Of the mean squared length of a column, so that the start of the descent is defined where columns repeat.
_RIDGE = 1e-3


def suits_primal(X: Matrix) -> bool:
    """Whether there are so many more dense rows than columns that the primal is the quickest way."""
    return not sparse.issparse(X) and X.shape[0] >= _ROWS_PER_COLUMN * X.shape[1]


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
        by_column = np.ascontiguousarray(X.T) if columns is None else columns
        if any(start is None for start in starts):
            # The least-squares separation of every class, all by one factor.
            separations = least_squares(X, np.stack([problem.y for problem in problems]))

        def solve_one(r: int) -> DualSolution:
            start = starts[r]
            w = separations[r] if start is None else X.T @ start
            return self._solve_one(X, by_column, problems[r], w)

        with Workers(min(self.n_threads, len(problems))) as workers:
            solutions = workers.map(solve_one, range(len(problems)))
        held_up = [r for r, solution in enumerate(solutions) if not solution.converged]
        if held_up and self.max_steps < 0:
            solver = LinearSolver(self.tol, -1, self.n_threads)
            found = solver.solve(X, [problems[r] for r in held_up], [solutions[r].beta for r in held_up])
            for r, solution in zip(held_up, found, strict=True):
                solutions[r] = solution
        return solutions

    def _solve_one(
        self, X: FloatArray, columns: FloatArray, problem: DualProblem, w: FloatArray
    ) -> DualSolution:
        n, d = X.shape
        room = d + 2
        face = Face(
            np.zeros(room, dtype=np.int64),
            np.full(n, -1, dtype=np.int64),
            np.zeros((room, d)),
            np.zeros((room, room)),
            np.zeros(room),
            np.zeros(room),
            np.zeros(room),
        )
        point = Point(w.copy(), np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(N_NUMBERS))
        line = Line(np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64))
        most = max(_FEWEST_STEPS, _STEPS_PER_COLUMN * d) if self.max_steps < 0 else self.max_steps
        task = Task(X, columns, problem.y, problem.low, problem.high)
        between = max(1, _WORK_BETWEEN_LOOKS // X.size)
        n_steps = 0
        for pause_at in range(between, most + between, between):
            check_stop()
            n_steps = solve_primal(task, point, face, line, most, pause_at)
            if n_steps != 0:
                break
        beta = problem.settled(problem.feasible(point.beta))
        return DualSolution(beta, X @ (X.T @ beta) - problem.y, abs(n_steps), n_steps > 0)


def least_squares(X: FloatArray, targets: FloatArray) -> FloatArray:
    """Weights that reproduce the targets, each of shape (n,), best in the mean; a constant is left free."""
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred
    ridge = _RIDGE * float(np.trace(gram)) / len(gram)
    if ridge == 0.0:
        return np.zeros((len(targets), X.shape[1]))
    gram[np.diag_indices_from(gram)] += ridge
    return np.asarray(linalg.cho_solve(linalg.cho_factor(gram), centred.T @ targets.T)).T
