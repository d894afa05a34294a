"""Figures of the guide on pairs of classes."""

from typing import Any


def pairs() -> Any:
    """Which pair uses which features."""
    from sklearn.datasets import load_digits

    from infoprop.pairwise import PairwiseClassifier
    from infoprop.plots import PairwiseFeaturesDisplay
    from infoprop.selection import ForwardBeamSelector

    X, y = load_digits(n_class=5, return_X_y=True)
    model = PairwiseClassifier(selector=ForwardBeamSelector(), random_state=0).fit(X, y)
    display = PairwiseFeaturesDisplay.from_estimator(model, order="used", max_features=20)
    return display.figure_
