"""RowCreditsDisplay: why a classifier says what it says about one row, as a waterfall."""

from typing import Any, Self

import numpy as np

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray
from infoprop.credit import RowCredits, credit_rows
from infoprop.plots._drawing import axes_to_draw_on, class_colours, ink, literal


class RowCreditsDisplay:
    """A waterfall: from the output without any feature, feature by feature, to the output for a row.

    Parameters
    ----------
    rows : RowCredits
        What is to be drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Figure of `ax_`.
    bars_ : matplotlib BarContainer
        One bar per feature, the largest first; the last one is all others together.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.plots import RowCreditsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> display = RowCreditsDisplay.from_estimator(model, X[1:2], background=X[::2], top=2)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['petal length (cm)', 'petal width (cm)', '2 other features']
    """

    def __init__(self, rows: RowCredits) -> None:
        self.rows = rows

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        row: int = 0,
        label: Any = None,
        background: Any = None,
        ax: Any = None,
        top: int = 10,
    ) -> Self:
        """Ask a fitted classifier about rows, and draw one of them.

        Parameters
        ----------
        estimator, X, background
            As in :func:`infoprop.credit.credit_rows`.
        row, label, ax, top
            As in :meth:`plot`.

        Returns
        -------
        RowCreditsDisplay
        """
        return cls(credit_rows(estimator, X, background=background)).plot(ax, row=row, label=label, top=top)

    def plot(self, ax: Any = None, *, row: int = 0, label: Any = None, top: int = 10) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes if not given.
        row : int, default=0
            Number of the row.
        label : default=None
            The class whose output it is; None takes the largest output of the row.
        top : int, default=10
            Features with a bar of their own; the others have one together.

        Returns
        -------
        RowCreditsDisplay
            Itself.
        """
        check_integer("top", top, "RowCreditsDisplay.plot", low=1)
        n_rows = len(self.rows.outputs)
        if not 0 <= row < n_rows:
            raise ParameterError(f"The 'row' must be one of the {n_rows} rows, from 0. Got {row!r}.")
        number = self.rows.output_number(row, label)
        names, steps = self._steps(row, number, top)
        base = float(self.rows.base[row, number])
        begins = base + np.concatenate([[0.0], np.cumsum(steps)[:-1]])
        ax = axes_to_draw_on(ax, "RowCreditsDisplay", (7.0, 1.2 + 0.28 * len(names)))
        up, down = class_colours(2)
        places = np.arange(len(names))
        colours = [up if step >= 0 else down for step in steps]
        self.bars_ = ax.barh(places, steps, left=begins, color=colours)
        ax.bar_label(self.bars_, labels=[f"{step:+.2f}" for step in steps], padding=3, fontsize="small")
        for at, word in ((base, "without features"), (float(self.rows.outputs[row, number]), "this row")):
            ax.axvline(
                at, color=ink(), linewidth=0.8, linestyle=":" if word != "this row" else "-", label=word
            )
        ax.set_yticks(places, labels=[literal(name) for name in names])
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.set_xlabel(f"output for class {literal(self.rows.labels[number])}")
        ax.legend(loc="best", fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _steps(self, row: int, number: int, top: int) -> tuple[list[str], FloatArray]:
        """Names and contributions, the largest first; the last is of all others and of the remainder."""
        values = self.rows.contributions[row, number]
        order = np.argsort(-np.abs(values), kind="stable")
        own, rest = order[:top], order[top:]
        names = [self.rows.feature_names[column] for column in own]
        steps = values[own]
        if len(rest):
            others = float(values[rest].sum() + self.rows.remainder[row, number])
            names.append(f"{len(rest):,} other feature{'s' if len(rest) > 1 else ''}")
            steps = np.append(steps, others)
        return names, steps
