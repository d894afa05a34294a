"""Table 2 of the paper: four classifiers in stratified ten-fold cross-validation, several times over."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from pairwise2002.problems import Problem
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import ForwardBeamSelector, GeneticSelector

SELECTORS = {"forward": ForwardBeamSelector, "genetic": GeneticSelector}


class Outcome(NamedTuple):
    """Accuracy in percent, one for each repetition, and columns per pair, one for each fold."""

    accuracies: list[float]
    widths: list[float]


def classifier(method: Mapping[str, Any], part: Mapping[str, Any], seed: int) -> Any:
    """The classifier of a row of the table, on columns scaled to [0, 1] by the training rows."""
    settings = {key: value for key, value in method.items() if key not in ("key", "row", "single")}
    nearest = KNeighborsClassifier(settings.pop("n_neighbors", part["n_neighbors"]))
    if not method.get("single", False):
        if "selector" in settings:
            search = dict(settings["selector"])
            settings["selector"] = SELECTORS[search.pop("kind")](**search)
        nearest = PairwiseClassifier(nearest, random_state=seed, **settings)
    return make_pipeline(MinMaxScaler(), nearest)


def run_method(
    problem: Problem, method: Mapping[str, Any], part: Mapping[str, Any], run: Mapping[str, Any]
) -> Outcome:
    """Cross-validate one classifier, as often as the settings say."""
    repeats = min(part["repeats"], run.get("most_repeats", part["repeats"]))
    jobs = [
        delayed(_fold)(classifier(method, part, run["seed"] + r), problem, train, test)
        for r in range(repeats)
        for train, test in _folds(problem, run, r)
    ]
    answers = Parallel(n_jobs=run["n_jobs"])(jobs)
    per_repeat = len(answers) // repeats
    accuracies = []
    for r in range(repeats):
        own = answers[r * per_repeat : (r + 1) * per_repeat]
        accuracies.append(100.0 * sum(right for right, _, _ in own) / sum(n for _, n, _ in own))
    return Outcome(accuracies, [width for _, _, width in answers])


def _folds(problem: Problem, run: Mapping[str, Any], r: int) -> Iterator[tuple[Any, Any]]:
    with warnings.catch_warnings():
        # Some classes have fewer rows than there are folds.
        warnings.simplefilter("ignore", UserWarning)
        folds = StratifiedKFold(run["n_folds"], shuffle=True, random_state=run["seed"] + r)
        yield from folds.split(problem.X, problem.y)


def _fold(model: Any, problem: Problem, train: Any, test: Any) -> tuple[int, int, float]:
    """Right answers, answers, and mean number of columns per pair in one fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = clone(model).fit(problem.X[train], problem.y[train])
    right = int((fitted.predict(problem.X[test]) == problem.y[test]).sum())
    pairs = getattr(fitted[-1], "pairs_", None)
    width = problem.X.shape[1] if pairs is None else float(np.mean([len(pair.features) for pair in pairs]))
    return right, len(test), width
