"""Backward elimination on wide data, one feature at a time down to one, against scikit-learn's RFE.

All rows, standardised; C = 1. `BackwardEliminationSelector(OneVsRestSVC(kernel="linear"))` with the
criterion "margin" and no rows to count does the job of RFE; with "information" it also counts a confusion
table in every step, here on the training rows themselves. Each method runs in a process of its own after a
warm-up; the best of three runs counts, or of as many as fill two seconds, or of fewer where they take more
than half a minute together. Peak is all that the process ever held, growth is what the method added to it.
"at least" is the ratio that we want to keep.

The path can be compared where there are two classes: then RFE(SVC) has the same machine in every step, up
to its tolerance. The least of thousands of shares lie closer together than tol = 1e-3 can tell, so on colon
the peer also runs with tol = 1e-7. More classes are separated one against one by SVC and one against the
rest by us. RFE(LinearSVC) would take ten minutes on srbct; there its time is sampled, 10 steps from each of 8
sizes on our own path, and summed over all sizes in between.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from _elimination import LINEAR_PEERS, Ours, last_overlap, rfe, same_path, sampled_steps, summed, table_row
from _elimination_data import all_rows, is_there
from _processes import measure
from sklearn.svm import SVC

JOBS = ("colon", "srbct", "leukemia")
SAMPLED = {("srbct", "RFE(LinearSVC())")}
PRECISE = {'RFE(SVC(kernel="linear", tol=1e-7))': SVC(kernel="linear", tol=1e-7)}
AT_LEAST = dict(zip(LINEAR_PEERS, (100, 50), strict=True))


def wide_rows(name: str) -> Iterator[dict[str, Any]]:
    load = partial(all_rows, name)
    ours = [Ours.measured(load, criterion) for criterion in ("margin", "information")]
    rows = load()
    has_same_machines = len(np.unique(rows.y)) == 2
    for peer, estimator in {**LINEAR_PEERS, **(PRECISE if name == "colon" else {})}.items():
        is_sampled = (name, peer) in SAMPLED
        if is_sampled:
            sampling = partial(sampled_steps, estimator=estimator, best_first=ours[0].alone.result)
            measured = measure(load, sampling)
            measured = replace(measured, seconds=summed(measured.result))
        else:
            measured = measure(load, partial(rfe, estimator=estimator), 3)
        for own in ours:
            is_same_job = own.criterion == "margin"
            note = "peer extrapolated: sampled" if is_sampled else ""
            if is_same_job and has_same_machines and "SVC(kernel" in peer:
                note = same_path(rows, "linear", own.alone.result, measured.result)
            yield table_row(
                name,
                own,
                peer,
                measured,
                at_least=AT_LEAST.get(peer, "") if is_same_job else "",
                overlap="" if is_sampled else last_overlap(own.alone.result, measured.result),
                note=note,
            )


def run(only: str | None = None) -> list[dict[str, Any]]:
    """Return one row for each problem, criterion and peer."""
    names = JOBS if only is None else (only,)
    return [row for name in names for row in wide_rows(name)] if is_there() else []
