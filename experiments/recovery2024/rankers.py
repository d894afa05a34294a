"""Ways to rank columns, best first: ours, and those that people use."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.selection import BackwardEliminationSelector, interaction_screen
from infoprop.svm import OneVsRestSVC

Ranking = NDArray[np.intp]


def by_score(scores: Any) -> Ranking:
    """Columns by falling score; ties go against the first, which are the relevant ones."""
    reverse = np.asarray(scores)[::-1]
    return len(reverse) - 1 - np.argsort(-reverse, kind="stable")


def screen(X: Any, y: Any, seed: int) -> Ranking:
    """Our screen of columns and pairs, with nothing to set."""
    return np.asarray(interaction_screen(X, y).feature_ranking)


def elimination(X: Any, y: Any, seed: int) -> Ranking:
    """Our backward elimination with rbf machines, a fifth of the columns at a step."""
    machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="rbf"))
    search = BackwardEliminationSelector(
        machine, n_features_to_select=1, step=0.2, criterion="margin", validation=None, random_state=seed
    )
    return np.asarray(search.fit(X, y).feature_ranking_)


def forest(X: Any, y: Any, seed: int) -> Ranking:
    """Gini importances of 100 trees."""
    return by_score(RandomForestClassifier(random_state=seed).fit(X, y).feature_importances_)


def mutual_information(X: Any, y: Any, seed: int) -> Ranking:
    """scikit-learn's estimate of the mutual information of each column, by nearest neighbours."""
    return by_score(mutual_info_classif(X, y, random_state=seed))


def f_test(X: Any, y: Any, seed: int) -> Ranking:
    """Analysis of variance of each column."""
    return by_score(f_classif(X, y)[0])


def relief(X: Any, y: Any, seed: int) -> Ranking:
    """ReliefF with ten neighbours, as skrebate has it."""
    from skrebate import ReliefF

    return by_score(ReliefF(n_neighbors=10, n_jobs=1).fit(X, y.astype(int)).feature_importances_)


RANKERS: dict[str, Callable[[Any, Any, int], Ranking]] = {
    "screen": screen,
    "rbf-elimination": elimination,
    "forest": forest,
    "relief": relief,
    "mutual-information": mutual_information,
    "f-test": f_test,
}
