"""Figures of the guide on credits."""

from typing import Any


def bars() -> Any:
    """Bits per feature, stacked by class."""
    from sklearn.datasets import load_wine
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from infoprop.plots import CreditsDisplay
    from infoprop.svm import OneVsRestSVC

    X, y = load_wine(return_X_y=True, as_frame=True)
    machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", C=0.1)).fit(X[::2], y[::2])
    display = CreditsDisplay.from_estimator(machine, X[1::2], y[1::2])
    return display.figure_


def flow() -> Any:
    """The same as a flow."""
    from sklearn.datasets import load_wine
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from infoprop.plots import InformationFlowDisplay
    from infoprop.svm import OneVsRestSVC

    X, y = load_wine(return_X_y=True, as_frame=True)
    machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", C=0.1)).fit(X[::2], y[::2])
    display = InformationFlowDisplay.from_estimator(machine, X[1::2], y[1::2], top=8)
    return display.figure_
