r"""The shapes by which columns are compared with the class: cosines of their ranks.

The midranks of a column become :math:`u \in (0, 1)`, and shape q of it is :math:`\cos(\pi q u)`,
standardised. Shape 1 is monotone, 2 is high in the middle or at both ends, higher ones wave more often.
Ranks make all of it independent of scale and outliers, and every shape is bounded. Equal values have equal
ranks, so the zeros of a sparse column are one step; blocks of columns are made dense, never the whole table.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from infoprop._core._typing import Matrix

SinglePrecision = NDArray[np.float32]

# Columns of a block: a block of pairs is 4 MB in single precision, which stays in the processor's cache.
BLOCK = 1024


def column_blocks(n_columns: int) -> Iterator[slice]:
    """Yield the columns of each block."""
    return (slice(first, min(first + BLOCK, n_columns)) for first in range(0, n_columns, BLOCK))


def rank_fractions(X: Matrix, columns: Any) -> NDArray[np.float64]:
    """Return the midranks of some columns, as fractions of the rows, in shape (n_samples, n_columns)."""
    block = X[:, columns]
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
