"""The paper's data as rows to train on, rows that guide the search, and rows that only judge.

The paper calls them training, test and validation set. Where it has no validation set, the test rows both
guide and judge.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from infoprop2001.problems import Problem, load_problem
from sklearn.preprocessing import StandardScaler

from infoprop.datasets import make_corral, make_parity


@dataclass(frozen=True, eq=False)
class Parts:
    """Three parts of a data set."""

    X_train: Any
    y_train: Any
    X_guide: Any
    y_guide: Any
    X_judge: Any
    y_judge: Any

    def restricted(self, columns: Any) -> "Parts":
        """The same rows with these columns only."""
        return self.mapped(lambda X: X[:, columns])

    def mapped(self, transform: Any) -> "Parts":
        """The same rows with transformed features."""
        return replace(
            self,
            X_train=transform(self.X_train),
            X_guide=transform(self.X_guide),
            X_judge=transform(self.X_judge),
        )

    def crossed(self, seed: int) -> "tuple[Parts, Parts]":
        """Two problems: one half of the guiding rows guides, the other judges, and the other way round."""
        first, second = _halves(len(self.y_guide), seed)
        X, y = self.X_guide, self.y_guide
        return (
            Parts(self.X_train, self.y_train, X[first], y[first], X[second], y[second]),
            Parts(self.X_train, self.y_train, X[second], y[second], X[first], y[first]),
        )


@dataclass(frozen=True, eq=False)
class Drawn:
    """A data set and its random cuts.

    Attributes
    ----------
    facts : dict of str to int
        Sizes that the paper printed as well.
    parts : list of Parts
        One per draw.
    """

    facts: Mapping[str, int]
    parts: list[Parts]


def with_draws(run: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """The run with as many draws as the part asks for, or fewer if it is a quick one."""
    draws = part.get("draws", run["draws"])
    return {**run, "draws": min(draws, run.get("most_draws", draws))}


def draw_parts(part: Mapping[str, Any], run: Mapping[str, Any]) -> Drawn:
    """Draw the parts of a data set of the settings, once per seed.

    Parameters
    ----------
    part : mapping
        "source" as in the other experiments; its "cut" says what becomes of the rows that are not trained on:
        "halves" to guide and to judge, "both" for the same rows to do both, or the number of rows to guide,
        of the paper's, the others judging. Its "values" are numbers for words, and if it is "scaled" features
        get mean 0 and variance 1 over the training rows.
    run : mapping
        "draws", "seed", and optionally "most_rows".
    """
    source = part["source"]
    problem = load_problem(source, run.get("most_rows"))
    return Drawn(problem.facts, list(_cut(problem, source, run)))


def _cut(problem: Problem, source: Mapping[str, Any], run: Mapping[str, Any]) -> Iterator[Parts]:
    for seed in range(run["seed"], run["seed"] + run["draws"]):
        split = problem.drawn(seed) if problem.official is None else problem.official
        train, test = _filled(split.X_train, split.X_test, source)
        n_test, cut = len(split.y_test), source["cut"]
        if cut == "both":
            guide = judge = np.arange(n_test)
        elif cut == "halves":
            guide, judge = _halves(n_test, seed)
        else:
            guide, judge = _parted(n_test, round(n_test * cut / source["n_test"]), seed)
        y = split.y_test
        yield Parts(train, split.y_train, test[guide], y[guide], test[judge], y[judge])


def _halves(n_rows: int, seed: int) -> tuple[Any, Any]:
    return _parted(n_rows, n_rows // 2, seed)


def _parted(n_rows: int, n_first: int, seed: int) -> tuple[Any, Any]:
    order = np.random.RandomState(seed).permutation(n_rows)
    return order[:n_first], order[n_first:]


def _filled(X_train: Any, X_test: Any, source: Mapping[str, Any]) -> tuple[Any, Any]:
    """Numbers in all cells.

    Missing cells become zeros: the yeast's are logarithms of ratios, and zero says that nothing changed; of
    scaled features it is the mean.
    """
    if not isinstance(X_train, np.ndarray):
        return X_train, X_test
    train, test = (_as_numbers(X, source.get("values", {})) for X in (X_train, X_test))
    if source.get("scaled"):
        scaler = StandardScaler().fit(train)
        train, test = scaler.transform(train), scaler.transform(test)
    return np.nan_to_num(train), np.nan_to_num(test)


def _as_numbers(X: Any, values: Mapping[str, float]) -> Any:
    if not values:
        return X.astype(np.float64)
    return np.vectorize(lambda cell: values.get(cell, np.nan), otypes=[np.float64])(X)


def draw_corral(seed: int) -> Parts:
    """Corral's 128 cases cut into 64 to train on and 64 to guide; all of them judge.

    Each setting of the first five bits has four cases, one of them with a sixth bit that does not match; two
    of the four are drawn to train on. So both halves have the exact probabilities of the first five bits and
    of the class, which the paper's credits show, and luck is in the sixth bit alone. There are only 64
    different rows, so none is new; but accuracies on all 128 cases are the true ones.
    """
    X, y = make_corral(complete=True, return_X_y=True)
    random = np.random.RandomState(seed)
    order = np.concatenate([start + random.permutation(4) for start in range(0, len(y), 4)]).reshape(-1, 4)
    train, guide = np.sort(order[:, :2].ravel()), np.sort(order[:, 2:].ravel())
    return Parts(X[train], y[train], X[guide], y[guide], X, y)


def draw_parity(n_rows: int, seed: int) -> Parts:
    """Parity with copies and idle bits: as many rows to train as to guide as to judge."""
    X, y = make_parity(3 * n_rows, random_state=seed, return_X_y=True)
    train, guide, judge = np.split(np.arange(3 * n_rows), 3)
    return Parts(X[train], y[train], X[guide], y[guide], X[judge], y[judge])
