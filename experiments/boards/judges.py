"""How good a choice is: what it found, or what classifiers that are not ours do with it."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from boards.problems import Rows
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

Chosen = Mapping[int, NDArray[np.intp]]


def scores(board: str, rows: Rows, chosen: Chosen, seed: int) -> dict[str, float]:
    """Scores of what was chosen, in percent, by the name of the measure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = {"recovery": _recovery, "published": _recovery, "noise": _noise, "wide": _wide}[board]
        found = judged(rows, chosen, seed)
    return {measure: round(100.0 * float(score), 3) for measure, score in found.items()}


def _recovery(rows: Rows, chosen: Chosen, seed: int) -> dict[str, float]:
    """Recall, and the success index of Bolón-Canedo et al. (2013), which takes off for other features."""
    (columns,) = chosen.values()
    n_real, n_other = rows.real.sum(), (~rows.real).sum()
    found = rows.real[columns].sum()
    false = len(columns) - found
    weight = min(0.5, n_real / max(n_other, 1))
    return {"recall": found / n_real, "success": found / n_real - weight * false / max(n_other, 1)}


def _noise(rows: Rows, chosen: Chosen, seed: int) -> dict[str, float]:
    """Balanced accuracy of three classifiers, each with the best of three settings by a third of the rows."""
    (columns,) = chosen.values()
    inner = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed)
    judges: dict[str, list[Any]] = {
        "boosting": [
            HistGradientBoostingClassifier(
                max_iter=20, learning_rate=rate, max_leaf_nodes=8, early_stopping=False, random_state=seed
            )
            for rate in (0.05, 0.1, 0.2)
        ],
        "rbf": [SVC(C=C) for C in (1.0, 10.0, 100.0)],
        "network": [
            MLPClassifier((32,), alpha=alpha, max_iter=40, learning_rate_init=0.01, random_state=seed)
            for alpha in (1e-4, 1e-1, 10.0)
        ],
    }
    found = {name: _judged(settings, inner, rows, columns) for name, settings in judges.items()}
    return found | {"real": rows.real[columns].mean()}


def _wide(rows: Rows, chosen: Chosen, seed: int) -> dict[str, float]:
    """Balanced accuracy of a linear machine, whose C five inner folds choose, for every size."""
    inner = StratifiedKFold(5, shuffle=True, random_state=seed)
    machines = [SVC(kernel="linear", C=C) for C in (0.001, 0.01, 0.1, 1.0)]
    return {str(size): _judged(machines, inner, rows, columns) for size, columns in chosen.items()}


def _judged(settings: Sequence[Any], inner: Any, rows: Rows, columns: Any) -> float:
    """Balanced accuracy, on the rows left out, of the setting that is best in the inner folds."""
    X, y = rows.X[:, columns], rows.y
    right = np.zeros(len(settings))
    for train, test in inner.split(X, y):
        for place, judge in enumerate(settings):
            predicted = clone(judge).fit(X[train], y[train]).predict(X[test])
            right[place] += balanced_accuracy_score(y[test], predicted)
    best = clone(settings[int(np.argmax(right))]).fit(X, y)
    return balanced_accuracy_score(rows.y_test, best.predict(rows.X_test[:, columns]))
