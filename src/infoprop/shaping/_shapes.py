"""FeatureShapes: for every column a function from value to shaped value, and how it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix
from infoprop.shaping._owned import OwnedArrays
from infoprop.shaping._threads import blocks, map_blocks
from infoprop.shaping._transform_fast import Knots, shape_values


@dataclass(frozen=True, eq=False)
class FeatureShapes(OwnedArrays):
    r"""What shaping has learned: a piecewise linear function for every column.

    A value :math:`v` of column j that was trained on lies at its point :math:`\tilde p`; one between two such
    values lies on the line between their points, one beyond the ends where the nearest end lies. It then
    becomes :math:`s_j (T(\tilde p) - o_j) / r_j`.

    Parameters
    ----------
    starts : array of shape (n_features + 1,)
        Where the entries of each column begin.
    values, points : array of shape (n_distinct,)
        Distinct values as in :class:`ValueTables`, and where they lie: local probabilities, or the values
        themselves in a column that is not shaped.
    missing : array of shape (n_features,)
        Where a missing value lies.
    unseen : array of shape (n_features,)
        Where a value lies that has no neighbour: one of a nominal column that was never seen, or one on a
        side of zero that is empty.
    is_shaped : array of shape (n_features,)
        False for columns that keep their values.
    nominal : array of shape (n_features,)
        Columns without order: nothing lies between their values.
    zero_apart : array of shape (n_features,)
        Columns in which no line runs from zero to another value.
    log_odds : array of shape (n_features,)
        Whether T is :math:`\log \tilde p - \log (1 - \tilde p)`; otherwise it changes nothing.
    offsets, ranges, scores : array of shape (n_features,)
        :math:`o_j`, :math:`r_j > 0` and :math:`s_j`.
    zero_stays : bool
        Whether every column maps zero to zero, so that sparse rows stay sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.shaping import ShapingRule, ValueTables
    >>> X, codes = np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 1])
    >>> tables = ValueTables.from_rows(X, codes, n_classes=2)
    >>> shapes = ShapingRule(window=1, scaling=None).learn(tables, positive=1)
    >>> values, shaped = shapes.curve(0)
    >>> values.tolist(), shaped.round(3).tolist()
    ([1.0, 2.0, 4.0], [0.429, 0.625, 0.714])
    >>> shapes.apply(np.array([[3.0], [9.0]])).round(3).tolist()
    [[0.67], [0.714]]
    """

    starts: IntArray
    values: FloatArray
    points: FloatArray
    missing: FloatArray
    unseen: FloatArray
    is_shaped: BoolArray
    nominal: BoolArray
    zero_apart: BoolArray
    log_odds: BoolArray
    offsets: FloatArray
    ranges: FloatArray
    scores: FloatArray
    zero_stays: bool

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.starts) - 1

    @classmethod
    def chosen(cls, copies: Sequence[FeatureShapes], choice: IntArray) -> FeatureShapes:
        """Return shapes of the same values in which column j is as in ``copies[choice[j]]``."""
        first = copies[0]
        of_entries = np.repeat(choice, np.diff(first.starts))

        def picked(name: str, which: IntArray) -> Any:
            return np.stack([getattr(shapes, name) for shapes in copies])[which, np.arange(len(which))]

        shared = {"starts", "values", "zero_stays"}
        found: dict[str, Any] = {name: getattr(first, name) for name in shared}
        found["points"] = picked("points", of_entries)
        of_columns = [each.name for each in fields(cls) if each.name not in found]
        return cls(**found, **{name: picked(name, choice) for name in of_columns})

    @cached_property
    def _knots(self) -> Knots:
        last_is_missing = np.isnan(self.values[self.starts[1:] - 1])
        return Knots(
            bounds=np.column_stack([self.starts[:-1], self.starts[1:] - last_is_missing]),
            entries=np.column_stack([self.values, self._scaled(self.points, np.diff(self.starts))]),
            points=self.points,
            missing=self._scaled(self.missing),
            unseen=self._scaled(self.unseen),
            nominal=self.nominal,
            zero_apart=self.zero_apart,
            log_odds=self.log_odds,
            offsets=self.offsets,
            ranges=self.ranges,
            scores=self.scores,
            zero_stays=self.zero_stays,
        )

    def _scaled(self, points: FloatArray, repeats: IntArray | None = None) -> FloatArray:
        """Shaped values at `points`, of which each column has one, or as many as `repeats` says."""
        repeats = np.ones(self.n_features, dtype=np.intp) if repeats is None else repeats
        offsets, ranges, scores = (np.repeat(a, repeats) for a in (self.offsets, self.ranges, self.scores))
        # In this order, for the ends of the range are to be hit exactly.
        return (self.of_points(points) - offsets) / ranges * scores

    def of_points(self, points: FloatArray) -> FloatArray:
        """T of `points`, one for each column (n_features,) or for each entry (n_distinct,)."""
        log_odds = self.log_odds
        if not log_odds.any():
            return points
        if len(points) != self.n_features:
            log_odds = np.repeat(log_odds, np.diff(self.starts))
        likely = np.where(log_odds, points, 0.5)
        return np.where(log_odds, np.log(likely) - np.log(1.0 - likely), points)

    def curve(self, column: int) -> tuple[FloatArray, FloatArray]:
        """Distinct values of a column, ascending, missing ones left out, and their shaped values."""
        values = self.values[self.starts[column] : self.starts[column + 1]]
        values = values[~np.isnan(values)]
        return values, self.of_column(column, values)

    def of_column(self, column: int, values: FloatArray) -> FloatArray:
        """Shaped values of any `values` (m,) of one column."""
        shaped = np.empty(len(values))
        columns = np.full(len(values), column, dtype=np.int32)
        shape_values(self._knots, np.asarray(values, dtype=np.float64), columns, 0, len(values), shaped)
        return shaped

    def apply(self, X: Matrix, n_jobs: Any = None) -> Matrix:
        """Shape rows.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        n_jobs : int, optional
            Number of threads; the result does not depend on it.

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_features)
            A CSR matrix has an entry wherever X has one.
        """
        if sparse.issparse(X):
            return self._apply_sparse(X, n_jobs)
        shaped = np.empty(X.shape)
        every = np.empty(0, dtype=np.int32)
        data, out = X.ravel(), shaped.ravel()
        ends = np.arange(X.shape[0] + 1) * X.shape[1]
        map_blocks(
            lambda first, last: shape_values(self._knots, data, every, ends[first], ends[last], out),
            blocks(ends),
            n_jobs,
        )
        return shaped

    def _apply_sparse(self, X: Matrix, n_jobs: Any) -> Matrix:
        if not self.zero_stays:
            raise DataError(
                "Zero is not mapped to zero, so sparse rows would become dense. Train on sparse rows, or "
                "with zero_bin=True."
            )
        shaped = np.empty(X.nnz)

        def work(first: int, last: int) -> None:
            shape_values(self._knots, X.data, X.indices, X.indptr[first], X.indptr[last], shaped)

        map_blocks(work, blocks(X.indptr), n_jobs)
        kind = sparse.csr_matrix if isinstance(X, sparse.spmatrix) else sparse.csr_array
        return kind((shaped, X.indices.copy(), X.indptr.copy()), shape=X.shape)
