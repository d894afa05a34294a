"""Markers of each class: ``CreditSelector(per_class=N)`` and scanpy's ``rank_genes_groups``.

Gene expression with several classes, ten times split into halves by class: one half chooses N markers for
every class, a classifier of neither side is trained on the union of them, and "accuracy" is that on the other
half, in percent, with its standard error over the splits; "difference" is infoprop less scanpy, in points.
"overlap" is the part of the N markers of a class that both name, averaged over classes and splits. "s" are
processor seconds to choose. Columns are standardised by the choosing half for infoprop and the classifier;
scanpy is given the values as they are, and ranks by t-test or Wilcoxon's rank sums. The number of markers and
all settings were fixed beforehand. Run it where scanpy is installed: ``python benchmarks/peers/markers.py``.
"""

import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from infoprop.datasets import load_table
from infoprop.selection import CreditSelector

DATA = Path(os.environ.get("INFOPROP_DATA", "../shared/data"))
SETS = ("srbct", "su-tissue", "lymphoma")
N_MARKERS, N_SPLITS, FEWEST_ROWS = 5, 10, 8
METHODS = ("t-test", "wilcoxon")


def rows_of(name: str) -> tuple[Any, Any]:
    """Values that vary, and classes with enough rows to be halved."""
    data = load_table(DATA / f"{name}.csv.gz", target="class")
    names = [column for column in data.numeric if column != "split"]
    X, y = data.frame[names].to_numpy().astype(np.float64), np.asarray(data.y).astype(str)
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[counts >= FEWEST_ROWS])
    X, y = X[kept], y[kept]
    return X[:, X.std(axis=0) > 0], y


def by_infoprop(X: Any, y: Any, sharing: str) -> dict[str, list[int]]:
    """Columns of the markers of each class."""
    selector = CreditSelector(per_class=N_MARKERS, sharing=sharing, validation=5, random_state=0)
    found = selector.fit(X, y).credits_.markers(N_MARKERS)
    return {str(label): [int(name[1:]) for name, _ in markers] for label, markers in found.items()}


def by_scanpy(X: Any, y: Any, method: str) -> dict[str, list[int]]:
    """The same, as ``scanpy.tl.rank_genes_groups`` ranks them."""
    import anndata
    import pandas as pd
    import scanpy

    data = anndata.AnnData(
        X, obs=pd.DataFrame({"class": pd.Categorical(y)}, index=[str(k) for k in range(len(y))])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scanpy.tl.rank_genes_groups(data, "class", method=method, n_genes=N_MARKERS)
    names = data.uns["rank_genes_groups"]["names"]
    return {label: [int(name) for name in names[label]] for label in np.unique(y)}


WAYS = {
    "infoprop, margin": lambda X, y: by_infoprop(X, y, "margin"),
    "infoprop, covariance": lambda X, y: by_infoprop(X, y, "covariance"),
    **{f"scanpy, {method}": lambda X, y, method=method: by_scanpy(X, y, method) for method in METHODS},
}


def run() -> Iterator[dict[str, Any]]:
    """One row for each data set and way."""
    for name in SETS:
        X, y = rows_of(name)
        splits = StratifiedShuffleSplit(N_SPLITS, test_size=0.5, random_state=0)
        right: dict[str, list[float]] = {way: [] for way in WAYS}
        seconds = dict.fromkeys(WAYS, 0.0)
        shared: dict[str, list[float]] = {way: [] for way in WAYS}
        with threadpool_limits(1):
            for train, test in splits.split(X, y):
                chosen = {}
                for way, choose in WAYS.items():
                    begun = time.process_time()
                    chosen[way] = choose(X[train], y[train])
                    seconds[way] += time.process_time() - begun
                    columns = sorted({column for markers in chosen[way].values() for column in markers})
                    judge = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
                    judge.fit(X[train][:, columns], y[train])
                    right[way].append(100.0 * judge.score(X[test][:, columns], y[test]))
                for way in WAYS:
                    parts = [
                        len(set(chosen[way][label]) & set(chosen["scanpy, wilcoxon"][label])) / N_MARKERS
                        for label in chosen[way]
                    ]
                    shared[way].append(float(np.mean(parts)))
        peer = np.array(right["scanpy, wilcoxon"])
        for way in WAYS:
            own = np.array(right[way])
            yield {
                "data": name,
                "way": way,
                "accuracy": round(float(own.mean()), 1),
                "error": round(float(own.std(ddof=1) / np.sqrt(len(own))), 1),
                "difference to wilcoxon": round(float((own - peer).mean()), 1),
                "its error": round(float((own - peer).std(ddof=1) / np.sqrt(len(own))), 1),
                "overlap with wilcoxon": round(float(np.mean(shared[way])), 2),
                "s": round(seconds[way] / N_SPLITS, 2),
            }


if __name__ == "__main__":
    for row in run():
        print(row, flush=True)
