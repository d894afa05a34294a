"""How the margin of a machine depends on each feature."""

import numpy as np

from infoprop._core._typing import FloatArray, Matrix
from infoprop.kernels import KernelSpec, decision_gradient

_BLOCK_ENTRIES = 2**22


def margin_sensitivity(support_vectors: Matrix, dual_coef: FloatArray, kernel: KernelSpec) -> FloatArray:
    r"""Sensitivity of a machine's margin to every feature (equation 5 of infoprop-2001, 6 of moi-2004).

    .. math::

        D_k = \sum_i \alpha_i \left| \sum_j \alpha_j y_j \frac{\partial K(x_i, x_j)}{\partial x_i^k} \right|

    over the support vectors. As printed, the derivative is taken in :math:`x_j` inside the sum over j, which
    is zero for every linear machine; the paper's own example differentiates in :math:`x_i`, and so does this.
    For a linear kernel :math:`D_k = |w_k| \sum_i \alpha_i`.

    Parameters
    ----------
    support_vectors : array or CSR matrix of shape (n_support, n_features)
    dual_coef : array of shape (n_support,)
        :math:`\alpha_j y_j`.
    kernel : KernelSpec

    Returns
    -------
    array of shape (n_features,)
        Non-negative. Computed in blocks of rows: memory stays bounded however many support vectors there are.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.svm import margin_sensitivity
    >>> margin_sensitivity(np.array([[1.0, 0.0], [-1.0, 2.0]]), np.array([0.5, -0.5]), KernelSpec("linear"))
    array([1., 1.])
    """
    weights = np.abs(dual_coef)
    if kernel.kind == "linear":
        return np.abs(np.asarray(support_vectors.T @ dual_coef).ravel()) * weights.sum()
    n_support, n_features = support_vectors.shape
    block = max(1, _BLOCK_ENTRIES // max(n_support, n_features))
    total = np.zeros(n_features)
    for start in range(0, n_support, block):
        rows = slice(start, start + block)
        total += weights[rows] @ np.abs(
            decision_gradient(support_vectors[rows], support_vectors, dual_coef, kernel)
        )
    return total


def sensitivity_shares(sensitivities: FloatArray) -> FloatArray:
    r"""Normalise rows to shares, :math:`P_{rk} = D_k^r / \sum_p D_p^r`; an insensitive machine shares evenly.

    The even split keeps the sum of credits: nothing delivered is lost.
    """
    totals = sensitivities.sum(axis=1, keepdims=True)
    even = np.full_like(sensitivities, 1.0 / sensitivities.shape[1])
    return np.divide(sensitivities, totals, out=even, where=totals > 0)
