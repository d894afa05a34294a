"""Small tables of every kind that shaping has to deal with."""

import numpy as np
import pytest


@pytest.fixture
def mixed():
    """Rows with columns that are continuous, whole, binary, mostly zero, constant, zero but once."""
    rng = np.random.default_rng(0)
    n = 90
    y = rng.integers(0, 2, n)
    X = np.column_stack(
        [
            rng.normal(size=n) + y,
            rng.integers(-4, 5, n) - y,
            rng.integers(0, 2, n),
            np.where(rng.random(n) < 0.7, 0.0, rng.integers(1, 6, n) + 2.0 * y),
            np.full(n, 3.0),
            np.where(np.arange(n) == 7, 2.5, 0.0),
            np.round(rng.normal(size=n), 1) * 1e6,
        ]
    ).astype(float)
    return X, y


@pytest.fixture
def new_rows(mixed):
    """Rows with values between, beyond and exactly at those of `mixed`."""
    X, _ = mixed
    rng = np.random.default_rng(1)
    between = 0.5 * (X[rng.permutation(len(X))] + X)
    return np.vstack([X[:20], between, X.min(axis=0) - 1.0, X.max(axis=0) + 1.0, np.zeros(X.shape[1])])
