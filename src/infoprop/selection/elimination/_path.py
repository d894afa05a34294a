"""SelectionPath: what an elimination dropped, step by step, and what each size delivers."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import Any, Self, overload

import numpy as np

from infoprop._core._checks import check_integer
from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._numbers import aligned, aligned_percent
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._pooling import PooledTable
from infoprop.selection.elimination._step_tables import StepTables
from infoprop.selection.elimination._stepwise import StepBatch

ROWS_SHOWN = 20
NAMES_SHOWN = 3


@dataclass(frozen=True)
class PathStep:
    """One size on the way from all features to few.

    Numbers about the information are NaN where no rows were counted.

    Attributes
    ----------
    n_features : int
        Number of features (groups) that stood.
    n_columns : int
        Number of their columns.
    dropped : tuple of str
        Names of the features (groups) that were dropped then, worst first; none in the last step.
    credits : tuple of float
        What each of them had earned, in bits; with ``criterion="margin"`` their mean shares.
    information : float
        I(Y;Yf) in bits on the validation rows.
    relative_information : float
        The same over H(Y).
    standard_error : float
        Standard error of `information`, in bits.
    accuracy : float
    error_lower, error_upper : float
        Bounds on the error from the information; see :func:`infoprop.metrics.error_bounds`.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> from infoprop.selection import BackwardEliminationSelector
    >>> X, y = make_corral(return_X_y=True)
    >>> search = BackwardEliminationSelector(n_features_to_select=4, validation=5, random_state=0).fit(X, y)
    >>> step = search.path_[0]
    >>> step.n_features, len(step.dropped), step.error_lower <= 1 - step.accuracy <= step.error_upper
    (6, 1, True)
    """

    n_features: int
    n_columns: int
    dropped: tuple[str, ...]
    credits: tuple[float, ...]
    information: float
    relative_information: float
    standard_error: float
    accuracy: float
    error_lower: float
    error_upper: float


@dataclass(frozen=True, eq=False, repr=False)
class SelectionPath(FrozenArrays, Sequence[PathStep]):
    """The way of an elimination: a sequence of :class:`PathStep`, from all features to the fewest.

    Attributes
    ----------
    n_columns : ndarray of shape (n_steps,)
        Number of columns that stood, in every step.
    order : ndarray of shape (n_dropped,)
        Numbers of the features (groups) dropped, first dropped first.
    credits : ndarray of shape (n_dropped,)
        What each of them had earned when it was dropped, in bits; with ``criterion="margin"`` its mean share.
    starts : ndarray of shape (n_steps + 1,)
        Step number i dropped ``order[starts[i]:starts[i + 1]]``.
    names : tuple of str
        Names of all features (groups).
    group_of_column : ndarray of shape (n_columns,)
        Number of the feature (group) that each column belongs to.
    tables : StepTables
        Confusion tables of the steps.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from infoprop.selection import BackwardEliminationSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = BackwardEliminationSelector(n_features_to_select=3, random_state=0).fit(scale(X), y)
    >>> path = selector.path_
    >>> path.n_features.tolist()
    [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3]
    >>> int(path.support_at(5).sum())
    5
    """

    n_columns: IntArray
    order: IntArray
    credits: FloatArray
    starts: IntArray
    names: tuple[str, ...]
    group_of_column: IntArray
    tables: StepTables

    @classmethod
    def from_steps(cls, steps: StepBatch, table: PooledTable, groups: ColumnGroups) -> Self:
        """Read the steps of an elimination. What the last one dropped is not dropped: nobody counted then."""
        n_dropped = int(steps.starts[-2])
        return cls(
            n_columns=steps.n_columns,
            order=steps.dropped[:n_dropped],
            credits=steps.credits[:n_dropped],
            starts=steps.starts.clip(max=n_dropped),
            names=groups.names,
            group_of_column=groups.labels,
            tables=StepTables.from_counts(steps.counts, table.n_samples),
        )

    @property
    def steps(self) -> tuple[PathStep, ...]:
        """All steps."""
        return self[:]

    @property
    def n_features(self) -> IntArray:
        """Number of features (groups) in every step: falling."""
        return len(self.names) - self.starts[:-1]

    @property
    def information(self) -> FloatArray:
        """I(Y;Yf) in bits, for every step."""
        return self.tables.column("information")

    @property
    def relative_information(self) -> FloatArray:
        """I(Y;Yf) / H(Y), for every step."""
        return self.tables.column("relative_information")

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of the information in bits, for every step."""
        return self.tables.column("standard_error")

    @property
    def accuracy(self) -> FloatArray:
        """Part of the validation rows that are predicted right, for every step."""
        return self.tables.column("accuracy")

    @property
    def best_first(self) -> IntArray:
        """Numbers of all features (groups): those never dropped, then the others, last dropped first."""
        is_staying = np.ones(len(self.names), dtype=bool)
        is_staying[self.order] = False
        return np.concatenate([np.flatnonzero(is_staying), self.order[::-1]])

    def chosen_at(self, n_features: int) -> IntArray:
        """Numbers of the features (groups) that stand when `n_features` do, ascending."""
        most, fewest = len(self.names), len(self.names) - len(self.order)
        size = check_integer("n_features", n_features, "SelectionPath", low=fewest, high=most)
        return np.sort(self.best_first[:size])

    def support_at(self, n_features: int) -> BoolArray:
        """Mask of the columns that stand when `n_features` features (groups) do.

        Between the sizes that were counted, the order of dropping inside the step decides.
        """
        return np.isin(self.group_of_column, self.chosen_at(n_features))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per step, with the attributes of :class:`PathStep` as columns.

        Names in ``dropped`` are joined by ", "; ``credit``, in the place of `credits`, is their sum.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        data: dict[str, Any] = {}
        steps = self.steps
        for field in fields(PathStep):
            if field.name == "dropped":
                data["dropped"] = [", ".join(step.dropped) for step in steps]
            elif field.name == "credits":
                data["credit"] = [float(sum(step.credits)) for step in steps]
            else:
                data[field.name] = [getattr(step, field.name) for step in steps]
        return to_native_frame(data, backend, "SelectionPath.to_frame")

    def __len__(self) -> int:
        return len(self.n_columns)

    @overload
    def __getitem__(self, number: int) -> PathStep: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[PathStep, ...]: ...
    def __getitem__(self, number: int | slice) -> PathStep | tuple[PathStep, ...]:
        if isinstance(number, slice):
            return tuple(self[step] for step in range(len(self))[number])
        step = range(len(self))[number]
        gone = slice(self.starts[step], self.starts[step + 1])
        return PathStep(
            n_features=len(self.names) - int(gone.start),
            n_columns=int(self.n_columns[step]),
            dropped=tuple(self.names[group] for group in self.order[gone]),
            credits=tuple(self.credits[gone].tolist()),
            **self.tables.of_step(step),
        )

    def __repr__(self) -> str:
        first, last = self[0], self[-1]
        return (
            f"SelectionPath(n_steps={len(self)}, n_features={first.n_features}..{last.n_features}, "
            f"information={aligned(first.information, 4)}..{aligned(last.information, 4)} bits)"
        )

    def _repr_html_(self) -> str:
        words = ["features", "bits", "relative", "accuracy", "dropped then", "credit"]
        head = "".join(f"<th>{word}</th>" for word in words)
        body = "".join(_html_row(step) for step in self[-ROWS_SHOWN:])
        n_hidden = max(0, len(self) - ROWS_SHOWN)
        earlier = f"; the first {n_hidden} steps are not shown" if n_hidden else ""
        return (
            f"<table><caption>From {self[0].n_features} to {self[-1].n_features} features"
            f"{earlier}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _html_row(step: PathStep) -> str:
    hidden = len(step.dropped) - NAMES_SHOWN
    names = ", ".join(step.dropped[:NAMES_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")
    credit = aligned(sum(step.credits), 4) if step.credits else ""
    numbers = [str(step.n_features), aligned(step.information, 4), aligned_percent(step.relative_information)]
    cells = [*numbers, aligned_percent(step.accuracy), escape(names), credit]
    return "<tr>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells) + "</tr>"
