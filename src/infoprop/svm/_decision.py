"""Outputs of machines that share kernels and support vectors."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, Matrix
from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.svm._machine import BinaryMachine
from infoprop.svm._vectors_fast import TIE

# Kernel values that are there at a time: 32 MiB.
_BLOCK_ENTRIES = 2**22


def decision_values(X: Matrix, machines: Sequence[BinaryMachine], coef: FloatArray | None) -> FloatArray:
    """Return ``g_r(x_i)`` of shape (n_samples, n_machines).

    Linear machines use their weights. Others evaluate each kernel once between X and the support vectors,
    block by block, for all machines that share the kernel.
    """
    biases = np.array([machine.bias for machine in machines])
    if coef is not None:
        return np.asarray(X @ coef.T) + biases
    values = np.tile(biases, (X.shape[0], 1))
    for kernel in dict.fromkeys(machine.kernel for machine in machines):
        members = [r for r, machine in enumerate(machines) if machine.kernel == kernel]
        vectors, coefficients = pooled_support([machines[r] for r in members])
        if sparse.issparse(X) != sparse.issparse(vectors):
            X, vectors = sparse.csr_array(X), sparse.csr_array(vectors)
        block = max(1, _BLOCK_ENTRIES // max(1, vectors.shape[0]))
        for start in range(0, X.shape[0], block):
            rows = slice(start, start + block)
            gram = apply_link(base_matrix(X[rows], vectors, kernel), kernel)
            values[rows, members] += gram @ coefficients
    return values


def pooled_support(machines: Sequence[BinaryMachine]) -> tuple[Matrix, FloatArray]:
    """Return the distinct support vectors and their signed multipliers, one column a machine."""
    support = np.concatenate([machine.support for machine in machines])
    distinct, first = np.unique(support, return_index=True)
    vectors = _stack([machine.support_vectors for machine in machines])[first]
    coefficients = np.zeros((distinct.size, len(machines)))
    for r, machine in enumerate(machines):
        coefficients[np.searchsorted(distinct, machine.support), r] = machine.dual_coef
    return vectors, coefficients


def _stack(parts: Sequence[Matrix]) -> Matrix:
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)


def with_exact_ties(values: FloatArray) -> FloatArray:
    """Make machines tie that do so but for rounding, as they often do on few binary features.

    Rounding would decide between them otherwise, and differ between solvers, dense and sparse rows.
    """
    largest = values.max(axis=1, keepdims=True)
    tie = values >= largest - TIE * np.abs(values).max(axis=1, keepdims=True)
    return np.where(tie, largest, values)
