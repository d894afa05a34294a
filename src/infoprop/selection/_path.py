"""SelectionPath: what an elimination dropped, step by step, and what each size delivers."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from html import escape
from typing import Any, Self, overload

import numpy as np

from infoprop._core._checks import check_integer
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit import ColumnGroups
from infoprop.selection._elimination import EliminationStep
from infoprop.selection._frames import to_native_frame
from infoprop.selection._pooling import PooledTable

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
    steps : tuple of PathStep
    order : ndarray
        Numbers of the features (groups) dropped, first dropped first.
    names : tuple of str
        Names of all features (groups).
    group_of_column : ndarray of shape (n_columns,)
        Number of the feature (group) that each column belongs to.

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

    steps: tuple[PathStep, ...]
    order: IntArray
    names: tuple[str, ...]
    group_of_column: IntArray

    @classmethod
    def from_steps(cls, steps: Sequence[EliminationStep], table: PooledTable, groups: ColumnGroups) -> Self:
        """Read the steps of an elimination. What the last one dropped is not dropped: nobody counted then."""
        path, n_left = [], groups.n_groups
        measured = cache(lambda counts: _measured(np.frombuffer(counts), table))
        for number, step in enumerate(steps, start=1):
            gone = step.dropped if number < len(steps) else step.dropped[:0]
            path.append(
                PathStep(
                    n_features=n_left,
                    n_columns=step.n_columns,
                    dropped=tuple(groups.names[group] for group in gone),
                    credits=tuple(step.credits[: len(gone)].tolist()),
                    # Few rows make few tables: most steps of a long path repeat one.
                    **measured(step.counts.tobytes()),
                )
            )
            n_left -= len(gone)
        order = np.concatenate([step.dropped for step in steps[:-1]] + [np.empty(0, dtype=np.intp)])
        return cls(tuple(path), order.astype(np.intp), groups.names, groups.labels)

    @property
    def n_features(self) -> IntArray:
        """Number of features (groups) in every step: falling."""
        return np.array([step.n_features for step in self.steps], dtype=np.intp)

    @property
    def information(self) -> FloatArray:
        """I(Y;Yf) in bits, for every step."""
        return self._values("information")

    @property
    def relative_information(self) -> FloatArray:
        """I(Y;Yf) / H(Y), for every step."""
        return self._values("relative_information")

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of the information in bits, for every step."""
        return self._values("standard_error")

    @property
    def accuracy(self) -> FloatArray:
        """Part of the validation rows that are predicted right, for every step."""
        return self._values("accuracy")

    @property
    def best_first(self) -> IntArray:
        """Numbers of all features (groups): those never dropped, then the others, last dropped first."""
        staying = np.setdiff1d(np.arange(len(self.names)), self.order)
        return np.concatenate([staying, self.order[::-1]])

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
        for field in fields(PathStep):
            if field.name == "dropped":
                data["dropped"] = [", ".join(step.dropped) for step in self.steps]
            elif field.name == "credits":
                data["credit"] = [float(sum(step.credits)) for step in self.steps]
            else:
                data[field.name] = [getattr(step, field.name) for step in self.steps]
        return to_native_frame(data, backend, "SelectionPath.to_frame")

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, number: int) -> PathStep: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[PathStep, ...]: ...
    def __getitem__(self, number: int | slice) -> PathStep | tuple[PathStep, ...]:
        return self.steps[number]

    def __repr__(self) -> str:
        first, last = self.steps[0], self.steps[-1]
        return (
            f"SelectionPath(n_steps={len(self)}, n_features={first.n_features}..{last.n_features}, "
            f"information={first.information:.4f}..{last.information:.4f} bits)"
        )

    def _repr_html_(self) -> str:
        words = ["features", "bits", "relative", "accuracy", "dropped then", "credit"]
        head = "".join(f"<th>{word}</th>" for word in words)
        body = "".join(_html_row(step) for step in self.steps[-ROWS_SHOWN:])
        n_hidden = max(0, len(self) - ROWS_SHOWN)
        earlier = f"; the first {n_hidden} steps are not shown" if n_hidden else ""
        return (
            f"<table><caption>From {self.steps[0].n_features} to {self.steps[-1].n_features} features"
            f"{earlier}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _values(self, name: str) -> FloatArray:
        return np.array([getattr(step, name) for step in self.steps], dtype=np.float64)


def _measured(counts: FloatArray, table: PooledTable) -> dict[str, float]:
    names = (
        "information",
        "relative_information",
        "standard_error",
        "accuracy",
        "error_lower",
        "error_upper",
    )
    if table.is_empty:
        return dict.fromkeys(names, float("nan"))
    flow = table.flow(counts.reshape(len(table.labels), -1))
    return dict(
        zip(
            names,
            (
                flow.information,
                flow.relative_information,
                flow.standard_error,
                flow.accuracy,
                flow.error_bounds.lower,
                flow.error_bounds.upper,
            ),
            strict=True,
        )
    )


def _html_row(step: PathStep) -> str:
    hidden = len(step.dropped) - NAMES_SHOWN
    names = ", ".join(step.dropped[:NAMES_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")
    credit = f"{sum(step.credits):.4f}" if step.credits else ""
    numbers = [str(step.n_features), f"{step.information:.4f}", f"{step.relative_information:.1%}"]
    cells = [*numbers, f"{step.accuracy:.1%}", escape(names), credit]
    return "<tr>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells) + "</tr>"
