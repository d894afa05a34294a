"""How the features of an SVM are chosen and judged: the paper's three wrappers, and what they compete with.

A method gets the machine, the three parts of the data and the sizes wanted, and returns the columns it
chooses for each size. The wrappers ask the guiding rows, all others see the training rows only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from infoprop2001.protocols import word_information
from moi2004.filters import FILTERS, PROJECTIONS, ranked
from moi2004.problems import Parts
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import RFE

from infoprop.metrics import InformationFlow
from infoprop.selection import BackwardEliminationSelector, CreditSelector, DirectedSearchSelector
from infoprop.svm import OneVsRestSVC


@dataclass(frozen=True, eq=False)
class Task:
    """One split and the machine to be used on it.

    Attributes
    ----------
    machine : classifier
        Untrained.
    parts : Parts
    sizes : tuple of int
        Numbers of features wanted.
    step : int or float
        What backward elimination drops at a time.
    """

    machine: Any
    parts: Parts
    sizes: tuple[int, ...]
    step: int | float = 1

    @property
    def guide(self) -> dict[str, Any]:
        """The guiding rows, as the selectors take them."""
        return {"X_val": self.parts.X_guide, "y_val": self.parts.y_guide}


@dataclass(frozen=True, eq=False)
class Choice:
    """What a method chose.

    Attributes
    ----------
    columns : dict of int to array
        Column numbers by size.
    trainings : dict of int to int
        Trainings that each size took, where they were counted.
    """

    columns: Mapping[int, Any]
    trainings: Mapping[int, int] = field(default_factory=dict)


def moi_p(task: Task) -> Choice:
    """Algorithm 1: one machine on all features, then those with the highest credits."""
    selector = CreditSelector(clone(task.machine), n_features_to_select=1)
    ranking = selector.fit(task.parts.X_train, task.parts.y_train, **task.guide).credits_.ranking
    return _first(ranking, task.sizes)


def moi_be(task: Task) -> Choice:
    """Algorithm 2: the feature with the lowest credit goes, and the machine is trained again."""
    selector = BackwardEliminationSelector(
        clone(task.machine), n_features_to_select=min(task.sizes), step=task.step
    ).fit(task.parts.X_train, task.parts.y_train, **task.guide)
    return Choice({size: np.flatnonzero(selector.path_.support_at(size)) for size in task.sizes})


def moi_svm(task: Task) -> Choice:
    """Algorithm 3: directed search with backtracking, from the choice of Algorithm 1."""
    columns, trainings = {}, {}
    for size in task.sizes:
        selector = DirectedSearchSelector(clone(task.machine), n_features_to_select=size)
        selector.fit(task.parts.X_train, task.parts.y_train, **task.guide)
        columns[size] = np.flatnonzero(selector.support_)
        trainings[size] = len(selector.trace_)
    return Choice(columns, trainings)


def rfe(task: Task) -> Choice:
    """Recursive feature elimination by the weights of linear machines, scikit-learn's; no guiding rows."""
    selector = RFE(clone(task.machine), n_features_to_select=1, step=task.step)
    selector.fit(task.parts.X_train, task.parts.y_train)
    return _first(np.argsort(selector.ranking_, kind="stable"), task.sizes)


def by_filter(name: str) -> Callable[[Task], Choice]:
    """The method that keeps what a filter ranks first."""

    def choose(task: Task) -> Choice:
        X, y = task.parts.X_train, task.parts.y_train
        if sparse.issparse(X):
            return _first(ranked(word_information(X, y)), task.sizes)
        return _first(ranked(FILTERS[name](X, y)), task.sizes)

    return choose


def _first(ranking: Any, sizes: Sequence[int]) -> Choice:
    return Choice({size: np.sort(ranking[:size]) for size in sizes})


METHODS: Mapping[str, Callable[[Task], Choice]] = {
    "MOI-P": moi_p,
    "MOI-BE": moi_be,
    "MOI-SVM": moi_svm,
    "RFE": rfe,
    **{name: by_filter(name) for name in FILTERS},
}


@dataclass(frozen=True, eq=False)
class Verdict:
    """A machine trained on the training rows, measured on the guiding and on the judging rows."""

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

    def _flow(self, y_true: Any, y_pred: Any) -> InformationFlow:
        # All flows of a split have the same labels, so that their counts can be added up.
        return InformationFlow.from_predictions(y_true, y_pred, labels=self.labels)


def build_machine(settings: Mapping[str, Any], run: Mapping[str, Any]) -> OneVsRestSVC:
    """The paper's multiclass machine."""
    return OneVsRestSVC(**{"tol": run["tol"], **settings})
