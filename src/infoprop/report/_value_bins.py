"""Where the classes lie over the values of a feature, in the data at hand: counts in a few bins."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.report._inputs import ReportParts
from infoprop.report._parts import FeatureSummary, columns_called, printable
from infoprop.shaping import ValueTables

N_BINNED = 200
"""Features whose values are counted: those that can be seen first."""

N_COUNTS = 200_000
"""Counts (features times bins times classes) up to which that many are kept."""

N_BINS = 10
"""Bins of a feature, one for missing values and one for the smaller categories aside."""

BINNED_COLUMNS = ("name", "bins", "counts")


@dataclass(frozen=True)
class FeatureBins:
    """The values of one feature in bins, and how many rows of each class every bin has.

    Attributes
    ----------
    name : str
        The feature.
    bins : tuple of str
        What each bin holds: a value, the lowest and the highest of several, or a category.
    counts : tuple of tuple of int
        For each bin the rows of each class, in the order of the classes.
    """

    name: str
    bins: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def bins_of(
    parts: ReportParts, names: Sequence[str], features: Sequence[FeatureSummary], labels: Sequence[Any]
) -> tuple[FeatureBins, ...] | None:
    """Count the values of the chosen features and of the best others; None without rows.

    A feature that owns several columns is binned if they are the indicators of its categories; other groups
    of columns have no one shape.
    """
    X, y = parts.get("X"), parts.get("y")
    if X is None or y is None:
        return None
    known = {label: code for code, label in enumerate(labels)}
    codes = np.array([known.get(label, -1) for label in np.asarray(y).tolist()], dtype=np.intp)
    rows = _Rows.of(X, codes, len(labels))
    owners = columns_called(names, parts.get("owners"), rows.names)
    n_kept = min(N_BINNED, max(1, N_COUNTS // (N_BINS * len(labels))))
    columns_of: dict[str, list[int]] = {names[j]: [] for j in _order(parts, names, features)[:n_kept]}
    for column, owner in enumerate(owners):
        if owner in columns_of:
            columns_of[owner].append(column)
    told = parts.get("column_names") or rows.names
    rows = rows.with_columns([column for columns in columns_of.values() for column in columns])
    first, kept = 0, []
    for name, columns in columns_of.items():
        categories = [str(told[column]).removeprefix(f"{name}=") for column in columns]
        found = rows.bins(range(first, first + len(columns)), categories)
        first += len(columns)
        if found is not None:
            kept.append(FeatureBins(printable(name), *found))
    return tuple(kept)


def _order(parts: ReportParts, names: Sequence[str], features: Sequence[FeatureSummary]) -> list[int]:
    """Numbers of the features as they can be seen: those chosen, then the others, best first."""
    ranked = [feature.column for feature in features] or list(range(len(names)))
    selected, alone = parts.get("selected"), parts.get("chosen_credits")
    if selected is None:
        return ranked
    worth = {} if alone is None else dict(zip(alone.feature_names, alone.values.tolist(), strict=True))
    return sorted(ranked, key=lambda column: (not selected[column], -worth.get(names[column], 0.0)))


@dataclass(frozen=True)
class _Rows:
    """Rows of a matrix or a data frame with the number of each one's class."""

    X: Any
    codes: IntArray
    n_classes: int
    names: tuple[str, ...]

    @classmethod
    def of(cls, X: Any, codes: IntArray, n_classes: int) -> "_Rows":
        is_known = codes >= 0  # a class that no judged row has is not on the page
        if sparse.issparse(X):
            X = X.tocsr()
            names = tuple(f"x{column}" for column in range(X.shape[1]))
        elif hasattr(X, "columns"):
            X = nw.from_native(X, eager_only=True)
            names = tuple(map(str, X.columns))
        else:
            X = np.asarray(X)
            names = tuple(f"x{column}" for column in range(X.shape[1]))
        if X.shape[0] != len(codes):
            raise ParameterError(
                f"The 'X' parameter of Report must have a row for each of {len(codes)} labels. "
                f"Got {X.shape[0]}."
            )
        if not is_known.all():
            X = X.filter(is_known.tolist()) if isinstance(X, nw.DataFrame) else X[is_known]
        return cls(X, codes[is_known], n_classes, names)

    def with_columns(self, columns: Sequence[int]) -> "_Rows":
        """The same rows with some columns, in this order."""
        if isinstance(self.X, nw.DataFrame):
            X = self.X.select([self.X.columns[column] for column in columns])
        elif sparse.issparse(self.X):
            X = self.X[:, list(columns)].tocsc()
        else:
            X = self.X[:, list(columns)]
        return _Rows(X, self.codes, self.n_classes, tuple(self.names[column] for column in columns))

    def bins(
        self, columns: Sequence[int], categories: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]] | None:
        """What the bins of a feature hold, and their counts; None if its columns have no one shape."""
        if not len(self.codes) or not len(columns):
            return None
        matrix = self._numbers(columns)
        if matrix is None:
            return self._texts(columns[0]) if len(columns) == 1 else None
        if not np.isfinite(np.nan_to_num(matrix.data if sparse.issparse(matrix) else matrix, nan=0.0)).all():
            return None
        tables = ValueTables.from_rows(matrix, self.codes, n_classes=self.n_classes)
        if len(columns) == 1:
            return _of_numbers(*tables.of_column(0), is_sparse=bool(sparse.issparse(self.X)))
        is_one_hot = np.isin(tables.values, (0.0, 1.0)).all() and np.asarray(matrix.sum(axis=1)).max() <= 1
        if not is_one_hot:
            return None
        counts = np.column_stack([_ones(*tables.of_column(place)) for place in range(len(columns))])
        rest = np.bincount(self.codes, minlength=self.n_classes) - counts.sum(axis=1)
        return _of_categories([*categories, "(none)"], np.column_stack([counts, rest]))

    def _numbers(self, columns: Sequence[int]) -> Matrix | None:
        """Columns as numbers; None if some are no numbers."""
        if isinstance(self.X, nw.DataFrame):
            frame = self.X.select([self.X.columns[column] for column in columns])
            if not all(kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.values()):
                return None
            parts = [
                frame[name].cast(nw.Float64).fill_null(float("nan")).to_numpy() for name in frame.columns
            ]
            return np.column_stack(parts)
        part = self.X[:, list(columns)]
        try:
            numbers = part.astype(np.float64)
        except (TypeError, ValueError):
            return None
        if sparse.issparse(numbers):
            numbers.sum_duplicates()
        return numbers

    def _texts(self, column: int) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
        cells = (
            self.X[self.X.columns[column]].to_list()
            if isinstance(self.X, nw.DataFrame)
            else self.X[:, column]
        )
        pairs = Counter(
            ("missing" if cell is None or cell != cell else str(cell), code)
            for cell, code in zip(cells, self.codes.tolist(), strict=True)
        )
        texts = sorted({text for text, _ in pairs})
        counts = [[pairs[text, code] for text in texts] for code in range(self.n_classes)]
        return _of_categories(texts, np.array(counts))


def _ones(values: FloatArray, counts: FloatArray) -> FloatArray:
    return counts[:, values == 1.0].sum(axis=1)


def _of_numbers(
    values: FloatArray, counts: FloatArray, *, is_sparse: bool
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Bins between the tenths of the rows: a value goes where the middle of its rows lies, hence whole."""
    is_there = ~np.isnan(values)
    rows = np.rint(counts[:, is_there].sum(axis=0)).astype(np.int64)
    before = np.cumsum(rows) - rows
    bin_of = N_BINS * (2 * before + rows) // (2 * max(int(rows.sum()), 1))
    firsts = np.flatnonzero(np.diff(bin_of, prepend=-1))
    lasts = np.append(firsts[1:], len(bin_of)) - 1
    words = [
        _value(values[first]) if first == last else f"{_value(values[first])} to {_value(values[last])}"
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)
    ]
    if is_sparse and "0" in words:
        # Words of texts, mostly: zero says that one is not there.
        words = ["absent" if word == "0" else "present" if len(words) == 2 else word for word in words]
    sums = [counts[:, first : last + 1].sum(axis=1) for first, last in zip(firsts, lasts, strict=True)]
    if not is_there.all():
        words.append("missing")
        sums.append(counts[:, -1])
    return tuple(words), tuple(_whole(one) for one in sums)


def _value(value: float) -> str:
    return f"{value + 0.0:.6g}"


def _of_categories(
    texts: Sequence[str], counts: FloatArray
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """The largest categories, and all others as one."""
    sizes = counts.sum(axis=0)
    order = [place for place in np.argsort(-sizes, kind="stable").tolist() if sizes[place] > 0]
    shown, rest = order[:N_BINS], order[N_BINS:]
    words = [printable(texts[place]) for place in shown]
    sums = [counts[:, place] for place in shown]
    if rest:
        words.append(f"{len(rest):,} other{'s' if len(rest) > 1 else ''}")
        sums.append(counts[:, rest].sum(axis=1))
    return tuple(words), tuple(_whole(one) for one in sums)


def _whole(counts: FloatArray) -> tuple[int, ...]:
    return tuple(np.rint(counts).astype(np.int64).tolist())
