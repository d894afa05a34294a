"""How the margin of a machine depends on each feature; `infoprop.credit` imports it from here."""

import numpy as np
from numpy.linalg import norm

from infoprop._core._matrices import column_norms_squared
from infoprop._core._typing import FloatArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.kernels._gradients import decision_gradient, link_slope
from infoprop.kernels._gram import base_matrix
from infoprop.svm._machine import BinaryMachine
from infoprop.svm.active_set._cholesky_fast import NOISE_FLOOR

# Entries of a block of rows against all support vectors, or all features: 32 MiB.
_BLOCK_ENTRIES = 2**22


def machine_sensitivity(machine: BinaryMachine) -> FloatArray:
    """Sensitivity of a trained machine's margin to every feature; see :func:`margin_sensitivity`."""
    if machine.w is not None:
        return np.abs(machine.w) * float(machine.alpha.sum())
    return margin_sensitivity(machine.support_vectors, machine.dual_coef, machine.kernel)


def margin_sensitivity(
    support_vectors: Matrix, dual_coef: FloatArray, kernel: KernelSpec, *, base: FloatArray | None = None
) -> FloatArray:
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
    base : array of shape (n_support, n_support), optional
        Base matrix between the support vectors, if it is known already.

    Returns
    -------
    array of shape (n_features,)
        Non-negative. Computed in blocks of rows: memory stays bounded however many support vectors there are.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels import KernelSpec
    >>> from infoprop.svm._sensitivity import margin_sensitivity
    >>> margin_sensitivity(np.array([[1.0, 0.0], [-1.0, 2.0]]), np.array([0.5, -0.5]), KernelSpec("linear"))
    array([1., 1.])
    """
    weights = np.abs(dual_coef)
    lengths = np.sqrt(column_norms_squared(support_vectors))
    if kernel.kind == "linear":
        w = np.abs(np.asarray(support_vectors.T @ dual_coef).ravel())
        return above_rounding(w * weights.sum(), weights.sum() * norm(dual_coef) * lengths.sum())
    n_support, n_features = support_vectors.shape
    block = max(1, _BLOCK_ENTRIES // max(n_support, n_features))
    total = np.zeros(n_features)
    steepest = 0.0
    for start in range(0, n_support, block):
        rows = slice(start, start + block)
        known = base_matrix(support_vectors[rows], support_vectors, kernel) if base is None else base[rows]
        slopes = link_slope(known, kernel)
        steepest = max(steepest, float(np.abs(slopes).max()))
        total += weights[rows] @ np.abs(
            decision_gradient(support_vectors[rows], support_vectors, dual_coef, kernel, slopes=slopes)
        )
    return above_rounding(total, weights.sum() * norm(dual_coef) * steepest * lengths.sum())


def above_rounding(sensitivities: FloatArray, largest: FloatArray | float) -> FloatArray:
    """Return zeros for machines of which all there is may be rounding, of terms that add up to `largest`.

    A machine that separates nothing has weights that cancel, and what is left of them means nothing.
    Sensitivities may be those of one machine, (n_columns,), or of several, (n_machines, n_columns).
    """
    is_real = sensitivities.sum(axis=-1, keepdims=True) > NOISE_FLOOR * np.asarray(largest)[..., None]
    return np.where(is_real, sensitivities, 0.0)


def sensitivity_shares(sensitivities: FloatArray, totals: FloatArray | None = None) -> FloatArray:
    r"""Normalise rows to shares, :math:`P_{rk} = D_k^r / \sum_p D_p^r`; an insensitive machine shares evenly.

    The even split keeps the sum of credits: what is delivered is shared out in full. `totals`, of shape
    (n_machines,), are the sums where they are not those of the rows, which may be bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.svm._sensitivity import sensitivity_shares
    >>> sensitivity_shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    totals = sensitivities.sum(axis=1) if totals is None else totals
    even = np.full_like(sensitivities, 1.0 / sensitivities.shape[1])
    return np.divide(sensitivities, totals[:, None], out=even, where=totals[:, None] > 0)
