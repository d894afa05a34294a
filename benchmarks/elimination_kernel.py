"""Backward elimination with rbf machines, one feature at a time down to one, against cold refits.

All rows of sonar and vehicle, standardised; training rows of DNA, 0/1 as given; C = 1, gamma = "scale". RFE
with `credit_importance` drops what our criterion "margin" drops, but trains from nothing in every step:
once scikit-learn's machines, once our own, which shows what moving them gains. Each method runs in a
process of its own after a warm-up; the best of three runs counts, or of as many as fill two seconds, or of
fewer where they take more than half a minute together. All methods take two turns, of which the better
counts: slow spells of a machine last for minutes and do not hit all alike. Peak is all that the process ever
held, growth is what the method added to it. "information" counts a confusion table in every step, on the
official test part of DNA, else on the training rows themselves. "at least" is the ratio that we want to keep
to scikit-learn's machines.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from _elimination import Ours, last_overlap, rfe, same_path, table_row
from _elimination_data import all_rows, is_there, split_rows
from _processes import Measured, measure
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from infoprop.credit import credit_importance
from infoprop.svm import OneVsRestSVC

AT_LEAST = {"RFE(OneVsRestClassifier(SVC()))": 10}
PEERS = {
    "RFE(OneVsRestClassifier(SVC()))": OneVsRestClassifier(SVC(kernel="rbf")),
    'RFE(OneVsRestSVC(kernel="rbf"))': OneVsRestSVC(kernel="rbf"),
}
JOBS = {
    "sonar": partial(all_rows, "sonar"),
    "vehicle": partial(all_rows, "vehicle"),
    "dna": partial(split_rows, "dna", standardise=False),
}


def measured_once(load: Any) -> tuple[list[Ours], list[Measured]]:
    ours = [Ours.measured(load, criterion, kernel="rbf") for criterion in ("margin", "information")]
    methods = [
        partial(rfe, estimator=estimator, importance=credit_importance) for estimator in PEERS.values()
    ]
    return ours, [measure(load, method, 3) for method in methods]


def kernel_rows(name: str, load: Any) -> Iterator[dict[str, Any]]:
    turns = zip(measured_once(load), measured_once(load), strict=True)
    ours, peers = ([one.better(other) for one, other in zip(*turn, strict=True)] for turn in turns)
    rows = load()
    for peer, measured in zip(PEERS, peers, strict=True):
        for own in ours:
            is_same_job = own.criterion == "margin"
            yield table_row(
                name,
                own,
                peer,
                measured,
                at_least=AT_LEAST.get(peer, "") if is_same_job else "",
                overlap=last_overlap(own.alone.result, measured.result),
                note=same_path(rows, "rbf", own.alone.result, measured.result) if is_same_job else "",
            )


def run(only: str | None = None) -> list[dict[str, Any]]:
    """Return one row for each problem, criterion and peer."""
    names = JOBS if only is None else (only,)
    return [row for name in names for row in kernel_rows(name, JOBS[name])] if is_there() else []
