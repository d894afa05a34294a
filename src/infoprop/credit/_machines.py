"""A fitted classifier taken apart into machines that have an output and a gradient at every row."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import check_array

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._matrices import canonical
from infoprop._core._typing import FloatArray, LabelArray, Matrix
from infoprop.credit._class_pairs import CreditedPair, pairs_inside
from infoprop.credit._networks import NETWORKS, layers_of
from infoprop.credit._one_vs_one import checked_vectors, kernel_of, pair_machines
from infoprop.credit._unwrapping import Inner, unwrapped
from infoprop.kernels import KernelSpec
from infoprop.kernels._gradients import decision_gradient, link_and_slope
from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.mlp._propagation import Layer
from infoprop.svm import OneVsRestSVC
from infoprop.svm._decision import decision_values

SUPPORTED = (
    "OneVsRestSVC; scikit-learn's SVC and NuSVC (linear, poly, rbf, sigmoid); linear classifiers with coef_ "
    "(LinearSVC, LogisticRegression, RidgeClassifier, SGDClassifier, LinearDiscriminantAnalysis, ...); "
    "OneVsRestClassifier, PairwiseClassifier, RFE, infoprop's selectors, grid and random searches of these; "
    "and a Pipeline that ends in one of them and whose steps make every column of columns that are known"
)

_BLOCK_ENTRIES = 2**22
# Change of the output over the reach of the data, relative to the size of the terms that it is a sum of.
FLAT = 1e-10


@dataclass(frozen=True, eq=False)
class LinearFunction:
    """``g(x) = w . x + b``."""

    w: FloatArray
    b: float
    tolerance: float = 0.0

    def outputs(self, X: Matrix) -> FloatArray:
        """Return g at the rows of X: shape (n_samples,)."""
        return np.asarray(X @ self.w, dtype=np.float64).ravel() + self.b


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """``g(x) = sum_j c_j K(x_j, x) + b`` over support vectors x_j, solved to `tolerance`."""

    vectors: Matrix
    coefficients: FloatArray
    b: float
    kernel: KernelSpec
    tolerance: float

    def outputs(self, X: Matrix) -> FloatArray:
        """Return g at the rows of X: shape (n_samples,)."""
        values = np.full(X.shape[0], self.b)
        for rows, X_block, vectors in self._blocks(X):
            gram = apply_link(base_matrix(X_block, vectors, self.kernel), self.kernel)
            values[rows] += gram @ self.coefficients
        return values

    def gradients(self, X: Matrix) -> Iterator[tuple[slice, FloatArray]]:
        """Yield ``sum_j c_j dK(x_j, x)/dx`` (equation 6) at the rows of X, block by block.

        A gradient that is nothing but rounding, as inside the narrow peaks of an rbf machine with a large
        gamma, has no direction and is set to zero.
        """
        reach = max(abs(self.vectors).max(), abs(X).max())
        for rows, X_block, vectors in self._blocks(X):
            values, slopes = link_and_slope(base_matrix(X_block, vectors, self.kernel), self.kernel)
            terms = np.abs(values, out=values) @ np.abs(self.coefficients)
            gradients = decision_gradient(X_block, vectors, self.coefficients, self.kernel, slopes=slopes)
            gradients[np.abs(gradients).max(axis=1) * reach <= FLAT * terms] = 0.0
            yield rows, gradients

    def _blocks(self, X: Matrix) -> Iterator[tuple[slice, Matrix, Matrix]]:
        vectors = self.vectors
        if sparse.issparse(X) != sparse.issparse(vectors):
            X, vectors = sparse.csr_array(X), sparse.csr_array(vectors)
        block = max(1, _BLOCK_ENTRIES // max(vectors.shape))
        for start in range(0, X.shape[0], block):
            rows = slice(start, start + block)
            yield rows, X[rows], vectors


@dataclass(frozen=True, eq=False)
class NetworkFunction:
    """One output of a network, before its activation: the last of its layers has a single linear unit."""

    layers: tuple[Layer, ...]

    def outputs(self, X: Matrix) -> FloatArray:
        """Return g at the rows of X: shape (n_samples,)."""
        values: Any = X
        for layer in self.layers:
            values = layer.outputs(values)
        return np.asarray(values[:, 0])


DecisionFunction: TypeAlias = LinearFunction | KernelFunction | NetworkFunction


@dataclass(frozen=True, eq=False)
class Machine:
    """One two-class machine, and the rows as it sees them.

    Attributes
    ----------
    function : DecisionFunction
    rows : {ndarray, CSR} of shape (n_samples, n_inner)
        What reaches the machine after the steps of a pipeline.
    origins : CSR of shape (n_inner, n_columns) or None
        Part of each column of `rows` that belongs to each column given by the user; None if they are the
        same.
    positive, negative : label
        Where the machine answers above and below zero; `negative` is None for "all other classes".
    known_outputs : ndarray of shape (n_samples,) or None
        Outputs for the rows, up to a constant, where they need not be computed.
    """

    function: DecisionFunction
    rows: Matrix
    origins: sparse.csr_array | None
    positive: Any
    negative: Any = None
    known_outputs: FloatArray | None = None

    def outputs(self) -> FloatArray:
        """Return the outputs for the rows: shape (n_samples,)."""
        return self.function.outputs(self.rows) if self.known_outputs is None else self.known_outputs

    def signs(self, y: LabelArray) -> FloatArray:
        """Return +1 and -1 for the two sides, 0 for rows of classes that the machine was not taught."""
        others = np.ones(len(y), dtype=bool) if self.negative is None else y == self.negative
        return np.where(y == self.positive, 1.0, np.where(others, -1.0, 0.0))


def machines_of(estimator: Any, X: Any) -> list[Machine]:
    """Take a fitted classifier apart; X are the rows that the machines will be asked about.

    One machine per class, or per pair of classes in ``SVC``, ``NuSVC`` and ``PairwiseClassifier``; two
    classes have one machine.
    """
    return machines_inside(unwrapped(estimator, X))


def machines_inside(inner: Inner) -> list[Machine]:
    """Take a classifier that was unwrapped apart; its machines know the columns of the user."""
    origins = inner.origins
    machines = _machines(inner.classifier, inner.rows)
    for machine in machines:
        n_inner = machine.rows.shape[1] if machine.origins is None else machine.origins.shape[1]
        if origins is not None and origins.shape[0] != n_inner:
            raise _mismatch(origins.shape[0], n_inner)
    return [replace(machine, origins=_followed(machine.origins, origins)) for machine in machines]


def _followed(inner: sparse.csr_array | None, outer: sparse.csr_array | None) -> sparse.csr_array | None:
    return outer if inner is None else inner if outer is None else sparse.csr_array(inner @ outer)


def _machines(estimator: Any, X: Any) -> list[Machine]:
    if isinstance(estimator, OneVsRestClassifier) and not estimator.multilabel_:
        return _of_one_vs_rest(estimator, X)
    pairs = pairs_inside(estimator, X)
    if pairs is not None:
        return [machine for pair in pairs for machine in _of_pair(pair)]
    rows = canonical(check_array(X, accept_sparse="csr", dtype=np.float64, order="C"))
    if isinstance(estimator, OneVsRestSVC):
        return _of_own(estimator, rows)
    if isinstance(estimator, SVC | NuSVC):
        return _of_one_vs_one(estimator, rows)
    if isinstance(estimator, NETWORKS):
        return _of_network(estimator, rows)
    return _of_linear(estimator, rows)


def _of_one_vs_rest(estimator: OneVsRestClassifier, X: Any) -> list[Machine]:
    labels = estimator.classes_ if len(estimator.estimators_) > 1 else estimator.classes_[-1:]
    machines = []
    for label, inner in zip(labels, estimator.estimators_, strict=True):
        if hasattr(inner, "classes_"):
            # Inside, the labels are 0 and 1.
            machines += [replace(machine, positive=label, negative=None) for machine in machines_of(inner, X)]
        else:
            # A label that every row has gets a constant for a machine.
            rows = check_array(X, accept_sparse="csr", dtype=np.float64, order="C")
            machines.append(_placed(LinearFunction(np.zeros(rows.shape[1]), 0.0), rows, label))
    return machines


def _of_pair(pair: CreditedPair) -> list[Machine]:
    negative, positive = pair.estimator.classes_
    return [
        replace(m, origins=_followed(m.origins, pair.origins), positive=positive, negative=negative)
        for m in machines_of(pair.estimator, pair.rows)
    ]


def _of_own(estimator: OneVsRestSVC, rows: Matrix) -> list[Machine]:
    labels = estimator.classes_ if len(estimator.machines_) > 1 else estimator.classes_[1:]
    functions = [
        LinearFunction(m.weights, m.bias)
        if m.w is not None
        else _function(m.support_vectors, m.dual_coef, m.bias, m.kernel, estimator.tol)
        for m in estimator.machines_
    ]
    machines = [_placed(function, rows, label) for label, function in zip(labels, functions, strict=True)]
    if all(isinstance(function, LinearFunction) for function in functions):
        return machines
    # Machines have support vectors in common: one evaluation of the kernel does it for all.
    outputs = decision_values(rows, estimator.machines_, None)
    return [replace(own, known_outputs=known) for own, known in zip(machines, outputs.T, strict=True)]


def _of_one_vs_one(model: Any, rows: Matrix) -> list[Machine]:
    vectors = checked_vectors(model)
    pairs = list(pair_machines(model))
    spec = kernel_of(model, vectors, pairs)
    machines = []
    for pair, b in zip(pairs, np.ravel(model.intercept_), strict=True):
        function = _function(vectors[pair.rows], pair.dual_coef, float(b), spec, model.tol)
        # Two classes: scikit-learn turns libsvm's machine round, so that it speaks for the second.
        sides = pair.classes if len(model.classes_) > 2 else pair.classes[::-1]
        positive, negative = (model.classes_[side] for side in sides)
        machines.append(_placed(function, rows, positive, negative))
    return machines


def _of_network(estimator: Any, rows: Matrix) -> list[Machine]:
    """A machine for each output; of two outputs, the larger of which wins, their difference.

    A softmax does not see what all its units have in common, so outputs of such a layer are measured from
    their mean.
    """
    *inner, last = layers_of(estimator)
    W, b = last.weights, last.intercepts
    if len(b) == 2:
        W, b = np.diff(W), np.diff(b)
    elif last.activation in ("softmax", "log_softmax"):
        W, b = W - W.mean(axis=1, keepdims=True), b - b.mean()
    labels = estimator.classes_ if len(b) > 1 else estimator.classes_[-1:]
    return [
        _placed(NetworkFunction((*inner, Layer(W[:, [k]], b[[k]], "identity"))), rows, label)
        for k, label in enumerate(labels)
    ]


def _of_linear(estimator: Any, rows: Matrix) -> list[Machine]:
    if is_classifier(estimator) and hasattr(estimator, "coef_") and hasattr(estimator, "classes_"):
        coef = estimator.coef_
        w = np.atleast_2d(coef.toarray() if sparse.issparse(coef) else coef).astype(np.float64)
        classes = estimator.classes_
        if np.ndim(classes) == 1 and len(w) in (1, len(classes)):
            b = np.broadcast_to(np.asarray(getattr(estimator, "intercept_", 0.0), dtype=np.float64), len(w))
            labels = classes if len(w) > 1 else classes[-1:]
            return [
                _placed(LinearFunction(weights, float(bias)), rows, label)
                for weights, bias, label in zip(w, b, labels, strict=True)
            ]
    raise UnsupportedEstimatorError(
        f"{type(estimator).__name__} has no decision function whose gradient is known. "
        f"Supported: {SUPPORTED}."
    )


def _function(
    vectors: Matrix, coefficients: FloatArray, b: float, kernel: KernelSpec | None, tolerance: float
) -> DecisionFunction:
    """Return g; None stands for a constant kernel."""
    if kernel is None or vectors.shape[0] == 0:
        return LinearFunction(np.zeros(vectors.shape[1]), b)
    if kernel.kind == "linear":
        return LinearFunction(np.asarray(vectors.T @ coefficients, dtype=np.float64).ravel(), b)
    return KernelFunction(canonical(vectors), coefficients, b, kernel, tolerance)


def _placed(function: DecisionFunction, rows: Matrix, positive: Any, negative: Any = None) -> Machine:
    if isinstance(function, NetworkFunction):
        n_inner = len(function.layers[0].weights)
    else:
        n_inner = len(function.w) if isinstance(function, LinearFunction) else function.vectors.shape[1]
    if rows.shape[1] != n_inner:
        raise _mismatch(rows.shape[1], n_inner)
    return Machine(function, rows, None, positive, negative)


def _mismatch(n_given: int, n_inner: int) -> UnsupportedEstimatorError:
    return UnsupportedEstimatorError(
        f"The steps before the classifier should give it the {n_inner} columns it was trained with, but "
        f"give {n_given}. Ask the classifier about what comes out of the steps instead."
    )
