"""Backward elimination on tall data, one feature at a time down to one, against scikit-learn's RFE.

Training rows of DNA (0/1 as given) and satimage (standardised), all rows of digits (divided by 16); C = 1.
RFE(SVC(kernel="linear")) minimises the hinge, RFE(LinearSVC()) its square; "loss" is what infoprop
minimises. The hinge is compared with both peers, its square with the one that minimises it, too. The
criterion "margin" without rows to count does the job of RFE; "information" also counts a confusion table in
every step, on the official test part where there is one, else on the training rows themselves. Each method
runs in a process of its own after a warm-up; the best of three runs counts, or of as many as fill two
seconds, or of fewer where they take more than half a minute together. Peak is all that the process ever
held, growth is what the method added to it. "at least" is the ratio that we want to keep to the peer with
the same loss.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from _elimination import LINEAR_PEERS, Ours, last_overlap, rfe, table_row
from _elimination_data import digits_rows, is_there, split_rows
from _processes import measure

AT_LEAST = 5
PEER_OF = {"hinge": 'RFE(SVC(kernel="linear"))', "squared_hinge": "RFE(LinearSVC())"}
JOBS = {
    "digits": digits_rows,
    "dna": partial(split_rows, "dna", standardise=False),
    "satimage": partial(split_rows, "satimage", standardise=True),
}


def tall_rows(name: str, load: Any) -> Iterator[dict[str, Any]]:
    ours = [
        Ours.measured(load, criterion, loss=loss)
        for loss in PEER_OF
        for criterion in ("margin", "information")
    ]
    for peer, estimator in LINEAR_PEERS.items():
        measured = measure(load, partial(rfe, estimator=estimator), 3)
        for own in ours:
            is_alike = peer == PEER_OF[own.loss]
            if is_alike or own.loss == "hinge":
                yield table_row(
                    name,
                    own,
                    peer,
                    measured,
                    at_least=AT_LEAST if own.criterion == "margin" and is_alike else "",
                    overlap=last_overlap(own.alone.result, measured.result),
                )


def run(only: str | None = None) -> list[dict[str, Any]]:
    """Return one row for each problem, peer, loss and criterion."""
    names = [name for name in JOBS if only in (None, name) and (name == "digits" or is_there())]
    return [row for name in names for row in tall_rows(name, JOBS[name])]
