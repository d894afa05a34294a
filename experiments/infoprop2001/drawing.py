"""Credits per feature as pictures, the paper's Figures 1 to 3 and their like."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot

from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.plots import CreditsDisplay


def mean_credits(draws: Sequence[FeatureCredits]) -> FeatureCredits:
    """Credits averaged over draws with the same features; the flow is that of all test rows together.

    The mean of the draws' information, which the mean credits add up to, is not the information of that flow.
    """
    by_class = np.mean([credits.by_class for credits in draws], axis=0)
    counts = np.sum([credits.flow.counts for credits in draws], axis=0)
    flow = InformationFlow.from_confusion(counts, labels=draws[0].classes)
    return FeatureCredits(by_class.sum(axis=0), by_class, flow, draws[0].classes, draws[0].feature_names)


def draw_credits(draws: Sequence[FeatureCredits], figure: Mapping[str, Any], path: Path) -> None:
    """Draw the mean credits, with the spread over draws where each feature has a bar.

    Parameters
    ----------
    draws : sequence of FeatureCredits
    figure : mapping
        "title", in which ``{draws}`` is their number; optionally "top", to draw only so many features, and
        "relevant", [first, last] feature that is known to matter, numbered from 1, to print in bold.
    path : Path
        PNG to write.
    """
    credits = mean_credits(draws)
    display = CreditsDisplay(credits).plot(top=figure.get("top"))
    shown = credits.ranking[: figure.get("top")]
    if display.bars_ is not None and len(draws) > 1:
        spread = np.std([each.values for each in draws], axis=0, ddof=1)
        display.ax_.errorbar(
            credits.values[shown],
            np.arange(len(shown)),
            xerr=spread[shown],
            fmt="none",
            ecolor="black",
            elinewidth=0.8,
        )
    if display.bars_ is not None and "relevant" in figure:
        first, last = figure["relevant"]
        for column, label in zip(shown, display.ax_.get_yticklabels(), strict=True):
            label.set_fontweight("bold" if first <= column + 1 <= last else "normal")
    display.ax_.set_title(figure["title"].format(draws=len(draws)), fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the drawing program's name and version the same credits give the same bytes for longer.
    display.figure_.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(display.figure_)
