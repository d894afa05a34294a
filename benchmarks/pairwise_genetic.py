"""The n² classifier: a generation of its genetic search, and its predictions, against scikit-learn's parts.

"generation": 30 genomes drawn at random, one string of bits for each pair of classes, judged by the vote of
all pairs in five folds; KNeighborsClassifier(1) on columns scaled to [0, 1]. The peer trains a
KNeighborsClassifier of scikit-learn for every genome, pair and fold, predicts the fold's rows and counts the
votes with NumPy. Ours begins with nothing known: neither distances nor answers. "same fitness" counts the
genomes that both find equally fit; subsets of few columns have rows at equal distances, whose order
scikit-learn leaves open. "prediction": PairwiseClassifier(estimator, validation=None) with all columns
against OneVsOneClassifier(estimator), all rows predicted at once. One thread; methods take turns, the best
of three times counts (of five for predictions). Ratio = seconds of the peer / seconds of infoprop; "at
least" is the ratio that we want to keep.
"""

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from _measure import best_times
from _pairs_data import ClassRows, class_rows, is_there
from sklearn.multiclass import OneVsOneClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale
from threadpoolctl import threadpool_limits

from infoprop.pairwise import PairwiseClassifier
from infoprop.pairwise._neighbor_voter import fastest_voter
from infoprop.pairwise._pair_votes import PairVotes
from infoprop.pairwise._voters import PairRows
from infoprop.selection._preparation import prepared_rows

AT_LEAST = {"generation": 100, "prediction": 1}
POPULATION = 30
FOLDS = 5


def judged(rows: PairRows, genomes: Any) -> Any:
    """Fitness of genomes, by a fresh pair_votes."""
    return PairVotes(rows, fastest_voter(rows), "majority").fitness(genomes)


def judged_by_peer(X: Any, y: Any, splits: Any, genomes: Any) -> Any:
    """Fitness of the same genomes, by classifiers of scikit-learn."""
    classes, sizes = np.unique(y, return_counts=True)
    priority = np.lexsort((np.arange(len(classes)), -sizes))
    fitness = []
    for genome in genomes:
        n_right = n_rows = 0
        for split in splits:
            votes = np.zeros((len(split.test), len(classes)))
            for mask, (one, other) in zip(genome, combinations(range(len(classes)), 2), strict=True):
                own = split.train[np.isin(y[split.train], classes[[one, other]])]
                model = KNeighborsClassifier(1).fit(X[np.ix_(own, mask)], y[own])
                is_first = model.predict(X[np.ix_(split.test, mask)]) == classes[one]
                votes[is_first, one] += 1
                votes[~is_first, other] += 1
            found = classes[priority[np.argmax(votes[:, priority], axis=1)]]
            n_right += (found == y[split.test]).sum()
            n_rows += len(split.test)
        fitness.append(n_right / n_rows)
    return np.array(fitness)


def generation_rows(data: ClassRows) -> Iterator[dict[str, Any]]:
    X, y = minmax_scale(data.X), data.y
    owner = PairwiseClassifier(KNeighborsClassifier(1), validation=FOLDS, random_state=0)
    evaluator, _ = prepared_rows(owner, owner.estimator, X, y, None, {})
    rows = PairRows.from_evaluator(evaluator)
    genomes = np.random.default_rng(0).random((POPULATION, rows.n_pairs, X.shape[1])) < 0.5
    genomes |= ~genomes.any(axis=2, keepdims=True)
    judged(rows, genomes[:1])
    masks = [[np.flatnonzero(mask) for mask in genome] for genome in genomes]
    methods = {
        "infoprop": partial(judged, rows, genomes),
        "peer": partial(judged_by_peer, X, y, evaluator.plan.splits, masks),
    }
    seconds, found = best_times(methods)
    n_same = int(np.isclose(found["infoprop"], found["peer"]).sum())
    yield row(data, "generation", "KNeighborsClassifier(1), scaled", seconds) | {
        "same fitness": f"{n_same} of {POPULATION}"
    }


def prediction_rows(data: ClassRows) -> Iterator[dict[str, Any]]:
    scaled = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
    for name, estimator in {
        "KNeighborsClassifier(1)": KNeighborsClassifier(1),
        "behind MinMaxScaler": scaled,
    }.items():
        ours = PairwiseClassifier(estimator, validation=None).fit(data.X, data.y)
        peer = OneVsOneClassifier(estimator).fit(data.X, data.y)
        methods = {"infoprop": partial(ours.predict, data.X), "peer": partial(peer.predict, data.X)}
        seconds, _ = best_times(methods, repeats=5)
        yield row(data, "prediction", name, seconds) | {"same fitness": ""}


def row(data: ClassRows, what: str, estimator: str, seconds: dict[str, float]) -> dict[str, Any]:
    n_classes = len(np.unique(data.y))
    return {
        "what": what,
        "data": data.name,
        "rows x columns": data.shape,
        "pairs": n_classes * (n_classes - 1) // 2,
        "estimator": estimator,
        "peer s": round(seconds["peer"], 4),
        "infoprop s": round(seconds["infoprop"], 4),
        "ratio": round(seconds["peer"] / seconds["infoprop"], 1),
        "at least": AT_LEAST[what],
    }


def run() -> list[dict[str, Any]]:
    """Return one row for each data set and task; ratio = seconds of the peer / seconds of infoprop."""
    if not is_there():
        return []
    with threadpool_limits(1):
        generations = [row for name in ("glass", "automobile") for row in generation_rows(class_rows(name))]
        predicted = ("glass", "automobile", "yeast")
        return generations + [row for name in predicted for row in prediction_rows(class_rows(name))]
