"""Free sets of machines over a whole Gram matrix that is all new in every training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.kernels import KernelSpec
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.active_set._gram_machines_fast import pivot_to_optima
from infoprop.svm.active_set._kernel_store import MovingRows
from infoprop.svm.active_set._machines_fast import BIAS, N_PIVOTS, UNIT_OF_ROUNDING
from infoprop.svm.active_set._state import SMALLEST_RESIDUAL, new_machines, new_scratch

# Pivots on a larger free set take longer than the solver does.
_LARGEST_FREE_SET = 200
# It may grow on the way.
_LARGEST_CAPACITY = 256
# With more rows than this it takes too long to compute all of them for the few that pivots ask for.
_MOST_ROWS_ON_DEMAND = 2500


@dataclass(frozen=True)
class Optima:
    """Where machines ended: beta, ``f = K beta - y`` (y = 0 for validation rows), b, number of steps."""

    beta: FloatArray
    f: FloatArray
    bias: FloatArray
    n_steps: IntArray

    def solution(self, q: int, problem: DualProblem) -> DualSolution:
        """The optimum of one machine, for the rows it was trained with."""
        beta = problem.settled(self.beta[q])
        return DualSolution(beta, self.f[q, : len(beta)], int(self.n_steps[q]), True)


class KernelPivots:
    """Goes from old dual variables, or from nothing, to the optimum by pivots, exactly; for few rows.

    Parameters
    ----------
    problems : sequence of DualProblem
        Over the same rows.
    """

    def __init__(self, problems: Sequence[DualProblem]) -> None:
        n = problems[0].y.size
        capacity = min(n, _LARGEST_CAPACITY) + 1
        self._machines = new_machines(problems, np.zeros((len(problems), n)), capacity)
        self._scratch = new_scratch(capacity, n, 0)

    @staticmethod
    def may_find(problem: DualProblem, beta: FloatArray) -> bool:
        """Whether few enough variables are free for pivots."""
        n_free = np.count_nonzero((beta > problem.low) & (beta < problem.high))
        return len(beta) <= _MOST_ROWS_ON_DEMAND and bool(0 < n_free <= _LARGEST_FREE_SET)

    def solve(self, K: FloatArray, beta: FloatArray) -> Optima | None:
        """Go to the optimum over the Gram matrix K, which has no negative eigenvalues; None if it is far.

        K holds the training rows first, (n, n_all).
        """
        machines = self._machines
        f = np.empty((len(beta), K.shape[1]))
        limits = SMALLEST_RESIDUAL, UNIT_OF_ROUNDING, _LARGEST_FREE_SET
        if not pivot_to_optima(K, beta, machines, *limits, self._scratch, f):
            return None
        return Optima(machines.beta, f, machines.numbers[:, BIAS], machines.counts[:, N_PIVOTS])


def pivoted(
    store: MovingRows, problems: Sequence[DualProblem], beta: FloatArray, workers: Workers
) -> dict[int, DualSolution]:
    """Optima that pivots find from old solutions beta, (n_machines, n), where few variables are free."""
    near = [
        q
        for q, (own, problem) in enumerate(zip(beta, problems, strict=True))
        if KernelPivots.may_find(problem, own)
    ]
    if near:
        store.load_all()

    def pivot(q: int) -> DualSolution | None:
        optima = KernelPivots([problems[q]]).solve(store.rows, beta[q : q + 1])
        return None if optima is None else optima.solution(0, problems[q])

    sizes = [int(np.count_nonzero(beta[q])) for q in near]
    found = zip(near, workers.map_largest_first(pivot, near, sizes), strict=True)
    return {q: optimum for q, optimum in found if optimum is not None}


def is_definite(spec: KernelSpec) -> bool:
    """Whether Gram matrices of the kernel have no negative eigenvalues, whatever the rows.

    Entry by entry, whole powers of such a matrix have none either; other powers may.
    """
    if spec.kind == "anova":
        return float(spec.degree).is_integer()
    return spec.kind in ("linear", "rbf") or (spec.kind == "poly" and spec.coef0 >= 0.0)
