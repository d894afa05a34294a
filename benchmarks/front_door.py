"""`FeatureSelector`, with nothing to choose, against an elimination of our own and scikit-learn's RFECV.

Five outer folds: everything is chosen anew from the training rows of each, and counted on the rows left out.
"elimination" is `BackwardEliminationSelector(n_features_to_select="auto", rule="one-se", validation=5)` with
linear machines, "RFECV" that of scikit-learn with `SVC(kernel="linear")` on standardised columns and five
folds, one column at a time (a tenth of those left where there are more than 100). "right" are points of
percent of the rows left out; "features" the mean number chosen; "difference" is that of the front door to
RFECV, with its standard error over the folds; "time" the processor seconds of RFECV over those of the front
door, warm; "time, one by one" the same for RFECV as it is without a step, on the first of the outer folds
where there are more than 100 columns. "time, fits alone" is what it would be for a front door that fits one
machine of scikit-learn, `SVC()`, for each number of features that it tries in each of five folds, and does
nothing else: no scaling, no ranking, no predictions; measured on the first of the outer folds. Where that is
below 5, a fifth of RFECV's time is out of reach for whoever judges an rbf machine at these sizes. Candidates
and their settings were chosen on the sets of the half "choose", and on no set of the half "report" (as in
`experiments/boards`). Of many rows every so many-th is taken, 600 at most. `run.py front_door --only NAME`
does one set.
"""

import time
import warnings
from typing import Any

import numpy as np
from _elimination_data import is_there
from search_sharing import rows_of
from sklearn.feature_selection import RFECV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from infoprop.selection import BackwardEliminationSelector, FeatureSelector
from infoprop.selection.front._candidates import sizes_for

CHOOSE = (
    *("glass", "diabetes", "vowel", "vehicle", "wdbc", "sonar"),
    *("ecoli", "breast-w", "wine", "yeast", "colon", "srbct"),
)
REPORT = ("satimage", "spambase", "optdigits", "brown-selected", "automobile", "credit-g")
JOBS = (*CHOOSE, *REPORT)
MANY_COLUMNS = 100


class FromSklearn:
    """RFECV on standardised columns, with the names that the loop asks for."""

    def __init__(self, n_columns: int, step: float | None = None) -> None:
        step = step or (1 if n_columns <= MANY_COLUMNS else 0.1)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        self._search = RFECV(SVC(kernel="linear"), step=step, cv=folds)
        self._model = make_pipeline(StandardScaler(), self._search)

    def fit(self, X: Any, y: Any) -> Any:
        self._model.fit(X, y)
        self.n_features_ = self._search.n_features_
        self.score = self._model.score
        return self


def methods(n_columns: int) -> dict[str, Any]:
    return {
        "front door": FeatureSelector(random_state=0),
        "elimination": BackwardEliminationSelector(
            n_features_to_select="auto", rule="one-se", validation=5, step="halving", random_state=0
        ),
        "RFECV": FromSklearn(n_columns),
    }


def processor_seconds(selector: Any, X: Any, y: Any) -> float:
    begin = time.process_time()
    selector.fit(X, y)
    return time.process_time() - begin


def fits_alone(X: Any, y: Any) -> float:
    """Processor seconds of an rbf machine for every size and fold, on the first so many columns."""
    X = StandardScaler().fit_transform(X)
    taken = 0.0
    for train, _ in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        for size in sizes_for(X.shape[1], 1):
            taken += processor_seconds(SVC(), np.ascontiguousarray(X[train, :size]), y[train])
    return taken


def row(name: str) -> dict[str, Any]:
    X, y = rows_of(name)
    right: dict[str, list[float]] = {}
    sizes: dict[str, list[int]] = {}
    seconds: dict[str, float] = {}
    one_by_one = bare = 0.0
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        for method, selector in methods(X.shape[1]).items():
            if method == "front door" and method not in right:
                selector.fit(X[train][::2], y[train][::2])
            taken = processor_seconds(selector, X[train], y[train])
            seconds[method] = seconds.get(method, 0.0) + taken
            if method == "RFECV" and not bare:
                bare = taken / fits_alone(X[train], y[train])
            if method == "front door" and not one_by_one and X.shape[1] > MANY_COLUMNS:
                one_by_one = processor_seconds(FromSklearn(X.shape[1], step=1), X[train], y[train]) / taken
            right.setdefault(method, []).append(100.0 * selector.score(X[test], y[test]))
            sizes.setdefault(method, []).append(int(selector.n_features_))
    difference = np.subtract(right["front door"], right["RFECV"])
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    half = "choose" if name in CHOOSE else "report"
    found = {"data": name, "half": half, "rows": f"{X.shape[0]} x {X.shape[1]}"}
    for method in right:
        found[f"{method} right"] = round(float(np.mean(right[method])), 1)
        found[f"{method} features"] = round(float(np.mean(sizes[method])), 1)
    found["difference"] = f"{difference.mean():+.1f} ± {error:.1f}"
    found["front door s"] = round(seconds["front door"], 1)
    found["time"] = round(seconds["RFECV"] / seconds["front door"], 2)
    found["time, one by one"] = round(one_by_one, 1) if one_by_one else found["time"]
    found["time, fits alone"] = round(bare, 2)
    print(found, flush=True)
    return found


def run(only: str | None = None) -> list[dict[str, Any]]:
    warnings.simplefilter("ignore")
    return [row(name) for name in JOBS if only in (None, name)] if is_there() else []
