"""Linear machines along the costs to choose from, with the hinge loss or its square."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

# The warm-started path of ShapedLinearClassifier; its public door trains on shaped features only.
from infoprop.svm._cost_path import machines_along

MOST_STEPS = 100
RIDGE = 1e-12
"""On the curvature of the offset, which nothing else bounds where no row is active."""
LEAST_GAIN = 1e-4
SAME = 1e-6
"""Spread of outputs below which they are the same; a margin is 1."""
ROUNDING = 1e-9
"""Share of a loss that is rounding."""
DEPENDENT = 1e-11
"""Share of the largest eigenvalue of X'X below which a direction has no extent but rounding."""


class Machine(NamedTuple):
    """``g(x) = w . x + b``."""

    w: Any
    b: float

    def outputs(self, X: Any) -> Any:
        return np.asarray(X @ self.w).ravel() + self.b


def train(X: Any, signs: Any, costs: Any, loss: str, tol: float) -> Iterator[Machine]:
    """Yield the machine of each cost, lowest first, each trained from the one before.

    A machine that is no better than one without weights says nothing, and is made to say exactly that:
    calibrated, what a solver leaves of its weights would become answers. Dense rows are turned into as many
    columns as are independent, which changes neither lengths nor products of rows.
    """
    basis = None if sparse.issparse(X) else _independent(X)
    if basis is not None and basis.shape[1] == 0:
        yield from [_without_weights(X, signs)] * len(costs)
        return
    rows = X if basis is None else np.ascontiguousarray(X @ basis)
    path = _squared_hinge(rows, signs, costs) if loss != "hinge" else _hinge(rows, signs, costs, tol)
    for cost, (w, b) in zip(costs, path, strict=True):
        machine = Machine(w if basis is None else basis @ w, b)
        if not sparse.issparse(X) and _says_nothing(machine, X, signs, float(cost), loss):
            machine = _without_weights(X, signs)
        yield machine


def _without_weights(X: Any, signs: Any) -> Machine:
    """The best machine without weights: it calls all rows what most of them are."""
    return Machine(np.zeros(X.shape[1]), 1.0 if signs.sum() > 0.0 else -1.0)


def _says_nothing(machine: Machine, X: Any, signs: Any, cost: float, loss: str) -> bool:
    """Whether outputs differ by rounding only, or no less would be lost without weights."""
    outputs = machine.outputs(X)
    if np.ptp(outputs) < SAME:
        return True
    if loss != "hinge":
        return False
    lost = 0.5 * machine.w @ machine.w + cost * np.maximum(1.0 - signs * outputs, 0.0).sum()
    return bool(lost >= (1.0 - ROUNDING) * 2.0 * cost * min((signs > 0.0).sum(), (signs < 0.0).sum()))


def _independent(X: Any) -> Any:
    """Orthonormal basis of the rows' span, (n_features, rank), or None if all columns are independent."""
    values, vectors = linalg.eigh(X.T @ X)
    is_there = values > DEPENDENT * values[-1]
    return None if is_there.all() else vectors[:, is_there]


def _hinge(X: Any, signs: Any, costs: Any, tol: float) -> Iterator[Machine]:
    for machine in machines_along(X, signs, np.ones(len(signs)), costs, tol):
        if not machine.converged:
            raise RuntimeError(f"A machine on {X.shape} rows did not converge.")
        yield Machine(machine.w, machine.b)


def _squared_hinge(X: Any, signs: Any, costs: Any) -> Iterator[Machine]:
    r"""Newton's method on ``|w|^2 / 2 + C sum max(0, 1 - y (w . x + b))^2``, dense rows.

    With a full step that changes no row's side of the margin the optimum is exact.
    """
    rows = np.column_stack([X, np.ones(len(signs))])
    penalty = np.ones(rows.shape[1])
    penalty[-1] = 0.0
    theta = np.zeros(rows.shape[1])
    for cost in costs:
        theta = _newton(rows, signs, float(cost), penalty, theta)
        yield Machine(theta[:-1].copy(), float(theta[-1]))


def _newton(rows: Any, signs: Any, cost: float, penalty: Any, theta: Any) -> Any:
    slack = np.maximum(1.0 - signs * (rows @ theta), 0.0)
    loss = _loss(slack, cost, penalty, theta)
    for _ in range(MOST_STEPS):
        active = slack > 0.0
        inside = rows[active]
        gradient = penalty * theta - 2.0 * cost * (inside.T @ (signs * slack)[active])
        curvature = 2.0 * cost * (inside.T @ inside)
        curvature[np.diag_indices_from(curvature)] += penalty + RIDGE * (1.0 + cost * len(signs))
        step = linalg.solve(curvature, gradient, assume_a="pos")
        size = 1.0
        while size > 1e-10:
            trial = theta - size * step
            moved = np.maximum(1.0 - signs * (rows @ trial), 0.0)
            lower = _loss(moved, cost, penalty, trial)
            if loss - lower >= LEAST_GAIN * size * float(gradient @ step):
                break
            size /= 2.0
        else:
            break
        settled = size == 1.0 and np.array_equal(moved > 0.0, active)
        theta, slack, loss = trial, moved, lower
        if settled:
            break
    return theta


def _loss(slack: Any, cost: float, penalty: Any, theta: Any) -> float:
    return float(0.5 * (penalty * theta) @ theta + cost * slack @ slack)
