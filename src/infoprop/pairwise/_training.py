"""What fit learns once every pair of classes has its columns: how well they do, and their classifiers."""

from typing import Any

import numpy as np

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import run_tasks
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.pairwise._pair_votes import PairVotes
from infoprop.pairwise._pairs import ClassPair, ClassPairs
from infoprop.pairwise._voters import PairRows
from infoprop.pairwise._voting import larger_first
from infoprop.selection._preparation import restricted


def trained_pairs(rows: PairRows, pair_votes: PairVotes, masks: BoolArray) -> dict[str, Any]:
    """Judge the pairs on these columns, train them, and return what fit learns of it."""
    credibility, accuracy = np.full(rows.n_pairs, np.nan), np.nan
    if len(rows.tested):
        decisions = pair_votes.decisions(masks[None])[0]
        credibility, accuracy = pair_votes.credibility(decisions), float(pair_votes.accuracy(decisions))
    return {
        "classes_": rows.evaluator.classes,
        "priority_": larger_first(rows.class_weights),
        "validated_accuracy_": accuracy,
        "pairs_": _class_pairs(rows, masks, credibility),
    }


def _class_pairs(rows: PairRows, masks: BoolArray, credibility: FloatArray) -> ClassPairs:
    tasks = [(pair, np.flatnonzero(mask)) for pair, mask in enumerate(masks)]
    trained = dict(run_tasks(_trained_pair, SharedData(rows), tasks, rows.evaluator.n_jobs))
    names, classes = rows.evaluator.feature_names, rows.evaluator.classes.tolist()
    pairs = [
        ClassPair(
            (classes[rows.first[pair]], classes[rows.second[pair]]),
            np.flatnonzero(mask),
            tuple(names[column] for column in np.flatnonzero(mask)),
            float(credibility[pair]),
            len(rows.of_pair(pair)),
            trained[pair],
        )
        for pair, mask in enumerate(masks)
    ]
    return ClassPairs(tuple(pairs), names)


def _trained_pair(rows: PairRows, task: tuple[int, IntArray]) -> Any:
    pair, columns = task
    takes_all = len(columns) == len(rows.evaluator.feature_names)
    return restricted(rows.evaluator, rows.of_pair(pair)).fitted(None if takes_all else columns)
