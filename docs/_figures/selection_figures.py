"""Figures of the guides on choosing features."""

from typing import Any


def path() -> Any:
    """What every size delivers."""
    from infoprop.datasets import make_led24
    from infoprop.plots import SelectionPathDisplay
    from infoprop.selection import BackwardEliminationSelector
    from infoprop.svm import OneVsRestSVC

    data = make_led24(200, random_state=0)
    search = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear"), n_features_to_select="auto", validation=5, random_state=0
    ).fit(data.X, data.y)
    display = SelectionPathDisplay.from_selector(search)
    return display.figure_


def criteria() -> Any:
    """Two eliminations on the same axes."""
    import matplotlib.pyplot as plt

    from infoprop.datasets import make_led24
    from infoprop.plots import SelectionPathDisplay
    from infoprop.selection import BackwardEliminationSelector
    from infoprop.svm import OneVsRestSVC

    data = make_led24(200, random_state=0)
    figure, ax = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
    for criterion, name in (("information", "bits"), ("margin", "margin")):
        search = BackwardEliminationSelector(
            OneVsRestSVC(kernel="linear"),
            n_features_to_select=1,
            criterion=criterion,
            validation=5,
            random_state=0,
        ).fit(data.X, data.y)
        SelectionPathDisplay.from_path(search.path_, name=name, ax=ax)
    return figure


def directed() -> Any:
    """What the subsets deliver that a directed search asks about, one after the other."""
    import matplotlib.pyplot as plt
    import numpy as np

    from infoprop.datasets import make_led24
    from infoprop.selection import DirectedSearchSelector
    from infoprop.svm import OneVsRestSVC

    data = make_led24(200, random_state=0)
    figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
    for init in ("credits", "random"):
        search = DirectedSearchSelector(
            OneVsRestSVC(kernel="linear"), n_features_to_select=7, init=init, validation=5, random_state=1
        ).fit(data.X, data.y)
        information = search.trace_.information
        (line,) = ax.plot(np.arange(1, len(information) + 1), information, ".-", label=f'init="{init}"')
        best = int(np.argmax(information))
        ax.plot(
            best + 1, information[best], "o", markersize=10, markerfacecolor="none", color=line.get_color()
        )
    ax.set(xlabel="subset", ylabel="information (bits)")
    ax.legend()
    return figure


def beam() -> Any:
    """Accuracy of all subsets that a forward search tries."""
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_wine

    from infoprop.selection import ForwardBeamSelector

    X, y = load_wine(return_X_y=True, as_frame=True)
    search = ForwardBeamSelector(beam_width=5).fit(X, y)
    tried = search.trace_.to_frame("pandas")
    figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
    ax.plot(tried["n_features"], tried["accuracy"], ".", alpha=0.35, label="subsets tried")
    best = tried.groupby("n_features")["accuracy"].max()
    ax.plot(best.index, best, "o-", label="best of its size")
    ax.set(xlabel="features", ylabel="accuracy, leaving one out")
    ax.legend()
    return figure
