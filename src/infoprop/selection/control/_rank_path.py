"""RankStability: how often each feature is among the best k, for every k, in searches on halves of the rows.

Integrated path stability selection (Melikechi & Miller), indexed by the number of features left instead of by
a penalty.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from infoprop._core._checks import check_integer
from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, IntArray

# Sizes are averaged over as far as chance alone would give fewer than this many false positives, and
# frequencies count by this power. The paper has the third; chosen on data that no result is reported on, see
# `experiments/error_control/calibration.py`.
CUTOFF = 0.05
EXPONENT = 5


@dataclass(frozen=True, eq=False)
class RankStability(FrozenArrays):
    r"""Ranks of all features (groups) in searches on B pairs of complementary halves of the rows.

    With :math:`\hat\pi_k(j)` the share of the 2B searches that have feature j among their k best,
    :math:`h(\pi) = (2\pi - 1)^5` for :math:`\pi > 1/2` and 0 otherwise, p features, and
    :math:`\mu_k \propto 1/k` for k = 1 ... K,

    .. math::
        s_j = \sum_k \mu_k h(\hat\pi_k(j)), \qquad
        I = \sum_k \mu_k \left[ \frac{k^2}{pB^2} + \frac{3(B-1)k^4}{p^3B^2}
        + \frac{(B-1)(B-2)k^6}{p^5B^2} \right], \qquad
        \mathrm{efp}_j = \frac{I}{\max(s_j, I/p)}.

    K is the largest size with I at most 0.05. The estimated number of false positives when all features at
    least as stable as j are chosen is efp_j; divided by their number it estimates the false discovery rate.

    Where features were ranked together with R sets of shuffled copies of them, p counts features and copies,
    and the copies that are at least as stable say how many features are so by luck:

    .. math::
        \mathrm{efp}_j = \frac{1 + \sum_r N_r(s_j)}{R} + \mathrm{sd}_r N_r(s_j),

    where N_r(s) copies of set r are at least as stable as s. The standard deviation over the sets is added
    because columns that go together are lucky together.

    Attributes
    ----------
    names : tuple of str
        Names of the features (groups).
    ranks : ndarray of shape (2 * n_pairs, n_features)
        Rank of every feature in each search, among copies if there were any, 1 for the best; the halves of a
        pair follow each other. 0 for
        features that were kept whatever they are worth: they are not ranked.
    copy_scores : ndarray of shape (n_sets, n_features), default=None
        Integrated stability of the copies, NaN for features that were not ranked; None if there were none.
    exponent : int, default=5
        Power in h.

    References
    ----------
    O. Melikechi, J. W. Miller, "Integrated path stability selection", Journal of the American Statistical
    Association, 2025; R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at
    stability selection", Journal of the Royal Statistical Society B 75 (1), 2013.

    Examples
    --------
    >>> import numpy as np
    >>> ranks = np.array([[1, 2, 3, 4], [1, 2, 4, 3]] * 10)
    >>> stability = RankStability(("a", "b", "c", "d"), ranks)
    >>> stability.frequencies(2).tolist(), stability.frequencies(3).tolist()
    ([1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.5, 0.5])
    >>> stability.false_positives.round(3).tolist()
    [0.046, 0.137, 4.0, 4.0]
    >>> stability.q_values.round(3).tolist()
    [0.046, 0.069, 1.0, 1.0]
    """

    names: tuple[str, ...]
    ranks: IntArray
    copy_scores: FloatArray | None = None
    exponent: int = EXPONENT

    @classmethod
    def from_searches(cls, names: tuple[str, ...], ranks: IntArray, exponent: int = EXPONENT) -> Self:
        """Put searches together: ranks of features, then of each set of copies, (2B, 1 + n_sets, n_features).

        Examples
        --------
        >>> ranks = np.array([[[1, 3], [2, 4]], [[1, 4], [3, 2]]] * 10)
        >>> RankStability.from_searches(("a", "b"), ranks).false_positives
        array([1., 2.])
        """
        n_searches, n_sets, n_features = ranks.shape
        if n_sets == 1:
            return cls(names, ranks[:, 0], exponent=exponent)
        tested = np.flatnonzero(ranks[0, 0] > 0)
        weights, _ = size_weights(n_sets * len(tested), n_searches // 2)
        scores = np.full((n_sets - 1, n_features), np.nan)
        for number in range(1, n_sets):
            scores[number - 1, tested] = _integrated(ranks[:, number, tested], weights, exponent)
        return cls(names, ranks[:, 0], scores, exponent)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of halves, B."""
        return len(self.ranks) // 2

    @cached_property
    def tested(self) -> IntArray:
        """Numbers of the features that were ranked."""
        return np.flatnonzero(self.ranks[0] > 0)

    @property
    def n_sizes(self) -> int:
        """Number of sizes averaged over, K."""
        return len(self._bounds[0])

    def frequencies(self, size: int) -> FloatArray:
        """Share of the searches that have each feature among their `size` best: (n_features,).

        NaN for features that were not ranked.
        """
        wanted = check_integer("size", size, "RankStability.frequencies", low=1, high=len(self.names))
        found = np.mean(self.ranks <= wanted, axis=0)
        return np.where(self.ranks[0] > 0, found, np.nan)

    @cached_property
    def scores(self) -> FloatArray:
        """Integrated stability s_j, between 0 and 1; NaN for features that were not ranked."""
        return self._of_all(_integrated(self.ranks[:, self.tested], self._bounds[0], self.exponent))

    @cached_property
    def false_positives(self) -> FloatArray:
        """Estimated number of false positives among the features at least as stable: (n_features,)."""
        weights, chance = self._bounds
        bound = float(weights @ chance)
        if self.copy_scores is None:
            return bound / np.maximum(self.scores, bound / max(1, len(self.tested)))
        # Equal scores differ by rounding.
        own = self.scores[self.tested] - 1e-12
        n_above = np.array(
            [len(own) - np.searchsorted(np.sort(scores[self.tested]), own) for scores in self.copy_scores]
        )
        found = (1.0 + n_above.sum(axis=0)) / len(n_above) + n_above.std(axis=0)
        return self._of_all(np.minimum(found, len(own)))

    @cached_property
    def q_values(self) -> FloatArray:
        """Estimated false discovery rate at which each feature is just chosen: (n_features,), at most 1."""
        found = self.false_positives[self.tested]
        order = np.argsort(found, kind="stable")
        ascending = found[order]
        n_chosen = np.searchsorted(ascending, ascending, side="right")
        rates = np.minimum.accumulate((ascending / n_chosen)[::-1])[::-1]
        q_values = np.empty(len(found))
        q_values[order] = np.minimum(rates, 1.0)
        return self._of_all(q_values)

    @cached_property
    def best_first(self) -> IntArray:
        """Numbers of all features: those not ranked, then by stability, of equals by mean rank."""
        scores = np.where(np.isnan(self.scores), np.inf, self.scores)
        return np.lexsort((self.ranks.mean(axis=0), -scores.round(12)))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per feature, most stable first.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        order = self.best_first
        data = {
            "feature": [self.names[number] for number in order],
            "score": self.scores[order].tolist(),
            "false_positives": self.false_positives[order].tolist(),
            "q_value": self.q_values[order].tolist(),
            "mean_rank": self.ranks.mean(axis=0)[order].tolist(),
        }
        return to_native_frame(data, backend, "RankStability.to_frame")

    @cached_property
    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        n_sets = 0 if self.copy_scores is None else len(self.copy_scores)
        return size_weights((1 + n_sets) * len(self.tested), self.n_pairs)

    def _of_all(self, values: FloatArray) -> FloatArray:
        spread = np.full(len(self.names), np.nan)
        spread[self.tested] = values
        return spread

    def __repr__(self) -> str:
        return (
            f"RankStability(n_features={len(self.names)}, n_pairs={self.n_pairs}, n_sizes={self.n_sizes}, "
            f"n_below_0.1={int((self.q_values <= 0.1).sum())})"
        )


def _stable_part(frequencies: FloatArray, exponent: int) -> FloatArray:
    return np.where(frequencies > 0.5, (2.0 * frequencies - 1.0) ** exponent, 0.0)


def _integrated(ranks: IntArray, weights: FloatArray, exponent: int) -> FloatArray:
    """Integrated stability of ranks in 2B searches, (2B, n): (n,)."""
    n_searches = len(ranks)
    # The frequency of j reaches i / 2B at the size that is its i-th smallest rank: the sum over sizes is one
    # over these 2B jumps.
    heights = np.diff(_stable_part(np.arange(n_searches + 1) / n_searches, exponent))
    above = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    return np.asarray(heights @ above[np.minimum(np.sort(ranks, axis=0) - 1, len(weights))])


def size_weights(n_features: int, n_pairs: int, cutoff: float = CUTOFF) -> tuple[FloatArray, FloatArray]:
    """Return the weight of every size 1 ... K, and the false positives that chance gives there, at most.

    Examples
    --------
    >>> weights, chance = size_weights(100, 50)
    >>> len(weights), round(float(weights.sum()), 12), round(float(weights @ chance), 3)
    (45, 1.0, 0.047)
    """
    if n_features == 0:
        return np.zeros(0), np.zeros(0)
    k, p, B = np.arange(1.0, n_features + 1.0), float(n_features), float(n_pairs)
    chance = (k**2 / p + 3.0 * (B - 1.0) * k**4 / p**3 + (B - 1.0) * (B - 2.0) * k**6 / p**5) / B**2
    means = np.cumsum(chance / k) / np.cumsum(1.0 / k)
    n_sizes = max(1, int(np.searchsorted(means, cutoff, side="right")))
    weights = 1.0 / k[:n_sizes]
    return weights / weights.sum(), chance[:n_sizes]
