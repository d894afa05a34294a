"""SelectionPathDisplay: what every size on the way from all features to few delivers, as a picture."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from infoprop._core._checks import check_boolean, check_choice, check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray
from infoprop.plots._drawing import axes_to_draw_on, literal
from infoprop.selection import SelectionPath

METRICS = {
    "information": "information (bits)",
    "relative_information": "relative information",
    "accuracy": "accuracy",
}

MOST_ON_A_PLAIN_AXIS = 50
"""Features up to which the axis of sizes is linear; beyond, the interesting end would be a hair wide."""

_MOST_WITH_MARKERS = 60


class SelectionPathDisplay:
    """What a classifier delivers, against the number of features it is left with.

    A line through the sizes of a path, a band of one standard error around it, and a mark where the chosen
    size lies. More paths are drawn into the same axes by handing `ax_` on.

    Parameters
    ----------
    path : SelectionPath
        What is to be drawn.
    n_chosen : int, default=None
        Number of features (groups) to mark; None marks nothing.
    name : str, default=None
        Name of the path, for the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    line_ : matplotlib Line2D
        The values, from all features to the fewest.
    band_ : matplotlib PolyCollection or None
        One standard error to both sides; None if it was not asked for.
    bounds_ : matplotlib PolyCollection or None
        Where the information allows the accuracy to be; None if it was not asked for.
    chosen_ : matplotlib Line2D or None
        The mark of the chosen size; None if there is none.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from infoprop.plots import SelectionPathDisplay
    >>> from infoprop.selection import BackwardEliminationSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = BackwardEliminationSelector(n_features_to_select=4, random_state=0).fit(scale(X), y)
    >>> display = SelectionPathDisplay.from_selector(selector)
    >>> display.ax_.get_ylabel(), display.line_.get_xdata().tolist()
    ('information (bits)', [13, 12, 11, 10, 9, 8, 7, 6, 5, 4])
    """

    def __init__(self, path: SelectionPath, *, n_chosen: int | None = None, name: str | None = None) -> None:
        self.path = path
        self.n_chosen = n_chosen
        self.name = name

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        *,
        metric: str = "information",
        band: bool = True,
        bounds: bool = False,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> Self:
        """Draw the path of a fitted selector, with the size it chose marked.

        Parameters
        ----------
        selector : fitted BackwardEliminationSelector
            Or any other that has `path_` and `support_`.
        name : str, default=None
            Name of the path, for the legend.
        metric, band, bounds, ax, **line
            As in :meth:`plot`.

        Returns
        -------
        SelectionPathDisplay
        """
        check_is_fitted(selector)
        path = getattr(selector, "path_", None)
        if not isinstance(path, SelectionPath):
            raise ParameterError(
                "The 'selector' parameter of SelectionPathDisplay.from_selector must be a selector with a "
                f"path, such as BackwardEliminationSelector. Got {type(selector).__name__}."
            )
        n_chosen = len(np.unique(path.group_of_column[selector.support_]))
        return cls(path, n_chosen=n_chosen, name=name).plot(
            ax, metric=metric, band=band, bounds=bounds, **line
        )

    @classmethod
    def from_path(
        cls,
        path: SelectionPath,
        *,
        n_chosen: int | None = None,
        metric: str = "information",
        band: bool = True,
        bounds: bool = False,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : SelectionPath
            What is to be drawn.
        n_chosen : int, default=None
            Number of features (groups) to mark; None marks nothing.
        name : str, default=None
            Name of the path, for the legend.
        metric, band, bounds, ax, **line
            As in :meth:`plot`.

        Returns
        -------
        SelectionPathDisplay
        """
        return cls(path, n_chosen=n_chosen, name=name).plot(
            ax, metric=metric, band=band, bounds=bounds, **line
        )

    def plot(
        self,
        ax: Any = None,
        *,
        metric: str = "information",
        band: bool = True,
        bounds: bool = False,
        **line: Any,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, beside whatever is there; new axes if not given.
        metric : {"information", "relative_information", "accuracy"}, default="information"
            What is drawn: I(Y;Yf) in bits, its part of H(Y), or the part of the rows predicted right.
        band : bool, default=True
            Whether to shade one standard error to both sides.
        bounds : bool, default=False
            Whether to shade where the information allows the accuracy to be, one minus the bounds on the
            error; with ``metric="accuracy"`` only.
        **line : dict
            Further arguments for matplotlib's ``Axes.plot``, such as ``color``.

        Returns
        -------
        SelectionPathDisplay
            Itself.
        """
        self._check(metric, band, bounds)
        ax = axes_to_draw_on(ax, "SelectionPathDisplay", (7.0, 4.0))
        self.ax_, self.figure_ = ax, ax.figure
        sizes, values = self.path.n_features, getattr(self.path, metric)
        style = {"marker": "." if len(sizes) <= _MOST_WITH_MARKERS else "", **line}
        if self.name is not None:
            style.setdefault("label", literal(self.name))
        (self.line_,) = ax.plot(sizes, values, **style)
        self.band_ = self._shade(values, self._standard_error(metric), 0.2) if band else None
        self.bounds_ = self._shade_bounds() if bounds else None
        self.chosen_ = self._mark(values)
        self._label(metric)
        return self

    def _check(self, metric: str, band: bool, bounds: bool) -> None:
        owner = "SelectionPathDisplay.plot"
        check_choice("metric", metric, tuple(METRICS), owner)
        check_boolean("band", band, owner)
        if check_boolean("bounds", bounds, owner) and metric != "accuracy":
            raise ParameterError(
                f"{owner}(bounds=True) shades what the accuracy can be; it goes with metric='accuracy'. "
                f"Got metric={metric!r}."
            )
        if self.n_chosen is not None:
            fewest = len(self.path.names) - len(self.path.order)
            check_integer("n_chosen", self.n_chosen, owner, low=fewest, high=len(self.path.names))
        if np.isnan(self.path.information).any():
            raise ParameterError(
                f"{owner} has nothing to draw: no rows were counted on this path. Fit the selector with a "
                "'validation' other than None."
            )

    def _standard_error(self, metric: str) -> FloatArray:
        """One standard error of the values, in their unit."""
        error = self.path.standard_error
        if metric == "information":
            return error
        if metric == "accuracy":
            accuracy = self.path.accuracy
            return np.sqrt(accuracy * (1.0 - accuracy) / self.path.tables.n_samples)
        information = self.path.information
        # H(Y) is the same for all sizes: read it off where something is delivered.
        best = int(np.argmax(information))
        if information[best] <= 0.0:
            return np.zeros_like(error)
        return error * (self.path.relative_information[best] / information[best])

    def _shade(self, values: FloatArray, error: FloatArray, alpha: float) -> Any:
        return self.ax_.fill_between(
            self.path.n_features,
            values - error,
            values + error,
            color=self.line_.get_color(),
            alpha=alpha,
            linewidth=0.0,
        )

    def _shade_bounds(self) -> Any:
        lower = 1.0 - self.path.tables.column("error_upper")
        upper = 1.0 - self.path.tables.column("error_lower")
        return self._shade((lower + upper) / 2, (upper - lower) / 2, 0.1)

    def _mark(self, values: FloatArray) -> Any:
        """A ring at the chosen size, on the line also where that size was not counted."""
        if self.n_chosen is None:
            return None
        sizes = self.path.n_features[::-1]
        height = float(np.interp(self.n_chosen, sizes, values[::-1]))
        (mark,) = self.ax_.plot(
            [self.n_chosen],
            [height],
            marker="o",
            markersize=9,
            markerfacecolor="none",
            markeredgewidth=1.8,
            color=self.line_.get_color(),
            linestyle="none",
            label=f"{self.n_chosen:,} chosen" if self.name is None else None,
        )
        return mark

    def _label(self, metric: str) -> None:
        self.ax_.set_xlabel("features")
        self.ax_.set_ylabel(METRICS[metric])
        if len(self.path.names) > MOST_ON_A_PLAIN_AXIS:
            self.ax_.set_xscale("log")
            self.ax_.xaxis.set_major_formatter("{x:,.0f}")
        if self.ax_.get_legend_handles_labels()[1]:
            self.ax_.legend(loc="best")
