"""Figures of the guide on kernels."""

from typing import Any


def kernels() -> Any:
    """The kernels of one feature and their gradients."""
    import matplotlib.pyplot as plt
    import numpy as np

    from infoprop.kernels import kernel_gradient, kernel_matrix

    x, centre = np.linspace(-3.0, 3.0, 121)[:, None], np.array([[1.0]])
    settings = {
        "linear": {},
        "poly": {"gamma": 0.3, "degree": 3, "coef0": 1.0},
        "rbf": {"gamma": 0.5},
        "sigmoid": {"gamma": 0.7},
        "anova": {"gamma": 2.0, "degree": 1},
    }
    figure, axes = plt.subplots(1, 5, figsize=(8.0, 2.2), layout="constrained", sharex=True)
    for ax, (name, values) in zip(axes, settings.items(), strict=True):
        ax.plot(x, kernel_matrix(x, centre, kernel=name, **values), label="$K(x, 1)$")
        ax.plot(x, kernel_gradient(x, centre, kernel=name, **values)[:, 0], "--", label="slope")
        ax.set(title=name, xlabel="x")
    axes[0].legend()
    return figure
