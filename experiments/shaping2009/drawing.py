"""The paper's figures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from shaping2009.summary import MEASURES, Outcomes

STYLES: Mapping[str, Mapping[str, Any]] = {
    "baseline": {"color": "#000000", "marker": "s", "linestyle": "--"},
    "scaling": {"color": "#0072B2", "marker": "^", "linestyle": "-."},
    "shaping": {"color": "#D55E00", "marker": "o", "linestyle": "-"},
    "keep": {"color": "#009E73", "marker": "v", "linestyle": "-"},
    "window": {"color": "#E69F00", "marker": "D", "linestyle": "-"},
    "policy": {"color": "#CC79A7", "marker": "P", "linestyle": "-"},
    "plain": {"color": "#999999", "marker": "X", "linestyle": "-"},
    "keep-window": {"color": "#56B4E9", "marker": "<", "linestyle": "-"},
    "policy-window": {"color": "#7F3C8D", "marker": ">", "linestyle": "-"},
    "keep-plain": {"color": "#117733", "marker": "*", "linestyle": "-"},
}
"""Colours told apart also by the colour-blind, with a marker each."""


def draw_curves(
    outcomes: Outcomes, variants: Sequence[str], measures: Sequence[str], title: str, path: Path
) -> None:
    """Draw means over tasks against the size of the training set, one panel for each measure."""
    figure, axes = pyplot.subplots(
        1, len(measures), figsize=(1.0 + 4.2 * len(measures), 3.8), layout="constrained", squeeze=False
    )
    for ax, measure in zip(axes[0], measures, strict=True):
        for variant in variants:
            points = [outcomes.mean(variant, size, measure) for size in outcomes.sizes]
            label = outcomes.rows[variant]
            ax.plot(outcomes.sizes, points, label=label, linewidth=1.3, markersize=4, **STYLES[variant])
        ax.set_xlabel("training rows, % of all rows")
        ax.set_ylabel(f"{MEASURES[measure]}, %")
        ax.set_xticks(outcomes.sizes)
        ax.grid(alpha=0.3)
    axes[0][-1].legend(fontsize="small", loc="best")
    figure.suptitle(title, fontsize="medium")
    _write(figure, path)


def draw_tasks(values: Mapping[str, Any], title: str, path: Path) -> None:
    """Draw every task, the hardest for the baseline first."""
    order = np.argsort(values["baseline"], kind="stable")
    figure, ax = pyplot.subplots(figsize=(7.5, 3.8), layout="constrained")
    for variant, of_tasks in values.items():
        style = {**STYLES[variant], "linestyle": "-" if variant == "baseline" else "none"}
        ax.plot(np.arange(1, len(order) + 1), of_tasks[order], label=variant, markersize=4, **style)
    ax.set_xlabel("task, sorted by the baseline")
    ax.set_ylabel("AUC, %")
    ax.grid(alpha=0.3)
    ax.legend(fontsize="small", loc="lower right")
    ax.set_title(title, fontsize="medium")
    _write(figure, path)


def draw_lesions(values: Mapping[str, Mapping[str, float]], title: str, path: Path) -> None:
    """Draw every measure over the variants, in the order given: accuracy and AUC above, the others below."""
    figure, axes = pyplot.subplots(2, 1, figsize=(6.5, 5.6), sharex=True, layout="constrained")
    places = np.arange(len(values))
    for ax, measures in zip(axes, (("accuracy", "auc"), ("f", "precision")), strict=True):
        for measure, marker, color in zip(measures, ("s", "o"), ("#000000", "#D55E00"), strict=True):
            points = [own[measure] for own in values.values()]
            ax.plot(places, points, marker=marker, color=color, markersize=5, label=MEASURES[measure])
        ax.set_ylabel("%")
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
    axes[1].set_xticks(places, list(values))
    axes[0].set_title(title, fontsize="medium")
    _write(figure, path)


def _write(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the drawing program's name and version the same numbers give the same bytes for longer.
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
