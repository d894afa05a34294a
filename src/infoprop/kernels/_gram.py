"""Values: base matrices, links, and rows of a Gram matrix."""

import numpy as np
from scipy import sparse

from infoprop._core._matrices import csr_parts, is_far_from_zero, row_norms_squared
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels._spec import KernelSpec


def base_matrix(
    X: Matrix,
    Y: Matrix,
    spec: KernelSpec,
    *,
    out: FloatArray | None = None,
    y_norms: FloatArray | None = None,
) -> FloatArray:
    """Return what the link of `spec` is applied to, between the rows of X and of Y.

    "dot": inner products; "distance": squared Euclidean distances;
    "sum": ``sum_k exp(-gamma (x_k - y_k)^2)``.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_X, n_features)
    Y : array or CSR matrix of shape (n_Y, n_features)
        Both dense or both CSR.
    spec : KernelSpec
    out : array of shape (n_X, n_Y), optional
        Written and returned if given.
    y_norms : array of shape (n_Y,), optional
        Squared norms of the rows of Y, if they are known already.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.kernels._gram import base_matrix
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> base_matrix(X, X, KernelSpec("rbf"))
    array([[0., 4.],
           [4., 0.]])
    """
    if out is None:
        out = np.empty((X.shape[0], Y.shape[0]))
    if spec.base == "sum":
        return _gaussian_sums(X, Y, spec.gamma, out)
    if spec.base == "distance" and y_norms is None and is_far_from_zero(Y):
        # Differences of rows would drown in squares of the means.
        X, Y = X - Y[0], Y - Y[0]
    _inner_products(X, Y, out)
    if spec.base == "distance":
        out *= -2.0
        out += row_norms_squared(X)[:, None]
        out += row_norms_squared(Y) if y_norms is None else y_norms
        np.maximum(out, 0.0, out=out)
    return out


def _inner_products(X: Matrix, Y: Matrix, out: FloatArray) -> None:
    if sparse.issparse(X):
        from infoprop.kernels._csr_fast import dot_rows

        dot_rows(*csr_parts(X), *csr_parts(Y), X.shape[1], out)
    else:
        np.matmul(X, Y.T, out=out)


def _gaussian_sums(X: Matrix, Y: Matrix, gamma: float, out: FloatArray) -> FloatArray:
    if sparse.issparse(X):
        from infoprop.kernels._csr_fast import gaussian_sum_rows

        gaussian_sum_rows(*csr_parts(X), *csr_parts(Y), X.shape[1], gamma, out)
        return out
    out[:] = 0.0
    difference = np.empty_like(out)
    for x, y in zip(X.T, Y.T, strict=True):
        np.subtract(x[:, None], y, out=difference)
        np.multiply(difference, difference, out=difference)
        difference *= -gamma
        out += np.exp(difference, out=difference)
    return out


def apply_link(base: FloatArray, spec: KernelSpec) -> FloatArray:
    """Turn a base matrix into kernel values, in place.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.kernels._gram import apply_link
    >>> apply_link(np.array([0.0, 4.0]), KernelSpec("rbf", gamma=0.5)).round(3)
    array([1.   , 0.135])
    """
    if spec.kind == "rbf":
        from infoprop.kernels._exponential_fast import exponentials

        rows = np.atleast_2d(base)
        exponentials(rows, np.arange(len(rows)), spec.gamma, rows)
    elif spec.kind == "anova":
        _raise_to(base, spec.degree)
    elif spec.kind in ("poly", "sigmoid"):
        base *= spec.gamma
        base += spec.coef0
        if spec.kind == "poly":
            _raise_to(base, spec.degree)
        else:
            np.tanh(base, out=base)
    return base


def _raise_to(base: FloatArray, degree: float) -> None:
    if degree == 2:
        np.multiply(base, base, out=base)
    elif degree != 1:
        np.power(base, degree, out=base)


def gram_rows(
    X: Matrix,
    rows: IntArray,
    spec: KernelSpec,
    *,
    out: FloatArray | None = None,
    norms: FloatArray | None = None,
) -> FloatArray:
    """Return ``K[rows, :]`` of the Gram matrix of X, of shape (len(rows), n).

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.kernels._gram import gram_rows
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> gram_rows(X, np.array([1]), KernelSpec("linear"))
    array([[1., 5.]])
    """
    if spec.kind != "rbf" or norms is None:
        gram = apply_link(base_matrix(X[rows], X, spec, out=out, y_norms=norms), spec)
    else:
        from infoprop.kernels._exponential_fast import gaussians

        gram = np.empty((len(rows), X.shape[0])) if out is None else out
        _inner_products(X[rows], X, gram)
        gaussians(gram, norms[rows], norms, spec.gamma)
    if spec.kind == "rbf":
        # Cancellation leaves a row at a tiny distance from itself.
        gram[np.arange(len(rows)), rows] = 1.0
    return gram


def diagonal(X: Matrix, spec: KernelSpec) -> FloatArray:
    """Return ``K(x_i, x_i)`` for every row.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.kernels._gram import diagonal
    >>> diagonal(np.array([[0.0, 1.0], [2.0, 1.0]]), KernelSpec("linear"))
    array([1., 5.])
    """
    if spec.base == "dot":
        return apply_link(row_norms_squared(X), spec)
    base = np.zeros(X.shape[0]) if spec.base == "distance" else np.full(X.shape[0], float(X.shape[1]))
    return apply_link(base, spec)
