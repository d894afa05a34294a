"""ShapeDisplay: what the values of a column become, over the classes they come from."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._typing import FloatArray
from infoprop.plots._drawing import axes_to_draw_on, class_colours, ink, literal

_MOST_BINS = 30
_MOST_MARKERS = 40


class ShapeDisplay:
    """One column: its values against their shaped values, with the densities of both classes behind.

    Parameters
    ----------
    values : array-like of shape (n_distinct,)
        Distinct values, ascending.
    shaped : array-like of shape (n_distinct,)
        What they become.
    positives, negatives : array-like of shape (n_distinct,)
        Weight of the rows of the positive class and of all others that have each value.
    name : str, default=None
        Name of the column.
    positive_label : label, default=None
        Name of the positive class.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the shape was drawn.
    density_ax_ : matplotlib Axes
        Axes of the densities, over the same values.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    line_ : matplotlib Line2D
        The shape.
    densities_ : list of matplotlib BarContainer
        Share of each class in every bin: positives, negatives.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from infoprop.plots import ShapeDisplay
    >>> from infoprop.shaping import FeatureShaper
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> shaper = FeatureShaper().fit(X, y)
    >>> display = ShapeDisplay.from_estimator(shaper, "mean texture")
    >>> display.ax_.get_xlabel()
    'mean texture'
    """

    def __init__(
        self,
        values: ArrayLike,
        shaped: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        name: str | None = None,
        positive_label: Any = None,
    ) -> None:
        self.values = np.asarray(values, dtype=np.float64)
        self.shaped = np.asarray(shaped, dtype=np.float64)
        self.positives = np.asarray(positives, dtype=np.float64)
        self.negatives = np.asarray(negatives, dtype=np.float64)
        self.name = name
        self.positive_label = positive_label

    @classmethod
    def from_estimator(cls, shaper: Any, feature: int | str, *, label: Any = None, ax: Any = None) -> Self:
        """Draw a column of a fitted shaper; it has counted all that is needed.

        Parameters
        ----------
        shaper : fitted LocalProbabilityShaper, BNSScaler or FeatureShaper
            What has learned the shape.
        feature : int or str
            Number of an input column, or its name.
        label : label, optional
            Class of whose copy the shape is drawn, if there is one for each class; by default the first.
        ax : matplotlib Axes, optional
            Where to draw; new axes if not given.

        Returns
        -------
        ShapeDisplay
        """
        check_is_fitted(shaper, "shapes_")
        column = _column_number(shaper, feature)
        copy, positive = _copy_and_class(shaper, label)
        values, shaped = shaper.shapes_[copy].curve(column)
        weights, others = shaper.tables_.one_vs_rest(positive)
        entries = slice(shaper.tables_.starts[column], shaper.tables_.starts[column] + len(values))
        return cls(
            values,
            shaped,
            weights[entries],
            others[entries],
            name=str(getattr(shaper, "feature_names_in_", {column: f"x{column}"})[column]),
            positive_label=shaper.classes_[positive],
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes if not given.

        Returns
        -------
        ShapeDisplay
            Itself.

        Raises
        ------
        DataError
            If the column has no values, for all are missing.
        """
        if len(self.values) == 0:
            raise DataError("There is no shape to draw: all values of the column are missing.")
        ax = axes_to_draw_on(ax, "ShapeDisplay", (6.0, 3.6))
        self.ax_, self.figure_ = ax, ax.figure
        self.density_ax_ = ax.twinx()
        self._plot_densities(self.density_ax_)
        # The shape lies over the densities, whose axes were made later.
        ax.set_zorder(self.density_ax_.get_zorder() + 1)
        ax.patch.set_visible(False)
        marker = "o" if len(self.values) <= _MOST_MARKERS else ""
        (self.line_,) = ax.plot(self.values, self.shaped, color=ink(), marker=marker, markersize=3.0)
        ax.set_xlabel(literal("value" if self.name is None else self.name))
        ax.set_ylabel("shaped value")
        return self

    def _plot_densities(self, ax: Any) -> None:
        edges = self._bin_edges()
        self.densities_ = []
        labels = ["positives", "all others"]
        if self.positive_label is not None:
            labels[0] = literal(self.positive_label)
        for weights, label, colour in zip(
            (self.positives, self.negatives), labels, class_colours(2), strict=True
        ):
            shares = np.histogram(self.values, edges, weights=weights)[0] / max(weights.sum(), 1e-300)
            self.densities_.append(
                ax.bar(edges[:-1], shares, np.diff(edges), align="edge", color=colour, alpha=0.3, label=label)
            )
        ax.set_ylabel("share of the class")
        ax.set_ylim(bottom=0.0)
        ax.legend(loc="best")

    def _bin_edges(self) -> FloatArray:
        """Edges between the values if they are few, else of bins of one length."""
        if len(self.values) == 1:
            return self.values[0] + np.array([-0.5, 0.5])
        if len(self.values) > _MOST_BINS:
            return np.linspace(self.values[0], self.values[-1], _MOST_BINS + 1)
        middles = 0.5 * (self.values[:-1] + self.values[1:])
        first, last = 2 * self.values[0] - middles[0], 2 * self.values[-1] - middles[-1]
        return np.concatenate([[first], middles, [last]])


def _column_number(shaper: Any, feature: int | str) -> int:
    names = list(getattr(shaper, "feature_names_in_", ()))
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if not isinstance(feature, str) and feature in range(shaper.n_features_in_):
        return int(feature)
    raise ParameterError(
        f"The 'feature' parameter of ShapeDisplay.from_estimator must be a column of the shaper, a number "
        f"from 0 to {shaper.n_features_in_ - 1} or a name. Got {feature!r}."
    )


def _copy_and_class(shaper: Any, label: Any) -> tuple[int, int]:
    """Number of the shapes to draw, and of the class that they are for."""
    classes = shaper.classes_.tolist()
    if len(shaper.shapes_) == 1:
        positive = 1 if shaper.positive_label is None else classes.index(shaper.positive_label)
        own = [classes[positive]]
    else:
        own = classes
    label = own[0] if label is None else label
    if label not in own:
        raise ParameterError(
            f"The 'label' parameter of ShapeDisplay.from_estimator must be one of {own}. Got {label!r}."
        )
    return own.index(label), classes.index(label)
