"""Kernel machines that are moved between subsets of the columns: the base matrix follows, beta is kept.

A kernel is a link applied to a base that is a plain sum over the columns (inner products, squared distances,
a sum of Gaussians). When a column comes or goes, its term is added or taken away; then the link is applied
anew, with whatever gamma the new columns ask for.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from infoprop._core._matrices import taken_columns
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec, apply_link, base_matrix
from infoprop.svm._machine import DualSolution
from infoprop.svm._rows import WholeGram
from infoprop.svm._sensitivity import margin_sensitivity
from infoprop.svm._smo import SMOSolver
from infoprop.svm._team import Team, split_beta, stacked_beta
from infoprop.svm._workers import Workers

# Rows of a block, so that it stays in the cache while a column's term is computed and added.
_BLOCK_ENTRIES = 2**16

Specs = Callable[[int, Matrix], list[KernelSpec]]


class KernelMachines:
    """Machines of several teams, trained on the same columns from where they stood before.

    Parameters
    ----------
    teams : sequence of Team
    specs : callable
        Kernels of the machines of a team, given its number and its training rows.
    solver : SMOSolver
    """

    def __init__(self, teams: Sequence[Team], specs: Specs, solver: SMOSolver) -> None:
        self.members = tuple(teams)
        self._specs = specs
        self._solver = solver
        self.all_columns = np.arange(teams[0].X.shape[1])
        self._rows = [_columnwise(team.rows) for team in teams]

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n); rows that a team has not got are zero."""
        return stacked_beta(self._beta)

    def stand_on(self, columns: IntArray, beta: FloatArray | None) -> None:
        """Go to `columns` and train from `beta` (None: from nothing)."""
        self.columns = columns
        self._beta = split_beta(beta, self.members)
        self._bases: list[dict[KernelSpec, FloatArray]] = [{} for _ in self.members]
        self._train()

    def move_to(self, columns: IntArray) -> None:
        """Go to other columns and train there."""
        gone = np.setdiff1d(self.columns, columns)
        come = np.setdiff1d(columns, self.columns)
        with Workers(self._solver.n_threads) as workers:
            for t, bases in enumerate(self._bases):
                for spec, base in bases.items():
                    for k in gone:
                        self._add_term(t, k, spec, base, -1.0, workers)
                    for k in come:
                        self._add_term(t, k, spec, base, 1.0, workers)
        self.columns = columns
        self._train()

    def _add_term(
        self, t: int, k: int, spec: KernelSpec, base: FloatArray, sign: float, workers: Workers
    ) -> None:
        """Let column k come to (+1) or go from (-1) a base matrix of shape (n, n_all)."""
        x = self._rows[t][k]
        own = x[: base.shape[0]]
        size = max(1, _BLOCK_ENTRIES // base.shape[1])

        def add(start: int) -> None:
            block = slice(start, start + size)
            if spec.base == "dot":
                base[block] += sign * own[block, None] * x
                return
            term = own[block, None] - x
            term *= term
            if spec.base == "sum":
                term *= -spec.gamma
                np.exp(term, out=term)
            base[block] += term if sign > 0.0 else -term
            if spec.base == "distance":
                np.maximum(base[block], 0.0, out=base[block])

        workers.map(add, range(0, base.shape[0], size))

    def _train(self) -> None:
        self._kernels = []
        self._solutions: list[list[DualSolution]] = []
        self._outputs = []
        for t, team in enumerate(self.members):
            specs = self._specs(t, taken_columns(team.X, self.columns))
            solutions: dict[int, DualSolution] = {}
            outputs = np.empty((team.X_test.shape[0], team.n_machines))
            for spec in dict.fromkeys(specs):
                members = [q for q, other in enumerate(specs) if other == spec]
                self._solve(t, spec, members, solutions, outputs)
            self._bases[t] = {
                key: base for key, base in self._bases[t].items() if key in set(map(_key, specs))
            }
            ordered = [solutions[q] for q in range(team.n_machines)]
            self._beta[t] = np.stack([solution.beta for solution in ordered])
            self._kernels.append(specs)
            self._outputs.append(outputs)

    def _solve(
        self,
        t: int,
        spec: KernelSpec,
        members: list[int],
        solutions: dict[int, DualSolution],
        outputs: FloatArray,
    ) -> None:
        """Solve the machines of team t that share a kernel, and ask them about the rows it predicts."""
        team = self.members[t]
        K = self._gram(t, spec)
        problems = [team.problems[q] for q in members]
        starts = [self._beta[t][q] if self._beta[t][q].any() else None for q in members]
        n = len(K)
        store = WholeGram(np.ascontiguousarray(K[:, :n]))
        for q, problem, solution in zip(
            members, problems, self._solver.solve_over(store, problems, starts), strict=True
        ):
            solutions[q] = solution
            support = np.flatnonzero(solution.beta)
            outputs[:, q] = solution.beta[support] @ K[support, n:] + solution.bias(problem)

    def _gram(self, t: int, spec: KernelSpec) -> FloatArray:
        """Kernel values between training rows and all rows of team t: (n, n_all)."""
        key = _key(spec)
        if key not in self._bases[t]:
            team = self.members[t]
            rows = taken_columns(team.rows, self.columns)
            self._bases[t][key] = base_matrix(rows[: team.X.shape[0]], rows, spec)
        base = self._bases[t][key]
        K = np.empty_like(base)
        size = max(1, _BLOCK_ENTRIES // base.shape[1])

        def link(start: int) -> None:
            block = slice(start, start + size)
            K[block] = base[block]
            apply_link(K[block], spec)

        with Workers(self._solver.n_threads) as workers:
            workers.map(link, range(0, len(base), size))
        if spec.kind == "rbf":
            # Cancellation leaves a row at a tiny distance from itself.
            np.fill_diagonal(K[:, : len(K)], 1.0)
        return K

    def sensitivities(self) -> FloatArray:
        """Sensitivities of the margins to the columns: (n_machines of all teams, n_columns)."""
        found = []
        for t, team in enumerate(self.members):
            X = taken_columns(team.X, self.columns)
            for beta, spec in zip(self._beta[t], self._kernels[t], strict=True):
                support = np.flatnonzero(beta)
                base = self._bases[t][_key(spec)][np.ix_(support, support)]
                found.append(margin_sensitivity(X[support], beta[support], spec, base=base))
        return np.stack(found)

    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the rows that each team predicts: (n_test, n_machines) each."""
        return tuple(self._outputs)


def _key(spec: KernelSpec) -> KernelSpec:
    """Kernels with the same key have the same base."""
    kind = {"dot": "linear", "distance": "rbf", "sum": "anova"}[spec.base]
    return KernelSpec(kind, gamma=spec.gamma if kind == "anova" else 1.0)


def _columnwise(X: Matrix) -> FloatArray:
    """The columns, each in one piece."""
    return np.ascontiguousarray((X.toarray() if sparse.issparse(X) else X).T)
