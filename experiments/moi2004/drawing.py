"""Accuracy against the number of features as pictures, the paper's Figures 1 to 3."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator, NullLocator

if TYPE_CHECKING:
    from moi2004.curves import Curves

DIRECTED = frozenset({"MOI-SVM", "MOI-MLP"})
OWN = {"MOI-P": "#0072B2", "MOI-BE": "#D55E00", **dict.fromkeys(sorted(DIRECTED), "#000000")}
"""Colours of the wrappers, told apart also by the colour-blind; their rivals are thin."""
MANY = 36
"""More points than that need a wider picture."""
LONG = 60
"""So do names that are longer together."""
RIVALS = ("#56B4E9", "#009E73", "#CC79A7", "#999999", "#E69F00", "#7F3C8D")


def draw_curves(splits: "Sequence[Curves]", figure: Mapping[str, Any], judged: str, path: Path) -> None:
    """Draw mean accuracies over the splits: on the judging rows, and on those that guided the search.

    Parameters
    ----------
    splits : sequence of Curves
    figure : mapping
        "title", in which ``{draws}`` is the number of splits; optionally "without", methods to leave out, and
        "sizes_apart", to draw numbers of features by their logarithm.
    judged : str
        What the judging rows are called.
    path : Path
        PNG to write.
    """
    drawn, axes = pyplot.subplots(1, 2, figsize=(10.0, 4.4), sharey=True, layout="constrained")
    for ax, rows, told in zip(axes, ("judge", "guide"), (f"{judged} rows", "D_test"), strict=True):
        for method, colour in _colours(splits[0].verdicts):
            if method not in figure.get("without", []):
                _draw_method(ax, splits, method, colour, rows)
        ax.set_xlabel("number of features K")
        ax.set_title(f"accuracy on {told}", fontsize="medium")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if figure.get("sizes_apart"):
            sizes = sorted(next(iter(splits[0].verdicts.values())))
            ax.set_xscale("log")
            ax.set_xticks(sizes, [str(size) for size in sizes], minor=False)
            ax.xaxis.set_minor_locator(NullLocator())
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("accuracy, %")
    axes[1].legend(fontsize="small", ncols=2, loc="lower right")
    drawn.suptitle(figure["title"].format(draws=len(splits)), fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the drawing program's name and version the same curves give the same bytes for longer.
    drawn.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(drawn)


def _colours(methods: Mapping[str, Any]) -> list[tuple[str, str]]:
    rivals = iter(RIVALS)
    return [(method, OWN.get(method) or next(rivals)) for method in methods]


def _draw_method(ax: Any, splits: "Sequence[Curves]", method: str, colour: str, rows: str) -> None:
    sizes = sorted(splits[0].verdicts[method])
    points = [
        [100.0 * getattr(curves.verdicts[method][size], rows).accuracy for size in sizes] for curves in splits
    ]
    mean = np.mean(points, axis=0)
    own = method in OWN
    style = {"color": colour, "marker": "o" if own else ".", "zorder": 3 if own else 2}
    ax.plot(sizes, mean, label=method, linewidth=1.8 if own else 0.9, markersize=3.5, **style)
    if method in DIRECTED and len(points) > 1:
        spread = np.std(points, axis=0, ddof=1)
        ax.fill_between(sizes, mean - spread, mean + spread, color=colour, alpha=0.1, linewidth=0)


def draw_points(points: Mapping[str, Mapping[str, Any]], figure: Mapping[str, Any], path: Path) -> None:
    """Draw means and deviations side by side, a group of points per label and a colour per method.

    Parameters
    ----------
    points : dict of str to dict of str to array
        Accuracies in percent by label and method.
    figure : mapping
        "title", in which ``{draws}`` is the number of splits.
    path : Path
        PNG to write.
    """
    methods = list(dict.fromkeys(method for values in points.values() for method in values))
    many = len(methods) * len(points) > MANY or sum(map(len, methods)) > LONG
    drawn, ax = pyplot.subplots(figsize=(11.0 if many else 7.5, 4.0), layout="constrained")
    for place, (method, colour) in enumerate(_colours(dict.fromkeys(methods))):
        groups = [number for number, values in enumerate(points.values()) if method in values]
        values = np.array([each[method] for each in points.values() if method in each])
        left = np.array(groups) + 0.6 * ((place + 0.5) / len(methods) - 0.5)
        spread = values.std(axis=1, ddof=1) if values.shape[1] > 1 else None
        ax.errorbar(left, values.mean(axis=1), spread, fmt="o", color=colour, label=method, capsize=2)
    labels = [label.replace(", ", "\n") if many else label for label in points]
    ax.set_xticks(range(len(points)), labels)
    ax.set_ylabel("accuracy, %")
    ax.grid(axis="y", alpha=0.3)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15 if many else -0.1)}
    ax.legend(fontsize="small", ncols=len(methods), **below)
    n_draws = len(next(iter(points[next(iter(points))].values())))
    ax.set_title(figure["title"].format(draws=n_draws), fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(drawn)
