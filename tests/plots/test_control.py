import numpy as np
import pytest

from infoprop.exceptions import ParameterError
from infoprop.plots import KnockoffDisplay, StabilityDisplay
from infoprop.selection import KnockoffSelector, StabilitySelector

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(120, 12))
Y = (X[:, :4].sum(axis=1) > 0.0).astype(int)


def test_frequencies_are_drawn_and_those_chosen_are_coloured():
    selector = StabilitySelector(n_pairs=4, n_features_to_select=4, random_state=0).fit(X, Y)
    display = StabilityDisplay.from_selector(selector, n_features=10)
    assert [line.get_color() for line in display.lines_] == ["0.75"] * 6 + ["C0"] * 4
    known = selector.stability_
    drawn = {tuple(line.get_ydata()) for line in display.lines_}
    sizes = range(1, known.n_sizes + 1)
    assert tuple(known.frequencies(size)[known.best_first[0]] for size in sizes) in drawn
    with pytest.raises(ParameterError, match="draws a fitted StabilitySelector"):
        StabilityDisplay.from_selector(KnockoffSelector(random_state=0).fit(X, Y))


def test_statistics_are_drawn_best_first():
    selector = KnockoffSelector(fdr=0.4, random_state=0).fit(X, Y)
    display = KnockoffDisplay.from_selector(selector)
    heights = [bar.get_height() for bar in display.bars_]
    assert heights == sorted(selector.knockoffs_.W[0], reverse=True)
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert labels[0] == f"x{np.argmax(selector.knockoffs_.W[0])}"
