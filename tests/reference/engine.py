"""The engine by its parts: machines over every store, solvers that train from nothing, what both work on."""

from typing import Any

import numpy as np

from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.svm._machine import DualProblem
from infoprop.svm._sensitivity import margin_sensitivity, sensitivity_shares
from infoprop.svm._trainer import NO_START, Start, Trainer
from infoprop.svm._workers import ALONE, Workers
from infoprop.svm.active_set._kernel_pivots import KernelPivots, is_definite
from infoprop.svm.active_set._kernel_store import WholeRows
from infoprop.svm.solvers._dual_cd import LinearSolver, matrix_rows
from infoprop.svm.solvers._primal import PrimalSolver
from infoprop.svm.solvers._smo import SMOSolver
from infoprop.svm.subset._feature_hinge import RowMachines
from infoprop.svm.subset._gram_hinge import GramMachines
from infoprop.svm.subset._kernel_hinge import KernelMachines
from infoprop.svm.subset._linear import NO_OPTIMUM
from infoprop.svm.subset._model import MovingSVC, SplitRows
from infoprop.svm.subset._squared_hinge import NewtonMachines

__all__ = [
    "ALONE",
    "NO_OPTIMUM",
    "NO_START",
    "STORES",
    "DualProblem",
    "GramMachines",
    "KernelMachines",
    "KernelPivots",
    "LinearSolver",
    "MovingSVC",
    "NewtonMachines",
    "PrimalSolver",
    "RowMachines",
    "SMOSolver",
    "SplitRows",
    "Start",
    "Trainer",
    "WholeRows",
    "Workers",
    "apply_link",
    "base_matrix",
    "is_definite",
    "machines_over",
    "margin_sensitivity",
    "matrix_rows",
    "moving",
    "sensitivity_shares",
    "solve",
    "split_rows",
]

STORES = {"gram": GramMachines, "rows": RowMachines, "newton": NewtonMachines, "kernel": KernelMachines}
"""What machines may ask for the columns of their matrix."""


def split_rows(X: Any, y: Any, train: Any, test: Any, weights: Any = None) -> SplitRows:
    """Rows of one split; labels are numbers already."""
    weights = np.ones(len(y)) if weights is None else weights
    return SplitRows(X[train], y[train], weights[train], X[test], y[test], weights[test])


def moving(
    estimator: Any, splits: list[SplitRows], n_labels: int | None = None, n_jobs: int = 1
) -> MovingSVC:
    """The model that chooses its store itself."""
    classes = np.unique(np.concatenate([split.y for split in splits]))
    return MovingSVC(estimator, splits, classes, n_labels or len(classes), n_jobs)


def machines_over(store: str, estimator: Any, splits: list[SplitRows], n_threads: int = 1) -> Any:
    """Linear machines over a store, whatever the model would choose."""
    n_labels = 1 + max(int(max(split.y.max(), split.truth.max(initial=0))) for split in splits)
    model = moving(estimator, splits, n_labels)
    return STORES[store](model._split_problems, model._index, n_threads)


def solve(
    solver: str,
    spec: Any,
    X: Any,
    problems: Any,
    starts: Any = None,
    *,
    tol: float = 1e-3,
    threads: int = 1,
    megabytes: float = 200.0,
    max_iter: int = -1,
) -> Any:
    """Machines that share their rows, solved from nothing or from `starts`; all but "smo" are linear."""
    starts = [None] * len(problems) if starts is None else starts
    if solver == "primal":
        return PrimalSolver(tol, max_iter, threads).solve(X, problems, starts)
    if solver == "cd":
        return LinearSolver(tol, max_iter, threads).solve(X, problems, starts)
    return SMOSolver(tol, max_iter, megabytes, threads).solve(X, spec, problems, starts)
