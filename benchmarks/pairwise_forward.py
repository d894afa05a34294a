"""Forward search for the features of every pair of classes, against mlxtend's SequentialFeatureSelector.

Rows of two classes at a time, scaled to [0, 1]; KNeighborsClassifier(1), ten stratified folds, the same for
both. The peer is greedy and does not stop by itself: it is told to go as far as our greedy search
(`beam_width=1`) went, so that both judge the same number of subsets. A wider beam has no peer and is compared
with the greedy one. Seconds are those of all pairs together, from rows to the classifier trained on the
chosen features, one thread; methods take turns pair by pair, each runs once. "same choice" counts the pairs
in which both greedy searches stand on the same features where ours ended: the peer averages the accuracies of
the folds, we count all rows, and of equally distant rows the first is our neighbour. "at least" is the ratio
that we want to keep.
"""

import warnings
from functools import partial
from typing import Any

import numpy as np
from _measure import best_times
from _pairs_data import ClassRows, class_rows, is_there
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from infoprop.selection import ForwardBeamSelector

AT_LEAST = 50
FOLDS = 10
BEAMS = (1, 5)
PEER = "mlxtend"


def forward(X: Any, y: Any, splits: Any, beam_width: int) -> ForwardBeamSelector:
    search = ForwardBeamSelector(KNeighborsClassifier(1), beam_width=beam_width, validation=splits)
    return search.fit(X, y)


def peer_forward(X: Any, y: Any, splits: Any, size: int) -> Any:
    from mlxtend.feature_selection import SequentialFeatureSelector  # only `make bench` installs it

    search = SequentialFeatureSelector(
        KNeighborsClassifier(1), k_features=size, forward=True, scoring="accuracy", cv=splits, n_jobs=1
    )
    return search.fit(X, y)


def folds_of(X: Any, y: Any) -> list[Any]:
    """Stratified folds; some classes have fewer rows than there are folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))


def search_rows(rows: ClassRows) -> list[dict[str, Any]]:
    seconds, subsets = dict.fromkeys(BEAMS, 0.0), dict.fromkeys(BEAMS, 0)
    peer_seconds, n_pairs, n_same = 0.0, 0, 0
    for X, y in rows.pairs():
        splits = folds_of(X, y)
        greedy = forward(X, y, splits, 1)
        methods: dict[str, Any] = {str(width): partial(forward, X, y, splits, width) for width in BEAMS}
        methods[PEER] = partial(peer_forward, X, y, splits, len(greedy.trace_))
        taken, found = best_times(methods, repeats=1)
        for width in BEAMS:
            seconds[width] += taken[str(width)]
            subsets[width] += found[str(width)].n_trainings_
        peer_seconds += taken[PEER]
        reached = found[PEER].subsets_[greedy.n_features_]["feature_idx"]
        n_same += set(reached) == set(np.flatnonzero(greedy.support_).tolist())
        n_pairs += 1
    return [
        {
            "data": rows.name,
            "rows x columns": rows.shape,
            "pairs": n_pairs,
            "beam_width": width,
            "peer s": round(peer_seconds, 2),
            "infoprop s": round(seconds[width], 4),
            "ratio": round(peer_seconds / seconds[width], 1),
            "at least": AT_LEAST if width == 1 else "",
            "subsets of the peer": subsets[1],
            "subsets": subsets[width],
            "same choice": f"{n_same} of {n_pairs}" if width == 1 else "",
        }
        for width in BEAMS
    ]


def run() -> list[dict[str, Any]]:
    """Return one row for each data set and beam; ratio = seconds of the peer / seconds of infoprop."""
    if not is_there():
        return []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        # Compiled code is loaded before the clock runs.
        forward(np.eye(20), np.arange(20) % 2, folds_of(np.eye(20), np.arange(20) % 2), 5)
        return [row for name in ("yeast", "automobile") for row in search_rows(class_rows(name))]
