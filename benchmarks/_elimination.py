"""What the eliminations have in common: methods as functions of rows, and rows of the table of results.

A method returns the numbers of all features, best first: the one never dropped, then the others, last dropped
first.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from _elimination_data import Rows
from _processes import Measured, compile_once, measure
from scipy.integrate import trapezoid
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import credit_importance
from infoprop.selection import BackwardEliminationSelector
from infoprop.svm import OneVsRestSVC

MOST_COMPARED = 20
N_SIZES = 8
STEPS_PER_SIZE = 10
JUDGES_ERROR = 1e-9
LINEAR_PEERS = {
    'RFE(SVC(kernel="linear"))': SVC(kernel="linear"),
    "RFE(LinearSVC())": LinearSVC(random_state=0),
}


def eliminate(
    rows: Rows, *, kernel: str = "linear", loss: str = "hinge", criterion: str = "margin", n_jobs: int = 1
) -> Any:
    """Our elimination. By margins no row is counted, as in RFE; by information the rows to count on are."""
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel=kernel, loss=loss),
        n_features_to_select=rows.n_features,
        criterion=criterion,
        validation=None if criterion == "margin" else "given",
        n_jobs=n_jobs,
    )
    given = {} if criterion == "margin" else {"X_val": rows.X_count, "y_val": rows.y_count}
    return selector.fit(rows.X, rows.y, **given).path_.best_first


def rfe(
    rows: Rows, *, estimator: Any, importance: Any = "auto", n_steps: int | None = None, step: Any = 1
) -> Any:
    """scikit-learn's elimination, one feature at a time by default; only the first `n_steps` if given."""
    target = rows.n_features if n_steps is None else max(rows.n_features, rows.n_columns - n_steps)
    selector = RFE(clone(estimator), n_features_to_select=target, step=step, importance_getter=importance)
    return np.argsort(selector.fit(rows.X, rows.y).ranking_, kind="stable")


def sampled_steps(rows: Rows, *, estimator: Any, best_first: Any) -> list[tuple[int, float]]:
    """Mean seconds of a step of RFE at sizes from all columns to the fewest, falling, on a path given."""
    found = []
    best_first = best_first[best_first < rows.n_columns]
    fewest = min(rows.n_features + STEPS_PER_SIZE, rows.n_columns)
    for size in np.linspace(rows.n_columns, fewest, N_SIZES).astype(int):
        there = replace(rows, X=rows.X[:, np.sort(best_first[:size])])
        start = time.perf_counter()
        rfe(there, estimator=estimator, n_steps=STEPS_PER_SIZE)
        found.append((int(size), (time.perf_counter() - start) / (STEPS_PER_SIZE + 1)))
    return found


def summed(steps: list[tuple[int, float]]) -> float:
    """Seconds of all steps from the largest to the smallest size, by trapezoids."""
    sizes, seconds = np.array(steps).T
    return float(trapezoid(seconds[::-1], sizes[::-1]))


@dataclass(frozen=True)
class Ours:
    """Our elimination by one criterion, with one thread and with two."""

    criterion: str
    alone: Measured
    together: Measured
    loss: str = "hinge"

    @classmethod
    def measured(
        cls,
        load: Callable[[], Rows],
        criterion: str,
        *,
        kernel: str = "linear",
        loss: str = "hinge",
        repeats: int = 3,
    ) -> "Ours":
        method = partial(eliminate, kernel=kernel, loss=loss, criterion=criterion)
        compile_once(load, method)
        alone, together = (measure(load, partial(method, n_jobs=n_jobs), repeats) for n_jobs in (1, 2))
        assert np.array_equal(alone.result, together.result), "the path depends on n_jobs"
        return cls(criterion, alone, together, loss)

    def better(self, again: "Ours") -> "Ours":
        """The same measured at two times: the better of each."""
        return replace(
            self, alone=self.alone.better(again.alone), together=self.together.better(again.together)
        )


def table_row(
    data: str, ours: Ours, name: str, peer: Measured, *, at_least: Any = "", overlap: Any = "", note: str = ""
) -> dict[str, Any]:
    """Return one row of the table; ratio = seconds of the peer / seconds of infoprop."""
    row = {
        "data": data,
        "rows x columns": ours.alone.shape,
        "loss": ours.loss,
        "criterion": ours.criterion,
        "counted on": "" if ours.criterion == "margin" else ours.alone.counted_on,
        "peer": name,
        "peer s": _rounded(peer.seconds),
        "infoprop s": _rounded(ours.alone.seconds),
        "ratio": _rounded(peer.seconds / ours.alone.seconds),
        "with n_jobs=2 s": _rounded(ours.together.seconds),
        "ratio with n_jobs=2": _rounded(peer.seconds / ours.together.seconds),
        "at least": at_least,
        "overlap": overlap,
        "peer peak MiB": round(peer.peak),
        "peer growth MiB": round(peer.growth),
        "infoprop peak MiB": round(max(ours.alone.peak, ours.together.peak)),
        "infoprop growth MiB": round(max(ours.alone.growth, ours.together.growth)),
        "note": note,
    }
    print(", ".join(f"{key}: {value}" for key, value in row.items() if value != ""), flush=True)
    return row


def _rounded(value: float) -> float:
    """Three digits are all that timing tells."""
    return float(f"{value:.3g}")


def jaccard(first: Any, second: Any) -> float:
    """Size of the intersection over size of the union."""
    first, second = set(np.asarray(first).tolist()), set(np.asarray(second).tolist())
    return len(first & second) / len(first | second)


def last_overlap(best_first: Any, other: Any) -> str:
    """Jaccard index of the last features of both: 20, or a quarter of all if that is less."""
    n_last = max(1, min(MOST_COMPARED, len(best_first) // 4))
    return f"{jaccard(best_first[:n_last], other[:n_last]):.2f} of the last {n_last}"


def same_path(rows: Rows, kernel: str, best_first: Any, other: Any) -> str:
    """Say up to which step two eliminations to one feature agree, and what parts them there.

    The judge is a machine trained nearly exactly on the features that still stand: its shares for the feature
    that we drop and for the one that the other drops.
    """
    ours, theirs = np.asarray(best_first)[::-1], np.asarray(other)[::-1]
    n_steps = len(ours) - 1
    parted = np.flatnonzero(ours[:n_steps] != theirs[:n_steps])
    if not len(parted):
        return f"same path, all {n_steps} steps"
    step = int(parted[0])
    standing = np.sort(ours[step:])
    judge = OneVsRestSVC(kernel=kernel, tol=1e-9).fit(rows.X[:, standing], rows.y)
    share = dict(zip(standing.tolist(), credit_importance(judge), strict=True))
    mine, its = share[int(ours[step])], share[int(theirs[step])]
    gap = abs(mine - its) * len(standing)
    who = "we drop" if mine < its else "the peer drops"
    parting = f"two shares differ by {gap:.0e} of the mean share with tol=1e-9, and {who} the smaller"
    if gap < JUDGES_ERROR:
        parting = "two shares tie"
    return f"same path for {step} of {n_steps} steps; then {parting}"
