"""Faces of kernel machines over a Gram matrix that is all new in every training."""

import numpy as np

from infoprop._core._typing import FloatArray
from infoprop.svm._ballot_fast import Machines, Teams
from infoprop.svm._gram_faces_fast import build_faces
from infoprop.svm._linear_machines import new_numbers, new_scratch
from infoprop.svm._pivots_fast import BIAS, N_COUNTS, N_NUMBERS
from infoprop.svm._team import Team

# Pivots on a larger face take longer than blocks of pairs.
_LARGEST_FACE = 200
_MOST_ROWS = 1000


class KernelFaces:
    """Goes from old dual variables to the optimum by pivots, exactly; for few rows.

    Parameters
    ----------
    team : Team
    """

    def __init__(self, team: Team) -> None:
        n, n_machines = team.X.shape[0], team.n_machines
        self._problems = team.problems
        self._f = np.empty((n_machines, n))
        one, none, zero = np.array([n]), np.zeros(0, dtype=np.int64), np.array([0])
        self._teams = Teams(
            zero, one, one, zero, np.array([n_machines]), zero, none, np.zeros(0), np.zeros(0), 0
        )
        y = np.stack([problem.y for problem in team.problems])
        low = np.stack([problem.low for problem in team.problems])
        high = np.stack([problem.high for problem in team.problems])
        self._machines = Machines(
            y,
            np.zeros((n_machines, n)),
            low,
            high,
            np.zeros((n_machines, n + 1), dtype=np.int64),
            np.zeros((n_machines, n), dtype=np.int64),
            np.zeros((n_machines, n + 1)),
            np.zeros((n_machines, n + 1, n + 1)),
            np.zeros((n_machines, n + 1)),
            np.zeros((n_machines, N_COUNTS), dtype=np.int64),
            np.zeros((n_machines, N_NUMBERS)),
            np.zeros(n_machines, dtype=np.int64),
            np.zeros(n_machines, dtype=np.int64),
        )
        self._scratch = new_scratch(n + 1, 0)

    @staticmethod
    def suit(team: Team) -> bool:
        """Whether the team has few enough rows."""
        return team.X.shape[0] <= _MOST_ROWS

    def solve(self, K: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return beta and b of the optimum over the Gram matrix K, from an old beta; None if it is far off.

        K holds the training rows first: (n, n_all).
        """
        machines, n = self._machines, beta.shape[1]
        n_free = ((machines.low < beta) & (beta < machines.high)).sum(axis=1)
        if n_free.max() > _LARGEST_FACE:
            return None
        machines.beta[:] = beta
        machines.place[:] = -1
        machines.counts[:] = 0
        gram = K[:, :n]
        np.matmul(beta, gram, out=self._f)
        self._f -= machines.y
        machines.numbers[:] = new_numbers(beta, self._f, self._problems, float(gram.diagonal().max()))
        if not build_faces(K[None], self._f, machines, self._teams, self._scratch):
            return None
        return machines.beta, machines.numbers[:, BIAS]
