"""Linear machines along the costs to choose from, with the hinge loss or its square."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

# The warm-started path of ShapedLinearClassifier; its public door trains on shaped features only.
from infoprop.svm._cost_path import machines_along

MOST_STEPS = 100
RIDGE = 1e-12
"""On the curvature of the offset, which nothing else bounds where no row is active."""
LEAST_GAIN = 1e-4


class Machine(NamedTuple):
    """``g(x) = w . x + b``."""

    w: Any
    b: float

    def outputs(self, X: Any) -> Any:
        return np.asarray(X @ self.w).ravel() + self.b


def train(X: Any, signs: Any, costs: Any, loss: str, tol: float) -> Iterator[Machine]:
    """Yield the machine of each cost, lowest first, each trained from the one before."""
    if loss == "squared hinge":
        yield from _squared_hinge(X, signs, costs)
    else:
        for machine in machines_along(X, signs, np.ones(len(signs)), costs, tol):
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
