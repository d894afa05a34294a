r"""All pairs of columns against the class, by blocked matrix products.

With Z the shapes of one order of all columns (standardised) and t a standardised class indicator, the
correlation of every product :math:`z_i z_j` with the indicator is

.. math::
    r_{ij} = \frac{\left[(Z \circ t)^T Z\right]_{ij} / n}
    {\sqrt{\left[(Z \circ Z)^T (Z \circ Z)\right]_{ij} / n - \left(\left[Z^T Z\right]_{ij} / n\right)^2}},

three products of matrices for one indicator, one more for each further. Blocks above the diagonal are enough.
"""

from dataclasses import dataclass

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection.screen._shapes import RankFractions, SinglePrecision, column_blocks, shape

# Shapes whose products are tried: both columns monotone (as in XOR), both high in the middle (as in a ring).
ORDERS = (1, 2)
# A product that is almost the same in all rows says nothing; in single precision its spread is rounding.
SMALLEST_VARIANCE = 1e-4
# Shapes of all columns, and spreads of all products, are kept if they fit into this many bytes, else computed
# again for every block.
MEMORY = 400_000_000


@dataclass(frozen=True, eq=False)
class BestPairs:
    """For every column its best partner, and the best pairs of all.

    Attributes
    ----------
    r_squared : ndarray of shape (n_features,)
        Squared correlation of the best product with a class indicator.
    partner, order, indicator : ndarrays of shape (n_features,)
        With which column, in which shape, for which indicator; partner -1 where there is no product.
    pairs : ndarray of shape (n_pairs, 4)
        Columns, order and indicator of the best pairs, best first.
    """

    r_squared: FloatArray
    partner: IntArray
    order: IntArray
    indicator: IntArray
    pairs: IntArray


class PairShapes:
    """The shapes of blocks of columns, and spreads of their products, kept if there is memory for them."""

    def __init__(self, fractions: RankFractions) -> None:
        self._fractions = fractions
        n_rows, self.n_features = fractions.shape
        self._keeps = 4 * len(ORDERS) * n_rows * self.n_features <= MEMORY
        # Half of all pairs; they are of use in further rounds only.
        self._keeps_spreads = 2 * len(ORDERS) * self.n_features**2 <= MEMORY // 4
        self._kept: dict[int, list[SinglePrecision]] = {}
        self._spreads: dict[tuple[int, int, int], SinglePrecision] = {}

    def of(self, columns: slice) -> list[SinglePrecision]:
        """Shapes of a block of columns, one for each order."""
        if columns.start not in self._kept:
            fractions = self._fractions.of(columns)
            shapes = [shape(fractions, order) for order in ORDERS]
            if not self._keeps:
                return shapes
            self._kept[columns.start] = shapes
        return self._kept[columns.start]

    def inverse_variance(self, rows: slice, columns: slice, order: int) -> SinglePrecision:
        """1 / (n^2 variance) of the products of two blocks, zero for those that are not looked at."""
        key = rows.start, columns.start, order
        if key in self._spreads:
            return self._spreads[key]
        found = _variance(self.of(rows)[order], self.of(columns)[order])
        if columns is rows:
            # Of a block with itself the pairs above the diagonal; the others come out as zeros.
            found = np.triu(found, k=1)
        if self._keeps_spreads:
            self._spreads[key] = found
        return found


def best_pairs(shapes: PairShapes, targets: FloatArray, n_pairs: int) -> BestPairs:
    """Find the pairs of columns whose products go best with the class.

    Parameters
    ----------
    shapes : PairShapes
        Of all columns; used again in the next round.
    targets : array of shape (n_indicators, n_samples)
        Standardised class indicators.
    n_pairs : int
        How many of the best pairs to list.
    """
    search = _Search(shapes.n_features, n_pairs)
    blocks = list(column_blocks(shapes.n_features))
    single = targets.astype(np.float32)
    for number, rows in enumerate(blocks):
        left = shapes.of(rows)
        weighted = [[z * t[:, np.newaxis] for t in single] for z in left]
        for columns in blocks[number:]:
            right = left if columns is rows else shapes.of(columns)
            for order, (products, other) in enumerate(zip(weighted, right, strict=True)):
                variance = shapes.inverse_variance(rows, columns, order)
                for indicator, product in enumerate(products):
                    r = product.T @ other
                    r *= r
                    r *= variance
                    search.look_at(r, rows.start, columns.start, order, indicator)
    return search.result()


def _variance(z: SinglePrecision, other: SinglePrecision) -> SinglePrecision:
    """Return 1 / (n^2 variance) of all products, 0 where a product has no spread."""
    n = np.float32(len(z))
    variance: SinglePrecision = (z * z).T @ (other * other)
    variance /= n
    mean = z.T @ other
    mean /= n
    mean *= mean
    variance -= mean
    flat = variance < SMALLEST_VARIANCE
    variance[flat] = 1.0
    inverse: SinglePrecision = 1.0 / (variance * n * n)
    inverse[flat] = 0.0
    return inverse


class _Search:
    """The best so far, over blocks."""

    def __init__(self, n_features: int, n_pairs: int) -> None:
        self._n_pairs = n_pairs
        self._best = np.zeros(n_features)
        self._where = np.full((n_features, 3), (-1, 0, 0), dtype=np.intp)
        self._pairs = np.zeros((0, 4), dtype=np.intp)
        self._values = np.zeros(0)

    def look_at(self, r: SinglePrecision, row: int, column: int, order: int, indicator: int) -> None:
        """Take in the squared correlations of a block that begins at (`row`, `column`)."""
        for axis, first, other in ((1, row, column), (0, column, row)):
            top = r.max(axis=axis)
            better = np.flatnonzero(top > self._best[first : first + len(top)])
            if len(better):
                partner = (r[better] if axis else r[:, better].T).argmax(axis=1)
                self._best[first + better] = top[better]
                self._where[first + better] = np.column_stack(
                    (partner + other, np.full((len(better), 2), (order, indicator)))
                )
            if axis == 1:
                # The best pairs of a block stand in the rows with the greatest maxima.
                floor = self._values[-1] if len(self._values) == self._n_pairs else 0.0
                rows = np.argsort(-top, kind="stable")[: self._n_pairs]
                rows = rows[top[rows] > floor]
        if len(rows):
            self._list(r[rows], rows + row, column, order, indicator)

    def _list(self, r: SinglePrecision, rows: IntArray, column: int, order: int, indicator: int) -> None:
        n = min(self._n_pairs, r.size)
        flat = np.argpartition(-r, n - 1, axis=None)[:n]
        i, j = np.unravel_index(flat, r.shape)
        found = np.column_stack((rows[i], j + column, np.full((n, 2), (order, indicator))))
        values = np.concatenate((self._values, r[i, j].astype(np.float64)))
        pairs = np.concatenate((self._pairs, found))
        # Same pairs in the same order whatever order blocks come in: ties go by column.
        by_value = np.lexsort((pairs[:, 3], pairs[:, 2], pairs[:, 1], pairs[:, 0], -values))
        # A pair is listed once, with the shape and the indicator that it goes best with.
        _, firsts = np.unique(pairs[by_value, :2], axis=0, return_index=True)
        kept = by_value[np.sort(firsts)[: self._n_pairs]]
        self._values, self._pairs = values[kept], pairs[kept]

    def result(self) -> BestPairs:
        listed = self._pairs[self._values > 0.0]
        partner, order, indicator = self._where.T.copy()
        return BestPairs(self._best, partner, order, indicator, listed)
