"""The methods: all of ours that choose a given number of features, and those that people use.

`fastcan`, `lightgbm` and `pyHSICLasso` (with `future`, `six` and `seaborn`) are not among the project's
requirements: where they are not installed, their lines say so.
"""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from boards.problems import Rows
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC

from infoprop.credit._groups import ColumnGroups
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    FeatureSelector,
    ForwardBeamSelector,
    GeneticSelector,
    GradientAngleSelector,
    KnockoffSelector,
    StabilitySelector,
)
from infoprop.selection.comparison import _choosing
from infoprop.selection.front._screened import ScreenSelector
from infoprop.svm import OneVsRestSVC
from infoprop.workflow._peers import (
    RankedColumns,
    information_scores,
    penalty_scores,
    redundancy_scores,
    relief_scores,
    variance_scores,
)

Scores = NDArray[np.float64]
N_REPEATS = 3
"""Of permutations of a column."""
MANY_COLUMNS = 100
"""Above, RFE with linear machines drops a tenth of the columns that are left at a time; below, one."""


def random_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    return np.random.default_rng([seed, 5]).random(X.shape[1])


def forest_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """Gini importances of scikit-learn's forest of 100 trees."""
    return RandomForestClassifier(random_state=seed).fit(X, y).feature_importances_


def published_forest_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """A forest of 500 trees, as in the benchmark of Passemiers et al. (2024)."""
    return RandomForestClassifier(500, random_state=seed).fit(X, y).feature_importances_


def published_relief_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """Relief as in that benchmark: the nearest row of each class, and scores without their sign."""
    distances = squareform(pdist(X))
    np.fill_diagonal(distances, np.inf)
    same = y[:, None] == y
    hits = np.where(same, distances, np.inf).argmin(axis=1)
    misses = np.where(same, np.inf, distances).argmin(axis=1)
    gaps = np.abs(X - X[misses]).mean(axis=0) - np.abs(X - X[hits]).mean(axis=0)
    return np.abs(gaps / np.ptp(X, axis=0))


def permutation_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """Permutation importances of a forest, on a quarter of the rows that it has not seen; then by Gini.

    A column that no tree uses changes no prediction, so that it need not be permuted.
    """
    rng = np.random.default_rng([seed, 6])
    order = rng.permutation(len(y))
    train, test = order[len(y) // 4 :], order[: len(y) // 4]
    forest = RandomForestClassifier(random_state=seed).fit(X[train], y[train])
    scores = 1e-6 * forest.feature_importances_
    right = np.mean(forest.predict(X[test]) == y[test])
    used = np.flatnonzero(scores)
    # Many columns in one call: a call takes milliseconds, whatever the number of rows.
    for columns in np.array_split(used, max(1, len(used) * N_REPEATS * len(test) // 5000)):
        copies = np.repeat(X[test][None], len(columns) * N_REPEATS, axis=0)
        for copy, column in zip(copies, np.repeat(columns, N_REPEATS), strict=True):
            copy[:, column] = rng.permutation(copy[:, column])
        predicted = forest.predict(copies.reshape(-1, X.shape[1])).reshape(len(columns), -1, len(test))
        scores[columns] += right - (predicted == y[test]).mean(axis=(1, 2))
    return scores


def _boosted(X: Any, y: Any, seed: int) -> Any:
    boosting = import_module("lightgbm").LGBMClassifier(
        random_state=seed, n_jobs=1, verbose=-1, importance_type="gain"
    )
    return boosting.fit(X, y)


def boosting_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """Gains of LightGBM."""
    return np.asarray(_boosted(X, y, seed).feature_importances_, dtype=np.float64)


def shap_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """Mean absolute TreeSHAP values of LightGBM."""
    values = np.abs(_boosted(X, y, seed).predict(X, pred_contrib=True)).mean(axis=0)
    return values.reshape(-1, X.shape[1] + 1)[:, :-1].sum(axis=0)


def _rfe_scores(
    machine: Callable[[int], Any], step: float, X: Any, y: Any, seed: int, n_columns: int
) -> Scores:
    """RFE, a fraction of the columns that are left at a time; weights as in scikit-learn's."""
    left, scores, place = np.arange(X.shape[1]), np.zeros(X.shape[1]), 0
    while len(left) > 1:
        fitted = machine(seed).fit(X[:, left], y)
        weights = (
            fitted.feature_importances_
            if hasattr(fitted, "feature_importances_")
            else (fitted.coef_**2).sum(0)
        )
        order = np.argsort(weights, kind="stable")
        n_dropped = 1 if len(left) <= MANY_COLUMNS and step < 0.2 else max(1, int(step * len(left)))
        scores[left[order[:n_dropped]]] = place
        left, place = left[np.sort(order[n_dropped:])], place + 1
    scores[left] = place
    return scores


def _linear(seed: int) -> Any:
    return LinearSVC(random_state=seed, max_iter=2000)


def _forest(seed: int) -> Any:
    return RandomForestClassifier(50, random_state=seed)


def boruta_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """Ranks of Boruta, 20 rounds of 50 trees; equal ones by a forest's importances."""
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=seed)
    search = import_module("boruta").BorutaPy(forest, n_estimators=50, max_iter=20, random_state=seed)
    search.fit(X, y)
    return -search.ranking_.astype(np.float64) + 0.5 * forest_scores(X, y, seed, n_columns)


def fastcan_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """fastcan: greedy sum of squared canonical correlations with the classes."""
    n_chosen = min(n_columns, X.shape[1], len(X) - 1)
    target = np.eye(y.max() + 1)[y] if y.max() > 1 else y
    while True:
        try:
            search = import_module("fastcan").FastCan(n_chosen, verbose=0).fit(X, target)
            break
        except RuntimeError:
            # Columns that depend on those chosen already are refused.
            if n_chosen == 1:
                raise
            n_chosen //= 2
    return _by_order(search.indices_, X.shape[1])


def hsic_scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
    """HSIC Lasso in blocks of 20 rows, as its authors propose for many rows."""
    # It catches an error by a name that NumPy 2 no longer has.
    vars(np.linalg).setdefault("linalg", np.linalg)
    search = import_module("pyHSICLasso").HSICLasso()
    np.random.seed(seed)  # noqa: NPY002 the package draws from the global state
    search.input(X, y)
    search.classification(min(n_columns, X.shape[1]), B=20, M=1, n_jobs=1, max_neighbors=0)
    return _by_order(search.get_index(), X.shape[1])


def _by_order(columns: Any, n_columns: int) -> Scores:
    scores = np.full(n_columns, -np.inf)
    scores[np.asarray(columns, dtype=int)] = -np.arange(len(columns), dtype=np.float64)
    return scores


def _machine(**settings: Any) -> Any:
    return OneVsRestSVC(**settings)


def _own() -> dict[str, Any]:
    """Ours: rows come standardised."""
    linear = _machine(kernel="linear")
    return {
        "front door": FeatureSelector(),
        "screen": ScreenSelector(),
        "backward, margin": BackwardEliminationSelector(
            _machine(kernel="linear", C=0.01), criterion="margin", validation=None, step="halving"
        ),
        "backward, bits": BackwardEliminationSelector(linear, validation=5, step="halving"),
        "backward, rbf": BackwardEliminationSelector(_machine(kernel="rbf"), validation=5, step="halving"),
        "credit, margin": CreditSelector(linear, sharing="margin", validation=0.25),
        "credit": CreditSelector(linear),
        "directed": DirectedSearchSelector(linear),
        "forward": ForwardBeamSelector(linear, beam_width=1),
        "genetic": GeneticSelector(linear, population_size=20, n_generations=15),
        "gradient angle": GradientAngleSelector(_machine(kernel="rbf")),
        "stability": StabilitySelector(linear, n_pairs=10),
        "knockoffs": KnockoffSelector(linear),
    }


_SCORES: dict[str, Callable[[Any, Any, int, int], Scores]] = {
    "random": random_scores,
    "F-test": variance_scores,
    "mutual information": information_scores,
    "mRMR": redundancy_scores,
    "ReliefF": relief_scores,
    "L1 path": penalty_scores,
    "forest": forest_scores,
    "permutation": permutation_scores,
    "boosting": boosting_scores,
    "TreeSHAP": shap_scores,
    "RFE, linear": partial(_rfe_scores, _linear, 0.1),
    "RFE, forest": partial(_rfe_scores, _forest, 0.3),
    "Boruta": boruta_scores,
    "fastcan": fastcan_scores,
    "HSIC Lasso": hsic_scores,
}

SLOW = ("mutual information", "mRMR", "ReliefF", "permutation", "RFE, forest", "Boruta", "HSIC Lasso")
"""Methods of others that take minutes on a table with more than `VERY_WIDE` columns: there they choose among
the `N_SIFTED` columns with the largest F, as is common practice."""
VERY_WIDE, N_SIFTED = 4000, 1000


def _sifted(score: Callable[[Any, Any, int, int], Scores]) -> Callable[[Any, Any, int, int], Scores]:
    def scores(X: Any, y: Any, seed: int, n_columns: int) -> Scores:
        if X.shape[1] <= VERY_WIDE:
            return score(X, y, seed, n_columns)
        best = np.sort(np.argsort(-np.nan_to_num(variance_scores(X, y, seed, n_columns)))[:N_SIFTED])
        found = np.full(X.shape[1], -np.inf)
        found[best] = score(X[:, best], y, seed, n_columns)
        return found

    return scores


_SCORES |= {name: _sifted(_SCORES[name]) for name in SLOW}
OURS = tuple(_own())
METHODS = (*OURS, "all", *_SCORES)
_SCORES |= {"forest, published": published_forest_scores, "Relief, published": published_relief_scores}


def methods_of(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Methods that take part in a board."""
    return tuple(settings.get("only") or (name for name in METHODS if name not in settings["without"]))


def chosen(name: str, rows: Rows, seed: int) -> dict[int, NDArray[np.intp]]:
    """Features that a method chooses from the training rows for every size, or as many as it finds."""
    groups = None if len(rows.real) == rows.X.shape[1] else rows.groups.tolist()
    names = tuple(str(column) for column in range(rows.X.shape[1]))
    told = _choosing.Rows(rows.X, rows.y, ColumnGroups.from_specification(groups, names), seed)
    sizes = tuple(min(size, len(rows.real)) for size in rows.sizes)
    method: Any = None
    if name in _SCORES:
        method = RankedColumns(_SCORES[name], None, sizes[-1])
    elif name != "all":
        method = _own()[name]
        if isinstance(method, ForwardBeamSelector):
            method.set_params(n_features_to_select=sizes[-1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {
            choice.size: np.flatnonzero(choice.mask)
            for choice in _choosing.choose(method, told, sizes, groups)
        }
    return {size: found.get(size, found.get(None)) for size in sizes}
