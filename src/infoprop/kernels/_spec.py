"""KernelSpec: which kernel, with which numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._matrices import is_far_from_zero
from infoprop._core._typing import FloatArray, IntArray, Matrix

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
        return cls.on(Moments.of(X, sample_weight), kind, gamma=gamma, degree=degree, coef0=coef0)

    @classmethod
    def on(
        cls,
        moments: "Moments",
        kind: str,
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
    ) -> "KernelSpec":
        """Do the same, given what gamma may depend on."""
        return cls(kind, _resolve_gamma(gamma, moments), degree, coef0)


# Share of the squared mean below which too few digits of a variance are left.
_CANCELS = 1e-6


@dataclass(frozen=True)
class Moments:
    """Weighted sums of the entries of each column, of their squares, and of their squared deviations.

    Attributes
    ----------
    first, second : arrays of shape (n_features,)
        Sums of the entries and of their squares.
    deviations : array of shape (n_features,)
        Sums of squared distances from the mean of the column.
    weight : float
        Sum of the weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.kernels._spec import Moments
    >>> moments = Moments.of(np.array([[0.0, 1.0], [2.0, 5.0]]))
    >>> moments.variance, moments.taken(np.array([1])).variance
    (3.5, 4.0)
    """

    first: FloatArray
    second: FloatArray
    deviations: FloatArray
    weight: float

    @classmethod
    def of(cls, X: Matrix, sample_weight: FloatArray | None = None) -> "Moments":
        """Sum up the rows of X."""
        weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
        total = float(weights.sum())
        if sparse.issparse(X):
            first, second = X.T @ weights, X.power(2).T @ weights
        else:
            first, second = (np.einsum("ij,i->j", part, weights) for part in (X, X * X))
        if not is_far_from_zero(X):
            return cls(first, second, np.maximum(second - first * first / total, 0.0), total)
        away = X - first / total
        return cls(first, second, np.einsum("ij,ij,i->j", away, away, weights), total)

    def taken(self, columns: IntArray) -> "Moments":
        """Moments of some columns."""
        return Moments(self.first[columns], self.second[columns], self.deviations[columns], self.weight)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.first)

    @property
    def variance(self) -> float:
        """Variance of all entries together."""
        total = self.weight * self.n_features
        mean = float(self.first.sum()) / total
        variance = float(self.second.sum()) / total - mean * mean
        if variance > _CANCELS * mean * mean:
            return variance
        # The squares are mostly that of the mean: within and between columns instead.
        means = self.first / self.weight
        between = self.weight * float(np.square(means - means.mean()).sum())
        return (float(self.deviations.sum()) + between) / total


def _resolve_gamma(gamma: Any, moments: Moments) -> float:
    if isinstance(gamma, str) or gamma is None:
        check_choice("gamma", gamma, ("scale", "auto"), "the kernel")
        if gamma == "auto":
            return 1.0 / moments.n_features
        variance = moments.variance
        return float(1.0 / (moments.n_features * variance)) if variance > 0 else 1.0
    if isinstance(gamma, bool) or not np.isscalar(gamma):
        raise ParameterError(f"The 'gamma' parameter must be 'scale', 'auto' or a number. Got {gamma!r}.")
    return check_number("gamma", gamma, "the kernel", low=0, low_open=True)
