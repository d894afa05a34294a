"""How good a choice is: what it found, or what classifiers that are not ours do with it."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from boards.problems import Rows
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

Chosen = Mapping[int, NDArray[np.intp]]


def scores(board: str, rows: Rows, chosen: Chosen, seed: int) -> dict[str, float]:
    """Scores of what was chosen, in percent, by the name of the measure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {"recovery": _recovery, "noise": _noise, "wide": _wide}[board](rows, chosen, seed)
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
    boosting = HistGradientBoostingClassifier(
        max_iter=20, max_leaf_nodes=15, early_stopping=False, random_state=seed
    )
    network = MLPClassifier((32,), max_iter=60, learning_rate_init=0.01, random_state=seed)
    judges: dict[str, tuple[Any, dict[str, list[Any]]]] = {
        "boosting": (boosting, {"learning_rate": [0.05, 0.1, 0.2]}),
        "rbf": (SVC(), {"C": [1.0, 10.0, 100.0]}),
        "network": (network, {"alpha": [1e-4, 1e-1, 10.0]}),
    }
    found = {name: _judged(*judge, inner, rows, columns) for name, judge in judges.items()}
    return found | {"real": rows.real[columns].mean()}


def _wide(rows: Rows, chosen: Chosen, seed: int) -> dict[str, float]:
    """Balanced accuracy of a linear machine, whose C five inner folds choose, for every size."""
    inner = StratifiedKFold(5, shuffle=True, random_state=seed)
    settings = {"C": [0.001, 0.01, 0.1, 1.0]}
    judge = SVC(kernel="linear")
    return {str(size): _judged(judge, settings, inner, rows, columns) for size, columns in chosen.items()}


def _judged(judge: Any, settings: dict[str, list[Any]], inner: Any, rows: Rows, columns: Any) -> float:
    search = GridSearchCV(judge, settings, scoring="balanced_accuracy", cv=inner)
    search.fit(rows.X[:, columns], rows.y)
    return balanced_accuracy_score(rows.y_test, search.predict(rows.X_test[:, columns]))
