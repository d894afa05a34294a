"""SearchTrace: every subset that a directed search asked about, in order, and why it ended."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

import numpy as np

from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._numbers import aligned, aligned_percent
from infoprop._core._typing import FloatArray, IntArray

# Equal informations and credits may differ in their last bits, by the order of the terms in a sum.
TIE_DECIMALS = 12


ROWS_SHOWN = 20
NAMES_SHOWN = 8


@dataclass(frozen=True, eq=False)
class SearchStep(FrozenArrays):
    """One subset of a search, and what was found there.

    Attributes
    ----------
    run : int
        0 for the first run, 1 for the first restart, and so on.
    move : {"start", "untested", "swap", "back"}
        How the search came here: it starts here; an untested feature replaced the worst one; an unused
        feature of higher credit replaced the worst one; it went back to the best subset of the run.
    groups : ndarray of shape (n_select,)
        Numbers of the features (groups) used, ascending.
    credits : ndarray of shape (n_select,)
        Their credits in bits.
    information : float
        I(Y;Yf) in bits on the validation rows.
    relative_information : float
        The same over H(Y).
    is_new : bool
        False if the subset had been scored before, so that nothing was trained.
    is_best : bool
        Whether it delivers more than every subset before it in its run.
    end : str or None
        Why the run ended here; None if it went on. See :class:`SearchTrace`.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> from infoprop.selection import DirectedSearchSelector
    >>> X, y = make_corral(return_X_y=True)
    >>> search = DirectedSearchSelector(n_features_to_select=4, validation=5, random_state=0).fit(X, y)
    >>> step = search.trace_[0]
    >>> step.move, len(step.groups), bool(abs(step.credits.sum() - step.information) < 1e-9)
    ('start', 4, True)
    """

    run: int
    move: str
    groups: IntArray
    credits: FloatArray
    information: float
    relative_information: float
    is_new: bool
    is_best: bool
    end: str | None = None


@dataclass(frozen=True, repr=False)
class SearchTrace(Sequence[SearchStep]):
    """All subsets that a directed search asked about: a sequence of steps.

    Attributes
    ----------
    steps : tuple of SearchStep
        In the order of the search.
    names : tuple of str
        Names of all features (groups).
    end : str
        Why the search ended: "converged" (no unused feature has a higher credit than the worst one of the
        best subset), "returned" (twice back to the best subset without finding a better one), "bound"
        (``4 (N - K + 1)`` subsets asked about in a run), "satisfied", "max_trainings", "time" or
        "interrupted". With restarts, that of the last run.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = make_corral(complete=True, return_X_y=True)
    >>> selector = DirectedSearchSelector(OneVsRestSVC(kernel="rbf", gamma=1), n_features_to_select=4)
    >>> trace = selector.fit(X, y, X_val=X, y_val=y).trace_
    >>> trace.best.groups.tolist(), trace.end
    ([0, 1, 2, 3], 'converged')
    """

    steps: tuple[SearchStep, ...]
    names: tuple[str, ...]
    end: str

    @property
    def best(self) -> SearchStep:
        """The first of the steps with the most information."""
        return self.steps[int(np.argmax(self.information.round(TIE_DECIMALS)))]

    @property
    def information(self) -> FloatArray:
        """I(Y;Yf) of every step, in bits: shape (n_steps,)."""
        return np.array([step.information for step in self.steps], dtype=np.float64)

    @property
    def n_trainings(self) -> int:
        """Number of different subsets, each trained on once."""
        return sum(step.is_new for step in self.steps)

    @property
    def n_runs(self) -> int:
        """Number of runs begun: one, and the restarts."""
        return self.steps[-1].run + 1

    @property
    def credits(self) -> FloatArray:
        """Credits in every step, in bits: (n_steps, n_features), NaN where a feature (group) was not used."""
        credits = np.full((len(self.steps), len(self.names)), np.nan)
        for row, step in zip(credits, self.steps, strict=True):
            row[step.groups] = step.credits
        return credits

    @property
    def last_credits(self) -> FloatArray:
        """Credit of every feature (group) when it was last used, in bits: NaN if it never was."""
        credits = np.full(len(self.names), np.nan)
        for step in self.steps:
            credits[step.groups] = step.credits
        return credits

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per step.

        Columns: ``run``, ``move``, ``features`` (names, joined by ", "), ``information`` (bits),
        ``relative_information``, ``is_new``, ``is_best``, ``end`` (empty if the run went on), and
        ``credit_<name>`` (bits; NaN if not used) for every feature.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        data: dict[str, Any] = {
            "run": [step.run for step in self.steps],
            "move": [step.move for step in self.steps],
            "features": [", ".join(self.names[group] for group in step.groups) for step in self.steps],
            "information": self.information,
            "relative_information": [step.relative_information for step in self.steps],
            "is_new": [step.is_new for step in self.steps],
            "is_best": [step.is_best for step in self.steps],
            "end": [step.end or "" for step in self.steps],
        }
        data |= {f"credit_{name}": column for name, column in zip(self.names, self.credits.T, strict=True)}
        return to_native_frame(data, backend, "SearchTrace.to_frame")

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, number: int) -> SearchStep: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[SearchStep, ...]: ...
    def __getitem__(self, number: int | slice) -> SearchStep | tuple[SearchStep, ...]:
        return self.steps[number]

    def __iter__(self) -> Iterator[SearchStep]:
        return iter(self.steps)

    def __repr__(self) -> str:
        return (
            f"SearchTrace(n_steps={len(self)}, n_trainings={self.n_trainings}, n_runs={self.n_runs}, "
            f"end={self.end!r}, information={aligned(self.best.information, 4)} bits)"
        )

    def _repr_html_(self) -> str:
        words = ["run", "bits", "relative", "move", "features", "remark"]
        head = "".join(f"<th>{word}</th>" for word in words)
        body = "".join(_html_row(step, self.names) for step in self.steps[-ROWS_SHOWN:])
        n_hidden = max(0, len(self) - ROWS_SHOWN)
        earlier = f"; the first {n_hidden} steps are not shown" if n_hidden else ""
        return (
            f"<table><caption>{aligned(self.best.information, 4)} bits by the best of {self.n_trainings} "
            f"subsets; the end: {self.end}{earlier}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _html_row(step: SearchStep, names: tuple[str, ...]) -> str:
    hidden = len(step.groups) - NAMES_SHOWN
    shown = ", ".join(names[group] for group in step.groups[:NAMES_SHOWN])
    features = shown + (f" and {hidden} more" if hidden > 0 else "")
    numbers = [str(step.run), aligned(step.information, 4), aligned_percent(step.relative_information)]
    remark = ", ".join(["best so far"] * step.is_best + ["known"] * (not step.is_new) + [step.end or ""])
    cells = [*numbers, step.move, escape(features), remark.rstrip(", ")]
    return "<tr>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells) + "</tr>"
