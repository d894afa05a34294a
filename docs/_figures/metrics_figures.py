"""Figures of the guide on output information."""

from typing import Any


def tables() -> Any:
    """Three confusion tables that are right equally often."""
    import matplotlib.pyplot as plt

    from infoprop.metrics import InformationFlow

    tables = {
        "a": [[15, 0, 5], [0, 15, 5], [0, 0, 20]],
        "b": [[16, 2, 2], [2, 16, 2], [1, 1, 18]],
        "c": [[1, 0, 4], [0, 1, 4], [1, 1, 48]],
    }
    figure, axes = plt.subplots(1, 3, figsize=(7.0, 2.9), layout="constrained")
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        flow = InformationFlow.from_confusion(table)
        ax.imshow(table, cmap="Blues", vmin=0, vmax=55)
        for row in range(3):
            for column in range(3):
                count = table[row][column]
                ax.text(
                    column, row, count, ha="center", va="center", color="white" if count > 30 else "black"
                )
        bits = f"{flow.information:.2f} of {flow.class_entropy:.2f} bits"
        ax.set(title=f"({name})  {flow.accuracy:.0%} right, {bits}", xticks=[], yticks=[])
        ax.set(xlabel="predicted", ylabel="true")
        ax.title.set_fontsize(9)
    return figure


def bounds() -> Any:
    """What the doubt that is left says about the error."""
    import matplotlib.pyplot as plt
    import numpy as np

    from infoprop.metrics import InformationFlow

    rng = np.random.default_rng(0)
    figure, ax = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
    flows = []
    for _ in range(400):
        quality = rng.uniform(0.0, 1.0)
        table = rng.dirichlet(np.ones(3), 3) * (1 - quality) + np.eye(3) * quality
        flows.append(InformationFlow.from_confusion(table))
    flows.sort(key=lambda flow: flow.information)
    information = [flow.information for flow in flows]
    lower = [flow.error_bounds.lower_without_error for flow in flows]
    upper = [flow.error_bounds.upper_without_error for flow in flows]
    ax.scatter(information, [flow.error_bounds.error for flow in flows], s=8, label="error")
    ax.scatter(information, upper, s=4, alpha=0.6, label="upper bound, from the entropies alone")
    ax.plot(information, lower, label="lower bound")
    ax.set(xlabel="information (bits)", ylabel="error", ylim=(0.0, 1.0))
    ax.legend()
    return figure
