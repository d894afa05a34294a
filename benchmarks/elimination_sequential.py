"""Backward elimination by credits against scikit-learn's SequentialFeatureSelector.

Sonar, all rows, standardised, 60 features down to 10, linear machines, C = 1. Both judge by five folds: the
sequential selector tries every feature that is left and drops the one whose absence costs the least
accuracy, thousands of trainings; we train once per step and fold, and drop what earns the fewest bits out
of fold. They look for different sets; the accuracy of both is that of SVC(kernel="linear") on ten other
folds, optimistic for both since the same rows chose. Each method runs in a process of its own after a
warm-up; the time of infoprop is the best of three, that of the peer a single run. Peak is all that the
process ever held, growth is what the method added to it.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from _elimination import Ours, jaccard, table_row
from _elimination_data import Rows, all_rows, is_there
from _processes import compile_once, measure
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from infoprop.selection import BackwardEliminationSelector
from infoprop.svm import OneVsRestSVC

N_FEATURES = 10
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
OTHER_FOLDS = StratifiedKFold(10, shuffle=True, random_state=1)


def load(name: str = "sonar") -> Rows:
    return replace(all_rows(name), counted_on="five folds", n_features=N_FEATURES)


def ours_by_folds(rows: Rows, *, n_jobs: int) -> Any:
    """Numbers of the features chosen."""
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear"), n_features_to_select=rows.n_features, validation=FOLDS, n_jobs=n_jobs
    )
    return selector.fit(rows.X, rows.y).get_support(indices=True)


def sequential(rows: Rows) -> Any:
    """Numbers of the features chosen."""
    selector = SequentialFeatureSelector(
        SVC(kernel="linear"), n_features_to_select=rows.n_features, direction="backward", cv=FOLDS
    )
    return selector.fit(rows.X, rows.y).get_support(indices=True)


def accuracy(rows: Rows, columns: Any) -> float:
    """Mean accuracy on other folds, with these columns alone."""
    scores = cross_val_score(SVC(kernel="linear"), rows.X[:, columns], rows.y, cv=OTHER_FOLDS)
    return float(np.mean(scores))


def run() -> list[dict[str, Any]]:
    """Return the row of the comparison."""
    if not is_there():
        return []
    compile_once(load, partial(ours_by_folds, n_jobs=2))
    ours = Ours("information", *(measure(load, partial(ours_by_folds, n_jobs=n), 3) for n in (1, 2)))
    peer = measure(load, sequential)
    rows, chosen = load(), ours.alone.result
    note = f"accuracy {accuracy(rows, chosen):.3f}, of the peer {accuracy(rows, peer.result):.3f}"
    overlap = f"{jaccard(chosen, peer.result):.2f} of the {N_FEATURES} chosen"
    name = 'SequentialFeatureSelector(SVC(kernel="linear"), backward)'
    return [table_row(rows.name, ours, name, peer, overlap=overlap, note=note)]
