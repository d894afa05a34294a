"""Figures of the page on choosing the number of features."""

from typing import Any


def curves() -> Any:
    """What every size delivers: on the rows that chose, and on rows that had no part in it."""
    import matplotlib.pyplot as plt
    from sklearn.datasets import make_classification

    from infoprop.metrics import output_information
    from infoprop.plots import SelectionPathDisplay
    from infoprop.selection import BackwardEliminationSelector
    from infoprop.svm import OneVsRestSVC

    X, y = make_classification(2100, 60, n_informative=6, n_redundant=0, flip_y=0.1, random_state=1)
    search = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear", C=0.1),
        n_features_to_select="auto",
        rule="one-se",
        validation=5,
        random_state=0,
    ).fit(X[:100], y[:100])
    sizes = search.path_.n_features
    unseen = [output_information(y[100:], search.at(int(size)).predict(X[100:])) for size in sizes]
    figure, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
    SelectionPathDisplay.from_selector(search, ax=ax)
    ax.plot(sizes, unseen, color="C1", label="2000 rows never seen")
    ax.set(ylim=(0.0, 1.0))
    ax.legend()
    return figure
