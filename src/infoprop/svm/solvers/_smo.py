"""Block SMO for many machines over one store of Gram rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from infoprop._core._stopping import check_stop
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.kernels._gram import gram_rows
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.active_set._feature_pivots import solve_by_features
from infoprop.svm.active_set._kernel_pivots import KernelPivots, is_definite
from infoprop.svm.active_set._state import has_few_rows
from infoprop.svm.solvers import _smo_fast as fast
from infoprop.svm.solvers._row_store import GramRows, RowStore, numbers_in

# Blocks hold all free variables where they can: pair steps on a part of them would undo each other's work.
# The rows of two small ones are kept, whatever the budget.
_BLOCK = 256
_LARGE_BLOCK = 1024
_SMALL = 512
# Products after which a machine is given up: a pair step takes one for each row of its block, a block one for
# each entry of its Gram rows. Rows of ordinary scale take a tenth.
_LEAST_WORK = 2e8
_WORK_PER_PAIR_OF_ROWS = 20.0
_MANY_ROWS = 1e4
_MANY_MACHINES = 4
# A table of so few cells is done within seconds, whatever its values: all machines together may take this.
_FEW_CELLS = 10_000
_WORK_ON_FEW_CELLS = 5e8
# Linear machines that are not done after this go on by an interior point method, which takes less.
_LINEAR_WORK_ON_FEW_CELLS = 3e7
_UNLIMITED = np.iinfo(np.int64).max


def _block_size(n: int, capacity: int, n_machines: int) -> int:
    """Most variables in a block, so that blocks of all machines are kept at once; they share rows."""
    if n <= _SMALL:
        return n
    share = n if capacity == n else max(_BLOCK, capacity // n_machines)
    return min(n, share, _LARGE_BLOCK)


def _work_limit(n: int, n_machines: int) -> int:
    """Products that each of several machines over n rows may take."""
    work = max(_LEAST_WORK, _WORK_PER_PAIR_OF_ROWS * n * n * max(1.0, n / _MANY_ROWS))
    return int(work / max(1.0, n_machines / _MANY_MACHINES))


class _State:
    """Arrays of one machine on its way to the optimum."""

    def __init__(
        self,
        problem: DualProblem,
        start: FloatArray | None,
        f: FloatArray | None,
        store: GramRows,
        block: int,
    ) -> None:
        n = problem.y.size
        self.problem = problem
        self.beta = np.zeros(n) if start is None else problem.feasible(start)
        if start is None:
            self.f = -problem.y
        elif f is not None and np.array_equal(self.beta, start):
            self.f = f.copy()
        else:
            self.f = store.product(self.beta) - problem.y
        self.active = np.arange(n)
        self.block = np.empty(block, dtype=np.int64)
        self.taken = np.zeros(n, dtype=bool)
        self.counters = np.zeros(fast.N_COUNTERS, dtype=np.int64)
        self.counters[fast.N_ACTIVE] = n
        self.counters[fast.IS_DEFINITE] = is_definite(store.spec)
        self.status = fast.NEEDS_ROWS
        self.was_refreshed = False

    @property
    def is_running(self) -> bool:
        return self.status == fast.NEEDS_ROWS

    @property
    def wanted(self) -> IntArray:
        return self.block[: self.counters[fast.N_BLOCK]]

    def advance(self, store: GramRows, tol: float, max_steps: int, max_work: int) -> None:
        """Run until the machine is done or needs rows; a shrunk machine is checked on all variables."""
        state = fast.BlockState(
            self.f,
            self.beta,
            self.problem.low,
            self.problem.high,
            self.active,
            self.block,
            self.taken,
            self.counters,
        )
        while True:
            check_stop()
            self.status = fast.advance(store.rows, store.slot_of, state, tol, max_steps, max_work)
            if self.status == fast.STALLED and not self.was_refreshed:
                # Rounding may have piled up in f rather than spoiled the problem.
                self.was_refreshed = True
            elif self.status == fast.PAUSED:
                continue
            elif self.status != fast.SHRUNK:
                return
            self._refresh(store)

    def _refresh(self, store: GramRows) -> None:
        """Compute f anew, for all variables."""
        self.f[:] = store.product(self.beta) - self.problem.y
        self.active[:] = np.arange(self.f.size)
        self.counters[fast.N_ACTIVE] = self.f.size
        self.counters[fast.N_IDLE] = 0

    def solution(self, store: GramRows) -> DualSolution:
        if self.counters[fast.N_ACTIVE] < self.f.size:
            self._refresh(store)
        return DualSolution(
            self.problem.settled(self.beta),
            self.f,
            int(self.counters[fast.N_STEPS]),
            self.status == fast.CONVERGED,
        )


@dataclass(frozen=True)
class SMOSolver:
    """Two-level working sets: blocks of violating variables, pair and free-set steps within a block.

    Machines advance in rounds. In a round each runs until it needs Gram rows that are not kept; then the
    rows that all of them wait for are computed at once. What is computed depends on the machines alone,
    never on how many threads run them, so results are the same bit for bit on any number of workers.

    Parameters
    ----------
    tol : float
        Bound on the violation of the optimality conditions, as in libsvm.
    max_steps : int
        Limit on the pair steps of each machine; -1 for none.
    megabytes : float
        Budget for kept Gram rows.
    n_threads : int
        Machines that advance at once; they also share out the Gram rows to be computed.
    """

    tol: float
    max_steps: int
    megabytes: float
    n_threads: int

    def solve(
        self,
        X: Matrix,
        spec: KernelSpec,
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
    ) -> list[DualSolution]:
        """Solve every problem over the rows of X; `starts` may hold old solutions to start from."""
        n = X.shape[0]
        fits = n * n <= numbers_in(self.megabytes)
        if fits and has_few_rows(n) and self.max_steps < 0 and is_definite(spec):
            solved = _solve_few(X, spec, problems, starts, self.n_threads)
            if solved is not None:
                return solved
        has_few_cells = n * X.shape[1] <= _FEW_CELLS
        work = _LINEAR_WORK_ON_FEW_CELLS if spec.kind == "linear" else _WORK_ON_FEW_CELLS
        most = int(work / len(problems)) if has_few_cells else _UNLIMITED
        with Workers(self.n_threads) as workers:
            store = RowStore(X, spec, self.megabytes, min(n, 2 * _BLOCK), workers)
            return self.solve_over(store, problems, starts, most)

    def solve_over(
        self,
        store: GramRows,
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
        max_work: int = _UNLIMITED,
        f: Sequence[FloatArray] | None = None,
    ) -> list[DualSolution]:
        """Solve every problem over the rows of a Gram matrix; each may take `max_work` products at most.

        `f` holds ``K beta - y`` of the starts, if it is known.
        """
        n = store.slot_of.size
        block = _block_size(n, store.capacity, len(problems))
        if self.max_steps < 0:
            max_work = min(max_work, _work_limit(n, len(problems)))
        else:
            max_work = _UNLIMITED
        at_once = max(1, store.capacity // block) if store.capacity < n else len(problems)
        solutions: list[DualSolution] = []
        with Workers(min(self.n_threads, len(problems))) as workers:
            for first in range(0, len(problems), at_once):
                states = [
                    _State(problems[q], starts[q], None if f is None else f[q], store, block)
                    for q in range(first, min(first + at_once, len(problems)))
                ]
                self._run(states, store, workers, max_work)
                solutions += [state.solution(store) for state in states]
        return solutions

    def _run(self, states: list[_State], store: GramRows, workers: Workers, max_work: int) -> None:
        max_steps = _UNLIMITED if self.max_steps < 0 else self.max_steps

        def advance(state: _State) -> None:
            state.advance(store, self.tol, max_steps, max_work)

        running = states
        while running:
            sizes = [int(np.count_nonzero(state.beta)) for state in running]
            workers.map_largest_first(advance, running, sizes)
            running = [state for state in running if state.is_running]
            if running:
                store.load(np.unique(np.concatenate([state.wanted for state in running])))


def _solve_few(
    X: Matrix,
    spec: KernelSpec,
    problems: Sequence[DualProblem],
    starts: Sequence[FloatArray | None],
    n_threads: int,
) -> list[DualSolution] | None:
    """Solve problems over few rows by pivots; None if they get lost."""
    n = X.shape[0]
    if spec.kind == "linear" and sparse.issparse(X):
        with Workers(min(n_threads, len(problems))) as workers:
            return solve_by_features(X, problems, starts, workers)
    K = gram_rows(X, np.arange(n), spec)
    beta = np.stack(
        [np.zeros(n) if s is None else p.feasible(s) for p, s in zip(problems, starts, strict=True)]
    )
    found = KernelPivots(problems).solve(K, beta)
    if found is None:
        return None
    return [found.solution(q, problem) for q, problem in enumerate(problems)]
