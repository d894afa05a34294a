"""Kernel machines that are moved between subsets of the columns: the base matrix follows, beta is kept.

A kernel is a link applied to a base that is a plain sum over the columns (inner products, squared distances,
a sum of Gaussians). When a column comes or goes, its term is added or taken away; then the link is applied
anew, with whatever gamma the new columns ask for.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from scipy import sparse

from infoprop._core._matrices import taken_columns
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.svm._machine import DualSolution
from infoprop.svm._sensitivity import margin_sensitivity
from infoprop.svm._workers import ALONE, Workers, WorkspacePool
from infoprop.svm.active_set._kernel_pivots import KernelPivots, is_definite, pivoted
from infoprop.svm.active_set._kernel_store import LevelRows, MovingRows, WholeRows
from infoprop.svm.active_set._machines_fast import SplitIndex
from infoprop.svm.active_set._state import has_few_rows
from infoprop.svm.solvers._smo import SMOSolver
from infoprop.svm.subset._protocol import EliminatingMachines, validation_outputs
from infoprop.svm.subset._rbf_sensitivity_fast import rbf_sensitivities, rbf_sensitivity
from infoprop.svm.subset._splits import SplitProblem, split_beta, stacked_beta

Specs = Callable[[int, IntArray], list[KernelSpec]]


# Snapshots cost a training; what they save is lost with the process.
_STEPS_BETWEEN_REBUILDS = 64
# From so many support vectors and columns on, sensitivities are found in single precision first.
_MANY_VECTORS = 256
_MANY_COLUMNS = 32
# Fewer products are computed in less time than it takes to wake threads.
_PRODUCTS_FOR_THREADS = 1e7
# Kernel values in about a second.
_VALUES_AT_A_TIME = 2e7
# Entries of the rows whose spreads are found at a time.
_SPREAD_ENTRIES = 2**16


class KernelMachines(EliminatingMachines):
    """Machines of several splits, trained on the same columns from their last dual variables.

    Parameters
    ----------
    splits : sequence of SplitProblem
    index : SplitIndex
        How these splits and their machines are numbered.
    specs : callable
        Kernels of the machines of a split, given its number and the columns.
    solver : SMOSolver
    """

    cold_solver = "auto"

    def __init__(
        self,
        splits: Sequence[SplitProblem],
        index: SplitIndex,
        specs: Specs,
        solver: SMOSolver,
    ) -> None:
        self.members = tuple(splits)
        self.splits = index
        self._specs = specs
        self._solver = solver
        self._XT = [_columnwise(split.rows) for split in splits]
        trained = [XT[:, : split.X.shape[0]] for XT, split in zip(self._XT, splits, strict=True)]
        self._middles = [X.mean(axis=1) for X in trained]
        self._lengths = [_spreads(X) * np.sqrt(X.shape[1]) for X in trained]
        self._y = [np.stack([problem.y for problem in split.problems]) for split in splits]
        self._stores: list[dict[KernelSpec, MovingRows]] = [{} for _ in splits]
        self._pivots = [
            KernelPivots(split.problems) if has_few_rows(split.X.shape[0]) else None for split in splits
        ]
        self._workspaces = WorkspacePool()
        self._workers = Workers(solver.n_threads)
        self._beta: list[FloatArray] = []
        self._sensitivities: FloatArray | None = None
        self._outputs = np.zeros((len(index.split), int(self.splits.n_all.max())))
        self._totals = [np.zeros((split.n_machines, split.X.shape[0])) for split in splits]

    @property
    def steps_between_rebuilds(self) -> int:
        """Number of steps after which the state can be kept."""
        return _STEPS_BETWEEN_REBUILDS

    @property
    def steps_at_a_time(self) -> int:
        """Number of steps to ask for at a time."""
        values = float((self.splits.n * self.splits.n_all).sum())
        return int(np.clip(_VALUES_AT_A_TIME / values, 1, _STEPS_BETWEEN_REBUILDS))

    @property
    def beta(self) -> FloatArray:
        return stacked_beta(self._beta)

    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        self._beta = split_beta(start, self.members)
        # A search that was interrupted while rows were computed comes by here.
        self._stores = [{} for _ in self.members]
        self.update_columns(columns)

    def update_columns(self, columns: IntArray) -> None:
        self.columns = columns
        self._sensitivities = None
        self._kernels: list[list[KernelSpec]] = []
        for t in range(len(self.members)):
            specs = self._specs(t, columns)
            self._stores[t] = {key: self._store(t, key) for key in dict.fromkeys(map(_key, specs))}
            for spec in dict.fromkeys(specs):
                self._solve(t, spec, np.array([q for q, other in enumerate(specs) if other == spec]))
            self._kernels.append(specs)

    def _store(self, t: int, key: KernelSpec) -> MovingRows:
        """Rows of split t over the base of a kernel, on the present columns."""
        store = self._stores[t].get(key)
        if store is None:
            XT, n = self._XT[t], self.members[t].X.shape[0]
            kind: type[MovingRows] = LevelRows if LevelRows.suit(XT, key) else MovingRows
            if key.kind == "rbf" and has_few_rows(n):
                kind = WholeRows
            store = kind(XT, n, key, self._workers)
        store.set_columns(self.columns)
        return store

    def _solve(self, t: int, spec: KernelSpec, members: IntArray) -> None:
        """Solve the machines of split t that share a kernel."""
        store = self._stores[t][_key(spec)]
        store.use(spec)
        before = self._beta[t][members]
        pivots = self._pivots[t] if len(members) == len(self._beta[t]) and is_definite(spec) else None
        found = None
        if pivots is not None:
            store.load_all()
            found = pivots.solve(store.rows, before)
        n = before.shape[1]
        if found is not None:
            f, self._beta[t][members], bias = found.f, found.beta, found.bias
        else:
            f = store.products(before)
            f[:, :n] -= self._y[t][members]
            problems = [self.members[t].problems[q] for q in members]
            optima = self._optima(t, store, spec, members, f[:, :n])
            bias = np.array([optimum.bias(own) for optimum, own in zip(optima, problems, strict=True)])
            self._beta[t][members] = [optimum.beta for optimum in optima]
            f[:, :n] = [optimum.f for optimum in optima]
            store.add_products(self._beta[t][members] - before, f, n)
        self._totals[t][members] = f[:, :n] + self._y[t][members]
        self._outputs[self.splits.first[t] + members, : f.shape[1]] = f + bias[:, None]

    def _optima(
        self, t: int, store: MovingRows, spec: KernelSpec, members: IntArray, f: FloatArray
    ) -> list[DualSolution]:
        """Find the optima of machines by pivots where few variables are free; the solver finds the others.

        `f` is ``K beta - y`` of the beta that they start from.
        """
        beta = self._beta[t][members]
        problems = [self.members[t].problems[q] for q in members]
        found: dict[int, DualSolution] = {}
        if is_definite(spec):
            found = pivoted(store, problems, beta, self._workers)
        missing = [q for q in range(len(members)) if q not in found]
        if missing:
            starts = [own if own.any() else None for own in beta[missing]]
            reached = self._solver.solve_over(
                store, [problems[q] for q in missing], starts, f=[f[q] for q in missing]
            )
            found.update(zip(missing, reached, strict=True))
        return [found[q] for q in range(len(members))]

    def sensitivities(self) -> FloatArray:
        if self._sensitivities is None:
            self._sensitivities = self._sensitivities_and_doubts(is_rough=False)[0]
        return self._sensitivities

    def _sensitivities_and_doubts(self, is_rough: bool) -> tuple[FloatArray, FloatArray]:
        """Sensitivities, and by how much they may be off: (n_machines, n_columns) each.

        Those of rbf machines are found in single precision if they may be rough.
        """
        found = np.empty((len(self.splits.split), len(self.columns)))
        doubts = np.zeros_like(found)
        for t, specs in enumerate(self._kernels):
            for spec in dict.fromkeys(specs):
                members = np.array([q for q, other in enumerate(specs) if other == spec])
                own = self.splits.first[t] + members
                if spec.kind == "rbf":
                    found[own], doubts[own] = self._rbf_sensitivities(t, spec, members, is_rough)
                else:
                    found[own] = self._other_sensitivities(t, spec, members)
        return found, doubts

    def _loaded(self, t: int, spec: KernelSpec, beta: FloatArray) -> MovingRows:
        """Rows of split t with a kernel, of which those that beta takes are there."""
        store = self._stores[t][_key(spec)]
        if store.spec != spec:
            store.use(spec)
        if not store.is_complete:
            store.load(np.flatnonzero(beta.any(axis=0)))
        return store

    def _rbf_sensitivities(
        self, t: int, spec: KernelSpec, members: IntArray, is_rough: bool
    ) -> tuple[FloatArray, FloatArray]:
        beta, n_columns = self._beta[t][members], len(self.columns)
        store = self._loaded(t, spec, beta)
        sizes = np.count_nonzero(beta, axis=1).tolist()

        def find(q: int) -> tuple[FloatArray, FloatArray]:
            return self._rbf_sensitivity(t, store, beta[q], self._totals[t][members[q]], is_rough)

        n_products = n_columns * sum(size * size for size in sizes)
        workers = self._workers if n_products >= _PRODUCTS_FOR_THREADS else ALONE
        found, doubts = zip(*workers.map_largest_first(find, range(len(beta)), sizes), strict=True)
        return np.stack(found), np.stack(doubts)

    def _rbf_sensitivity(
        self, t: int, store: MovingRows, beta: FloatArray, totals: FloatArray, is_rough: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Sensitivities of one machine, and by how much they may be off if they are rough."""
        n_columns, n_vectors = len(self.columns), int(np.count_nonzero(beta))
        found, doubts = np.empty(n_columns), np.zeros(n_columns)
        columns = self._XT[t], self._middles[t], self._lengths[t][self.columns].sum(), self.columns
        given = store.rows, *columns, beta, totals, store.spec.gamma
        with self._workspaces.taken(n_vectors * (n_vectors + 2 * n_columns)) as workspace:
            if is_rough:
                workspace = workspace.view(np.float32)
            rbf_sensitivities(*given, workspace, found, doubts if is_rough else doubts[:0])
        return found, doubts

    def _other_sensitivities(self, t: int, spec: KernelSpec, members: IntArray) -> FloatArray:
        beta = self._beta[t][members]
        store = self._loaded(t, spec, beta)
        X = taken_columns(self.members[t].X, self.columns)
        found = []
        for own in beta:
            support = np.flatnonzero(own)
            base = store.base(support)[:, support]
            found.append(margin_sensitivity(X[support], own[support], spec, base=base))
        return np.stack(found)

    def outputs(self) -> tuple[FloatArray, ...]:
        return validation_outputs(self._outputs, self.splits)

    def bounded_sensitivities(self) -> tuple[FloatArray, FloatArray | None]:
        if self._sensitivities is None and self._may_be_rough():
            return self._sensitivities_and_doubts(is_rough=True)
        return self.sensitivities(), None

    def _may_be_rough(self) -> bool:
        """Whether it is faster to find sensitivities in single precision, and those that matter exactly."""
        if not self._is_worth_being_rough(int(self.splits.n.max())):
            return False
        is_rbf = all(len(set(specs)) == 1 and specs[0].kind == "rbf" for specs in self._kernels)
        n_vectors = max(np.count_nonzero(beta, axis=1).max() for beta in self._beta)
        return is_rbf and self._is_worth_being_rough(n_vectors)

    def _is_worth_being_rough(self, n_vectors: int) -> bool:
        return len(self.columns) >= _MANY_COLUMNS and n_vectors >= _MANY_VECTORS

    def exact_sensitivities(self, column: int) -> FloatArray:
        """Sensitivities of all machines, which are rbf machines, to one column."""
        return np.array(
            [
                rbf_sensitivity(
                    self._stores[t][_key(specs[0])].rows, self._XT[t][column], *machine, specs[0].gamma
                )
                for t, specs in enumerate(self._kernels)
                for machine in zip(self._beta[t], self._totals[t], strict=True)
            ]
        )


@lru_cache(64)
def _key(spec: KernelSpec) -> KernelSpec:
    """Kernels with the same key have the same base."""
    kind = {"dot": "linear", "distance": "rbf", "sum": "anova"}[spec.base]
    return KernelSpec(kind, gamma=spec.gamma if kind == "anova" else 1.0)


def _spreads(X: FloatArray) -> FloatArray:
    """Standard deviation of every row."""
    # Some at a time: fresh memory for all at once takes longer than the sums.
    n = max(1, _SPREAD_ENTRIES // max(1, X.shape[1]))
    return np.concatenate([X[first : first + n].std(axis=1) for first in range(0, len(X), n)])


def _columnwise(X: Matrix) -> FloatArray:
    """The columns, each in one piece."""
    return np.ascontiguousarray((X.toarray() if sparse.issparse(X) else X).T)
