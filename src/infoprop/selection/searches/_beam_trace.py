"""BeamTrace: every subset that a forward search tried, level by level, and why it ended."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

import numpy as np

from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection.searches._trace import NAMES_SHOWN, ROWS_SHOWN


@dataclass(frozen=True, eq=False)
class BeamLevel(FrozenArrays):
    """All subsets of one size that a forward search tried, in the order tried.

    Attributes
    ----------
    parents : ndarray of shape (n_tried, size - 1)
        Numbers of the features (groups) that each subset grew from, ascending.
    added : ndarray of shape (n_tried,)
        The feature (group) that was added.
    accuracy : ndarray of shape (n_tried,)
        Validated accuracy of each subset, from 0 to 1.
    kept : ndarray of shape (n_kept,)
        Which of them the search went on with, best first.
    is_better : bool
        Whether the best of them is better than all smaller subsets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import ForwardBeamSelector
    >>> selector = ForwardBeamSelector(beam_width=2).fit(*load_iris(return_X_y=True))
    >>> selector.trace_[0].kept
    array([2, 3])
    """

    parents: IntArray
    added: IntArray
    accuracy: FloatArray
    kept: IntArray
    is_better: bool

    @property
    def size(self) -> int:
        """Number of features (groups) in each subset."""
        return int(self.parents.shape[1]) + 1

    @property
    def best_accuracy(self) -> float:
        """Accuracy of the best subset."""
        return float(self.accuracy[self.kept[0]])

    def groups(self, tried: int) -> IntArray:
        """Numbers of the features (groups) of a subset, ascending."""
        return np.sort(np.append(self.parents[tried], self.added[tried]))

    @property
    def beam(self) -> IntArray:
        """Subsets that the search went on with, best first: shape (n_kept, size)."""
        return np.sort(np.column_stack([self.parents[self.kept], self.added[self.kept]]), axis=1)


@dataclass(frozen=True, repr=False)
class BeamTrace(Sequence[BeamLevel]):
    """All subsets that a forward search tried: a sequence of levels, one for each size.

    Attributes
    ----------
    levels : tuple of BeamLevel
        In the order of the search: subsets of one feature more each time.
    names : tuple of str
        Names of all features (groups).
    end : str
        Why the search ended: "converged" (no larger subset is better), "perfect" (every row is right),
        "n_features_to_select", "exhausted" (there is no feature left to add), "time" or "interrupted".
    scoring : {"accuracy", "balanced_accuracy", "information", "roc_auc"}
        What subsets were judged by.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import ForwardBeamSelector
    >>> trace = ForwardBeamSelector().fit(*load_iris(return_X_y=True)).trace_
    >>> trace
    BeamTrace(n_levels=3, n_trainings=14, end='converged', accuracy=0.9600)
    >>> trace.groups.tolist()
    [2, 3]
    """

    levels: tuple[BeamLevel, ...]
    names: tuple[str, ...]
    end: str
    scoring: str = "accuracy"

    @property
    def best(self) -> BeamLevel:
        """Level of the best subset; of equally good ones the smallest."""
        return [level for level in self.levels if level.is_better][-1]

    @property
    def groups(self) -> IntArray:
        """Numbers of the features (groups) of the best subset, ascending."""
        best: IntArray = self.best.beam[0]
        return best

    @property
    def accuracy(self) -> float:
        """Validated accuracy of the best subset."""
        return self.best.best_accuracy

    @property
    def n_trainings(self) -> int:
        """Number of different subsets that were tried, each once."""
        return sum(len(level.added) for level in self.levels)

    @property
    def best_with(self) -> FloatArray:
        """Highest accuracy of a subset with each feature (group): NaN if none was tried. (n_features,)."""
        best = np.full(len(self.names), np.nan)
        for level in self.levels:
            for column in (level.added, *level.parents.T):
                np.fmax.at(best, column, level.accuracy)
        return best

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per subset tried.

        Columns: ``n_features``, ``added`` (name), ``features`` (names, joined by ", "), ``accuracy``,
        ``is_kept`` (the search went on with it), ``is_best`` (the one chosen).

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        best = self.best
        rows = [(level, tried) for level in self.levels for tried in range(len(level.added))]
        data: dict[str, Any] = {
            "n_features": [level.size for level, _ in rows],
            "added": [self.names[level.added[tried]] for level, tried in rows],
            "features": [", ".join(self._names(level.groups(tried))) for level, tried in rows],
            "accuracy": np.concatenate([level.accuracy for level in self.levels]),
            "is_kept": [bool(tried in level.kept) for level, tried in rows],
            "is_best": [level is best and tried == level.kept[0] for level, tried in rows],
        }
        return to_native_frame(data, backend, "BeamTrace.to_frame")

    def _names(self, groups: IntArray) -> list[str]:
        return [self.names[group] for group in groups]

    def __len__(self) -> int:
        return len(self.levels)

    @overload
    def __getitem__(self, number: int) -> BeamLevel: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[BeamLevel, ...]: ...
    def __getitem__(self, number: int | slice) -> BeamLevel | tuple[BeamLevel, ...]:
        return self.levels[number]

    def __iter__(self) -> Iterator[BeamLevel]:
        return iter(self.levels)

    def __repr__(self) -> str:
        return (
            f"BeamTrace(n_levels={len(self)}, n_trainings={self.n_trainings}, end={self.end!r}, "
            f"accuracy={self.accuracy:.4f})"
        )

    def _repr_html_(self) -> str:
        words = ["features", "tried", "accuracy", "best subset", "remark"]
        head = "".join(f"<th>{word}</th>" for word in words)
        body = "".join(self._html_row(level) for level in self.levels[-ROWS_SHOWN:])
        n_hidden = max(0, len(self) - ROWS_SHOWN)
        earlier = f"; the first {n_hidden} levels are not shown" if n_hidden else ""
        return (
            f"<table><caption>{self.accuracy:.1%} right by the best of {self.n_trainings} subsets; "
            f"the end: {self.end}{earlier}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _html_row(self, level: BeamLevel) -> str:
        names = self._names(level.beam[0])
        hidden = len(names) - NAMES_SHOWN
        shown = ", ".join(names[:NAMES_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")
        cells = [
            str(level.size),
            str(len(level.added)),
            f"{level.best_accuracy:.1%}",
            escape(shown),
            "chosen" if level is self.best else "",
        ]
        return "<tr>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells) + "</tr>"
