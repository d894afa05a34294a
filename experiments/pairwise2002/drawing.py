"""Which features each pair of classes uses."""

from pathlib import Path
from typing import Any

from matplotlib import pyplot
from pairwise2002.problems import Problem

from infoprop.plots import PairwiseFeaturesDisplay


def draw_pairs(pairs: Any, problem: Problem, title: str, path: Path) -> None:
    """Draw pairs by features and write a PNG."""
    height = 1.8 + 0.16 * len(pairs)
    width = 3.2 + 0.16 * len(problem.feature_names)
    figure, ax = pyplot.subplots(figsize=(max(5.0, width), height), layout="constrained")
    PairwiseFeaturesDisplay(pairs).plot(ax=ax)
    ax.set_title(title, fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the drawing program's name and version the same draws give the same bytes for longer.
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
