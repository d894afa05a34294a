"""Rank the features once, then train and test on the first m of them, for every m."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gradient_angle2000.problems import Split, draw_split
from joblib import Parallel, delayed

from infoprop.credit import average_separation, gradient_angles
from infoprop.svm import OneVsRestSVC

STRATEGIES: Mapping[str, str] = {
    "angles": "most important",
    "separation": "largest average separation",
    "random": "random",
    "least": "least important",
}
"""Ways to choose features, as they are called on the page."""


@dataclass(frozen=True, eq=False)
class Draw:
    """What one random split gives.

    Attributes
    ----------
    importances : array of shape (n_features,)
        Equation 8, between 0 and 1.
    train, test : dict of str to array of shape (n_features,)
        Accuracy of each strategy with its first 1, 2, ..., n_features features, in percent.
    """

    importances: Any
    train: Mapping[str, Any]
    test: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Draws:
    """All draws of a part, one per line of each array."""

    feature_names: tuple[str, ...]
    importances: Any
    train: Mapping[str, Any]
    test: Mapping[str, Any]

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def n_draws(self) -> int:
        return len(self.importances)


def build_machine(settings: Mapping[str, Any], run: Mapping[str, Any]) -> OneVsRestSVC:
    """The paper's machine, one for each class against the rest."""
    return OneVsRestSVC(**{"tol": run["tol"], **settings})


def run_draws(part: Mapping[str, Any], run: Mapping[str, Any]) -> Draws:
    """Repeat the protocol of a part with one seed after the other."""
    seeds = range(run["seed"], run["seed"] + part["draws"])
    draws = Parallel(n_jobs=run["n_jobs"])(delayed(run_draw)(part, run, seed) for seed in seeds)
    names = draw_split(part["source"], run["seed"]).feature_names
    curves = {
        side: {key: np.array([getattr(draw, side)[key] for draw in draws]) for key in part["strategies"]}
        for side in ("train", "test")
    }
    return Draws(names, np.array([draw.importances for draw in draws]), **curves)


def run_draw(part: Mapping[str, Any], run: Mapping[str, Any], seed: int) -> Draw:
    """Rank on the training rows, then walk down every strategy's list."""
    split = draw_split(part["source"], seed)
    if part.get("standardised", False):
        split = split.standardised()
    machine = build_machine(part["machine"], run).fit(split.X_train, split.y_train)
    angles = gradient_angles(machine, split.X_train, split.y_train, epsilon=run["epsilon"])
    if not part["strategies"]:
        return Draw(angles.values, {}, {})
    orders = {
        "angles": angles.ranking,
        "least": angles.ranking[::-1],
        "separation": np.argsort(-average_separation(split.X_train, split.y_train), kind="stable"),
        "random": np.random.RandomState(seed).permutation(angles.n_features),
    }
    everything = np.arange(angles.n_features)
    # Two strategies often agree on which features to take; machines are trained once for each set.
    known = {tuple(everything): accuracies(machine, split, everything)}
    train, test = {}, {}
    for key in part["strategies"]:
        train[key], test[key] = walk_down(build_machine(part["machine"], run), split, orders[key], known)
    return Draw(angles.values, train, test)


def walk_down(
    machine: OneVsRestSVC, split: Split, order: Any, known: dict[tuple[int, ...], tuple[float, float]]
) -> Any:
    """Train on all features of an order, on all but its last, and so on down to its first.

    Each training starts where the last one ended. What comes of a set is looked up in `known` and added.

    Returns
    -------
    array of shape (2, n_features)
        Accuracy on training and test rows with 1, 2, ..., n_features features, in percent.
    """
    machine.set_params(warm_start=True)
    reached = []
    for m in range(len(order), 0, -1):
        columns = np.sort(order[:m])
        if tuple(columns) not in known:
            machine.fit(split.X_train[:, columns], split.y_train)
            known[tuple(columns)] = accuracies(machine, split, columns)
        reached.append(known[tuple(columns)])
    return np.array(reached[::-1]).T


def accuracies(machine: OneVsRestSVC, split: Split, columns: Any) -> tuple[float, float]:
    """Accuracy on the training and on the test rows, in percent."""
    n_train = len(split.y_train)
    is_right = machine.predict(np.vstack([split.X_train, split.X_test])[:, columns]) == np.concatenate(
        [split.y_train, split.y_test]
    )
    return 100.0 * is_right[:n_train].mean(), 100.0 * is_right[n_train:].mean()
