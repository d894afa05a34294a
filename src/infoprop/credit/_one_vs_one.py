"""Shares of scikit-learn's kernel machines, which are one-vs-one inside."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.credit._gamma import effective_gamma
from infoprop.kernels import KernelSpec
from infoprop.svm._sensitivity import margin_sensitivity

KERNELS_WITH_GRADIENT = ("linear", "poly", "rbf", "sigmoid")


class PairMachine(NamedTuple):
    """The machine that separates two classes: their numbers, its support vectors, its coefficients."""

    classes: tuple[int, int]
    rows: IntArray
    dual_coef: FloatArray


def one_vs_one_sensitivities(model: Any) -> FloatArray:
    """Sensitivity of every class of a fitted ``SVC`` or ``NuSVC``: shape (n_classes, n_features).

    Each machine of a pair of classes has D_k = sum_i |b_i| |sum_j b_j dK(x_i, x_j)/dx_i^k|, and a class gets
    the sum over the machines that it takes part in. Two classes share one machine, so their rows are equal.
    """
    support_vectors = checked_vectors(model)
    n_classes, n_features = len(model.classes_), support_vectors.shape[1]
    machines = list(pair_machines(model))
    sensitivities = np.zeros((n_classes, n_features))
    spec = kernel_of(model, support_vectors, machines)
    if spec is None:
        return sensitivities
    for machine in machines:
        if machine.rows.size:
            D = margin_sensitivity(support_vectors[machine.rows], machine.dual_coef, spec)
            sensitivities[list(machine.classes)] += D
    return sensitivities


def pair_machines(model: Any) -> Iterator[PairMachine]:
    """Take libsvm's packed coefficients apart.

    Support vectors come class by class. ``dual_coef_`` has n_classes - 1 rows: a support vector of class i
    meets each *other* class j once, in row j - 1 if i < j and in row j if i > j.
    """
    packed = model.dual_coef_
    packed = packed.toarray() if sparse.issparse(packed) else np.asarray(packed)
    ends = np.cumsum(model.n_support_)
    of_class = [np.arange(end - size, end) for end, size in zip(ends, model.n_support_, strict=True)]
    for i, j in combinations(range(len(of_class)), 2):
        rows = np.concatenate([of_class[i], of_class[j]])
        dual_coef = np.concatenate([packed[j - 1, of_class[i]], packed[i, of_class[j]]])
        # A vector that supports only other pairs has a zero here.
        used = dual_coef != 0.0
        yield PairMachine((i, j), rows[used], np.ascontiguousarray(dual_coef[used], dtype=np.float64))


def checked_vectors(model: Any) -> Matrix:
    if model.kernel not in KERNELS_WITH_GRADIENT:
        kernel = "a callable" if callable(model.kernel) else repr(model.kernel)
        raise UnsupportedEstimatorError(
            f"{type(model).__name__} with {kernel} kernel has no known gradient with respect to the "
            f"features. Train it with kernel in {', '.join(KERNELS_WITH_GRADIENT)}."
        )
    support_vectors: Matrix = check_array(
        model.support_vectors_, accept_sparse="csr", dtype=np.float64, order="C", ensure_min_samples=0
    )
    return support_vectors


def kernel_of(model: Any, support_vectors: Matrix, machines: list[PairMachine]) -> KernelSpec | None:
    """Return the kernel with its numbers; None for a kernel that is constant, whose gradient is zero."""
    if model.kernel == "linear":
        return KernelSpec("linear")
    number = max(range(len(machines)), key=lambda k: machines[k].rows.size)
    largest = machines[number]
    if largest.rows.size == 0 or model.gamma == 0 or (model.kernel == "poly" and model.degree == 0):
        return None
    gamma = effective_gamma(model, support_vectors, largest.dual_coef, number, largest.rows)
    degree = model.degree if model.kernel == "poly" else 1
    return KernelSpec(model.kernel, gamma, degree, model.coef0)
