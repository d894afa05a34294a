"""What a solver is given and what it returns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.svm._vectors_fast import UNBALANCED

# A beta this near to a bound, as a share of its box, is on it; solvers leave it off by rounding alone.
_SETTLED = 1e-10


@dataclass(frozen=True)
class DualProblem:
    """The dual of one machine: ``min 1/2 beta' K beta - beta' y``, ``low <= beta <= high``, ``sum beta = 0``.

    The signed variables ``beta = alpha * y`` let all machines share one Gram matrix. The squared hinge has no
    upper bounds; a ridge is added to the diagonal of K instead, and to that in ``f`` of a solution.

    Parameters
    ----------
    y : array of shape (n,)
        +1 for the machine's class, -1 for the rest.
    upper : array of shape (n,)
        Upper bounds of alpha: C times the weight of each row.
    ridge : array of shape (n,) or 0.0
        What is added to the diagonal of K.
    """

    y: FloatArray
    upper: FloatArray
    ridge: FloatArray | float = 0.0

    @classmethod
    def of_squared_hinge(cls, y: FloatArray, cost: FloatArray) -> "DualProblem":
        """Return the problem of the loss ``cost * max(0, 1 - y g)^2``."""
        return cls(y, np.full(y.size, np.inf), 0.5 / cost)

    @cached_property
    def low(self) -> FloatArray:
        """The least that beta may be."""
        return np.where(self.y > 0, 0.0, -self.upper)

    @cached_property
    def high(self) -> FloatArray:
        """The most that beta may be."""
        return np.where(self.y > 0, self.upper, 0.0)

    def settled(self, beta: FloatArray) -> FloatArray:
        """Return beta with what is within rounding of a bound put on it.

        A variable that is free by rounding alone would be counted as a support vector and decide the bias.
        """
        slack = np.where(np.isfinite(self.upper), _SETTLED * self.upper, 0.0)
        beta = np.where(beta - self.low <= slack, self.low, beta)
        return np.where(self.high - beta <= slack, self.high, beta)

    def feasible(self, beta: FloatArray) -> FloatArray:
        """Return the point nearest to an old solution that this problem's box and balance allow.

        The side with too much is scaled down: that keeps every bound. What rounding has left of the balance
        stays: scaling would take all variables of that side off their bounds, one by one to be put back.
        """
        beta = np.clip(beta, self.low, self.high)
        positive, negative = beta[beta > 0].sum(), -beta[beta < 0].sum()
        if abs(positive - negative) <= UNBALANCED * (positive + negative):
            return beta
        if positive > negative:
            beta[beta > 0] *= negative / positive
        elif negative > positive:
            beta[beta < 0] *= positive / negative
        return beta


@dataclass(frozen=True)
class DualSolution:
    """A solver's answer: the variables, ``f = (K + ridge) beta - y``, and how it was reached.

    `w` holds the weights of a linear machine, where the solver knows them better than ``X' beta`` does. With
    centred rows, f and `w` are those of the centred rows, and `offset` is ``w . mean``.
    """

    beta: FloatArray
    f: FloatArray
    n_iter: int
    converged: bool
    w: FloatArray | None = None
    offset: float = 0.0

    def bias(self, problem: DualProblem) -> float:
        """Return the b that puts free support vectors on the margin.

        Where none is free, any b in an interval is optimal; its middle is taken.
        """
        low, high = problem.low, problem.high
        free = (self.beta > low) & (self.beta < high)
        if free.any():
            return -float(self.f[free].mean()) - self.offset
        return -float(np.mean([end for end in self._ends(problem) if np.isfinite(end)])) - self.offset

    def gap(self, problem: DualProblem) -> float:
        """Return the violation of the optimality conditions, measured as libsvm does; none if negative."""
        smallest, largest = self._ends(problem)
        return largest - smallest

    def _ends(self, problem: DualProblem) -> tuple[float, float]:
        """Least f of the variables that can rise, largest f of those that can fall."""
        rising, falling = self.f[self.beta < problem.high], self.f[self.beta > problem.low]
        return float(rising.min(initial=np.inf)), float(falling.max(initial=-np.inf))

    def objective(self, problem: DualProblem) -> float:
        """Return ``1/2 alpha' Q alpha - sum alpha``."""
        return 0.5 * float(self.beta @ (self.f - problem.y))

    def squared_norm(self, problem: DualProblem) -> float:
        """Return ``w . w`` in feature space (equation 4 of infoprop-2001)."""
        if self.w is not None:
            return float(self.w @ self.w)
        return max(0.0, float(self.beta @ (self.f + problem.y - problem.ridge * self.beta)))


Solve: TypeAlias = Callable[
    [Matrix, list[KernelSpec], Sequence[DualProblem], Sequence[FloatArray | None]], list[DualSolution]
]
"""Solves problems over rows, given the kernels of the machines and what to start from."""


@dataclass(frozen=True)
class BinaryMachine:
    r"""One trained machine, :math:`g(x) = \sum_i \alpha_i y_i K(x_i, x) + b`.

    Attributes
    ----------
    support : array of shape (n_support,)
        Training rows that are support vectors.
    support_vectors : array or CSR matrix of shape (n_support, n_features)
    alpha : array of shape (n_support,)
        Lagrange multipliers, positive.
    signs : array of shape (n_support,)
        +1 for rows of the machine's class, -1 for the rest.
    bias : float
    margin : float
        :math:`1 / \|w\|`; infinite for a machine without support vectors.
    kernel : KernelSpec
    objective : float
        Value of the dual, :math:`\frac12 \alpha' Q \alpha - \sum \alpha`. With the squared hinge Q has
        :math:`1 / (2 C s_i)` added to its diagonal.
    n_iter : int
        Pair steps (SMO), sweeps (coordinate descent) or steps (descent on the weights).
    converged : bool
    w : array of shape (n_features,) or None
        Weights of a linear machine, where rounding keeps them from being those of the support vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array(["low", "low", "high", "high"])
    >>> machine = OneVsRestSVC(kernel="linear", C=10.0).fit(X, y).machines_[0]
    >>> machine.support, round(machine.margin, 6), machine.converged
    (array([1, 2]), 1.0, True)
    """

    support: IntArray
    support_vectors: Any
    alpha: FloatArray
    signs: FloatArray
    bias: float
    margin: float
    kernel: KernelSpec
    objective: float
    n_iter: int
    converged: bool
    w: FloatArray | None = None

    @property
    def weights(self) -> FloatArray:
        """Weights of a linear machine."""
        if self.w is not None:
            return self.w
        return np.asarray(self.support_vectors.T @ self.dual_coef, dtype=np.float64).ravel()

    @property
    def dual_coef(self) -> FloatArray:
        """Signed multipliers, alpha times signs."""
        return self.alpha * self.signs

    @classmethod
    def from_solution(
        cls,
        X: Matrix,
        row_numbers: IntArray,
        problem: DualProblem,
        solution: DualSolution,
        kernel: KernelSpec,
    ) -> "BinaryMachine":
        """Keep the support vectors of a solution over X, whose rows have these numbers for the user."""
        support = np.flatnonzero(solution.beta)
        norm = np.sqrt(solution.squared_norm(problem))
        return cls(
            support=row_numbers[support],
            support_vectors=X[support],
            alpha=np.abs(solution.beta[support]),
            signs=problem.y[support],
            bias=solution.bias(problem),
            margin=float(1.0 / norm) if norm > 0 else np.inf,
            kernel=kernel,
            objective=solution.objective(problem),
            n_iter=solution.n_iter,
            converged=solution.converged,
            w=solution.w,
        )
