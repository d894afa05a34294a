"""Figures of the guide on networks."""

from typing import Any


def starts() -> Any:
    """The credits of one network after another, each from a start of its own."""
    import matplotlib.pyplot as plt
    import numpy as np

    from infoprop.credit import credit_features
    from infoprop.datasets import make_corral
    from infoprop.mlp import MLPClassifier

    data = make_corral(600, random_state=1)
    credits = []
    for seed in range(30):
        network = MLPClassifier((4,), alpha=0.01, random_state=seed).fit(data.X[::2], data.y[::2])
        credits.append(credit_features(network, data.X[1::2], data.y[1::2]).values)
    figure, ax = plt.subplots(figsize=(6.0, 3.0), layout="constrained")
    places = np.arange(1, 7) + np.random.default_rng(0).uniform(-0.2, 0.2, (30, 6))
    ax.plot(places, credits, ".", color="C0", alpha=0.5)
    ax.plot(
        np.arange(1, 7), np.mean(credits, axis=0), "_", markersize=30, color="C1", label="mean of 30 starts"
    )
    ax.set(ylabel="credit (bits)", xticks=range(1, 7))
    ax.set_xticklabels(["f1", "f2", "f3", "f4", "f5\nirrelevant", "f6\ncorrelated"])
    ax.legend()
    return figure
