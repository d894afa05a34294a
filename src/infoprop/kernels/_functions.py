"""kernel_matrix and kernel_gradient, for people."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from infoprop._core._exceptions import DataError
from infoprop._core._matrices import canonical
from infoprop._core._stopping import stoppable
from infoprop._core._typing import FloatArray, Matrix
from infoprop.kernels._gradients import decision_gradient
from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.kernels._spec import KernelSpec


def kernel_matrix(
    X: Any,
    Y: Any = None,
    kernel: str = "linear",
    *,
    gamma: float | str = "auto",
    degree: float = 3,
    coef0: float = 0.0,
) -> FloatArray:
    r"""Kernel values between the rows of X and of Y.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_X, n_features)
    Y : array-like or sparse matrix of shape (n_Y, n_features), default=None
        None means X itself.
    kernel : {"linear", "poly", "rbf", "sigmoid", "anova"}, default="linear"
        The formulas are those of :class:`KernelSpec`.
    gamma : float, "scale" or "auto", default="auto"
        "auto" is ``1 / n_features``; "scale" is ``1 / (n_features * X.var())``.
    degree : float, default=3
    coef0 : float, default=0.0

    Returns
    -------
    array of shape (n_X, n_Y)

    Examples
    --------
    >>> from infoprop.kernels import kernel_matrix
    >>> kernel_matrix([[1.0, 2.0]], [[1.0, 2.0], [2.0, 2.0]], "anova", gamma=1.0, degree=1).round(4)
    array([[2.    , 1.3679]])
    """
    X, Y = _check_pair(X, Y)
    spec = KernelSpec.resolve(kernel, X, gamma=gamma, degree=degree, coef0=coef0)
    K = stoppable(lambda: apply_link(base_matrix(X, Y, spec), spec))
    if X is Y and spec.kind == "rbf":
        np.fill_diagonal(K, 1.0)
    return K


def kernel_gradient(
    X: Any,
    Y: Any = None,
    kernel: str = "linear",
    *,
    coefficients: Any = None,
    gamma: float | str = "auto",
    degree: float = 3,
    coef0: float = 0.0,
) -> FloatArray:
    r"""Gradient of the kernel with respect to its first argument.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_X, n_features)
    Y : array-like or sparse matrix of shape (n_Y, n_features), default=None
        None means X itself; the second argument is held fixed all the same.
    kernel, gamma, degree, coef0
        As in :func:`kernel_matrix`.
    coefficients : array-like of shape (n_Y,), default=None
        If given, the gradients are summed over Y with these coefficients, without ever holding the
        three-dimensional array.

    Returns
    -------
    array of shape (n_X, n_Y, n_features), or (n_X, n_features) with `coefficients`
        :math:`\partial K(x_i, y_j) / \partial x_i^k`, or its sum over j with the coefficients.

    Examples
    --------
    For :math:`(x \cdot y)^2` the derivative is :math:`2 (x \cdot y)\, y_k`:

    >>> from infoprop.kernels import kernel_gradient
    >>> kernel_gradient([[1.0, 2.0]], [[3.0, 1.0]], "poly", gamma=1.0, degree=2)
    array([[[30., 10.]]])
    """
    X, Y = _check_pair(X, Y)
    spec = KernelSpec.resolve(kernel, X, gamma=gamma, degree=degree, coef0=coef0)
    if coefficients is not None:
        coefficients = np.asarray(coefficients, dtype=np.float64)
        if coefficients.shape != (Y.shape[0],):
            raise DataError(
                f"coefficients must have one number for each of the {Y.shape[0]} rows of Y; "
                f"got the shape {coefficients.shape}."
            )
        return stoppable(lambda: decision_gradient(X, Y, coefficients, spec))
    return np.stack([decision_gradient(X, Y[j : j + 1], np.ones(1), spec) for j in range(Y.shape[0])], axis=1)


def _check_pair(X: Any, Y: Any) -> tuple[Matrix, Matrix]:
    X = _check_rows(X)
    Y = X if Y is None else _check_rows(Y)
    if X.shape[1] != Y.shape[1]:
        raise DataError(f"X has {X.shape[1]} features and Y has {Y.shape[1]}; they must have the same.")
    if sparse.issparse(X) != sparse.issparse(Y):
        X, Y = sparse.csr_array(X), sparse.csr_array(Y)
    return X, Y


def _check_rows(X: Any) -> Matrix:
    return canonical(check_array(X, accept_sparse="csr", dtype=np.float64, order="C"))
