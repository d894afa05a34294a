"""Figures of the guide on comparing ways to choose features."""

from typing import Any


def kept() -> Any:
    """What several methods keep at every size, and what one of them promises where there is nothing."""
    import matplotlib.pyplot as plt
    import numpy as np
    from sklearn.datasets import load_wine
    from sklearn.feature_selection import SelectKBest
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from infoprop.selection import BackwardEliminationSelector, CreditSelector, compare_selectors
    from infoprop.svm import OneVsRestSVC

    machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))
    methods = {
        "backward": BackwardEliminationSelector(machine, validation=5),
        "credit": CreditSelector(machine, validation=5),
        "F": SelectKBest(),
    }
    wine = load_wine(return_X_y=True)
    sizes = [1, 2, 3, 5, 8, 12]
    compared = compare_selectors(methods, *wine, estimator=machine, sizes=sizes, random_state=0)
    coins = np.random.default_rng(0).standard_normal((60, 1000)), np.arange(60) % 2
    many = [1, 2, 5, 10, 20, 50]
    by_chance = compare_selectors({"F": SelectKBest()}, *coins, sizes=many, random_state=0)

    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.2), layout="constrained", sharey=True)
    for place, name in enumerate(methods):
        own = [entry for entry in compared if entry.method == name]
        at = np.array([entry.n_features for entry in own]) * 1.03 ** (place - 1)
        heights, errors = [entry.accuracy for entry in own], [entry.accuracy_error for entry in own]
        left.errorbar(at, heights, errors, marker=".", capsize=2.0, label=name)
    promised = [entry.inner_accuracy for entry in by_chance]
    right.plot(many, promised, "--", marker=".", color="C3", label="promised")
    heights, errors = zip(*[(entry.accuracy, entry.accuracy_error) for entry in by_chance], strict=True)
    right.errorbar(many, heights, errors, marker=".", capsize=2.0, color="C2", label="kept")
    right.axhline(0.5, color="C4", linewidth=0.8, linestyle=":", label="a coin")
    left.set(title="13 measurements of wines", ylabel="accuracy", ylim=(0.2, 1.02))
    right.set(title="1000 columns of noise, chosen by F")
    for ax, ticks, corner in ((left, sizes, "lower right"), (right, many, "upper left")):
        ax.set(xlabel="features", xscale="log")
        ax.set_xticks([], minor=True)
        ax.set_xticks(ticks, ticks)
        ax.title.set_fontsize(9)
        ax.legend(loc=corner)
    return figure
