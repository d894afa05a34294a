"""How features are chosen: the paper's wrappers around SVMs and networks, and what they compete with.

A method gets the classifier, the three parts of the data and the sizes wanted, and returns the columns it
chooses for each size. The wrappers ask the guiding rows, all others see the training rows only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from infoprop2001.protocols import word_information
from moi2004.filters import FILTERS, ranked
from moi2004.problems import Parts
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import RFE

from infoprop.mlp import MLPClassifier
from infoprop.selection import BackwardEliminationSelector, CreditSelector, DirectedSearchSelector
from infoprop.svm import OneVsRestSVC


@dataclass(frozen=True, eq=False)
class Task:
    """One split and the classifier to be used on it.

    Attributes
    ----------
    machine : classifier
        Untrained.
    parts : Parts
    sizes : tuple of int
        Numbers of features wanted.
    step : int or float
        What backward elimination drops at a time.
    seed : int
        Of what a method draws at random.
    """

    machine: Any
    parts: Parts
    sizes: tuple[int, ...]
    step: int | float = 1
    seed: int = 0

    @property
    def guide(self) -> dict[str, Any]:
        """The guiding rows, as the selectors take them."""
        return {"X_val": self.parts.X_guide, "y_val": self.parts.y_guide}


@dataclass(frozen=True)
class Search:
    """A directed search: how often it trained, and the accuracy that its best classifier had there."""

    trainings: int
    accuracy: float


@dataclass(frozen=True, eq=False)
class Choice:
    """What a method chose.

    Attributes
    ----------
    columns : dict of int to array
        Column numbers by size.
    searches : dict of int to Search
        By size, where there was a directed search.
    """

    columns: Mapping[int, Any]
    searches: Mapping[int, Search] = field(default_factory=dict)


def moi_p(task: Task) -> Choice:
    """Algorithm 1: one classifier on all features, then those with the highest credits."""
    selector = CreditSelector(clone(task.machine), n_features_to_select=1, sharing="margin", validation=0.25)
    ranking = selector.fit(task.parts.X_train, task.parts.y_train, **task.guide).credits_.ranking
    return _first(ranking, task.sizes)


def moi_be(task: Task) -> Choice:
    """Algorithm 2: the feature with the lowest credit goes, and the classifier is trained again."""
    selector = BackwardEliminationSelector(
        clone(task.machine), n_features_to_select=min(task.sizes), step=task.step
    ).fit(task.parts.X_train, task.parts.y_train, **task.guide)
    return Choice({size: np.flatnonzero(selector.path_.support_at(size)) for size in task.sizes})


def moi_svm(task: Task) -> Choice:
    """Algorithm 3 for machines: directed search with backtracking, from the choice of Algorithm 1."""
    return _directed(task, task.machine, "credits")


def moi_mlp(task: Task) -> Choice:
    """Algorithm 3 for networks: from a random set; how they are retrained is in their settings."""
    return _directed(task, task.machine, "random")


def moi_mlp_warm(task: Task) -> Choice:
    """The same, but a network keeps its weights when a feature is swapped."""
    return _directed(task, clone(task.machine).set_params(retrain="warm"), "random")


def moi_mlp_folds(task: Task) -> Choice:
    """The same, guided by five folds of training and guiding rows together instead of the latter alone."""
    parts = task.parts
    X, y = np.vstack([parts.X_train, parts.X_guide]), np.concatenate([parts.y_train, parts.y_guide])
    options = {"init": "random", "validation": 5, "random_state": task.seed}
    columns = {}
    for size in task.sizes:
        selector = DirectedSearchSelector(clone(task.machine), n_features_to_select=size, **options)
        columns[size] = np.flatnonzero(selector.fit(X, y).support_)
    return Choice(columns)


def _directed(task: Task, machine: Any, init: str) -> Choice:
    columns, searches = {}, {}
    for size in task.sizes:
        selector = DirectedSearchSelector(
            clone(machine), n_features_to_select=size, init=init, random_state=task.seed
        ).fit(task.parts.X_train, task.parts.y_train, **task.guide)
        columns[size] = np.flatnonzero(selector.support_)
        searches[size] = Search(len(selector.trace_), selector.credits_.flow.accuracy)
    return Choice(columns, searches)


def rfe(task: Task) -> Choice:
    """Recursive feature elimination by the weights of linear machines, scikit-learn's; no guiding rows."""
    selector = RFE(clone(task.machine), n_features_to_select=1, step=task.step)
    selector.fit(task.parts.X_train, task.parts.y_train)
    return _first(np.argsort(selector.ranking_, kind="stable"), task.sizes)


def at_random(task: Task) -> Choice:
    """Any features."""
    order = np.random.RandomState(task.seed).permutation(task.parts.X_train.shape[1])
    return _first(order, task.sizes)


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


WRAPPERS: Mapping[str, Callable[[Task], Choice]] = {
    "MOI-P": moi_p,
    "MOI-P of an SVM": moi_p,
    "MOI-BE": moi_be,
    "MOI-SVM": moi_svm,
    "MOI-MLP": moi_mlp,
    "MOI-MLP warm": moi_mlp_warm,
    "MOI-MLP, 5 folds": moi_mlp_folds,
}
"""Methods that ask the guiding rows."""

METHODS: Mapping[str, Callable[[Task], Choice]] = {
    **WRAPPERS,
    "RFE": rfe,
    "random": at_random,
    **{name: by_filter(name) for name in FILTERS},
}


def build_machine(settings: Mapping[str, Any], run: Mapping[str, Any], seed: int = 0) -> Any:
    """The paper's multiclass machine, or its network if the settings have hidden layers.

    A network of the same seed begins with the same weights on every set of features: what a search has found
    is found again by a training on the same columns.
    """
    if "hidden_layer_sizes" in settings:
        layers = tuple(settings["hidden_layer_sizes"])
        options = {**settings, "hidden_layer_sizes": layers, "random_state": seed}
        return MLPClassifier(**{"loss": "squared_error", "retrain": "cold", "validation": None, **options})
    return OneVsRestSVC(**{"tol": run["tol"], **settings})


def build_machines(part: Mapping[str, Any], run: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The classifier of each method; those that have none of their own share one."""
    own = part.get("own_machine", {})
    shared = build_machine(part["machine"], run, seed)
    return {name: build_machine(own[name], run, seed) if name in own else shared for name in part["methods"]}
