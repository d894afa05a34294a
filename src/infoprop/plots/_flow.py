"""InformationFlowDisplay: bits on their way from features through class indicators to the output."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._checks import check_integer
from infoprop._core._typing import FloatArray
from infoprop.credit import FeatureCredits, credit_features
from infoprop.plots._drawing import axes_to_draw_on, class_colours, ink, literal

_COLUMNS = (0.0, 1.0, 2.0)
_NODE_WIDTH = 0.03
_GAPS = 0.35
"""Height added for gaps, as a part of the class entropy."""


@dataclass(frozen=True)
class _Column:
    """Where the nodes of one column begin and end (bits from the bottom, gaps between them)."""

    bottoms: FloatArray
    tops: FloatArray

    @property
    def middles(self) -> FloatArray:
        return (self.bottoms + self.tops) / 2


class InformationFlowDisplay:
    """A Sankey diagram: each feature's bits, the indicators they speak through, and what arrives.

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
    ribbons_ : list of matplotlib PathPatch
        Flows from features to indicators, then from indicators to the output.
    texts_ : list of matplotlib Text
        Names of features, of classes, then the words at the output.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.plots import InformationFlowDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> display = InformationFlowDisplay.from_estimator(model, X[1::2], y[1::2])
    >>> len(display.ribbons_)  # 4 features to the classes that they earn bits from, 3 classes to the output
    14
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
        top: int = 14,
    ) -> Self:
        """Credit the features of a fitted classifier on rows it was not trained on, and draw.

        The parameters are those of :meth:`CreditsDisplay.from_estimator` and :meth:`plot`.
        """
        return cls(credit_features(estimator, X, y, sample_weight)).plot(ax, top=top)

    def plot(self, ax: Any = None, *, top: int = 14) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes if not given.
        top : int, default=14
            Features with a node of their own; the others flow together.

        Returns
        -------
        InformationFlowDisplay
            Itself.
        """
        check_integer("top", top, "InformationFlowDisplay.plot", low=1)
        ax = axes_to_draw_on(ax, "InformationFlowDisplay", (7.0, 4.5))
        self.ax_, self.figure_ = ax, ax.figure
        self.ribbons_: list[Any] = []
        self.texts_: list[Any] = []
        names, flows = self._sources(top)
        flow = self.credits.flow
        height = (1.0 + _GAPS) * max(flow.class_entropy, flow.information, np.finfo(np.float64).tiny)
        features, classes = _spread(flows.sum(axis=1), height), _spread(flows.sum(axis=0), height)
        output = _joined([flow.information, flow.class_entropy - flow.information], height)
        self._draw_ribbons(flows, features, classes, output)
        self._draw_names(names, features, classes)
        self._draw_output(output)
        ax.set(xlim=(-0.9, 2.6), ylim=(0.0, height))
        ax.set_axis_off()
        return self

    def _sources(self, top: int) -> tuple[list[str], FloatArray]:
        """Names of the sources and their bits per class: (n_sources, n_classes)."""
        order = self.credits.ranking
        own, rest = order[:top], order[top:]
        names = [self.credits.feature_names[column] for column in own]
        flows = self.credits.by_class[:, own].T
        if len(rest):
            names.append(f"{len(rest):,} other features")
            flows = np.vstack([flows, self.credits.by_class[:, rest].sum(axis=1)])
        return names, flows

    def _draw_ribbons(self, flows: FloatArray, features: _Column, classes: _Column, output: _Column) -> None:
        colours = class_colours(flows.shape[1])
        left, right = features.tops.copy(), classes.tops.copy()
        for source, number in np.ndindex(*flows.shape):
            bits = float(flows[source, number])
            if bits > 0:
                self._ribbon(
                    _COLUMNS[0], float(left[source]), _COLUMNS[1], float(right[number]), bits, colours[number]
                )
            left[source] -= bits
            right[number] -= bits
        arrived = output.tops[0]
        for number, bits in enumerate(flows.sum(axis=0)):
            if bits > 0:
                self._ribbon(_COLUMNS[1], classes.tops[number], _COLUMNS[2], arrived, bits, colours[number])
            arrived -= bits

    def _ribbon(self, x: float, top: float, x_to: float, top_to: float, bits: float, colour: Any) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        middle = (x + x_to) / 2
        corners = [
            (x, top),
            (middle, top),
            (middle, top_to),
            (x_to, top_to),
            (x_to, top_to - bits),
            (middle, top_to - bits),
            (middle, top - bits),
            (x, top - bits),
            (x, top),
        ]
        codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
        self.ribbons_.append(
            self.ax_.add_patch(
                PathPatch(Path(corners, codes), facecolor=colour, edgecolor="none", alpha=0.45)
            )
        )

    def _draw_names(self, names: Sequence[str], features: _Column, classes: _Column) -> None:
        colours = class_colours(len(self.credits.classes))
        self._nodes(_COLUMNS[0], features, [(ink(), 0.7)] * len(names))
        self._nodes(_COLUMNS[1], classes, colours)
        for name, middle in zip(names, features.middles, strict=True):
            text = self.ax_.text(
                _COLUMNS[0] - 0.04, middle, literal(name), ha="right", va="center", fontsize="small"
            )
            self.texts_.append(text)
        for label, middle in zip(self.credits.classes, classes.middles, strict=True):
            self.texts_.append(self.ax_.text(_COLUMNS[1] + 0.04, middle, literal(label), va="center"))

    def _draw_output(self, output: _Column) -> None:
        self._nodes(_COLUMNS[2], output, [(ink(), 0.7), (ink(), 0.2)])
        for word, middle, bits in zip(
            ("delivered", "missing"), output.middles, output.tops - output.bottoms, strict=True
        ):
            self.texts_.append(
                self.ax_.text(
                    _COLUMNS[2] + 0.06, middle, f"{bits:.2f} bits\n{word}", va="center", fontsize="small"
                )
            )

    def _nodes(self, x: float, column: _Column, colours: Sequence[Any]) -> None:
        self.ax_.bar(
            np.full(len(column.tops), x),
            column.tops - column.bottoms,
            width=_NODE_WIDTH,
            bottom=column.bottoms,
            color=colours,
        )


def _spread(bits: FloatArray, height: float) -> _Column:
    """Nodes from the top down, with equal gaps that fill the height."""
    gap = (height - bits.sum()) / len(bits)
    tops = height - gap / 2 - np.concatenate([[0.0], np.cumsum(bits + gap)[:-1]])
    return _Column(tops - bits, tops)


def _joined(bits: Sequence[float], height: float) -> _Column:
    """Nodes from the top down without gaps, in the middle of the height."""
    sizes = np.maximum(np.asarray(bits, dtype=np.float64), 0.0)
    tops = (height + sizes.sum()) / 2 - np.concatenate([[0.0], np.cumsum(sizes)[:-1]])
    return _Column(tops - sizes, tops)
