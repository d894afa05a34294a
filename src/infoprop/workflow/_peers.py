"""Ways to choose features without a classifier of the user's, most of them other people's, for comparison.

Each chooses from columns that were prepared alike.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, f_classif, mutual_info_classif
from sklearn.svm import SVC, LinearSVC, l1_min_c

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection import FeatureSelector, interaction_screen

_COSTS = np.logspace(0.05, 3.0, 15)
"""Costs of an error, in units of the smallest that leaves any feature, at which the L1 path is looked at."""


class RankedColumns(BaseEstimator):
    """Ranks columns once, and answers for every number of features from that.

    Parameters
    ----------
    score : callable
        Takes prepared rows, classes from 0, a seed and the number of columns that must be told apart;
        returns a score for each column, higher is better.
    preparation : transformer or None
        Imputation and scaling, learned from the rows that are ranked by.
    n_wanted : int
        Largest number of features that will be asked for.
    groups : sequence or None
        A label for each column; a group has the place of the best of its columns.
    random_state : int or None
        Seed of scores that draw at random.
    """

    def __init__(
        self,
        score: Callable[[Any, IntArray, int, int], FloatArray],
        preparation: Any = None,
        n_wanted: int = 1,
        groups: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.score = score
        self.preparation = preparation
        self.n_wanted = n_wanted
        self.groups = groups
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the columns of X."""
        labels = range(X.shape[1]) if self.groups is None else self.groups
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        self._group_of_column = np.array([numbers[label] for label in labels])
        # So many columns hold at least the wanted number of groups, however they come.
        n_columns = min(self.n_wanted + X.shape[1] - len(numbers), X.shape[1])
        scores = self.score(
            _prepared(self.preparation, X, y), _numbered(y), self.random_state or 0, max(1, n_columns)
        )
        order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
        _, first = np.unique(self._group_of_column[order], return_index=True)
        self._best_first = np.argsort(first, kind="stable")
        return self

    def support_at(self, size: int) -> BoolArray:
        """Mask of the columns of the `size` best features."""
        return np.isin(self._group_of_column, self._best_first[:size])


class BorutaColumns(BaseEstimator):
    """Boruta by the package of that name: keeps columns that beat shuffled copies, however many they are.

    Parameters
    ----------
    preparation : transformer or None
        Imputation and scaling, learned from the rows that are chosen by.
    max_iter : int
        Rounds of forests at most.
    random_state : int or None
        Seed of its forests.
    """

    def __init__(self, preparation: Any = None, max_iter: int = 100, random_state: int | None = None) -> None:
        self.preparation = preparation
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose columns of X."""
        forest = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=self.random_state)
        selector = import_module("boruta").BorutaPy(
            forest, n_estimators="auto", max_iter=self.max_iter, random_state=self.random_state
        )
        with _silence():
            selector.fit(_prepared(self.preparation, X, y), _numbered(y))
        self.support_ = np.asarray(selector.support_, dtype=np.bool_)
        return self


class AutomaticColumns(BaseEstimator):
    """`infoprop.select` for a given number of features, on columns that were prepared.

    Parameters
    ----------
    preparation : transformer or None
        Imputation and scaling, learned from the rows that are chosen by.
    n_features_to_select : int, float or "auto"
        As in :class:`~infoprop.selection.FeatureSelector`.
    groups : sequence or None
        A label for each column.
    random_state : int or None
        Seed of its folds.
    """

    def __init__(
        self,
        preparation: Any = None,
        n_features_to_select: Any = "auto",
        groups: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.preparation = preparation
        self.n_features_to_select = n_features_to_select
        self.groups = groups
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose columns of X."""
        selector = FeatureSelector(
            n_features_to_select=self.n_features_to_select,
            groups=self.groups,
            random_state=self.random_state,
        )
        self.support_ = np.asarray(selector.fit(_prepared(self.preparation, X, y), y).support_)
        return self


def screen_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """Our screen of the shape of every column and the product of every pair."""
    scores = np.empty(X.shape[1])
    scores[interaction_screen(X, y).feature_ranking] = -np.arange(X.shape[1], dtype=np.float64)
    return scores


def forest_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """Gini importances of scikit-learn's forest of 100 trees."""
    scores: FloatArray = RandomForestClassifier(random_state=seed).fit(X, y).feature_importances_
    return scores


def elimination_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """scikit-learn's RFE around linear machines, one column at a time."""
    with _silence():
        ranking = RFE(SVC(kernel="linear"), n_features_to_select=1, step=1).fit(X, y).ranking_
    return -np.asarray(ranking, dtype=np.float64)


def information_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """scikit-learn's mutual information of each column and the class; columns of two values are discrete."""
    discrete: Any = "auto"
    if isinstance(X, np.ndarray):
        discrete = np.array([len(np.unique(column)) <= 2 for column in X.T])
    scores: FloatArray = mutual_info_classif(X, y, discrete_features=discrete, random_state=seed)
    return scores


def variance_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """scikit-learn's ratio of the variance between classes to that within them (ANOVA F)."""
    with _silence():
        scores: FloatArray = f_classif(X, y)[0]
    return scores


def penalty_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """How early a column enters the L1 path of scikit-learn's LinearSVC; then by its largest weight."""
    entered = np.zeros(X.shape[1])
    weight = np.zeros(X.shape[1])
    for cost in l1_min_c(X, y, loss="squared_hinge") * _COSTS:
        machine = LinearSVC(penalty="l1", dual=False, C=cost, random_state=seed, max_iter=2000)
        with _silence():
            weight = np.abs(machine.fit(X, y).coef_).max(axis=0)
        entered += weight > 0
    return entered + weight / (1.0 + weight.max())


def relief_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """ReliefF by the package skrebate, with 10 neighbours."""
    n_neighbors = max(1, min(10, int(np.bincount(y).min()) - 1))
    with _silence():
        relief = import_module("skrebate").ReliefF(n_features_to_select=1, n_neighbors=n_neighbors).fit(X, y)
    return np.asarray(relief.feature_importances_, dtype=np.float64)


def redundancy_scores(X: Any, y: IntArray, seed: int, n_columns: int) -> FloatArray:
    """mRMR by the package mrmr-selection: relevance by F, redundancy by correlation."""
    import pandas as pd

    frame = pd.DataFrame(X, columns=range(X.shape[1]))
    with _silence():
        chosen = import_module("mrmr").mrmr_classif(
            frame, pd.Series(y), K=n_columns, n_jobs=1, show_progress=False
        )
    scores = np.full(X.shape[1], -np.inf)
    scores[chosen] = -np.arange(len(chosen), dtype=np.float64)
    return scores


def _prepared(preparation: Any, X: Any, y: Any) -> Any:
    return X if preparation is None else clone(preparation).fit_transform(X, y)


def _numbered(y: Any) -> IntArray:
    return np.unique(y, return_inverse=True)[1]


@contextmanager
def _silence() -> Iterator[None]:
    """Constant columns and machines that need more rounds are no news in a comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
