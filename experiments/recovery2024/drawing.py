"""Recall against the number of columns, a line for each method."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot


def draw_figure(
    draws: Mapping[tuple[str, str, int, int], tuple[float, float]], part: Mapping[str, Any], path: Path
) -> None:
    """Draw mean recalls; a method that stops early was not run on wider tables."""
    figure, ax = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    for method in dict.fromkeys(method for _, method, _, _ in draws):
        widths = sorted({width for _, other, width, _ in draws if other == method})
        recalls = [
            np.mean([value[0] for key, value in draws.items() if key[1:3] == (method, width)])
            for width in widths
        ]
        ax.plot(
            widths, recalls, marker="o", markersize=4, label=method, linewidth=2 if method == "screen" else 1
        )
    ax.set_xscale("log", base=2)
    ax.set_xlabel("columns")
    ax.set_ylabel("relevant columns among the best")
    ax.set_ylim(-0.03, 1.03)
    ax.set_title(part["title"], fontsize="medium")
    ax.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
