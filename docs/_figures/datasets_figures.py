"""Figures of the guide on data."""

from typing import Any


def alone() -> Any:
    """What every column of the problems with known answers says about the class by itself."""
    import matplotlib.pyplot as plt
    import numpy as np
    from sklearn.feature_selection import mutual_info_classif

    from infoprop import datasets

    names = ("infoprop_synthetic", "led24", "waveform40", "corral", "parity", "graded_noise")
    figure, axes = plt.subplots(2, 3, figsize=(7.5, 4.0), layout="constrained")
    for ax, name in zip(axes.flat, names, strict=True):
        data = getattr(datasets, f"make_{name}")(2000, random_state=0)
        is_boolean = bool(np.isin(data.X, (0, 1)).all())
        nats = mutual_info_classif(data.X, data.y, discrete_features=is_boolean, random_state=0)
        is_relevant = np.isin(np.arange(data.X.shape[1]), data.relevant)
        for wanted, label in ((True, "relevant"), (False, "irrelevant")):
            columns = np.flatnonzero(is_relevant == wanted)
            ax.bar(columns, nats[columns] / np.log(2.0), width=0.7, color=f"C{1 - wanted}", label=label)
        ax.set(title=f"make_{name}", ylim=(0.0, max(0.1, 1.15 * nats.max() / np.log(2.0))))
        ax.set(xticks=[0, data.X.shape[1] - 1])
        ax.title.set_fontsize(9)
    figure.supxlabel("column", fontsize=9)
    figure.supylabel("bits about the class", fontsize=9)
    axes[0, 0].legend()
    return figure
