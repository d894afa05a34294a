"""Backward elimination of words, one at a time down to 100, against scikit-learn's RFE(LinearSVC).

Training documents of reuters-3, five classes, presence of the words that occur in at least three of them; C
= 1. The peer would take the better part of an hour and is not run to the end. Its time is stated twice.
"first 200 steps": mean time of a training in its first 200 steps times the number of trainings; this is
more than it would take, since later steps have fewer words. "sampled": it makes 10 steps from each of 8
sizes, evenly spread from all words to 100, on the words that stand on our own path there, and the mean
times are summed over all sizes in between (trapezoids); this is the fairer figure. Memory of the peer is
that of these steps.

Overlap is that of the 100 words left, with a peer that reaches them by dropping 2 % of all words at a time.
"information" counts a confusion table on the test documents in every step. Each method runs in a process of
its own after a warm-up; the time of infoprop is the best of three. Peak is all that the process ever held,
growth is what the method added to it.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from _elimination import Ours, jaccard, rfe, sampled_steps, summed, table_row
from _elimination_data import is_there, word_rows
from _processes import Measured, measure
from sklearn.svm import LinearSVC

AT_LEAST = 50
N_WORDS = 100
N_FIRST = 200
LARGE_STEP = 0.02
PEER = LinearSVC(random_state=0)


def extrapolated(seconds: float, n_steps: int, n_columns: int, n_features: int) -> float:
    """Seconds of the whole elimination: RFE trains once per step, and once more on what is left."""
    return seconds / (n_steps + 1) * (n_columns - n_features + 1)


def peer_figures(load: Any, best_first: Any, n_first: int = N_FIRST) -> dict[str, Measured]:
    """Measure the peer, and give it the time that the whole elimination would take, both ways."""
    first = measure(load, partial(rfe, estimator=PEER, n_steps=n_first))
    whole = extrapolated(first.seconds, n_first, len(best_first), N_WORDS)
    sampled = measure(load, partial(sampled_steps, estimator=PEER, best_first=best_first))
    return {
        "first 200 steps": replace(first, seconds=whole),
        "sampled": replace(sampled, seconds=summed(sampled.result)),
    }


def text_rows(name: str) -> Iterator[dict[str, Any]]:
    load = partial(word_rows, name, N_WORDS)
    ours = [Ours.measured(load, criterion) for criterion in ("margin", "information")]
    left = measure(load, partial(rfe, estimator=PEER, step=LARGE_STEP)).result[:N_WORDS]
    for how, peer in peer_figures(load, ours[0].alone.result).items():
        for own in ours:
            overlap = jaccard(own.alone.result[:N_WORDS], left)
            yield table_row(
                name,
                own,
                "RFE(LinearSVC())",
                peer,
                at_least=AT_LEAST if own.criterion == "margin" else "",
                overlap=f"{overlap:.2f} of the {N_WORDS} left",
                note=f"peer extrapolated: {how}",
            )


def run() -> list[dict[str, Any]]:
    """Return one row for each criterion and each way to extrapolate the peer."""
    return list(text_rows("reuters-3")) if is_there() else []
