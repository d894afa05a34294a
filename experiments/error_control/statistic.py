"""How the statistic of knockoffs and its C were chosen: on draws of the logistic design not reported on.

``python -m error_control.statistic --draws 36`` from ``experiments`` prints power and false discoveries at a
level of 10 % for each. Depth is the order in which columns fall; shares are the sum of what a column has in
the steps until then; score is their product with the number of these steps. The eliminations are written out
in NumPy here, so that all columns' shares are seen in every step.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from error_control import designs
from sklearn.linear_model import Lasso

from infoprop.selection import KnockoffStatistics

FIRST_SEED = 1000
COSTS = (0.01, 0.003, 0.001, 0.0003, 0.0001)
PENALTIES = (0.02, 0.03, 0.04, 0.05)


def weights(X: Any, y: Any, C: float) -> Any:
    """Train a linear machine with squared hinge loss by Newton's method."""
    both = np.hstack([X, np.ones((len(X), 1))])
    penalty = np.append(np.ones(X.shape[1]), 1e-6)
    w, is_active = np.zeros(len(penalty)), np.ones(len(y), dtype=bool)
    for _ in range(8):
        A = both[is_active]
        if len(A) < len(w):
            K = (A / penalty) @ A.T + np.eye(len(A)) / (2.0 * C)
            w = (A / penalty).T @ np.linalg.solve(K, y[is_active])
        else:
            w = np.linalg.solve(A.T @ A + np.diag(penalty) / (2.0 * C), A.T @ y[is_active])
        before, is_active = is_active, y * (both @ w) < 1.0
        if (before == is_active).all():
            break
    return w[:-1]


def elimination(X: Any, y: Any, C: float, step: float = 0.2) -> tuple[Any, Any, Any]:
    """Return how late each column falls, the steps it stands, and the sum of its shares in them."""
    left = np.arange(X.shape[1])
    depth, stood, earned = np.zeros((3, len(left)))
    while len(left):
        squares = weights(X[:, left], y, C) ** 2
        stood[left] += 1.0
        earned[left] += squares / squares.sum()
        order = np.argsort(squares)[: max(1, int(step * len(left)))]
        depth[left[order]] = X.shape[1] - len(left) + 1.0 + np.arange(len(order))
        left = np.delete(left, order)
    return depth, stood, earned


def statistics(
    seed: int, amplitude: float, costs: Sequence[float], penalties: Sequence[float]
) -> dict[str, tuple[float, float]]:
    """Power and false discoveries of every statistic in one draw."""
    problem = designs.logistic(seed, amplitude)
    p = problem.X.shape[1]
    made = designs.known_law(p).sample(problem.X, np.random.default_rng([seed, 77]))
    X = np.hstack([problem.X, made])
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), 2.0 * problem.y - 1.0
    found = {}
    for C in costs:
        depth, stood, earned = elimination(X, y, C)
        score = stood * earned
        found[f"C={C}, depth, larger"] = larger(depth[:p], depth[p:])
        found[f"C={C}, shares, larger"] = larger(earned[:p], earned[p:])
        found[f"C={C}, shares, difference"] = earned[:p] - earned[p:]
        found[f"C={C}, score, larger"] = larger(score[:p], score[p:])
    for penalty in penalties:
        size = np.abs(Lasso(penalty, tol=1e-3).fit(X, y).coef_)
        found[f"lasso, penalty {penalty}, difference"] = size[:p] - size[p:]
    names, is_tested = tuple(map(str, range(p))), np.ones(p, dtype=bool)
    outcomes = {}
    for name, W in found.items():
        chosen = KnockoffStatistics(names, W[None], is_tested, 0.1).chosen
        hits = len(np.intersect1d(chosen, problem.real))
        outcomes[name] = hits / len(problem.real), 1.0 - hits / max(1, len(chosen)) if len(chosen) else 0.0
    return outcomes


def larger(own: Any, others: Any) -> Any:
    """Return the larger of two values, below zero if it is not the first."""
    return np.maximum(own, others) * np.sign(own - others)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the draws, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=36)
    parser.add_argument("--amplitude", type=float, default=10.0)
    parser.add_argument("--cost", type=float, action="append", help="this C only, and no lasso")
    options = parser.parse_args(arguments)
    seeds = range(FIRST_SEED, FIRST_SEED + options.draws)
    costs, penalties = (options.cost, ()) if options.cost else (COSTS, PENALTIES)
    draws = [statistics(seed, options.amplitude, costs, penalties) for seed in seeds]
    for name in draws[0]:
        power, false = 100.0 * np.mean([draw[name] for draw in draws], axis=0)
        print(f"{name:34} power {power:5.1f} %, false {false:5.1f} %, {len(draws)} draws")
    return 0


if __name__ == "__main__":
    sys.exit(main())
