"""The data of the demo: real measurements beside copies that are known to be worthless."""

import numpy as np
import polars as pl
from sklearn.datasets import load_wine

CODE = """\
import numpy as np
import polars as pl
from sklearn.datasets import load_wine

wine = load_wine()
names = [name.replace("_", " ") for name in wine.feature_names]
shuffled = np.random.default_rng(0).permuted(wine.data, axis=0)
X = pl.DataFrame(np.hstack([wine.data, shuffled]), [*names, *(f"{name} (shuffled)" for name in names)])
y = pl.Series("cultivar", [f"cultivar {number + 1}" for number in wine.target])

"""
"""Python that makes them."""


def wine_and_shuffled_copies(seed: int, suffix: str) -> tuple[pl.DataFrame, pl.Series]:
    """Scikit-learn's wine data with each of its columns once more in random order, and the cultivars."""
    wine = load_wine()
    names = [name.replace("_", " ") for name in wine.feature_names]
    shuffled = np.random.default_rng(seed).permuted(wine.data, axis=0)
    frame = pl.DataFrame(np.hstack([wine.data, shuffled]), [*names, *(f"{name}{suffix}" for name in names)])
    return frame, pl.Series("cultivar", [f"cultivar {number + 1}" for number in wine.target])
