"""The data of the demo: real measurements beside copies that are known to be worthless."""

import numpy as np
from sklearn.datasets import load_wine

from infoprop.workflow._preparation import Problem

CODE = """\
wine = load_wine()
names = [name.replace("_", " ") for name in wine.feature_names]
shuffled = np.random.default_rng({seed}).permuted(wine.data, axis=0)
X = np.hstack([wine.data, shuffled])
y = np.array(["cultivar 1", "cultivar 2", "cultivar 3"])[wine.target]
features = [*names, *(f"{{name}} (shuffled)" for name in names)]
"""
"""Python that makes them."""

_CULTIVARS = np.array(["cultivar 1", "cultivar 2", "cultivar 3"])


def wine_and_shuffled_copies(seed: int, suffix: str) -> Problem:
    """Scikit-learn's wine data, and each of its columns once more in random order."""
    wine = load_wine()
    names = [name.replace("_", " ") for name in wine.feature_names]
    shuffled = np.random.default_rng(seed).permuted(wine.data, axis=0)
    return Problem(
        X=np.hstack([wine.data, shuffled]),
        y=_CULTIVARS[wine.target],
        owners=(*names, *(f"{name}{suffix}" for name in names)),
        target="cultivar",
    )
