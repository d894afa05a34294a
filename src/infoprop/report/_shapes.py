"""What a report keeps of a shaper: what the values of the best columns become, over their classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray, IntArray
from infoprop.report._parts import columns_called, printable
from infoprop.shaping import FeatureShapes, ValueTables

N_SHAPES = 12
"""Shapes kept, of all classes together; at least two for each class, for so many classes."""

MOST_KNOTS = 200
"""Points kept of a shape."""

_MOST_BINS = 24


@dataclass(frozen=True)
class ShapeSummary:
    """One column for one class: values, what they become, and where the rows of the class lie.

    Attributes
    ----------
    name, positive : str
        The column, and the class it is shaped for.
    score : float
        What the column is stretched to.
    values, shaped : tuple of float
        Distinct values, ascending (of very many, some), and what they become.
    edges : tuple of float
        Bins of values, one more than there are bins.
    positives, others : tuple of float
        Share of the rows of the class, and of all others, that lie in each bin.
    missing : float or None
        What a missing value becomes, if some are missing.
    """

    name: str
    positive: str
    score: float
    values: tuple[float, ...]
    shaped: tuple[float, ...]
    edges: tuple[float, ...]
    positives: tuple[float, ...]
    others: tuple[float, ...]
    missing: float | None


@dataclass(frozen=True)
class ShapesSummary:
    """The best columns of a shaper, for each class that it shapes for."""

    n_features: int
    n_classes: int
    shapes: tuple[ShapeSummary, ...]

    @property
    def sentence(self) -> str:
        """The shapes in a few words."""
        copies = "" if self.n_classes == 1 else f", for each of {self.n_classes:,} classes against the rest"
        return (
            f"{self.n_features:,} columns were shaped{copies}: every value became what it says about the "
            "class. The line shows what the values of the best columns became; behind it stands where the "
            "rows of the class lie (in colour), and all others (grey)."
        )


def shapes_of(shaper: Any, names: Sequence[str], owners: Sequence[str] | None = None) -> ShapesSummary | None:
    """The best shapes of a fitted shaper, as many for each class; columns are called as those of pairs."""
    if shaper is None:
        return None
    shapes, tables = getattr(shaper, "shapes_", None), getattr(shaper, "tables_", None)
    if shapes is None or not isinstance(tables, ValueTables):
        raise ParameterError(
            "The 'shapes' parameter of Report must be a fitted FeatureShaper, LocalProbabilityShaper or "
            f"BNSScaler. Got {type(shaper).__name__}."
        )
    own = getattr(shaper, "feature_names_in_", [f"x{column}" for column in range(tables.n_features)])
    called = columns_called(names, owners, own)
    positives = _positives(shaper)
    each = max(2, N_SHAPES // len(positives))
    kept = [
        _shape_of(copy, tables, positive, int(column), str(called[column]), shaper.classes_[positive])
        for copy, positive in list(zip(shapes, positives, strict=True))[:N_SHAPES]
        for column in _best_columns(copy, tables)[:each]
    ]
    return ShapesSummary(tables.n_features, len(positives), tuple(kept))


def _positives(shaper: Any) -> list[int]:
    """Numbers of the classes that the copies of the columns are for."""
    if len(shaper.shapes_) > 1:
        return list(range(len(shaper.classes_)))
    return [1 if shaper.positive_label is None else shaper.classes_.tolist().index(shaper.positive_label)]


def _best_columns(shapes: FeatureShapes, tables: ValueTables) -> IntArray:
    """Columns with a shape to show, best first: by their score or, if all have the same, by their spread."""
    starts = tables.starts[:-1]
    ranking = shapes.scores
    if np.ptp(shapes.scores) == 0.0:
        weights = tables.counts.sum(axis=0)
        points = np.nan_to_num(shapes.points)
        total = np.add.reduceat(weights, starts)
        mean = np.add.reduceat(weights * points, starts) / total
        ranking = np.add.reduceat(weights * points**2, starts) / total - mean**2
    ranking = np.where(np.diff(tables.starts) > 1, ranking, -np.inf)
    order: IntArray = np.argsort(-ranking, kind="stable")
    return order[np.isfinite(ranking[order])]


def _shape_of(
    shapes: FeatureShapes, tables: ValueTables, positive: int, column: int, name: str, label: Any
) -> ShapeSummary:
    values, shaped = shapes.curve(column)
    first = tables.starts[column]
    own, others = (weights[first : first + len(values)] for weights in tables.one_vs_rest(positive))
    edges = _edges(values)
    knots = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_KNOTS)).round().astype(np.intp))
    has_missing = first + len(values) < tables.starts[column + 1]
    return ShapeSummary(
        name=printable(name),
        positive=printable(label),
        score=float(shapes.scores[column]),
        values=tuple(values[knots].tolist()),
        shaped=tuple(shaped[knots].tolist()),
        edges=tuple(edges.tolist()),
        positives=_shares(values, edges, own),
        others=_shares(values, edges, others),
        missing=float(shapes.of_column(column, np.array([np.nan]))[0]) if has_missing else None,
    )


def _shares(values: FloatArray, edges: FloatArray, weights: FloatArray) -> tuple[float, ...]:
    counts = np.histogram(values, edges, weights=weights)[0]
    return tuple((counts / max(float(weights.sum()), 1e-300)).tolist())


def _edges(values: FloatArray) -> FloatArray:
    """Edges between the values if they are few, else of bins of one length."""
    if len(values) == 1:
        return values[0] + np.array([-0.5, 0.5])
    if len(values) > _MOST_BINS:
        return np.linspace(values[0], values[-1], _MOST_BINS + 1)
    middles = 0.5 * (values[:-1] + values[1:])
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])
