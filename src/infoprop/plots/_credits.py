"""CreditsDisplay: what every feature is worth, as a picture."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._checks import check_integer
from infoprop._core._typing import IntArray
from infoprop.credit import FeatureCredits, credit_features
from infoprop.plots._drawing import axes_to_draw_on, class_colours, ink, literal

MOST_BARS = 40
"""Features up to which each gets a bar and its name."""

_MOST_LEGEND_ENTRIES = 12


class CreditsDisplay:
    """Credits per feature: bars stacked by class, or for many features stems over the column number.

    Parameters
    ----------
    credits : FeatureCredits
        What is to be drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    bars_ : list of matplotlib BarContainer, or None
        One per class, in the order of ``credits.classes``; None if stems were drawn.
    stems_ : matplotlib LineCollection or None
        One line per feature; None if bars were drawn.
    floor_ : matplotlib LineCollection, Line2D or None
        How far chance alone could come, if the credits know (``null="shuffled"``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.plots import CreditsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> display = CreditsDisplay.from_estimator(model, X[1::2], y[1::2], top=3)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['petal length (cm)', 'petal width (cm)', 'sepal length (cm)']
    """

    def __init__(self, credits: FeatureCredits) -> None:
        self.credits = credits

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Any = None,
        top: int | None = None,
        **how: Any,
    ) -> Self:
        """Credit the features of a fitted classifier on rows it was not trained on, and draw.

        Parameters
        ----------
        estimator : fitted classifier
            See :func:`infoprop.credit.credit_features`.
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Rows that the confusion table is made of.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.
        ax, top
            As in :meth:`plot`.
        **how
            Further parameters of :func:`infoprop.credit.credit_features`, such as ``null="shuffled"``.

        Returns
        -------
        CreditsDisplay
        """
        return cls(credit_features(estimator, X, y, sample_weight, **how)).plot(ax, top=top)

    def plot(self, ax: Any = None, *, top: int | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes if not given.
        top : int, optional
            Draw only so many of the best features, as bars. If not given, all are drawn: as bars, best first,
            up to 40 of them, and as stems in the order of the columns beyond.

        Returns
        -------
        CreditsDisplay
            Itself.
        """
        if top is not None:
            check_integer("top", top, "CreditsDisplay.plot", low=1)
        self.bars_: list[Any] | None = None
        self.stems_: Any = None
        self.floor_: Any = None
        if top is None and self.credits.n_features > MOST_BARS:
            self._plot_stems(axes_to_draw_on(ax, "CreditsDisplay", (7.0, 3.0)))
        else:
            shown = self.credits.ranking[:top]
            height = 1.2 + 0.24 * len(shown)
            self._plot_bars(axes_to_draw_on(ax, "CreditsDisplay", (7.0, height)), shown)
        self.figure_ = self.ax_.figure
        return self

    def _plot_bars(self, ax: Any, shown: IntArray) -> None:
        places = np.arange(len(shown))
        left = np.zeros(len(shown))
        self.bars_ = []
        colours = class_colours(len(self.credits.classes))
        for label, colour, bits in zip(
            self.credits.classes, colours, self.credits.by_class[:, shown], strict=True
        ):
            self.bars_.append(ax.barh(places, bits, left=left, color=colour, label=literal(label)))
            left += bits
        if self.credits.noise is not None:
            floor = self.credits.noise.floor[shown]
            self.floor_ = ax.vlines(floor, places - 0.45, places + 0.45, color=ink(), label="chance")
        ax.set_yticks(places, labels=[literal(self.credits.feature_names[column]) for column in shown])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.set_xlabel("credit (bits)")
        if len(self.credits.classes) <= _MOST_LEGEND_ENTRIES:
            ax.legend(title="class", loc="lower right")
        self.ax_ = ax

    def _plot_stems(self, ax: Any) -> None:
        columns = np.arange(self.credits.n_features)
        self.stems_ = ax.vlines(columns, 0.0, self.credits.values, linewidth=1.0)
        if self.credits.noise is not None:
            floor = self.credits.noise.floor
            (self.floor_,) = ax.plot(columns, floor, color=ink(), linewidth=0.8, label="chance")
            ax.legend()
        ax.set_xlim(-0.02 * len(columns), 1.02 * len(columns) - 1)
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("column")
        ax.set_ylabel("credit (bits)")
        self.ax_ = ax
