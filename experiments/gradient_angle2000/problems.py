"""The paper's data: Gaussians of graded noise, drawn anew, and two data sets that come with scikit-learn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import StandardScaler

from infoprop.datasets import make_graded_noise

LOADERS: Mapping[str, Callable[..., Any]] = {"wine": load_wine, "wdbc": load_breast_cancer}


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and rows to test on."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any
    feature_names: tuple[str, ...]

    def standardised(self) -> "Split":
        """Columns of mean 0 and variance 1 in the training rows."""
        scaler = StandardScaler().fit(self.X_train)
        X_train, X_test = scaler.transform(self.X_train), scaler.transform(self.X_test)
        return Split(X_train, self.y_train, X_test, self.y_test, self.feature_names)


def draw_split(source: Mapping[str, Any], seed: int) -> Split:
    """One random split of what the ``source`` table of a part describes.

    Parameters
    ----------
    source : mapping
        "data", which is "graded noise", "wine" or "wdbc"; "train", the part of the rows to train on;
        "n_rows", for "graded noise".
    seed : int
    """
    random = np.random.RandomState(seed)
    if source["data"] == "graded noise":
        data = make_graded_noise(source["n_rows"], random_state=seed)
        X, y, names = data.X, data.y, data.feature_names
    else:
        loaded = LOADERS[source["data"]]()
        X, y, names = loaded.data, loaded.target, tuple(str(name) for name in loaded.feature_names)
    order = random.permutation(len(y))
    n_train = round(source["train"] * len(y))
    train, test = order[:n_train], order[n_train:]
    return Split(X[train], y[train], X[test], y[test], names)
