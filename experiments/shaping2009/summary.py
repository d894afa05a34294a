"""From scores of folds to means over tasks, and how sure a difference between two methods is."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_rel
from shaping2009.problems import load
from shaping2009.scores import Score, summarised
from shaping2009.study import Study

MEASURES = {"f": "F-measure", "auc": "AUC", "accuracy": "accuracy", "precision": "precision at 20"}
"""The paper's measures, and what they are called."""
CALIBRATIONS = {
    "train": "shaping, calibrated on the training rows",
    "shaped": "shaping, calibrated on halves of rows shaped with all labels",
}
"""What the other ways to calibrate are called."""
CHANCE = 0.5
"""Area under the curve of a machine that gives all rows the same output."""


class Task(NamedTuple):
    """A class against the rest of its data set."""

    name: str
    code: int
    label: str


class Difference(NamedTuple):
    """Mean difference of two methods over tasks, in points, and p of the paired t-test."""

    mean: float
    p: float
    n_better: int


class Outcomes:
    """What the methods of some bundles on the same data have reached, task by task and fold by fold.

    Parameters
    ----------
    study : Study
        In which these bundles are finished.
    bundles : sequence of str
        Where methods are looked for, the first that has it counts. Sizes and folds are those that all have.
    """

    def __init__(self, study: Study, bundles: Sequence[str]) -> None:
        self.study, self.bundles = study, bundles
        self.sizes = sorted(set.intersection(*(set(study.sizes(bundle)) for bundle in bundles)))
        self.n_folds = min(study.n_folds(bundle) for bundle in bundles)
        self._folds: dict[tuple[str, int], Any] = {}

    @cached_property
    def tasks(self) -> list[Task]:
        found = []
        for name in self.study.names(self.bundles[0]):
            problem = load(name)
            found += [Task(name, code, problem.labels[code]) for code in problem.tasks]
        return found

    @cached_property
    def rows(self) -> dict[str, str]:
        """Names of the methods on pages, by key."""
        found = {}
        for bundle in reversed(self.bundles):
            for variant in self.study.variants(bundle):
                told = [variant.row, *(CALIBRATIONS[way] for way in variant.calibrations[1:])]
                found |= dict(zip(variant.names(), told, strict=True))
        return found

    def folds(self, variant: str, size: int) -> Any:
        """Scores of all tasks and folds, shape (n_tasks, n_folds, 9); the last is the number of the cost."""
        if (variant, size) not in self._folds:
            self._folds[variant, size] = self._gathered(variant, size)
        return self._folds[variant, size]

    def _gathered(self, variant: str, size: int) -> Any:
        bundle = next(
            bundle
            for bundle in self.bundles
            if any(variant in own.names() for own in self.study.variants(bundle))
        )
        found: dict[tuple[str, int], list[Sequence[float]]] = {}
        for unit in self.study.units(bundle):
            if unit.size == size and unit.fold < self.n_folds:
                for code, score in self.study.results(unit)[variant].items():
                    found.setdefault((unit.name, int(code)), []).append(score)
        return np.array([found[task.name, task.code] for task in self.tasks])

    def of_tasks(self, variant: str, size: int, measure: str) -> Any:
        """A measure of every task, in percent, shape (n_tasks,)."""
        return np.array([summarised(scores)[measure] for scores in self.folds(variant, size)])

    def of_folds(self, variant: str, size: int, measure: str) -> Any:
        """Mean over tasks of a measure in each fold alone, in percent, shape (n_folds,)."""
        scores = self.folds(variant, size)
        by_fold = [[summarised(own[[k]])[measure] for own in scores] for k in range(scores.shape[1])]
        return np.mean(by_fold, axis=1)

    def mean(self, variant: str, size: int, measure: str) -> float:
        """Mean of a measure over tasks, in percent."""
        return float(self.of_tasks(variant, size, measure).mean())

    def difference(self, first: str, second: str, size: int, measure: str) -> Difference:
        """First method minus second."""
        a, b = self.of_tasks(first, size, measure), self.of_tasks(second, size, measure)
        return difference(a, b)

    def share_without_answer(self, variant: str, size: int) -> float:
        """Share of machines, in percent, that give all test rows the same output."""
        areas = self.folds(variant, size)[:, :, Score._fields.index("auc_of_outputs")]
        return 100.0 * float((areas == CHANCE).mean())


def difference(first: Any, second: Any) -> Difference:
    """Compare two methods over the same tasks; methods that agree everywhere differ with p = 1."""
    gain = first - second
    p = float(ttest_rel(first, second).pvalue) if np.ptp(gain) > 0.0 else 1.0
    return Difference(float(gain.mean()), p, int((gain > 0.0).sum()))
