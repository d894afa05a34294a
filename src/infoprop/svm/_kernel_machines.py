"""Kernel machines that are moved between subsets of the columns: the base matrix follows, beta is kept.

A kernel is a link applied to a base that is a plain sum over the columns (inner products, squared distances,
a sum of Gaussians). When a column comes or goes, its term is added or taken away; then the link is applied
anew, with whatever gamma the new columns ask for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse

from infoprop._core._matrices import taken_columns
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec, apply_link, base_matrix
from infoprop.svm._kernel_faces import KernelFaces
from infoprop.svm._kernel_moves_fast import change_distances, change_products, gather_weighted
from infoprop.svm._machine import DualSolution
from infoprop.svm._rows import WholeGram
from infoprop.svm._sensitivity import audible, margin_sensitivity
from infoprop.svm._smo import SMOSolver
from infoprop.svm._team import Team, split_beta, stacked_beta
from infoprop.svm._workers import Workers

# Entries of a block that stays in the cache while it goes through several operations.
_BLOCK_ENTRIES = 2**16

Specs = Callable[[int, Matrix], list[KernelSpec]]


@dataclass
class _Gram:
    """A base matrix between training rows and all rows of a team, (n, n_all), and room for kernel values."""

    base: FloatArray
    K: FloatArray


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
        self._rows = [_columnwise(team.rows) for team in teams]
        self._grams: list[dict[KernelSpec, _Gram]] = [{} for _ in teams]
        self._faces = [KernelFaces(team) if KernelFaces.suit(team) else None for team in teams]
        self._beta: list[FloatArray] = []

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n); rows that a team has not got are zero."""
        return stacked_beta(self._beta)

    def stand_on(self, columns: IntArray, beta: FloatArray | None) -> None:
        """Go to `columns` and train from `beta` (None: from nothing)."""
        self.columns = columns
        self._beta = split_beta(beta, self.members)
        self._grams = [{} for _ in self.members]
        self._train(columns[:0], columns[:0])

    def move_to(self, columns: IntArray) -> None:
        """Go to other columns and train there."""
        gone, come = _missing(self.columns, columns), _missing(columns, self.columns)
        self.columns = columns
        self._train(gone, come)

    def _train(self, gone: IntArray, come: IntArray) -> None:
        """Let columns go and come, and train on those that are there then."""
        self._kernels: list[list[KernelSpec]] = []
        self._outputs: list[FloatArray] = []
        with Workers(self._solver.n_threads) as workers:
            for t, team in enumerate(self.members):
                X = taken_columns(team.X, self.columns)
                specs = self._specs(t, X)
                needed = set(map(_key, specs))
                self._grams[t] = {key: gram for key, gram in self._grams[t].items() if key in needed}
                outputs = np.empty((team.X_test.shape[0], team.n_machines))
                for spec in dict.fromkeys(specs):
                    # Kernels that share a base find it moved by the first of them.
                    moves = (gone, come) if _key(spec) in needed else (gone[:0], come[:0])
                    needed.discard(_key(spec))
                    K = self._moved(t, spec, *moves, workers)
                    members = [q for q, other in enumerate(specs) if other == spec]
                    self._solve(t, spec, K, members, outputs)
                self._kernels.append(specs)
                self._outputs.append(outputs)

    def _moved(
        self, t: int, spec: KernelSpec, gone: IntArray, come: IntArray, workers: Workers
    ) -> FloatArray:
        """Kernel values between training rows and all rows of team t, (n, n_all), on the present columns."""
        team = self.members[t]
        n = team.X.shape[0]
        if _key(spec) not in self._grams[t]:
            rows = taken_columns(team.rows, self.columns)
            base = base_matrix(rows[:n], rows, spec)
            self._grams[t][_key(spec)] = _Gram(base, np.empty_like(base))
            gone = come = gone[:0]
        gram = self._grams[t][_key(spec)]
        columns = self._rows[t]
        size = max(1, _BLOCK_ENTRIES // gram.base.shape[1])

        def move(start: int) -> None:
            block = slice(start, min(start + size, n))
            base, K = gram.base[block], gram.K[block]
            for k in gone:
                _change(base, columns[k][block], columns[k], spec, -1.0)
            for k in come:
                _change(base, columns[k][block], columns[k], spec, 1.0)
            K[:] = base
            apply_link(K, spec)

        workers.map(move, range(0, n, size))
        if spec.kind == "rbf":
            # Cancellation leaves a row at a tiny distance from itself.
            np.fill_diagonal(gram.K[:, :n], 1.0)
        return gram.K

    def _solve(
        self, t: int, spec: KernelSpec, K: FloatArray, members: list[int], outputs: FloatArray
    ) -> None:
        """Solve the machines of team t that share a kernel, and ask them about the rows it predicts."""
        n = len(K)
        team, faces = self.members[t], self._faces[t]
        found = None
        if faces is not None and len(members) == team.n_machines and _is_definite(spec):
            found = faces.solve(K, self._beta[t])
        if found is not None:
            self._beta[t][:], bias = found
        else:
            problems = [team.problems[q] for q in members]
            starts = [self._beta[t][q] if self._beta[t][q].any() else None for q in members]
            solutions: list[DualSolution] = self._solver.solve_over(WholeGram(K), problems, starts)
            self._beta[t][members] = [solution.beta for solution in solutions]
            bias = np.array([s.bias(problem) for s, problem in zip(solutions, problems, strict=True)])
        if team.X_test.shape[0]:
            outputs[:, members] = (self._beta[t][members] @ K[:, n:] + bias[:, None]).T

    def sensitivities(self) -> FloatArray:
        """Sensitivities of the margins to the columns: (n_machines of all teams, n_columns)."""
        found = []
        for t, team in enumerate(self.members):
            X = taken_columns(team.X, self.columns)
            for beta, spec in zip(self._beta[t], self._kernels[t], strict=True):
                support = np.flatnonzero(beta)
                gram = self._grams[t][_key(spec)]
                if spec.kind == "rbf" and len(set(self._kernels[t])) == 1 and not sparse.issparse(X):
                    found.append(_rbf_sensitivity(X[support], beta, support, gram.K, spec.gamma))
                else:
                    base = gram.base[np.ix_(support, support)]
                    found.append(margin_sensitivity(X[support], beta[support], spec, base=base))
        return np.stack(found)

    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the rows that each team predicts: (n_test, n_machines) each."""
        return tuple(self._outputs)


def _change(base: FloatArray, own: FloatArray, x: FloatArray, spec: KernelSpec, sign: float) -> None:
    """Let the term of a column come to (+1) or go from (-1) some rows of a base matrix."""
    if spec.base == "dot":
        change_products(base, own, x, sign)
    elif spec.base == "distance":
        change_distances(base, own, x, sign)
    else:
        term = own[:, None] - x
        term *= term
        term *= -spec.gamma
        base += sign * np.exp(term, out=term)


def _rbf_sensitivity(
    X: FloatArray, beta: FloatArray, support: IntArray, K: FloatArray, gamma: float
) -> FloatArray:
    """Return what :func:`margin_sensitivity` does, from kernel values: the slope of the link is -gamma K."""
    weights = beta[support]
    W = np.empty((support.size, support.size))
    totals = np.empty(support.size)
    gather_weighted(K, support, weights, -2.0 * gamma, W, totals)
    gradient = totals[:, None] * X
    gradient -= W @ X
    sizes = np.abs(weights)
    found: FloatArray = sizes @ np.abs(gradient, out=gradient)
    lengths = np.sqrt(np.einsum("ij,ij->j", X, X)).sum()
    return audible(found, float(sizes.sum() * np.linalg.norm(weights) * gamma * lengths))


def _is_definite(spec: KernelSpec) -> bool:
    """Whether Gram matrices of the kernel have no negative eigenvalues, whatever the rows.

    Entry by entry, whole powers of such a matrix have none either; other powers may.
    """
    if spec.kind == "anova":
        return float(spec.degree).is_integer()
    return spec.kind in ("linear", "rbf") or (spec.kind == "poly" and spec.coef0 >= 0.0)


def _missing(columns: IntArray, others: IntArray) -> IntArray:
    """Those of `columns` that are not among `others`; both ascending."""
    is_there = np.searchsorted(others, columns, "left") < np.searchsorted(others, columns, "right")
    missing: IntArray = columns[~is_there]
    return missing


@lru_cache(64)
def _key(spec: KernelSpec) -> KernelSpec:
    """Kernels with the same key have the same base."""
    kind = {"dot": "linear", "distance": "rbf", "sum": "anova"}[spec.base]
    return KernelSpec(kind, gamma=spec.gamma if kind == "anova" else 1.0)


def _columnwise(X: Matrix) -> FloatArray:
    """The columns, each in one piece."""
    return np.ascontiguousarray((X.toarray() if sparse.issparse(X) else X).T)
