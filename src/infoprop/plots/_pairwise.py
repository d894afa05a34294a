"""PairwiseFeaturesDisplay: which pair of classes uses which feature, as a picture."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import IntArray
from infoprop.pairwise import ClassPairs
from infoprop.plots._drawing import axes_to_draw_on, literal

ORDERS = ("given", "used")

# Inches: a row or a column, a letter of their names, and everything else.
_CELL, _LETTER, _MARGIN = 0.22, 0.08, 1.2
_LARGEST = 24.0

_MOST_LABELS = 100


class PairwiseFeaturesDisplay:
    """Pairs of classes against features: a cell is filled where the pair uses the feature.

    The colour of a row is the credibility of its pair.

    Parameters
    ----------
    pairs : ClassPairs
        What is to be drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    image_ : matplotlib AxesImage
        The cells: rows are pairs, columns features, from left to right as in `features_`.
    colorbar_ : matplotlib Colorbar or None
        Scale of the credibility; None if there is none.
    features_ : ndarray of shape (n_shown,)
        Numbers of the features drawn, from left to right.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from infoprop.pairwise import PairwiseClassifier
    >>> from infoprop.plots import PairwiseFeaturesDisplay
    >>> from infoprop.selection import ForwardBeamSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = PairwiseClassifier(selector=ForwardBeamSelector(), random_state=0).fit(X, y)
    >>> display = PairwiseFeaturesDisplay.from_estimator(model, order="used", max_features=5)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['0 | 1', '0 | 2', '1 | 2']
    """

    def __init__(self, pairs: ClassPairs) -> None:
        self.pairs = pairs

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        order: str = "given",
        max_features: int | None = None,
        ax: Any = None,
        **image: Any,
    ) -> Self:
        """Draw the pairs of a fitted classifier.

        Parameters
        ----------
        estimator : fitted PairwiseClassifier
        order, max_features, ax, **image
            As in :meth:`plot`.

        Returns
        -------
        PairwiseFeaturesDisplay
        """
        check_is_fitted(estimator)
        pairs = getattr(estimator, "pairs_", None)
        if not isinstance(pairs, ClassPairs):
            raise ParameterError(
                "The 'estimator' parameter of PairwiseFeaturesDisplay.from_estimator must be a "
                f"PairwiseClassifier. Got {type(estimator).__name__}."
            )
        return cls(pairs).plot(ax, order=order, max_features=max_features, **image)

    def plot(
        self, ax: Any = None, *, order: str = "given", max_features: int | None = None, **image: Any
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes if not given.
        order : {"given", "used"}, default="given"
            Features from left to right: as they come, or those that most pairs use first.
        max_features : int, default=None
            Draw at most this many features, those that most pairs use; None draws all.
        **image : dict
            Further arguments for matplotlib's ``Axes.imshow``, such as ``cmap``.

        Returns
        -------
        PairwiseFeaturesDisplay
            Itself.
        """
        owner = "PairwiseFeaturesDisplay.plot"
        check_choice("order", order, ORDERS, owner)
        if max_features is not None:
            check_integer("max_features", max_features, owner, low=1)
        self.features_ = self._shown(order, max_features)
        ax = axes_to_draw_on(ax, "PairwiseFeaturesDisplay", self._size())
        self.ax_, self.figure_ = ax, ax.figure
        credibility = self.pairs.credibility
        is_judged = not np.isnan(credibility).all()
        colours = credibility if is_judged else np.ones(len(self.pairs))
        cells = np.where(self.pairs.support[:, self.features_], colours[:, None], np.nan)
        self.image_ = ax.imshow(cells, **{"aspect": "auto", "interpolation": "nearest", **image})
        self.colorbar_ = None
        if is_judged:
            self.colorbar_ = self.figure_.colorbar(self.image_, ax=ax, label="credibility")
        self._label()
        return self

    def _shown(self, order: str, max_features: int | None) -> IntArray:
        by_use = np.argsort(-self.pairs.support.sum(axis=0), kind="stable")[:max_features]
        return by_use if order == "used" else np.sort(by_use)

    def _names(self) -> tuple[list[str], list[str]]:
        """Names of the features drawn, and of the pairs."""
        features = [literal(self.pairs.feature_names[number]) for number in self.features_]
        return features, [" | ".join(literal(label) for label in pair.classes) for pair in self.pairs]

    def _size(self) -> tuple[float, float]:
        features, pairs = self._names()
        width = len(features) * _CELL + max(map(len, pairs)) * _LETTER + _MARGIN
        height = len(pairs) * _CELL + max(map(len, features)) * _LETTER + _MARGIN / 2
        return min(width, _LARGEST), min(height, _LARGEST)

    def _label(self) -> None:
        features, pairs = self._names()
        for axis, labels, rotation in ((self.ax_.xaxis, features, 90), (self.ax_.yaxis, pairs, 0)):
            step = -(-len(labels) // _MOST_LABELS)
            axis.set_ticks(range(0, len(labels), step), labels[::step], rotation=rotation)
        self.ax_.set_xlabel("features")
        self.ax_.set_ylabel("pairs of classes")
