"""Backward elimination on tall data, one feature at a time down to one, against scikit-learn's RFE.

Training rows of DNA (0/1 as given) and satimage (standardised), all rows of digits (divided by 16); C = 1.
The criterion "margin" without rows to count does the job of RFE; "information" also counts a confusion
table in every step, on the official test part where there is one, else on the training rows themselves.
Each method runs in a process of its own after a warm-up; the time of infoprop is the best of three, that of
the peer a single run. Peak is all that the process ever held, growth is what the method added to it. "at
least" is the ratio to the faster of the two peers that we want to keep.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from _elimination import LINEAR_PEERS, Ours, last_overlap, rfe, table_row
from _elimination_data import digits_rows, is_there, split_rows
from _processes import measure

AT_LEAST = 5
SHARED = {
    "dna": partial(split_rows, "dna", standardise=False),
    "satimage": partial(split_rows, "satimage", standardise=True),
}


def tall_rows(name: str, load: Any) -> Iterator[dict[str, Any]]:
    ours = [Ours.measured(load, criterion) for criterion in ("margin", "information")]
    peers = {
        peer: measure(load, partial(rfe, estimator=estimator)) for peer, estimator in LINEAR_PEERS.items()
    }
    faster = min(peers, key=lambda peer: peers[peer].seconds)
    for peer, measured in peers.items():
        for own in ours:
            yield table_row(
                name,
                own,
                peer,
                measured,
                at_least=AT_LEAST if own.criterion == "margin" and peer == faster else "",
                overlap=last_overlap(own.alone.result, measured.result),
            )


def run() -> list[dict[str, Any]]:
    """Return one row for each problem, criterion and peer."""
    problems = {"digits": digits_rows, **(SHARED if is_there() else {})}
    return [row for name, load in problems.items() for row in tall_rows(name, load)]
