"""Gradients with respect to the first argument, summed over the second with coefficients."""

import numpy as np
from scipy import sparse

from infoprop._core._matrices import csr_parts
from infoprop._core._typing import FloatArray, Matrix
from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.kernels._spec import KernelSpec


def link_slope(base: FloatArray, spec: KernelSpec) -> FloatArray:
    """Return the derivative of the link at the base values, elementwise.

    Parameters
    ----------
    base : array of any shape
        Values of :func:`base_matrix`.
    spec : KernelSpec

    Returns
    -------
    array of the shape of `base`

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.kernels._gradients import link_slope
    >>> link_slope(np.array([0.0, 1.0, 2.0]), KernelSpec("poly", gamma=1.0, degree=2, coef0=1.0))
    array([2., 4., 6.])
    """
    if spec.kind == "linear":
        return np.ones_like(base)
    if spec.kind == "rbf":
        return -spec.gamma * np.exp(-spec.gamma * base)
    if spec.kind == "anova":
        return spec.degree * base ** (spec.degree - 1)
    inner = spec.gamma * base + spec.coef0
    if spec.kind == "sigmoid":
        return spec.gamma * (1.0 - np.tanh(inner) ** 2)
    return spec.gamma * spec.degree * inner ** (spec.degree - 1)


def link_and_slope(base: FloatArray, spec: KernelSpec) -> tuple[FloatArray, FloatArray]:
    """Kernel values and the derivative of the link; an rbf kernel's exponentials are taken once for both."""
    values = apply_link(base.copy(), spec)
    return values, -spec.gamma * values if spec.kind == "rbf" else link_slope(base, spec)


def decision_gradient(
    X: Matrix, Y: Matrix, coefficients: FloatArray, spec: KernelSpec, *, slopes: FloatArray | None = None
) -> FloatArray:
    r"""Return :math:`\sum_j c_j\, \partial K(x_i, y_j) / \partial x_i`, of shape (n_X, n_features).

    With support vectors as Y and :math:`c_j = \alpha_j y_j` this is the gradient of a machine's
    decision function at the rows of X. The result is dense; callers with many rows go block by block.
    `slopes` are those of the link between X and Y, (n_X, n_Y), if they are known already.

    Cost: two products of (n_X, n_Y) with (n_Y, n_features), or for anova n_X n_Y n_features exponentials.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.kernels._gradients import decision_gradient
    >>> support = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> decision_gradient(np.zeros((1, 2)), support, np.array([-0.5, 0.5]), KernelSpec("linear"))
    array([[1., 0.]])
    """
    weights = (link_slope(base_matrix(X, Y, spec), spec) if slopes is None else slopes) * coefficients
    if spec.base == "sum":
        return _gaussian_sum_gradient(X, Y, spec.gamma, weights)
    # A product with a dense left factor comes back dense, whatever Y is.
    weighted = np.asarray(weights @ Y)
    if spec.base == "dot":
        return weighted
    rows = X.toarray() if sparse.issparse(X) else X
    return 2.0 * (weights.sum(axis=1)[:, None] * rows - weighted)


def _gaussian_sum_gradient(X: Matrix, Y: Matrix, gamma: float, weights: FloatArray) -> FloatArray:
    out = np.zeros((X.shape[0], X.shape[1]))
    if sparse.issparse(X):
        from infoprop.kernels._csr_fast import gaussian_sum_gradient

        gaussian_sum_gradient(*csr_parts(X), *csr_parts(Y), gamma, weights, out)
        return out
    for k in range(X.shape[1]):
        difference = X[:, k, None] - Y[:, k]
        slope = -2.0 * gamma * difference * np.exp(-gamma * difference * difference)
        out[:, k] = np.einsum("ij,ij->i", weights, slope)
    return out
