"""What the paper says of its figures, tried on many averages like the one it shows.

The figures show averages over repetitions. How far luck decides whether an average bears a statement out is
seen by drawing the repetitions again, with replacement, many times.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gradient_angle2000.protocols import Draws

Averages = Mapping[str, Any]
"""Arrays of shape (n_averages, n_features): "importances", and "test angles", "train angles" and the like."""


def resampled_averages(draws: Draws, n_averages: int, seed: int) -> dict[str, Any]:
    """Averages over as many draws as there are, taken with replacement; the first is the average itself."""
    taken = np.random.RandomState(seed).randint(draws.n_draws, size=(n_averages, draws.n_draws))
    taken[0] = np.arange(draws.n_draws)
    curves = {"importances": draws.importances}
    for side, strategies in (("train", draws.train), ("test", draws.test)):
        curves |= {f"{side} {key}": curve for key, curve in strategies.items()}
    return {name: np.array([curve[rows].mean(axis=0) for rows in taken]) for name, curve in curves.items()}


def _is_above(averages: Averages, claim: Mapping[str, Any]) -> Any:
    """Mean over `sizes` = [fewest, most] of one curve above another's, or above the accuracy of "all"."""
    fewest, most = claim["sizes"]
    first = averages[claim["first"]]
    second = first[:, -1:] if claim["second"] == "all" else averages[claim["second"]][:, fewest - 1 : most]
    return first[:, fewest - 1 : most].mean(axis=1) > second.mean(axis=1)


def _is_below(averages: Averages, claim: Mapping[str, Any]) -> Any:
    """Mean over `sizes` of a curve below its own accuracy with all features."""
    fewest, most = claim["sizes"]
    curve = averages[claim["first"]]
    return curve[:, fewest - 1 : most].mean(axis=1) < curve[:, -1]


def _never_falls(averages: Averages, claim: Mapping[str, Any]) -> Any:
    """No value below the one before it: more features, no lower accuracy."""
    return (np.diff(averages[claim["first"]], axis=1) >= 0.0).all(axis=1)


def _always_falls(averages: Averages, claim: Mapping[str, Any]) -> Any:
    """Every value below the one before it."""
    return (np.diff(averages[claim["first"]], axis=1) < 0.0).all(axis=1)


KINDS: Mapping[str, Callable[[Averages, Mapping[str, Any]], Any]] = {
    "is above": _is_above,
    "is below all": _is_below,
    "never falls": _never_falls,
    "always falls": _always_falls,
}
"""For each kind of statement, in which averages it is true: a mask of shape (n_averages,)."""
