"""ShapingRule: how shapes are learned from value tables."""

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray
from infoprop.shaping._local_fast import window_sums
from infoprop.shaping._policy import is_worth_shaping
from infoprop.shaping._separation import best_separation
from infoprop.shaping._shapes import FeatureShapes
from infoprop.shaping._tables import ValueTables
from infoprop.shaping._threads import blocks, map_blocks

WINDOW = 15.0
"""Neighbours on each side, so that an estimate rests on up to 30 rows (section 3.2)."""

_GRID = 2.0**40


class LocalProbabilities(NamedTuple):
    """Of every entry of a table: positives and rows in its window, and the probability they give."""

    found: FloatArray
    width: FloatArray
    probability: FloatArray


@dataclass(frozen=True, eq=False)
class ShapingRule:
    r"""How a table of values becomes a shape. The defaults are the paper's.

    Parameters
    ----------
    window : float or "auto", default=15
        Weight of the neighbours on each side, :math:`n`; "auto" is :math:`\min(15, N / 8)`, at least 2, for a
        column with N rows.
    probability : {"local", "log-odds"}, default="local"
        What a value becomes: :math:`\tilde p`, or :math:`\log \tilde p - \log (1 - \tilde p)`.
    scaling : {"bns", "information_gain", "hellinger"} or None, default="bns"
        Score of the best cut, to which the range of a column is stretched; None leaves ranges as they are.
    policy : {"all", "auto", "none"}, default="all"
        Which columns are shaped; "auto": those that it helps. The others keep their values, scaled.
    zero_bin : bool, default=False
        Whether zero is kept apart from all other values.
    zero_stays : bool, default=False
        Whether what zero becomes is subtracted, so that it becomes zero; otherwise the least becomes zero.
    nominal : array of shape (n_features,), optional
        Columns without order, whose values have no neighbours; none if not given.

    Notes
    -----
    For the distinct values :math:`v_1 < \dots < v_m` of a column with weights :math:`c_j`, of which
    :math:`p_j` is positive, let :math:`C_j, P_j` be the sums before j and :math:`P(r)` the piecewise linear
    curve through :math:`(C_j, P_j)`. With :math:`\mathrm{mid} = C_j + c_j / 2` the window of :math:`v_j`
    runs from :math:`l = \min(C_j, \mathrm{mid} - n)` to :math:`h = \max(C_j + c_j, \mathrm{mid} + n)`, cut
    to :math:`[0, N]`, and

    .. math:: \tilde p(v_j) = (P(h) - P(l) + 1) / (h - l + 2) .

    A column with at most two distinct values uses the rows of the value alone, as does a nominal one, a
    missing value, and zero with a `zero_bin`. Probabilities are rounded to multiples of :math:`2^{-40}`, so
    that what is equal but for rounding is equal.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.shaping import ShapingRule, ValueTables
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tables = ValueTables.from_rows(X, np.array([0, 1, 1, 0]), n_classes=2)
    >>> ShapingRule(window=1, scaling=None).learn(tables, positive=1).points.round(3).tolist()
    [0.429, 0.625, 0.625, 0.429]
    """

    window: float | Literal["auto"] = WINDOW
    probability: Literal["local", "log-odds"] = "local"
    scaling: str | None = "bns"
    policy: Literal["all", "auto", "none"] = "all"
    zero_bin: bool = False
    zero_stays: bool = False
    nominal: BoolArray | None = None

    def learn(self, tables: ValueTables, positive: int, n_jobs: Any = None) -> FeatureShapes:
        """Learn the shapes of all columns for one class against the others.

        Parameters
        ----------
        tables : ValueTables
            What was counted.
        positive : int
            Number of the class whose probability is estimated.
        n_jobs : int, optional
            Number of threads; the result does not depend on it.

        Returns
        -------
        FeatureShapes
        """
        if self.policy == "none":
            shaped, points = np.zeros(tables.n_features, dtype=np.bool_), tables.values
        else:
            local = self.local_probabilities(tables, positive, n_jobs)
            shaped, points = np.ones(tables.n_features, dtype=np.bool_), local.probability
            if self.policy == "auto":
                shaped = is_worth_shaping(tables, positive, local.found, local.width, n_jobs)
                shaped |= self._is_nominal(tables)
                points = np.where(np.repeat(shaped, tables.n_distinct), points, tables.values)
        shapes = self._unscaled(tables, points, shaped, _overall(tables, positive))
        return self._scaled(shapes, tables, positive, n_jobs)

    def _is_nominal(self, tables: ValueTables) -> BoolArray:
        return np.zeros(tables.n_features, dtype=np.bool_) if self.nominal is None else self.nominal

    def local_probabilities(
        self, tables: ValueTables, positive: int, n_jobs: Any = None
    ) -> LocalProbabilities:
        """Probability of class `positive` around every entry of the tables."""
        positives, _ = tables.one_vs_rest(positive)
        nominal = self._is_nominal(tables)
        window = -WINDOW if self.window == "auto" else float(self.window)
        found, width = np.empty(len(positives)), np.empty(len(positives))
        parts = (tables.starts, tables.values, positives, tables.totals, nominal, self.zero_bin, window)
        map_blocks(
            lambda first, last: window_sums(*parts, first, last, found, width), blocks(tables.starts), n_jobs
        )
        return LocalProbabilities(found, width, _laplace(found, width))

    def _unscaled(
        self,
        tables: ValueTables,
        points: FloatArray,
        shaped: BoolArray,
        overall: FloatArray,
    ) -> FeatureShapes:
        """Shapes whose offset is 0 and whose range and score are 1."""
        first, last = tables.starts[:-1], tables.starts[1:] - 1
        means = np.zeros(tables.n_features) if shaped.all() else _mean_values(tables)
        low, high = np.minimum.reduceat(points, first), np.maximum.reduceat(points, first)
        unseen = np.where(shaped, np.clip(overall, low, high), means)
        has_zero = np.logical_or.reduceat(tables.values == 0.0, first)
        raw_zero = ~shaped & ~has_zero & self.zero_stays
        missing = np.where(tables.is_missing[last] & shaped, points[last], unseen)
        ones, no = np.ones(tables.n_features), np.zeros(tables.n_features, dtype=np.bool_)
        return FeatureShapes(
            starts=tables.starts,
            values=tables.values,
            points=points,
            missing=missing,
            unseen=np.where(raw_zero, 0.0, unseen),
            is_shaped=shaped,
            nominal=self._is_nominal(tables) & shaped,
            zero_apart=np.where(shaped, self.zero_bin, raw_zero),
            log_odds=shaped if self.probability == "log-odds" else no,
            offsets=np.zeros(tables.n_features),
            ranges=ones,
            scores=ones,
            zero_stays=self.zero_stays,
        )

    def _scaled(
        self, shapes: FeatureShapes, tables: ValueTables, positive: int, n_jobs: Any
    ) -> FeatureShapes:
        """Set offset, range and score."""
        shaped = shapes.is_shaped
        low, high = _ends(shapes, extended_to_zero=~shaped & self.zero_stays)
        offsets = low
        if self.zero_stays:
            offsets = self._at_zero(shapes)
        elif self.scaling is None:
            offsets = np.where(shaped, 0.0, low)
        with np.errstate(over="ignore"):
            ranges = high - low
        if not np.isfinite(ranges).all():
            column = int(np.flatnonzero(~np.isfinite(ranges))[0])
            raise DataError(f"The range of column {column} overflows; scale its values.")
        flat = ranges <= 0.0
        ranges = np.where(flat | (shaped & (self.scaling is None)), 1.0, ranges)
        if self.scaling is None:
            scores = np.where(flat & ~shaped, 0.0, 1.0)
        else:
            points = (tables.starts, shapes.points, *tables.one_vs_rest(positive))
            scores = np.where(flat, 0.0, best_separation(*points, score=self.scaling, n_jobs=n_jobs))
        return replace(shapes, offsets=offsets, ranges=ranges, scores=scores)

    @staticmethod
    def _at_zero(shapes: FeatureShapes) -> FloatArray:
        """What zero becomes before scaling, (n_features,)."""
        zeros = np.flatnonzero(shapes.values == 0.0)
        with_zero = np.searchsorted(shapes.starts, zeros, side="right") - 1
        if len(with_zero) == shapes.n_features:
            return shapes.of_points(shapes.points[zeros])
        free = replace(shapes, zero_stays=False)
        return free.apply(np.zeros((1, shapes.n_features)))[0]


def _laplace(found: FloatArray, width: FloatArray) -> FloatArray:
    return np.rint((found + 1.0) / (width + 2.0) * _GRID) / _GRID


def _overall(tables: ValueTables, positive: int) -> FloatArray:
    """Probability of all rows of a column that have a value, (n_features,)."""
    there = ~tables.is_missing
    found = np.add.reduceat(tables.counts[positive] * there, tables.starts[:-1])
    return _laplace(found, np.add.reduceat(tables.totals * there, tables.starts[:-1]))


def _mean_values(tables: ValueTables) -> FloatArray:
    """Mean of the values that are not missing, (n_features,); 0 where all are."""
    first = tables.starts[:-1]
    weights = np.where(tables.is_missing, 0.0, tables.totals)
    shares = weights / np.repeat(np.maximum(np.add.reduceat(weights, first), 1e-300), tables.n_distinct)
    return np.add.reduceat(np.where(tables.is_missing, 0.0, tables.values) * shares, first)


def _ends(shapes: FeatureShapes, extended_to_zero: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Least and greatest place of each column, (n_features,) each; both 0 where there is none."""
    places = shapes.of_points(shapes.points)
    low, high = (np.nan_to_num(f.reduceat(places, shapes.starts[:-1])) for f in (np.fmin, np.fmax))
    return (
        np.where(extended_to_zero, np.minimum(low, 0.0), low),
        np.where(extended_to_zero, np.maximum(high, 0.0), high),
    )
