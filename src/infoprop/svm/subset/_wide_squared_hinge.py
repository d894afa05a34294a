"""Machines with the squared hinge for few dense rows of many columns: each split keeps its Gram matrix."""

from collections.abc import Sequence

import numpy as np
from numpy.linalg import norm
from scipy.linalg import cho_factor, cho_solve

from infoprop._core._matrices import centred, column_norms_squared, taken_columns
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.kernels import KernelSpec
from infoprop.svm._machine import DualProblem, Solve
from infoprop.svm._sensitivity import above_rounding
from infoprop.svm.subset._splits import SplitProblem, split_beta, stacked_beta

# Steps of Newton's method after which the way is lost; about five are usual.
_MOST_STEPS = 50
_MOST_HALVINGS = 30
# Dense machines of so few rows keep products of their rows, however few the columns are.
VERY_FEW_ROWS = 128


class WideNewtonMachines:
    r"""Machines of several splits, taken from optimum to optimum on the rows' products.

    With K the products of the centred rows, r the ridge and F the rows whose loss is not zero, a step of
    Newton's method solves

    .. math::
        (K_{FF} + \mathrm{diag}(r_F))\,\beta_F + b = y_F, \qquad \sum \beta_F = 0.

    At the optimum F is the set of rows whose output g has :math:`yg < 1`. K follows the columns: what leaves
    is taken off, and when half of them have left it is computed anew, so that rounding does not add up.

    Parameters
    ----------
    splits : sequence of SplitProblem
        Dense rows.
    solve : callable
        Solves problems over rows where these steps find no optimum, and where many rows have few columns.
    """

    def __init__(self, splits: Sequence[SplitProblem], solve: Solve) -> None:
        self.members = tuple(splits)
        self._solve = solve
        rows = [centred(split.X) for split in splits]
        self._centres = [split.X[0] - own[0] for split, own in zip(splits, rows, strict=True)]
        # Each column in one piece: of all columns, and of those that the machines stand on.
        self._all = [np.ascontiguousarray(own.T) for own in rows]
        self._held: list[FloatArray] = []
        self._lengths = [np.sqrt(column_norms_squared(own)) for own in rows]
        self._grams: list[FloatArray] = []
        self._beta: list[FloatArray] = []
        self._bias = [np.zeros(0) for _ in splits]
        self._columns = np.zeros(0, dtype=np.intp)
        self._n_built = 0

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n); rows that a split has not got are zero."""
        return stacked_beta(self._beta)

    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        """Go to `columns` and train from dual variables `start` (None: from nothing)."""
        self._beta = split_beta(start, self.members)
        self._build(columns)
        self._train()

    def update_columns(self, columns: IntArray) -> None:
        """Go to other columns and train there, from where they stand."""
        stays = np.isin(self._columns, columns, assume_unique=True)
        if int(stays.sum()) < len(columns) or 2 * len(columns) <= self._n_built:
            self._build(columns)
        else:
            for t, held in enumerate(self._held):
                gone = held[~stays]
                self._grams[t] -= gone.T @ gone
                self._held[t] = held[stays]
            self._columns = columns
        self._train()

    def _build(self, columns: IntArray) -> None:
        self._held = [own[columns] for own in self._all]
        self._grams = [held.T @ held for held in self._held]
        self._columns = columns
        self._n_built = len(columns)

    def _train(self) -> None:
        for t, split in enumerate(self.members):
            n = len(self._grams[t])
            is_wide = n <= max(VERY_FEW_ROWS, 2 * len(self._columns))
            found = [
                (newton_optimum(self._grams[t], problem, own != 0.0) if is_wide else None)
                or self._solved(t, problem, own)
                for problem, own in zip(split.problems, self._beta[t], strict=True)
            ]
            self._beta[t] = np.stack([beta for beta, _ in found])
            self._bias[t] = np.array([bias for _, bias in found])

    def _solved(self, t: int, problem: DualProblem, start: FloatArray) -> tuple[FloatArray, float]:
        X = np.ascontiguousarray(self._held[t].T)
        own = start if start.any() else None
        solution = self._solve(X, [KernelSpec("linear")], [problem], [own])[0]
        return solution.beta, solution.bias(problem)

    def _weights(self, t: int) -> FloatArray:
        return np.asarray((self._held[t] @ self._beta[t].T).T)

    def sensitivities(self) -> FloatArray:
        """``|w|`` of the columns the machines stand on: (n_machines, n_columns)."""
        found = []
        for t, beta in enumerate(self._beta):
            length = float(self._lengths[t][self._columns].sum())
            weights = np.abs(self._weights(t))
            found += [
                above_rounding(w, float(norm(own)) * length) for w, own in zip(weights, beta, strict=True)
            ]
        return np.stack(found)

    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the validation rows of each split: (n_test, n_machines) each."""
        return tuple(self._outputs(t) for t in range(len(self.members)))

    def _outputs(self, t: int) -> FloatArray:
        X_test = taken_columns(self.members[t].X_test, self._columns)
        if not len(X_test):
            return np.zeros((0, len(self._bias[t])))
        return np.asarray((X_test - self._centres[t][self._columns]) @ self._weights(t).T + self._bias[t])


def newton_optimum(
    K: FloatArray, problem: DualProblem, is_active: BoolArray
) -> tuple[FloatArray, float] | None:
    """Return beta and b of a machine with the squared hinge; None if no optimum is found.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Products of the rows.
    problem : DualProblem
        Of the squared hinge.
    is_active : ndarray of shape (n,)
        Rows to begin with; none means all.

    Examples
    --------
    >>> problem = DualProblem.of_squared_hinge(np.array([1.0, -1.0]), np.array([0.5, 0.5]))
    >>> beta, b = newton_optimum(np.array([[1.0, -1.0], [-1.0, 1.0]]), problem, np.ones(2, dtype=bool))
    >>> beta.round(3), abs(round(b, 3))
    (array([ 0.333, -0.333]), 0.0)
    """
    y, ridge = problem.y, np.broadcast_to(problem.ridge, problem.y.shape)
    if not (is_active & (y > 0.0)).any() or not (is_active & (y < 0.0)).any():
        is_active = np.ones(len(y), dtype=bool)
    beta, bias, outputs, least = np.zeros(len(y)), 0.0, np.zeros(len(y)), np.inf
    for _ in range(_MOST_STEPS):
        there = _step(K, y, ridge, is_active)
        if there is None:
            return None
        # Outputs are linear on the way there, and the objective falls at its beginning.
        for halving in range(_MOST_HALVINGS):
            part = 0.5**halving
            new_beta = beta + part * (there[0] - beta)
            new_bias = bias + part * (there[1] - bias)
            new_outputs = outputs + part * (there[2] - outputs)
            short = np.maximum(0.0, 1.0 - y * new_outputs)
            objective = 0.5 * float(new_beta @ (new_outputs - new_bias)) + float((short**2 / ridge).sum()) / 2
            if objective <= least or not np.isfinite(least):
                break
        beta, bias, outputs, least = new_beta, new_bias, new_outputs, objective
        is_short = short > 0.0
        if part == 1.0 and np.array_equal(is_short, is_active):
            return beta, bias
        is_active = is_short
    return None


def _step(
    K: FloatArray, y: FloatArray, ridge: FloatArray, is_active: BoolArray
) -> tuple[FloatArray, float, FloatArray] | None:
    """Optimum over the active rows, were they active for ever: beta, b and outputs of all rows."""
    rows = np.flatnonzero(is_active)
    if not len(rows):
        return None
    own = K[np.ix_(rows, rows)]
    own[np.arange(len(rows)), np.arange(len(rows))] += ridge[rows]
    try:
        factor = cho_factor(own, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    found = cho_solve(factor, np.column_stack([y[rows], np.ones(len(rows))]), check_finite=False)
    bias = float(found[:, 0].sum() / found[:, 1].sum())
    beta = np.zeros(len(y))
    beta[rows] = found[:, 0] - bias * found[:, 1]
    return beta, bias, K[:, rows] @ beta[rows] + bias
