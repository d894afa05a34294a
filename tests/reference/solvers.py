"""Solvers that train machines from nothing, and the kernel values they ask for."""

from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.svm.active_set._kernel_pivots import KernelPivots, is_definite
from infoprop.svm.solvers._dual_cd import LinearSolver, matrix_rows
from infoprop.svm.solvers._primal import PrimalSolver
from infoprop.svm.solvers._smo import SMOSolver

__all__ = [
    "KernelPivots",
    "LinearSolver",
    "PrimalSolver",
    "SMOSolver",
    "apply_link",
    "base_matrix",
    "is_definite",
    "matrix_rows",
]
