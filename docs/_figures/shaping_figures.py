"""Figures of the guide on shaping."""

from typing import Any


def shape() -> Any:
    """One feature, as it was and as it becomes."""
    from sklearn.datasets import load_wine

    from infoprop.plots import ShapeDisplay
    from infoprop.shaping import FeatureShaper

    X, y = load_wine(return_X_y=True, as_frame=True)
    shaper = FeatureShaper(positive_label=0).fit(X, y)
    display = ShapeDisplay.from_estimator(shaper, "color_intensity")
    return display.figure_
