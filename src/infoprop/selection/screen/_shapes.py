r"""The shapes by which columns are compared with the class: cosines of their ranks.

The midranks of a column become :math:`u \in (0, 1)`, and shape q of it is :math:`\cos(\pi q u)`,
standardised. Shape 1 is monotone, 2 is high in the middle or at both ends, higher ones wave more often.
Ranks make all of it independent of scale and outliers, and every shape is bounded. Equal values have equal
ranks, so the zeros of a sparse column are one step; blocks of columns are made dense, never the whole table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from infoprop._core._typing import Matrix

SinglePrecision = NDArray[np.float32]

# Columns of a block: a block of pairs is 4 MB in single precision, which stays in the processor's cache.
BLOCK = 1024


# Ranks, and waves, of all columns are kept if they fit into this many bytes, else computed when needed.
MEMORY = 200_000_000
# A wave of which the ones before leave less than this part is no shape of its own: the column has few values.
SMALLEST_NEW = 0.05


def column_blocks(n_columns: int) -> Iterator[slice]:
    """Yield the columns of each block."""
    return (slice(first, min(first + BLOCK, n_columns)) for first in range(0, n_columns, BLOCK))


class RankFractions:
    """Midranks of columns, as fractions of the rows; kept if there is memory for them."""

    def __init__(self, X: Matrix) -> None:
        self._X = X
        self.shape: tuple[int, int] = X.shape
        self._kept = self._ranked(slice(None)) if 8 * X.shape[0] * X.shape[1] <= MEMORY else None

    def of(self, columns: Any) -> NDArray[np.float64]:
        """Return those of some columns, in shape (n_samples, n_columns)."""
        return self._ranked(columns) if self._kept is None else self._kept[:, columns]

    def _ranked(self, columns: Any) -> NDArray[np.float64]:
        block = self._X[:, columns]
        dense = block.toarray() if sparse.issparse(block) else np.asarray(block)
        return (np.asarray(stats.rankdata(dense.T, axis=1)).T - 0.5) / len(dense)


def shape(fractions: NDArray[np.float64], order: int) -> SinglePrecision:
    """Return the standardised shape of this order of each column; zeros for a column without spread."""
    waves = np.cos(np.pi * order * fractions)
    waves -= waves.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", waves, waves) / len(waves))
    # A wave that is the same in all rows but for rounding has no spread.
    constant = spread < 1e-9
    waves /= np.where(constant, 1.0, spread)
    waves[:, constant] = 0.0
    return waves.astype(np.float32)


@dataclass(frozen=True, eq=False)
class Waves:
    """The shapes of some columns, each without what those before it tell already, and standardised again.

    Attributes
    ----------
    values : tuple of ndarrays of shape (n_samples, n_columns)
        One for each order; zeros where a column has no such shape.
    is_new : ndarray of bool, shape (n_shapes, n_columns)
        Where there is a shape.
    kurtosis, largest : ndarrays of shape (n_shapes, n_columns)
        Of each shape: the fourth moment less 3, and the largest absolute value.
    """

    values: tuple[SinglePrecision, ...]
    is_new: NDArray[np.bool_]
    kurtosis: NDArray[np.float64]
    largest: NDArray[np.float64]


class WavesOf:
    """The waves of blocks of columns, kept if there is memory for them."""

    def __init__(self, fractions: RankFractions, n_shapes: int) -> None:
        self._fractions, self._n_shapes = fractions, n_shapes
        self._keeps = 4 * n_shapes * fractions.shape[0] * fractions.shape[1] <= MEMORY
        self._kept: dict[int, Waves] = {}

    def of(self, columns: slice) -> Waves:
        """Waves of a block of columns."""
        if columns.start in self._kept:
            return self._kept[columns.start]
        found = _waves(self._fractions.of(columns), self._n_shapes)
        if self._keeps:
            self._kept[columns.start] = found
        return found


def _waves(fractions: NDArray[np.float64], n_shapes: int) -> Waves:
    values: list[SinglePrecision] = []
    n = len(fractions)
    new, kurtosis, largest = (np.zeros((n_shapes, fractions.shape[1])) for _ in range(3))
    for q in range(n_shapes):
        wave = shape(fractions, q + 1)
        for other in values:
            wave -= other * (np.einsum("ij,ij->j", other, wave) / np.float32(n))
        squares = wave * wave
        spread = np.sqrt(squares.mean(axis=0))
        new[q] = spread > SMALLEST_NEW
        scale = np.where(new[q] > 0, 1.0 / np.maximum(spread, SMALLEST_NEW), 0.0).astype(np.float32)
        wave *= scale
        kurtosis[q] = np.einsum("ij,ij->j", squares, squares) / n * scale.astype(np.float64) ** 4 - 3.0
        largest[q] = np.abs(wave).max(axis=0)
        values.append(wave)
    return Waves(tuple(values), new > 0, kurtosis, largest)
