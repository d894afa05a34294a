"""Moved linear machines with the squared hinge, for dense rows: each keeps its curvature."""

from functools import partial

import numpy as np
from numpy.linalg import norm

from infoprop._core._matrices import centred, column_norms_squared, taken_columns
from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._machine import DualSolution
from infoprop.svm._sensitivity import above_rounding
from infoprop.svm._workers import ALONE
from infoprop.svm.active_set._state import new_machines
from infoprop.svm.solvers._curvature_fast import Workspace
from infoprop.svm.solvers._newton import Newton, NewtonSolver
from infoprop.svm.solvers._newton_fast import SETTLED, write_beta
from infoprop.svm.subset import _squared_hinge_fast as fast
from infoprop.svm.subset._linear import NO_OPTIMUM, LinearMachines
from infoprop.svm.subset._protocol import validation_outputs
from infoprop.svm.subset._splits import SplitProblem

# The solver is exact on dense rows; it may hold the curvatures of all machines, as these machines do.
_TOL = 1e-9
_FEWEST_STEPS = 16
_MOST_STEPS = 512
_PRODUCTS_OF_LONG_STEPS = 20_000_000


class NewtonMachines(LinearMachines):
    """Machines that go from optimum to optimum by steps of Newton's method; see :class:`LinearMachines`.

    Their rows are centred, so that b is that of other rows; :attr:`bias` is not.
    """

    cold_solver = "auto"
    # Cheap beside the steps themselves; interrupts are heard between steps.
    steps_at_a_time = 16

    @property
    def steps_between_rebuilds(self) -> int:
        return int(np.clip(len(self.all_columns) // 4, _FEWEST_STEPS, _MOST_STEPS))

    def _solve(self, split: SplitProblem, starts: list[FloatArray | None]) -> list[DualSolution]:
        X = taken_columns(split.X, self.columns)
        return NewtonSolver(_TOL, -1, np.inf, self.n_threads).solve(X, split.problems, starts)

    def _build(self, beta: FloatArray) -> bool:
        parts = [split.rows_on(self.columns) for split in self.members]
        n = self.splits.n
        own = [centred(part, count) for part, count in zip(parts, n, strict=True)]
        self._centres = np.stack([part[0] - there[0] for part, there in zip(parts, own, strict=True)])
        X = own[0] if len(own) == 1 else np.concatenate(own)
        self._newton = Newton(X, self.problems, self.splits.start[self.splits.split])
        n_machines, p = len(self.problems), X.shape[1]
        self._answers = fast.Answers(
            np.zeros((n_machines, p)), np.zeros((n_machines, int(self.splits.n_all.max())))
        )
        # Newton's method keeps no free sets, and finds b itself.
        self.machines = new_machines(self.problems, beta, 0, self.splits.start[self.splits.split])
        self._lengths = np.array(
            [np.sqrt(column_norms_squared(part[:count])).sum() for part, count in zip(parts, n, strict=True)]
        )
        self._built_on = self.columns
        self._is_left = np.ones(p, dtype=bool)
        self._status = np.zeros(n_machines, dtype=np.int64)
        self._workspaces = [self._newton.new_workspace() for _ in range(min(self.n_threads, n_machines))]
        found = self.workers.map(self._build_one, range(n_machines))
        self._is_beta_old = True
        self._noise = norm(self.beta, axis=1) * self._lengths[self.splits.split]
        return all(found)

    def _build_one(self, q: int) -> bool:
        is_found = self._newton.start_from(q, self.machines.beta[q, : self._newton.curves.n[q]])
        self._write(q)
        return is_found

    @property
    def beta(self) -> FloatArray:
        if self._is_beta_old:
            newton = self._newton
            for q, own in enumerate(self.machines.beta):
                write_beta(newton.rows, newton.curves, q, newton.n_left, own)
            self._is_beta_old = False
        return np.asarray(self.machines.beta)

    def _write(self, q: int) -> None:
        newton = self._newton
        fast.write_machine(
            newton.rows, newton.curves, self._answers, self.machines, self.splits, q, newton.n_left
        )

    def drop(self, columns: IntArray) -> None:
        newton = self._newton
        self._is_left[np.searchsorted(self._built_on, columns)] = False
        self.columns = self._built_on[self._is_left]
        left = newton.rows.left[: newton.n_left]
        stays = self._is_left[left]
        # Their positions, last first.
        positions = np.flatnonzero(~stays)[::-1].copy()
        left[: len(self.columns)] = left[stays]
        n_shifts = self._threads_for_steps()
        ends = [len(self.splits.split) * s // n_shifts for s in range(n_shifts + 1)]
        shifts = [(*ends[s : s + 2], self._workspaces[s]) for s in range(n_shifts)]
        workers = self.workers if n_shifts > 1 else ALONE
        workers.map(partial(self._drop_from, positions), shifts)
        newton.n_left -= len(positions)
        unsettled = np.flatnonzero(self._status != SETTLED).tolist()
        self._is_beta_old = True
        if not all(workers.map(self._finish, unsettled)):
            raise ArithmeticError(NO_OPTIMUM)

    def _threads_for_steps(self) -> int:
        """Short steps take less time than handing them to threads."""
        n_machines, n, p = len(self.splits.split), int(self.splits.n.max()), self._newton.n_left
        is_long = n_machines * p * (n + p * p // 3) > _PRODUCTS_OF_LONG_STEPS
        return min(self.n_threads, n_machines) if is_long else 1

    def _drop_from(self, gone: IntArray, shift: tuple[int, int, Workspace]) -> None:
        newton, (first, last, workspace) = self._newton, shift
        fast.drop_from_machines(
            newton.rows,
            newton.curves,
            self._answers,
            self.machines,
            self.splits,
            first,
            last,
            newton.n_left,
            gone,
            workspace,
            self._status,
        )

    def _finish(self, q: int) -> bool:
        """Take machine q, many of whose rows have changed sides, to its optimum."""
        is_found = self._newton.finish(q, self._newton.new_workspace())
        self._write(q)
        return is_found

    @property
    def bias(self) -> FloatArray:
        """The machines' b."""
        return super().bias - np.einsum("qk,qk->q", self._answers.w, self._centres[self.splits.split])

    def sensitivities(self) -> FloatArray:
        return above_rounding(np.abs(self._answers.w[:, self._is_left]), self._noise)

    def outputs(self) -> tuple[FloatArray, ...]:
        return validation_outputs(self._answers.f + super().bias[:, None], self.splits)
