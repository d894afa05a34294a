"""Figures of the boards."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from boards.ranks import Ranking
from matplotlib import pyplot
from numpy.typing import NDArray

SHOWN = (
    "front door",
    "screen",
    "backward, rbf",
    "forest",
    "ReliefF",
    "mutual information",
    "TreeSHAP",
    "mRMR",
)
"""Methods whose curves have a colour; the others are grey."""


def draw_ranks(
    rankings: Mapping[str, Ranking], methods: Sequence[str], ours: Sequence[str], path: Path
) -> None:
    """Draw the mean ranks of all methods, best on top, and as a bar how far apart two must be to differ."""
    means = {measure: ranking.ranks.mean(axis=0) for measure, ranking in rankings.items()}
    order = np.argsort(-np.mean(list(means.values()), axis=0), kind="stable")
    figure, ax = pyplot.subplots(figsize=(6.4, 0.22 * len(methods) + 1.0), layout="constrained")
    for measure, ranks in means.items():
        ax.plot(ranks[order], np.arange(len(order)), "o", markersize=4, label=measure)
    critical = next(iter(rankings.values())).critical
    ax.plot([1.0, 1.0 + critical], [len(order), len(order)], color="black", linewidth=2)
    ax.annotate(" critical difference", (1.0, len(order) + 0.8), fontsize="x-small", va="center")
    ax.set_yticks(np.arange(len(order)), [methods[place] for place in order], fontsize="small")
    for place, label in zip(order, ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if methods[place] in ours else "normal")
    ax.set_xlabel("mean rank (1 is best)")
    ax.set_ylim(-1.0, len(order) + 1.6)
    ax.legend(fontsize="x-small", loc="lower left")
    _save(figure, path)


def draw_curves(
    tables: Mapping[str, NDArray[np.float64]], methods: Sequence[str], names: Sequence[str], path: Path
) -> None:
    """Draw the recall against the number of columns."""
    figure, axes = pyplot.subplots(2, 2, figsize=(7.2, 6.0), sharex=True, sharey=True, layout="constrained")
    for ax, name in zip(axes.flat, names, strict=True):
        recalls = {
            int(problem.rpartition("/")[2]): np.nanmean(table, axis=0)
            for problem, table in tables.items()
            if problem.startswith(f"{name}/")
        }
        for place, method in enumerate(methods):
            style = {"color": "0.8", "linewidth": 0.8, "zorder": 0}
            if method in SHOWN:
                # Lines that lie on each other are seen beside each other: those drawn first are the widest.
                style = {"label": method, "linewidth": 5.0 - 0.55 * SHOWN.index(method)}
            ax.plot(list(recalls), [values[place] for values in recalls.values()], **style)
        ax.set_title(name, fontsize="small")
        ax.set_xscale("log", base=2)
    figure.supxlabel("columns")
    figure.supylabel("relevant columns among the best, %")
    if set(methods) & set(SHOWN):
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize="x-small")
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
