"""The paper's Figures 2 and 3, from our draws."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gradient_angle2000.protocols import STRATEGIES, Draws
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

STYLES = {"angles": "-", "separation": "-.", "random": ":", "least": "--"}
SIZE = (6.4, 4.0)


def draw_figure(draws: Draws, part: Mapping[str, Any], path: Path) -> None:
    """Draw the figure of a part; its ``kind`` says which.

    Parameters
    ----------
    draws : Draws
    part : mapping
        With "figure": "kind" is "importances", "changes", "strategies" or "overfitting".
    path : Path
        PNG to write.
    """
    figure, ax = pyplot.subplots(figsize=SIZE, layout="constrained")
    KINDS[part["figure"]["kind"]](draws, ax)
    ax.set_title(part["figure"]["title"].format(draws=draws.n_draws), fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the drawing program's name and version the same draws give the same bytes for longer.
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)


def _importances(draws: Draws, ax: Any) -> None:
    """Figure 2 (a): a bar for every feature, with the spread over draws."""
    places = np.arange(1, draws.n_features + 1)
    ax.bar(
        places,
        draws.importances.mean(axis=0),
        yerr=_spread(draws.importances),
        error_kw={"elinewidth": 0.8},
        color="C0",
    )
    ax.set_xticks(places)
    ax.set_xlabel("feature, noise growing to the right")
    ax.set_ylabel("importance (equation 8)")


def _changes(draws: Draws, ax: Any) -> None:
    """Figure 2 (b): accuracy minus that of all features."""
    _walks(ax, {key: curve - curve[:, -1:] for key, curve in draws.test.items()})
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set_ylabel("change of test accuracy, points")


def _strategies(draws: Draws, ax: Any) -> None:
    """Figure 3 (a): test accuracies, and the importances in a corner."""
    _walks(ax, draws.test)
    ax.set_ylabel("test accuracy, %")
    inset = ax.inset_axes((0.58, 0.36, 0.4, 0.28))
    inset.bar(np.arange(1, draws.n_features + 1), draws.importances.mean(axis=0), color="C0")
    inset.set_xticks(np.arange(1, draws.n_features + 1, 2))
    inset.set_title("importance of each feature", fontsize="x-small", pad=2)
    inset.tick_params(labelsize="x-small")


def _overfitting(draws: Draws, ax: Any) -> None:
    """Figure 3 (b): training and test accuracy of the most important features."""
    sizes = np.arange(1, draws.n_features + 1)
    for side, style, curve in (("training", "--", draws.train), ("test", "-", draws.test)):
        ax.errorbar(
            sizes,
            curve["angles"].mean(axis=0),
            yerr=_spread(curve["angles"]),
            fmt=style,
            elinewidth=0.6,
            label=f"{side} rows",
        )
    _label_sizes(ax)
    ax.set_ylabel("accuracy, %")


def _walks(ax: Any, curves: Mapping[str, Any]) -> None:
    for number, (key, curve) in enumerate(curves.items()):
        sizes = np.arange(1, curve.shape[1] + 1)
        mean, spread = curve.mean(axis=0), _spread(curve)
        ax.plot(sizes, mean, STYLES[key], color=f"C{number}", label=STRATEGIES[key])
        ax.fill_between(sizes, mean - spread, mean + spread, color=f"C{number}", alpha=0.12, linewidth=0)
    _label_sizes(ax)


def _label_sizes(ax: Any) -> None:
    ax.set_xlabel("features kept, m")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="lower right")


def _spread(values: Any) -> Any:
    return np.std(values, axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])


KINDS: Mapping[str, Callable[[Draws, Any], None]] = {
    "importances": _importances,
    "changes": _changes,
    "strategies": _strategies,
    "overfitting": _overfitting,
}
