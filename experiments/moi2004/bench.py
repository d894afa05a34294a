"""Classifiers trained on what was chosen, measured on guiding rows and on rows that no search has seen."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from moi2004.filters import PROJECTIONS
from moi2004.methods import METHODS, WRAPPERS, Choice, Search, Task
from moi2004.problems import Parts
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from infoprop.credit import FeatureCredits, credit_features
from infoprop.metrics import InformationFlow


@dataclass(frozen=True, eq=False)
class Verdict:
    """A classifier trained on the training rows, measured on the guiding and on the judging rows."""

    guide: InformationFlow
    judge: InformationFlow


class Bench:
    """Trains and measures on the columns or projections of one split; no set of columns twice."""

    def __init__(self, machine: Any, parts: Parts) -> None:
        self.machine = machine
        self.parts = parts
        self.labels = np.unique(np.concatenate([parts.y_train, parts.y_guide, parts.y_judge]))
        self._known: dict[tuple[int, ...], Verdict] = {}

    def of_columns(self, columns: Any) -> Verdict:
        """Measure a machine on these columns."""
        key = tuple(int(column) for column in np.sort(columns))
        if key not in self._known:
            self._known[key] = self.of_parts(self.parts.restricted(np.array(key)))
        return self._known[key]

    def of_parts(self, parts: Parts) -> Verdict:
        """Measure a machine on other features of the same rows."""
        fitted = clone(self.machine).fit(parts.X_train, parts.y_train)
        return Verdict(
            self._flow(parts.y_guide, fitted.predict(parts.X_guide)),
            self._flow(parts.y_judge, fitted.predict(parts.X_judge)),
        )

    def of_projection(self, name: str, sizes: Sequence[int]) -> dict[int, Verdict]:
        """Measure machines on projections, up to as many as there are."""
        X, y = self.parts.X_train, self.parts.y_train
        most = min(*X.shape, len(np.unique(y)) - 1) if name == "LDA" else min(X.shape)
        fitted = PROJECTIONS[name](X, y, most)
        return {
            size: self.of_parts(self.parts.mapped(lambda rows, size=size: fitted.transform(rows)[:, :size]))
            for size in sizes
            if size <= most
        }

    def of_choice(self, choice: Choice) -> dict[int, Verdict]:
        """Measure machines on what a method chose."""
        return {size: self.of_columns(columns) for size, columns in choice.columns.items()}

    def _flow(self, y_true: Any, y_pred: Any) -> InformationFlow:
        # All flows of a split have the same labels, so that their counts can be added up.
        return InformationFlow.from_predictions(y_true, y_pred, labels=self.labels)


def credited(machine: Any, parts: Parts, columns: Sequence[int]) -> FeatureCredits:
    """Train on these columns and credit them on the guiding rows, numbered from 1."""
    seen = parts.restricted(list(columns))
    fitted = clone(machine).fit(seen.X_train, seen.y_train)
    names = tuple(f"feature {column + 1}" for column in columns)
    return replace(credit_features(fitted, seen.X_guide, seen.y_guide, sharing="margin"), feature_names=names)


@dataclass(frozen=True, eq=False)
class Measured:
    """What a method reaches on one split.

    Attributes
    ----------
    verdicts : dict of int to Verdict
        By size; always judged on rows that have not guided the choice.
    searches : dict of int to Search
        By size, where there was a directed search.
    """

    verdicts: Mapping[int, Verdict]
    searches: Mapping[int, Search]


def measured(method: str, task: Task, bench: Bench, *, crossed: bool) -> Measured:
    """Let a method choose, then train and measure on what it chose.

    Parameters
    ----------
    method : str
        Of METHODS or PROJECTIONS.
    task : Task
    bench : Bench
        Of the task's machine and parts.
    crossed : bool
        Whether the same rows guide and judge. Then wrappers are judged by their honest twins: one half of the
        rows guides and the other judges, and the other way round, so that every row is judged once by a
        search that has not seen it.
    """
    with quiet():
        if method in PROJECTIONS:
            return Measured(bench.of_projection(method, task.sizes), {})
        choice = METHODS[method](task)
        verdicts = bench.of_choice(choice)
        if crossed and method in WRAPPERS:
            untouched = _crossed(method, task)
            verdicts = {size: Verdict(each.guide, untouched[size]) for size, each in verdicts.items()}
    return Measured(verdicts, choice.searches)


def _crossed(method: str, task: Task) -> dict[int, InformationFlow]:
    counts: dict[int, Any] = {}
    for half in task.parts.crossed(task.seed):
        choice = METHODS[method](replace(task, parts=half))
        for size, verdict in Bench(task.machine, half).of_choice(choice).items():
            counts[size] = counts.get(size, 0.0) + verdict.judge.counts
    return {size: InformationFlow.from_confusion(each) for size, each in counts.items()}


@contextmanager
def quiet() -> Iterator[None]:
    """Let trainings of networks end where their settings say so, converged or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
