"""Linear machines of few rows over the feature store: near their optimum by pair steps, there by pivots."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy import sparse

from infoprop._core._matrices import row_norms_squared
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Workers
from infoprop.svm.active_set._feature_machines_fast import Columns, move_machine
from infoprop.svm.active_set._feature_store_fast import FeatureStore, Rows
from infoprop.svm.active_set._gram_machines_fast import ROUGH
from infoprop.svm.active_set._machines_fast import N_PIVOTS
from infoprop.svm.active_set._pair_steps_fast import pair_steps
from infoprop.svm.active_set._state import new_machines, new_scratch, set_numbers

# Rows that depend on others but for rounding may pass for independent.
SPARE = 8
# What machines that are trained from nothing are moved off.
NO_COLUMNS = Columns(np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(1, dtype=np.int64))
# So many rows that violate the optimality conditions enter before the others are priced again.
_LONGEST_QUEUE = 32


def near_optima(
    X: Matrix, problems: Sequence[DualProblem], starts: Sequence[FloatArray | None]
) -> list[DualSolution]:
    """Take pair steps, at most one for each row: pivots from there are few.

    A row that belongs on a bound gets there in one of them, and takes two pivots or three.
    """
    K = _inner_products(X)
    near = []
    for problem, start in zip(problems, starts, strict=True):
        beta = np.zeros(problem.y.size) if start is None else problem.feasible(start)
        f = K @ beta - problem.y
        n_steps, gap = pair_steps(K, f, beta, problem.low, problem.high, ROUGH, beta.size)
        near.append(DualSolution(beta, f, int(n_steps), bool(gap < ROUGH)))
    return near


def _inner_products(X: Matrix) -> FloatArray:
    """``X X'`` of few rows, all entries of it."""
    if not sparse.issparse(X):
        return np.asarray(X @ X.T)
    K = np.zeros((X.shape[0], X.shape[0]))
    product = (X @ X.T).tocoo()
    K[product.row, product.col] = product.data
    return K


def solve_by_features(
    X: Matrix, problems: Sequence[DualProblem], starts: Sequence[FloatArray | None], workers: Workers
) -> list[DualSolution] | None:
    """Solve the problems of linear machines exactly, from old solutions or nothing; None if one gets lost."""
    norms = row_norms_squared(X)
    # A copy, as the user's entries may be read-only: compiled code would be another one for these.
    rows = rows_of(X.copy(), norms)
    near = near_optima(X, problems, starts)
    solve = partial(_solve_one, X, rows, float(norms.max()))
    found = workers.map(lambda task: solve(*task), list(zip(problems, near, strict=True)))
    solved = [solution for solution in found if solution is not None]
    return solved if len(solved) == len(found) else None


def _solve_one(
    X: Matrix, rows: Rows, largest: float, problem: DualProblem, near: DualSolution
) -> DualSolution | None:
    """Pivot one machine from near its optimum to it."""
    n, n_columns = X.shape
    capacity = min(n, n_columns + 1) + SPARE
    machines = new_machines([problem], near.beta[None], capacity)
    set_numbers(machines, [problem], [near.f], largest)
    stores = new_stores(rows, np.asarray(X.T @ near.beta)[None], n)
    scratch = new_scratch(capacity, n, n_columns)
    gone = np.zeros(0, dtype=np.int64)
    if not move_machine(stores, NO_COLUMNS, machines, 0, gone, True, scratch):
        return None
    settled = problem.settled(machines.beta[0])
    n_steps = near.n_iter + int(machines.counts[0, N_PIVOTS])
    return DualSolution(settled, np.asarray(X @ (X.T @ settled)) - problem.y, n_steps, True)


def new_stores(rows: Rows, w: FloatArray, n: int) -> FeatureStore:
    """Stores of all machines, stacked, of weights w, (n_machines, n_columns), before the first pricing."""
    n_machines, n_columns = w.shape
    return FeatureStore(
        rows,
        w,
        seen=np.zeros((n_machines, n_columns + 1)),
        candidates=np.empty((n_machines, n), dtype=np.int64),
        queue=np.empty((n_machines, _LONGEST_QUEUE), dtype=np.int64),
    )


def rows_of(X: Matrix, norms: FloatArray) -> Rows:
    """Return rows as compiled code reads them; the entries are those of X, not a copy."""
    lengths = np.sqrt(norms + 1.0)
    if sparse.issparse(X):
        return Rows(X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64), 0, lengths)
    n, n_columns = X.shape
    indptr = np.arange(n + 1, dtype=np.int64) * n_columns
    return Rows(X.reshape(-1), np.zeros(0, dtype=np.int32), indptr, n_columns, lengths)


class LeavingColumns:
    """Takes columns out of rows, in place.

    Entries of dense columns are where their numbers say; of sparse ones, a list by columns is kept.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_columns)
    """

    def __init__(self, X: Matrix) -> None:
        self._X = X
        if sparse.issparse(X):
            numbered = sparse.csr_array((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape).tocsc()
            self._positions = numbered.data.astype(np.int64)
            self._holders = numbered.indices.astype(np.int32)
            self._starts = numbered.indptr.astype(np.int64)

    def take(self, gone: IntArray) -> Columns:
        """Return the entries of some columns; from now on they are zeros."""
        X = self._X
        if not sparse.issparse(X):
            n = X.shape[0]
            values = X.T[gone].ravel()
            X[:, gone] = 0.0
            holders = np.tile(np.arange(n, dtype=np.int32), len(gone))
            return Columns(holders, values, np.arange(len(gone) + 1) * n)
        own = np.concatenate([np.arange(self._starts[k], self._starts[k + 1]) for k in gone])
        positions = self._positions[own]
        values = X.data[positions]
        X.data[positions] = 0.0
        sizes = self._starts[gone + 1] - self._starts[gone]
        return Columns(self._holders[own], values, np.concatenate([[0], np.cumsum(sizes)]))
