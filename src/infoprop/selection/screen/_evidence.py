"""One look at a class: for every column the better of what it tells alone and what its best pair tells."""

from dataclasses import dataclass

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection.screen._chance import HEAVY, log_bennett, log_chance, log_sum_tail, log_tail
from infoprop.selection.screen._pairs import ORDERS, BestPairs, PairShapes, best_pairs
from infoprop.selection.screen._shapes import RankFractions, Waves, WavesOf, column_blocks, shape

# Shapes of one column that are tried: from monotone to three full waves.
N_SHAPES = 6


def standardised(targets: FloatArray) -> FloatArray:
    """Return each row with mean 0 and spread 1; without spread, zeros."""
    centred = targets - targets.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0.0, spread, 1.0))


@dataclass(frozen=True, eq=False)
class Evidence:
    """One round: for each column the better of its own shapes and its best pair.

    Attributes
    ----------
    log_expected : ndarray of shape (n_features,)
        Natural logarithm of how many columns (pairs) as good chance would give.
    order, partner : ndarrays of shape (n_features,)
        Shape, 0 for a pair, and partner, -1 for none.
    pairs : BestPairs
    """

    log_expected: FloatArray
    order: IntArray
    partner: IntArray
    pairs: BestPairs


class Evidences:
    """Evidence of columns and pairs about any targets; shapes are computed once.

    Parameters
    ----------
    fractions : RankFractions
    shares : array of shape (n_indicators,)
        Parts of the rows that belong to the classes of the indicators.
    n_pairs : int
        How many of the best pairs to list.
    """

    def __init__(self, fractions: RankFractions, shares: FloatArray, n_pairs: int) -> None:
        self._fractions, self._shares, self._n_pairs = fractions, shares, n_pairs
        n_features = fractions.shape[1]
        # Each shape with each class, and the first shapes together.
        self._log_single = np.log(n_features * N_SHAPES * (len(shares) + 1))
        self._waves = WavesOf(fractions, N_SHAPES)
        self._shapes = PairShapes(fractions)
        n_products = max(n_features * (n_features - 1) // 2, 1) * len(ORDERS) * len(shares)
        self._log_pairs = np.log(n_products)

    def about(self, targets: FloatArray, n_terms: int = 0) -> Evidence:
        """Return the evidence about standardised targets, of which `n_terms` terms were fitted."""
        n_rows = self._fractions.shape[0] - n_terms
        single, order = self._single(targets, n_rows)
        pairs = best_pairs(self._shapes, targets, self._n_pairs)
        double = self._log_of_pairs(pairs, targets, n_rows)
        in_pair = double < single
        return Evidence(
            np.where(in_pair, double, single),
            np.where(in_pair, 0, order),
            np.where(in_pair, pairs.partner, -1),
            pairs,
        )

    def _single(self, targets: FloatArray, n_rows: int) -> tuple[FloatArray, IntArray]:
        """Return the evidence of each column alone, and in which shape it goes best with the class.

        By one shape and one class, or by the first shapes and all classes together, whichever is better.
        """
        n_features = self._fractions.shape[1]
        best, order = np.empty(n_features), np.empty(n_features, dtype=np.intp)
        fourth = np.mean(targets**4, axis=1) - 3.0
        peaks = np.abs(targets).max(axis=1)
        for columns in column_blocks(n_features):
            waves = self._waves.of(columns)
            # (n_shapes, n_targets, n_columns)
            r_squared = np.array([targets @ z / len(z) for z in waves.values]) ** 2
            order[columns] = r_squared.max(axis=1).argmax(axis=0) + 1
            heavy = waves.kurtosis[:, None] * fourth[:, None] / targets.shape[1] > HEAVY
            plain = np.where(heavy, 0.0, r_squared)
            alone = log_tail(plain.max(axis=(0, 1)), n_rows)
            evidence = np.minimum(alone, self._together(waves, plain, n_rows))
            q, c, k = np.nonzero(heavy)
            bound = log_bennett(r_squared[q, c, k], n_rows, waves.largest[q, k] * peaks[c])
            np.minimum.at(evidence, k, np.maximum(bound, log_tail(r_squared[q, c, k], n_rows)))
            best[columns] = evidence
        return best + self._log_single, order

    def _together(self, waves: Waves, r_squared: FloatArray, n_rows: int) -> FloatArray:
        r"""Return log p of the first one, two, ... shapes together, for all classes; the best number of them.

        With :math:`S_q = \sum_c (1 - \pi_c) r_{qc}^2` the part of shape q that lies between the classes (with
        parts :math:`\pi_c` of the rows), the sum of :math:`-m \log(1 - S_q)`, m = n - 1.5 - L/2, is
        close to chi-squared with L - 1 degrees of freedom for each shape (Bartlett). A column of few values
        has fewer shapes; a class for which it has too heavy a tail counts as zero here.
        """
        n_classes = max(len(self._shares), 2)
        weights = np.ones(1) if len(self._shares) == 1 else 1.0 - self._shares
        scale = max(n_rows - 1.5 - 0.5 * n_classes, 1.0)
        between = np.minimum(np.einsum("c,qck->qk", weights, r_squared), 1.0 - 1e-12)
        total = np.cumsum(-scale * np.log1p(-between), axis=0)
        freedom = (n_classes - 1) * np.cumsum(waves.is_new, axis=0, dtype=np.float64)
        return np.asarray(log_sum_tail(total, freedom).min(axis=0))

    def _log_of_pairs(self, pairs: BestPairs, targets: FloatArray, n_rows: int) -> FloatArray:
        """Return the evidence of each column's best pair, with tails by what the products are."""
        evidence = np.full(len(pairs.r_squared), self._log_pairs)
        has_partner = pairs.partner >= 0
        for columns in column_blocks(len(evidence)):
            some = np.arange(len(evidence))[columns][has_partner[columns]]
            if len(some):
                products = self.products(some, pairs.partner[some], pairs.order[some])
                for indicator, target in enumerate(targets):
                    mine = pairs.indicator[some] == indicator
                    r_squared = pairs.r_squared[some[mine]]
                    tails = log_chance(r_squared, n_rows, products[:, mine], target)
                    evidence[some[mine]] = tails + self._log_pairs
        return evidence

    def products(self, first: IntArray, second: IntArray, order: IntArray) -> FloatArray:
        """Return standardised products of pairs of columns, in shape (n_samples, n_pairs)."""
        left, right = self._fractions.of(first), self._fractions.of(second)
        products = np.empty(left.shape)
        for number, q in enumerate(ORDERS):
            mine = order == number
            products[:, mine] = shape(left[:, mine], q).astype(np.float64) * shape(right[:, mine], q)
        return standardised(products.T).T

    def of_listed(self, pairs: BestPairs, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return squared correlations of the listed pairs with their indicators, and their evidence."""
        r_squared, evidence = np.zeros((2, len(pairs.pairs)))
        if len(pairs.pairs):
            i, j, order, indicator = pairs.pairs.T
            products = self.products(i, j, order)
            for n, target in enumerate(targets[indicator]):
                r_squared[n] = (products[:, n] @ target / len(target)) ** 2
                tail = log_chance(r_squared[[n]], len(target), products[:, [n]], target)
                evidence[n] = tail[0] + self._log_pairs
        return r_squared, evidence
