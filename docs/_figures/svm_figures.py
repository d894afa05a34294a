"""Figures of the guide on support vector machines."""

from typing import Any


def regions() -> Any:
    """Three machines, their borders and what each class's machine leans on."""
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_iris
    from sklearn.inspection import DecisionBoundaryDisplay

    from infoprop.svm import OneVsRestSVC

    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    colours = ["C0", "C1", "C2"]
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.2), layout="constrained")
    for ax, settings in zip(axes, ({"kernel": "linear"}, {"kernel": "rbf", "gamma": 1.0}), strict=True):
        machine = OneVsRestSVC(**settings).fit(X, y)
        DecisionBoundaryDisplay.from_estimator(
            machine, X, response_method="predict", ax=ax, alpha=0.25, multiclass_colors=colours
        )
        support = sorted({row for one in machine.machines_ for row in one.support})
        ax.scatter(*X.T, c=[colours[label] for label in y], s=12)
        ax.scatter(*X[support].T, c=[colours[label] for label in y[support]], s=45, alpha=0.35)
        ax.set(title=f"{settings['kernel']}: {len(support)} support vectors")
        ax.set(xlabel="petal length", ylabel="petal width")
    return figure
