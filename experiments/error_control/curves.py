"""How the machines for even bumps were chosen: on draws of that design not reported on.

``python -m error_control.curves --draws 4`` from ``experiments`` prints power and false discoveries at a
level of 10 %, of stability (25 pairs of halves) for two exponents and of five knockoffs of each column.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from error_control import designs
from error_control.designs import Problem
from error_control.rows import counted
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from infoprop.selection import KnockoffSelector, StabilitySelector
from infoprop.svm import OneVsRestSVC

FIRST_SEED = 1000
SPLINES = {
    "parabolas": {"n_knots": 2, "degree": 2},
    "tents": {"n_knots": 3, "degree": 1, "knots": "quantile"},
}
COSTS = {"parabolas": (0.01, 0.001), "tents": (0.01, 0.001)}


def machines(kind: str, C: float) -> Any:
    """Linear machines on splines of each column."""
    made = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
    return make_pipeline(SplineTransformer(**SPLINES[kind]), StandardScaler(with_mean=False), made)


def outcomes(problem: Problem, seed: int) -> Iterator[tuple[str, float, float]]:
    """What was tried, its power and share of false features in percent."""
    for kind, costs in COSTS.items():
        for C in costs:
            selector = StabilitySelector(machines(kind, C), n_pairs=25, random_state=seed)
            known = selector.fit(problem.X, problem.y).stability_
            for exponent in (3, 5):
                chosen = np.flatnonzero(replace(known, exponent=exponent).q_values <= 0.1)
                found = counted(chosen, problem, 0.0)
                yield f"stability, {kind}, C={C}, exponent {exponent}", found["power"], found["false"]
        law = designs.known_law(500, 5).sample
        tested = KnockoffSelector(machines(kind, 0.006), knockoffs=law, n_knockoffs=5, random_state=seed)
        found = counted(tested.fit(problem.X, problem.y).knockoffs_.chosen, problem, 0.0)
        yield f"five knockoffs, {kind}, C=0.006", found["power"], found["false"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the draws, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4)
    options = parser.parse_args(arguments)
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + options.draws):
        for name, power, false in outcomes(designs.bumps(seed), seed):
            found.setdefault(name, []).append((power, false))
    for name, values in found.items():
        power, false = np.mean(values, axis=0)
        print(f"{name:44} power {power:5.1f} %, false {false:5.1f} %, {len(values)} draws")
    return 0


if __name__ == "__main__":
    sys.exit(main())
