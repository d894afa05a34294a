"""The paper's generators: uniform columns, of which the first few decide the class."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def ring(X: Rows, width: float) -> NDArray[np.bool_]:
    """Whether the first two columns lie on a ring around the middle."""
    radius = np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5)
    return np.asarray(np.abs(radius - 0.35) <= width)


def xor(X: Rows, first: int, threshold: float) -> NDArray[np.bool_]:
    """Whether a column and its neighbour lie on different sides of the middle, far enough from it."""
    return np.asarray((X[:, first] - 0.5) * (0.5 - X[:, first + 1]) >= threshold)


def _ring_xor_sum(X: Rows, rng: np.random.Generator) -> NDArray[np.bool_]:
    high = X[:, 4] + X[:, 5] + rng.normal(0.0, 0.2, len(X)) >= 1.4074
    return ring(X, 0.0479) | xor(X, 2, 0.0598) | high


# Number of columns that decide, and how. Widths are the paper's: half of the rows are positive.
PROBLEMS: dict[str, tuple[int, Callable[[Rows, np.random.Generator], NDArray[np.bool_]]]] = {
    "ring": (2, lambda X, rng: ring(X, 0.1151)),
    "xor": (2, lambda X, rng: xor(X, 0, 0.0)),
    "ring+xor": (4, lambda X, rng: ring(X, 0.0704) | xor(X, 2, 0.0337)),
    "ring+xor+sum": (6, _ring_xor_sum),
}


def draw(problem: str, n_rows: int, n_columns: int, seed: int) -> tuple[Rows, NDArray[np.bool_], int]:
    """Draw rows, their classes, and the number of relevant columns, which come first."""
    n_relevant, decide = PROBLEMS[problem]
    rng = np.random.default_rng([seed, n_columns, n_relevant])
    X = rng.random((n_rows, n_columns))
    return X, decide(X, rng), n_relevant
