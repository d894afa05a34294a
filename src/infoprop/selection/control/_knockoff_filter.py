"""KnockoffStatistics: which features beat their knockoffs by enough, at a false discovery rate."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class KnockoffStatistics(FrozenArrays):
    r"""By how much features (groups) beat their knockoffs, in one draw of knockoffs or several.

    :math:`W_j = \pm\max(Z_j, \tilde Z_j)`, above zero if the feature has the larger Z. For a feature that
    stands in n steps of an elimination, Z is n times the sum of its shares in these steps. With K knockoffs
    of each feature :math:`\tilde Z_j` is the largest of theirs. For one draw the level :math:`\alpha`
    chooses :math:`W_j \ge T_\alpha` (knockoff+),

    .. math::
        T_\alpha = \min\left\{t > 0 : \frac{1 + \#\{W_j \le -t\}}{K \max(1, \#\{W_j \ge t\})} \le
        \alpha\right\}.

    A feature that says nothing is the best of K + 1 with probability 1 / (K + 1), so that losers are K times
    as many as winners by luck.

    For M draws each gives e-values at half the level, and e-BH chooses by their means:

    .. math::
        e_j = \frac{pK}{M} \sum_m
        \frac{1[W_j^m \ge T^m_{\alpha/2}]}{1 + \#\{W_i^m \le -T^m_{\alpha/2}\}}, \qquad
        \hat k = \max\left\{k : e_{(k)} \ge \frac{p}{\alpha k}\right\}.

    Attributes
    ----------
    names : tuple of str
        Names of the features (groups).
    W : ndarray of shape (n_draws, n_features)
        Above zero where a feature beats its knockoffs; zero where it was not tested, or is equal to one.
    is_tested : ndarray of shape (n_features,)
        False for features to keep, whatever they are worth.
    fdr : float
        The level, :math:`\alpha`.
    n_knockoffs : int
        Number of knockoffs of each feature, K.

    References
    ----------
    R. F. Barber, E. J. Candès, "Controlling the false discovery rate via knockoffs", The Annals of Statistics
    43 (5), 2015; Z. Ren, R. F. Barber, "Derandomised knockoffs: leveraging e-values for false discovery rate
    control", Journal of the Royal Statistical Society B 86 (1), 2024; J. R. Gimenez, J. Zou, "Improving the
    stability of the knockoff procedure", AISTATS 2019.

    Examples
    --------
    >>> W = np.array([[9.0, -1.0, 8.0, 7.0, 6.0, 5.0]])
    >>> found = KnockoffStatistics(tuple("abcdef"), W, np.ones(6, dtype=bool), fdr=0.2)
    >>> found.thresholds, found.chosen, found.q_values
    (array([5.]), array([0, 2, 3, 4, 5]), array([0.2, 1. , 0.2, 0.2, 0.2, 0.2]))
    """

    names: tuple[str, ...]
    W: FloatArray
    is_tested: BoolArray
    fdr: float
    n_knockoffs: int = 1

    @property
    def n_draws(self) -> int:
        """Number of draws of knockoffs, M."""
        return len(self.W)

    @cached_property
    def thresholds(self) -> FloatArray:
        """T of every draw: (n_draws,); infinite where nothing can be chosen."""
        level = self.fdr if self.n_draws == 1 else self.fdr / 2.0
        return np.array([threshold(W, level, self.n_knockoffs) for W in self.W])

    @cached_property
    def e_values(self) -> FloatArray:
        """Mean e-value of every feature: (n_features,)."""
        above = np.asarray(self.thresholds)[:, None] <= self.W
        n_below = np.sum(np.asarray(self.thresholds)[:, None] <= -self.W, axis=1)
        most = self.n_knockoffs * int(self.is_tested.sum())
        return most * np.mean(above / (1.0 + n_below)[:, None], axis=0)

    @cached_property
    def chosen(self) -> IntArray:
        """Numbers of the features chosen at the level, ascending."""
        if self.n_draws == 1:
            return np.flatnonzero(self.W[0] >= self.thresholds[0])
        return np.flatnonzero(self.q_values <= self.fdr)

    @cached_property
    def q_values(self) -> FloatArray:
        """Level at which each feature is just chosen: (n_features,), at most 1, NaN if it was not tested.

        For several draws of these e-values, which depend on the level themselves.
        """
        rates = _rates(self.W[0], self.n_knockoffs) if self.n_draws == 1 else self._e_rates()
        return np.where(self.is_tested, np.minimum(rates, 1.0), np.nan)

    @cached_property
    def best_first(self) -> IntArray:
        """Numbers of all features: those not tested, then by falling e-value and statistic."""
        values = self.e_values if self.n_draws > 1 else np.zeros(len(self.names))
        order = np.lexsort((-self.W.mean(axis=0), -values.round(12), self.is_tested))
        return np.asarray(order)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per feature, best first.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        order = self.best_first
        data = {
            "feature": [self.names[number] for number in order],
            "W": self.W.mean(axis=0)[order].tolist(),
            "e_value": self.e_values[order].tolist(),
            "q_value": self.q_values[order].tolist(),
        }
        return to_native_frame(data, backend, "KnockoffStatistics.to_frame")

    def _e_rates(self) -> FloatArray:
        """Least p / (k e_(k)) over all k from a feature's place on."""
        values = self.e_values
        order = np.argsort(-values, kind="stable")
        n_tested = max(1, int(self.is_tested.sum()))
        with np.errstate(divide="ignore"):
            rates = n_tested / (np.arange(1, len(values) + 1) * values[order])
        spread = np.empty(len(values))
        spread[order] = np.minimum.accumulate(rates[::-1])[::-1]
        # Equal e-values are chosen together.
        _, same = np.unique(values, return_inverse=True)
        least = np.full(len(values), np.inf)
        np.minimum.at(least, same, spread)
        return least[same]

    def __repr__(self) -> str:
        return (
            f"KnockoffStatistics(n_features={len(self.names)}, n_draws={self.n_draws}, fdr={self.fdr:g}, "
            f"n_chosen={len(self.chosen)})"
        )


def threshold(W: FloatArray, level: float, n_knockoffs: int = 1) -> float:
    """Smallest t at which knockoff+ estimates a false discovery rate of at most `level`; infinite if none.

    Examples
    --------
    >>> threshold(np.array([4.0, 3.0, -2.0, 1.0]), 0.5), threshold(np.array([4.0, 3.0]), 0.1)
    (3.0, inf)
    """
    ascending, rates = _path_of_rates(W, n_knockoffs)
    enough = np.flatnonzero(rates <= level)
    return float(ascending[enough[0]]) if len(enough) else float("inf")


def _path_of_rates(W: FloatArray, n_knockoffs: int) -> tuple[FloatArray, FloatArray]:
    """Candidate thresholds, ascending, and the rate that knockoff+ estimates at each."""
    candidates = np.unique(np.abs(W[W != 0.0]))
    ordered = np.sort(W)
    n_above = len(W) - np.searchsorted(ordered, candidates, side="left")
    n_below = np.searchsorted(ordered, -candidates, side="right")
    return candidates, (1.0 + n_below) / (n_knockoffs * np.maximum(1, n_above))


def _rates(W: FloatArray, n_knockoffs: int) -> FloatArray:
    """Least estimated rate over all thresholds that choose each feature; 1 where none does."""
    candidates, rates = _path_of_rates(W, n_knockoffs)
    if not len(candidates):
        return np.ones(len(W))
    least = np.minimum.accumulate(rates)
    place = np.searchsorted(candidates, W, side="right") - 1
    return np.where(W > 0.0, least[np.maximum(place, 0)], 1.0)
