"""KernelSpec: which kernel, with which numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray, Matrix

KERNELS = ("linear", "poly", "rbf", "sigmoid", "anova")


@dataclass(frozen=True)
class KernelSpec:
    r"""A kernel with all its parameters resolved to numbers.

    ========  ==========================================================
    linear    :math:`x \cdot y`
    poly      :math:`(\gamma\, x \cdot y + c_0)^{d}`
    rbf       :math:`\exp(-\gamma \|x - y\|^2)`
    sigmoid   :math:`\tanh(\gamma\, x \cdot y + c_0)`
    anova     :math:`\left(\sum_k \exp(-\gamma (x_k - y_k)^2)\right)^{d}`
    ========  ==========================================================

    Parameters
    ----------
    kind : {"linear", "poly", "rbf", "sigmoid", "anova"}
    gamma : float, default=1.0
        Positive.
    degree : float, default=3
        Power of "poly" (whole) and "anova", at least 1.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".

    Examples
    --------
    >>> from infoprop.kernels import KernelSpec
    >>> KernelSpec("poly", gamma=1.0, degree=2, coef0=1.0).base
    'dot'
    """

    kind: str
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 0.0

    def __post_init__(self) -> None:
        check_choice("kernel", self.kind, KERNELS, "KernelSpec")
        check_number("gamma", self.gamma, "KernelSpec", low=0, low_open=True)
        if self.kind == "poly":
            # A broken power of a negative number is no number.
            check_integer("degree", self.degree, "KernelSpec with kind 'poly'", low=1)
        else:
            check_number("degree", self.degree, "KernelSpec", low=1)
        check_number("coef0", self.coef0, "KernelSpec")

    @property
    def base(self) -> str:
        """What the link is applied to: "dot", "distance" or "sum"."""
        return {"rbf": "distance", "anova": "sum"}.get(self.kind, "dot")

    @classmethod
    def resolve(
        cls,
        kind: str,
        X: Matrix,
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        sample_weight: FloatArray | None = None,
    ) -> "KernelSpec":
        """Turn scikit-learn's words for gamma into a number, given the training rows.

        "scale" is ``1 / (n_features * variance of all entries)`` with the rows weighted, so that a row
        of weight two counts as two rows; "auto" is ``1 / n_features``.
        """
        return cls(kind, _resolve_gamma(gamma, X, sample_weight), degree, coef0)


def _resolve_gamma(gamma: Any, X: Matrix, sample_weight: FloatArray | None) -> float:
    if isinstance(gamma, str) or gamma is None:
        check_choice("gamma", gamma, ("scale", "auto"), "the kernel")
        if gamma == "auto":
            return 1.0 / X.shape[1]
        variance = _entry_variance(X, sample_weight)
        return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
    if isinstance(gamma, bool) or not np.isscalar(gamma):
        raise ParameterError(f"The 'gamma' parameter must be 'scale', 'auto' or a number. Got {gamma!r}.")
    return check_number("gamma", gamma, "the kernel", low=0, low_open=True)


def _entry_variance(X: Matrix, sample_weight: FloatArray | None) -> float:
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    first = np.asarray(X.sum(axis=1)).ravel()
    second = np.asarray(squares.sum(axis=1)).ravel()
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    total = weights.sum() * X.shape[1]
    mean = float(weights @ first) / total
    return max(0.0, float(weights @ second) / total - mean * mean)
