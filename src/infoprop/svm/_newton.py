"""Machines with the squared hinge on dense rows, solved exactly by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm import _newton_fast as fast
from infoprop.svm._curvature_fast import IS_STALE, N_COUNTS, N_STEPS, Curves, Room, Rows
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._primal import least_squares
from infoprop.svm._workers import Workers


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
    """

    def __init__(self, X: FloatArray, problems: Sequence[DualProblem], first: IntArray) -> None:
        n_machines, room = len(problems), X.shape[1] + 1
        n = np.array([problem.y.size for problem in problems])
        widest = int(n.max())
        y, cost = np.zeros((n_machines, widest)), np.zeros((n_machines, widest))
        lengths = np.sqrt(1.0 + np.einsum("ij,ij->i", X, X))
        longest = np.empty(n_machines)
        for q, problem in enumerate(problems):
            y[q, : n[q]], cost[q, : n[q]] = problem.y, 1.0 / problem.ridge
            longest[q] = lengths[first[q] : first[q] + n[q]].max()
        self.rows = Rows(X, np.ascontiguousarray(X.T), np.arange(X.shape[1]), longest)
        self.n_left = X.shape[1]
        self.curves = Curves(
            y,
            cost,
            np.zeros((n_machines, room, room)),
            np.zeros((n_machines, room, room)),
            np.zeros((n_machines, room)),
            np.zeros((n_machines, room)),
            np.zeros((n_machines, widest)),
            np.zeros((n_machines, widest), dtype=bool),
            np.zeros((n_machines, N_COUNTS), dtype=np.int64),
            first,
            n,
        )

    def new_room(self) -> Room:
        """Vectors for one machine at a time."""
        room = self.n_left + 1
        n = self.curves.y.shape[1]
        return Room(
            np.zeros(room),
            np.zeros(room),
            np.zeros(n),
            np.zeros(n + 1, dtype=np.int64),
            np.zeros((4, room + 2)),
        )

    def start_at(self, q: int, w: FloatArray, b: float) -> bool:
        """Put machine q at given weights, and take it to the optimum; False if it is not found."""
        self.curves.theta[q, 0], self.curves.theta[q, 1:] = b, w
        fast.find_active(self.rows, self.curves, q, self.n_left)
        return self.finish(q, self.new_room())

    def start_from(self, q: int, beta: FloatArray) -> bool:
        """Take machine q from dual variables to the optimum; False if it is not found."""
        own = slice(self.curves.first[q], self.curves.first[q] + self.curves.n[q])
        self.curves.theta[q, 1:] = beta @ self.rows.by_row[own]
        self.curves.is_active[q, : self.curves.n[q]] = beta != 0.0
        return self.finish(q, self.new_room())

    def finish(self, q: int, room: Room) -> bool:
        """Take machine q to the optimum, beginning with H and r for the rows that are active now."""
        self.curves.counts[q, N_STEPS] = 0
        while True:
            self._build(q)
            status = fast.settle_one(self.rows, self.curves, q, self.n_left, room)
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
        curves.H[q, : m + 1, : m + 1] = rows.T @ rows
        curves.H[q, np.arange(1, m + 1), np.arange(1, m + 1)] += 1.0
        curves.counts[q, IS_STALE] = 1

    def beta(self, q: int) -> FloatArray:
        """Dual variables of machine q, which stands at its optimum."""
        n = self.curves.n[q]
        y, g, cost = self.curves.y[q, :n], self.curves.g[q, :n], self.curves.cost[q, :n]
        return np.where(self.curves.is_active[q, :n], cost * np.maximum(0.0, 1.0 - y * g) * y, 0.0)


@dataclass(frozen=True)
class NewtonSolver:
    """Newton's method from nothing or from old solutions; see `_newton_fast`.

    Parameters
    ----------
    n_threads : int
        Machines solved at once. Each is solved alone, so the number changes nothing but the time.
    """

    n_threads: int

    def solve(
        self, X: FloatArray, problems: Sequence[DualProblem], starts: Sequence[FloatArray | None]
    ) -> list[DualSolution]:
        """Solve every problem over the rows of X; `starts` may hold old solutions to start from."""
        rows = centred(X)
        if X.shape[0] < X.shape[1]:
            # Turned into as many columns as there are rows: lengths and products of rows stay.
            rows = np.ascontiguousarray(linalg.qr(rows.T, mode="r", check_finite=False)[0][: len(rows)].T)
        newton = Newton(rows, problems, np.zeros(len(problems), dtype=np.int64))
        if any(start is None for start in starts):
            separations = least_squares(rows, np.stack([problem.y for problem in problems]))

        def solve_one(r: int) -> DualSolution:
            start, problem = starts[r], problems[r]
            if start is None:
                converged = newton.start_at(r, separations[r], float(problem.y.mean()))
            else:
                converged = newton.start_from(r, start)
            beta = newton.beta(r)
            f = X @ (beta @ X) + problem.ridge * beta - problem.y
            return DualSolution(beta, f, int(newton.curves.counts[r, N_STEPS]), converged)

        with Workers(min(self.n_threads, len(problems))) as workers:
            return workers.map(solve_one, range(len(problems)))


def centred(X: FloatArray, n: int | None = None) -> FloatArray:
    """Return X less the column means of its first n rows (None: all); constant columns become zeros exactly.

    The bias is free, so that a constant added to a column changes no weight.
    """
    own = X - X[0]
    own -= own[:n].mean(axis=0)
    return own
