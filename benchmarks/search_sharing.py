"""Backward elimination that shares bits by margin and by covariance: accuracy at K, and time.

Linear one-vs-rest machines (C = 0.1), columns standardised on the training rows, one column dropped at a time
(a fifth of those left where there are more than 1,000 columns; one at a time for "s"), five folds inside the
search. Five outer folds, dealt three times: the features are chosen anew in each, machines are trained on
them, and "margin" and "covariance" are the parts of the rows left out that they name right, in percent;
"difference" is covariance less margin, with the standard error that five folds would have. No rule and no
default was chosen by these accuracies. Colon, srbct and leukemia took part in the choice of the rule by which
credits are shared, where noise was counted; the other sets did not. The last rows are means over all sets
that have as many columns, with their standard error over the sets.

"s" are processor seconds of one search on all rows with a quarter held out, best of three in turns; "time" is
that of covariance over that of margin (wanted: at most 2).
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from _elimination_data import is_there
from _problems import DATA
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from infoprop.datasets import load_table
from infoprop.selection import BackwardEliminationSelector
from infoprop.svm import OneVsRestSVC

SETS = ("colon", "srbct", "leukemia", "lymphoma", "glioma", "breast-w", "ecoli", "spambase")
N_REPEATS = 3
SIZES = (2, 5, 10, 20)
WIDE, MOST_ROWS = 1000, 600
RULES = ("margin", "covariance")


def rows_of(name: str) -> tuple[Any, Any]:
    """Numbers of a data set that vary, and classes with at least ten rows; of many rows every so many-th."""
    data = load_table(DATA / f"{name}.csv.gz", target="class")
    names = [column for column in data.numeric if column not in ("split", "Train or Test")]
    X, y = data.frame[names].to_numpy().astype(np.float64), np.asarray(data.y)
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[counts >= 10]) & np.isfinite(X).all(axis=1)
    X, y = X[kept], y[kept]
    every = max(1, -(-len(y) // MOST_ROWS))
    X, y = X[::every], y[::every]
    return X[:, X.std(axis=0) > 0], y


def search(sharing: str, step: Any, validation: Any) -> BackwardEliminationSelector:
    return BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear", C=0.1),
        n_features_to_select=1,
        sharing=sharing,
        step=step,
        validation=validation,
        random_state=0,
    )


def accuracies(X: Any, y: Any, sharing: str, sizes: list[int]) -> Any:
    """Part of the rows of every outer fold that machines with the K columns left name right."""
    found = []
    step = 0.2 if X.shape[1] > WIDE else 1
    for repeat in range(N_REPEATS):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=repeat).split(X, y):
            scaled = StandardScaler().fit(X[train])
            path = search(sharing, step, 5).fit(scaled.transform(X[train]), y[train]).path_
            row = []
            for size in sizes:
                machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", C=0.1))
                columns = path.best_first[:size]
                row.append(machine.fit(X[train][:, columns], y[train]).score(X[test][:, columns], y[test]))
            found.append(row)
    return np.array(found)


def seconds(X: Any, y: Any) -> dict[str, float]:
    """Of each rule, the best of three turns after one to warm up."""
    scaled = StandardScaler().fit_transform(X)
    best = dict.fromkeys(RULES, np.inf)
    for turn in range(4):
        for rule in RULES:
            begin = time.process_time()
            search(rule, 1, 0.25).fit(scaled, y)
            if turn:
                best[rule] = min(best[rule], time.process_time() - begin)
    return best


def set_rows(name: str) -> Iterator[dict[str, Any]]:
    X, y = rows_of(name)
    took = seconds(X, y)
    common = {
        "data": name,
        "rows x columns": f"{X.shape[0]} x {X.shape[1]}",
        "margin s": float(f"{took['margin']:.3g}"),
        "covariance s": float(f"{took['covariance']:.3g}"),
        "time": float(f"{took['covariance'] / took['margin']:.3g}"),
    }
    sizes = [size for size in SIZES if 2 * size <= X.shape[1]]
    by_margin, by_covariance = (accuracies(X, y, rule, sizes) for rule in RULES)
    for k, size in enumerate(sizes):
        gain = 100 * (by_covariance - by_margin)[:, k]
        yield {
            **common,
            "K": size,
            "margin": round(100 * by_margin[:, k].mean(), 1),
            "covariance": round(100 * by_covariance[:, k].mean(), 1),
            "difference": round(gain.mean(), 1),
            "±": round(gain.std(ddof=1) / np.sqrt(5), 1),
        }


def means(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One row for each K: means over the sets, with the standard error of the difference."""
    for size in SIZES:
        own = [row for row in rows if row["K"] == size]
        gains = np.array([row["difference"] for row in own])
        yield {
            **dict.fromkeys(rows[0], ""),
            "data": "mean",
            "rows x columns": f"{len(own)} sets",
            "K": size,
            **{rule: round(float(np.mean([row[rule] for row in own])), 1) for rule in RULES},
            "difference": round(float(gains.mean()), 1),
            "±": round(float(gains.std(ddof=1) / np.sqrt(len(gains))), 1),
        }


def run() -> list[dict[str, Any]]:
    """Return one row for each data set and number of features."""
    if not is_there():
        return []
    found: list[dict[str, Any]] = []
    with threadpool_limits(1):
        for name in SETS:
            found += list(set_rows(name))
            print(f"  {name}", flush=True)
    return [*found, *means(found)]
