"""StabilityDisplay and KnockoffDisplay: how clearly real features stand out from luck, as pictures."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray
from infoprop.plots._drawing import axes_to_draw_on, literal
from infoprop.selection import KnockoffSelector, KnockoffStatistics, RankStability, StabilitySelector

_CHOSEN, _OTHER = "C0", "0.75"


class StabilityDisplay:
    """How often each feature is among the k best of a half of the rows, against k.

    A line for every feature; those chosen are coloured.

    Parameters
    ----------
    stability : RankStability
        What is to be drawn.
    chosen : ndarray of bool of shape (n_features,), default=None
        Features (groups) to colour; None means none.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    lines_ : list of matplotlib Line2D
        One for every feature drawn, those chosen last.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.plots import StabilityDisplay
    >>> from infoprop.selection import RankStability
    >>> ranks = np.array([[1, 2, 3, 4], [1, 2, 4, 3]] * 5)
    >>> display = StabilityDisplay(RankStability(("a", "b", "c", "d"), ranks)).plot()
    >>> display.ax_.get_xlabel(), len(display.lines_)
    ('k', 4)
    """

    def __init__(self, stability: RankStability, *, chosen: BoolArray | None = None) -> None:
        self.stability = stability
        self.chosen = chosen

    @classmethod
    def from_selector(cls, selector: StabilitySelector, **how: Any) -> Self:
        """Draw what a fitted :class:`~infoprop.selection.StabilitySelector` found; `how` goes to `plot`."""
        check_is_fitted(selector)
        _check_kind(selector, StabilitySelector, cls.__name__)
        stability = selector.stability_
        chosen = np.zeros(len(stability.names), dtype=bool)
        # Columns of chosen features rank first, and each of the other features has a rank of its own.
        n_others = len(np.unique(selector.ranking_[selector.ranking_ > 1]))
        chosen[stability.best_first[: len(chosen) - n_others]] = True
        return cls(stability, chosen=chosen).plot(**how)

    def plot(self, ax: Any = None, *, n_features: int = 200) -> Self:
        """Draw the lines of the `n_features` most stable features (all others lie below them)."""
        most = check_integer("n_features", n_features, type(self).__name__, low=1)
        self.ax_ = axes_to_draw_on(ax, type(self).__name__, (6.4, 4.0))
        self.figure_ = self.ax_.figure
        known = self.stability
        sizes = np.arange(1, known.n_sizes + 1)
        shares = np.array([known.frequencies(int(size)) for size in sizes])
        chosen = np.zeros(len(known.names), dtype=bool) if self.chosen is None else self.chosen
        drawn = [number for number in known.best_first[:most] if number in known.tested]
        self.lines_ = []
        for number in sorted(drawn, key=lambda number: bool(chosen[number])):
            colour = _CHOSEN if chosen[number] else _OTHER
            (line,) = self.ax_.plot(sizes, shares[:, number], color=colour, lw=1.2 if chosen[number] else 0.6)
            self.lines_.append(line)
        self.ax_.axhline(0.5, color="0.4", lw=0.8, ls=":")
        self.ax_.set(xlabel="k", ylabel="share of halves with it among the k best", ylim=(-0.02, 1.02))
        return self


class KnockoffDisplay:
    """By how much each feature outlives its knockoff: W, mean over the draws, best first.

    Bars above zero outlived their knockoffs; those below show how far luck alone goes.

    Parameters
    ----------
    statistics : KnockoffStatistics
        What is to be drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    bars_ : matplotlib BarContainer
        One bar for every feature drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.plots import KnockoffDisplay
    >>> from infoprop.selection import KnockoffStatistics
    >>> W = np.array([[9.0, -1.0, 8.0, 7.0, 6.0, 5.0]])
    >>> found = KnockoffStatistics(tuple("abcdef"), W, np.ones(6, dtype=bool), fdr=0.2)
    >>> [float(bar.get_height()) for bar in KnockoffDisplay(found).plot().bars_]
    [9.0, 8.0, 7.0, 6.0, 5.0, -1.0]
    """

    def __init__(self, statistics: KnockoffStatistics) -> None:
        self.statistics = statistics

    @classmethod
    def from_selector(cls, selector: KnockoffSelector, **how: Any) -> Self:
        """Draw what a fitted :class:`~infoprop.selection.KnockoffSelector` found; `how` goes to `plot`."""
        check_is_fitted(selector)
        _check_kind(selector, KnockoffSelector, cls.__name__)
        return cls(selector.knockoffs_).plot(**how)

    def plot(self, ax: Any = None, *, n_features: int = 60) -> Self:
        """Draw the `n_features` features with the largest W, above or below zero."""
        most = check_integer("n_features", n_features, type(self).__name__, low=1)
        self.ax_ = axes_to_draw_on(ax, type(self).__name__, (6.4, 4.0))
        self.figure_ = self.ax_.figure
        known = self.statistics
        W = known.W.mean(axis=0)
        largest = np.argsort(-np.abs(W), kind="stable")[:most]
        order = largest[np.argsort(-W[largest], kind="stable")]
        colours = [_CHOSEN if number in known.chosen else _OTHER for number in order]
        self.bars_ = self.ax_.bar(np.arange(len(order)), W[order], color=colours)
        if known.n_draws == 1 and np.isfinite(known.thresholds[0]):
            self.ax_.axhline(known.thresholds[0], color="0.4", lw=0.8, ls=":")
        self.ax_.axhline(0.0, color="0.4", lw=0.8)
        names = [literal(known.names[number]) for number in order]
        self.ax_.set_xticks(np.arange(len(order)), names, rotation=90, fontsize="small")
        self.ax_.set(ylabel="W")
        return self


def _check_kind(selector: Any, kind: type, owner: str) -> None:
    if not isinstance(selector, kind):
        raise ParameterError(
            f"{owner}.from_selector draws a fitted {kind.__name__}. Got a {type(selector).__name__}."
        )
