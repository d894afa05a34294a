"""ValueTables: the distinct values of every column with the weight of each class. All that shaping needs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import DataError
from infoprop._core._threads import native_threads
from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix
from infoprop.shaping._owned import OwnedArrays
from infoprop.shaping._tables_fast import Rows, count_columns, merge_columns
from infoprop.shaping._threads import blocks, map_blocks
from infoprop.shaping._whole_fast import count_whole_rows, whole_ranges


@dataclass(frozen=True, eq=False)
class ValueTables(OwnedArrays):
    r"""The distinct values of all columns, and how much weight of each class every value has.

    This is the sufficient statistic of shaping: row order and ties are gone, and the tables of two parts of
    the data add up to the table of the whole (:meth:`merged`). Sums of whole weights are exact; other weights
    add up as floating-point numbers do. The arrays are taken over and made read-only.

    Parameters
    ----------
    starts : array of shape (n_features + 1,)
        Column j has the entries ``starts[j]`` to ``starts[j + 1]``; no column is without entry.
    values : array of shape (n_distinct,)
        Distinct values, ascending within a column. Zero is a value like the others, also if the data were
        sparse; NaN, which stands for a missing value, is the last.
    counts : array of shape (n_classes, n_distinct)
        Weight of the rows of each class that have the value.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.shaping import ValueTables
    >>> X = np.array([[3.0, 0.0], [1.0, 0.0], [3.0, 5.0]])
    >>> tables = ValueTables.from_rows(X, np.array([0, 1, 1]), n_classes=2)
    >>> tables.values.tolist()
    [1.0, 3.0, 0.0, 5.0]
    >>> tables.counts.tolist()
    [[0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]
    >>> float(tables.merged(tables).counts.sum())
    12.0
    """

    starts: IntArray
    values: FloatArray
    counts: FloatArray

    @classmethod
    def from_rows(
        cls,
        X: Matrix,
        codes: IntArray,
        *,
        n_classes: int,
        weights: FloatArray | None = None,
        n_jobs: Any = None,
    ) -> "ValueTables":
        """Count the values of rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers; NaN is a value, infinity is not. Entries of a sparse matrix must not be stored twice.
        codes : array of shape (n_samples,)
            Class of every row, a number from 0 to `n_classes` - 1.
        n_classes : int
            Number of classes, also of those that no row has.
        weights : array of shape (n_samples,), optional
            Weights of the rows, >= 0; rows of weight zero count for nothing. One each if not given.
        n_jobs : int, optional
            Number of threads; the result does not depend on it.

        Returns
        -------
        ValueTables
        """
        X, codes = X.astype(np.float64, copy=False), np.asarray(codes, dtype=np.intp)
        weights = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        if not (codes.shape == weights.shape == (X.shape[0],)):
            raise DataError(f"codes and weights must have one number for each of {X.shape[0]} rows.")
        if codes.size and not 0 <= codes.min() <= codes.max() < n_classes:
            raise DataError(f"codes must be numbers from 0 to {n_classes - 1}.")
        used = np.flatnonzero(weights)
        if used.size == 0:
            raise DataError("Value tables need at least one row with a positive weight.")
        if used.size < X.shape[0]:
            X, codes, weights = X.tocsr()[used] if sparse.issparse(X) else X[used], codes[used], weights[used]
        about = Rows(
            codes,
            weights,
            np.bincount(codes, minlength=n_classes),
            np.bincount(codes, weights, minlength=n_classes),
            bool((weights == np.rint(weights)).all()),
        )
        words = _counted_words(X, about, n_jobs)
        return words if words is not None else cls._of_columns(X, about, n_jobs)

    @classmethod
    def _of_columns(cls, X: Matrix, about: Rows, n_jobs: Any) -> "ValueTables":
        """Count column by column, in threads."""
        columns = _sparse_blocks(X) if sparse.issparse(X) else _dense_blocks(X)
        n_classes = len(about.class_rows)

        def count(first: int, last: int) -> ValueTables:
            data, rows, ends = columns.entries(first, last)
            capacity = len(data) + last - first
            starts = np.empty(last - first + 1, dtype=np.intp)
            values, counts = np.empty(capacity), np.empty((n_classes, capacity))
            n = count_columns(data, rows, not sparse.issparse(X), ends, about, starts, values, counts)
            # The arrays were made for values that are all distinct; copies let them go.
            return cls(starts, values[:n].copy(), counts[:, :n].copy())

        return cls._side_by_side(map_blocks(count, columns.ranges, n_jobs))

    @classmethod
    def _side_by_side(cls, parts: list["ValueTables"]) -> "ValueTables":
        if len(parts) == 1:
            return parts[0]
        shifts = np.cumsum([0, *(len(part.values) for part in parts)])
        starts = [part.starts[:-1] + shift for part, shift in zip(parts, shifts[:-1], strict=True)]
        return cls(
            np.concatenate([*starts, shifts[-1:]]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.counts for part in parts], axis=1),
        )

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.starts) - 1

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.counts)

    @property
    def n_distinct(self) -> IntArray:
        """Number of distinct values of each column, shape (n_features,); a missing value counts as one."""
        return np.diff(self.starts)

    @cached_property
    def is_missing(self) -> BoolArray:
        """Which entries stand for missing values, shape (n_distinct,)."""
        return np.isnan(self.values)

    @cached_property
    def totals(self) -> FloatArray:
        """Weight of all classes of every entry, shape (n_distinct,)."""
        return self.counts.sum(axis=0)

    def of_column(self, column: int) -> tuple[FloatArray, FloatArray]:
        """Distinct values of one column, (m,), and the weights of the classes, (n_classes, m)."""
        part = slice(self.starts[column], self.starts[column + 1])
        return self.values[part], self.counts[:, part]

    def one_vs_rest(self, positive: int) -> tuple[FloatArray, FloatArray]:
        """Weight of class `positive` and of all other classes of every entry, (n_distinct,) each."""
        positives = self.counts[positive]
        if self.n_classes == 2:
            return positives, self.counts[1 - positive]
        return positives, np.maximum(self.totals - positives, 0.0)

    def merged(self, other: "ValueTables") -> "ValueTables":
        """Table of the rows of both.

        Parameters
        ----------
        other : ValueTables
            Of the same columns and classes.

        Returns
        -------
        ValueTables
            The same, to the last bit for whole weights, as the table of all rows together.
        """
        if (self.n_features, self.n_classes) != (other.n_features, other.n_classes):
            raise DataError(
                f"Only tables of the same columns and classes can be merged. Got {self.n_features} columns "
                f"and {self.n_classes} classes against {other.n_features} and {other.n_classes}."
            )
        capacity = len(self.values) + len(other.values)
        starts = np.empty_like(self.starts)
        values, counts = np.empty(capacity), np.empty((self.n_classes, capacity))
        parts = (self.starts, self.values, self.counts, other.starts, other.values, other.counts)
        n = merge_columns(*parts, starts, values, counts)
        return ValueTables(starts, values[:n].copy(), counts[:, :n].copy())


@dataclass(frozen=True)
class _Columns:
    """Columns in blocks; `entries` gives their numbers one column after the other, rows, and ends."""

    X: Any
    ranges: list[tuple[int, int]]

    def entries(self, first: int, last: int) -> tuple[FloatArray, IntArray, IntArray]:
        if not sparse.issparse(self.X):
            n_rows = self.X.shape[0]
            data = np.ascontiguousarray(self.X[:, first:last].T).ravel()
            return data, np.empty(0, dtype=np.int32), np.arange(last - first + 1, dtype=np.int64) * n_rows
        ends = self.X.indptr[first : last + 1].astype(np.int64)
        part = slice(ends[0], ends[-1])
        return self.X.data[part], self.X.indices[part], ends - ends[0]


def _dense_blocks(X: Matrix) -> _Columns:
    return _Columns(X, blocks(np.arange(X.shape[1] + 1) * X.shape[0]))


def _sparse_blocks(X: Matrix) -> _Columns:
    X = X.tocsc()
    return _Columns(X, blocks(X.indptr))


def _counted_words(X: Matrix, about: Rows, n_jobs: Any) -> ValueTables | None:
    """Tables of CSR rows of whole numbers, where one thread has less to do without columns; else None."""
    if not (sparse.issparse(X) and X.format == "csr" and about.exact and native_threads(n_jobs) == 1):
        return None
    low, high = np.empty(X.shape[1]), np.empty(X.shape[1])
    if not whole_ranges(X.data, X.indices, low, high):
        return None
    with np.errstate(over="ignore"):
        n_bins = high - low + 1.0
    # A bin costs as much as an entry; most have to be filled.
    if n_bins.sum() > 2 * X.nnz + 4 * X.shape[1]:
        return None
    bins_before = np.concatenate([[0], np.cumsum(n_bins)]).astype(np.int64)
    starts = np.empty(X.shape[1] + 1, dtype=np.intp)
    values, counts = np.empty(bins_before[-1]), np.empty((len(about.class_rows), bins_before[-1]))
    entries = (X.data, X.indices, X.indptr)
    n = count_whole_rows(*entries, about, low, bins_before, starts, values, counts)
    return ValueTables(starts, values[:n].copy(), counts[:, :n].copy())
