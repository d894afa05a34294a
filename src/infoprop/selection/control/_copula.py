"""Knockoffs of columns that are not Gaussian: those of their normal scores, taken back to their values."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtr, ndtri

from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection.control._gaussian import GaussianKnockoffs


@dataclass(frozen=True, eq=False)
class CopulaKnockoffs(FrozenArrays):
    """A sampler of knockoffs for columns whose normal scores are Gaussian together.

    A column's normal scores are the quantiles of a Gaussian at its ranks; equal values are put in random
    order. Knockoffs of the scores are taken back through the ranks, so a knockoff has values that its column
    has, as often, up to chance: zeros and ones stay zeros and ones.

    Attributes
    ----------
    ascending : ndarray of shape (n_rows, n_columns)
        Values of every column, sorted.
    gaussian : GaussianKnockoffs
        Sampler of the scores.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> X = (generator.random((100, 3)) < 0.3).astype(float)
    >>> drawn = CopulaKnockoffs.from_rows(X, np.arange(3), generator).sample(X, generator)
    >>> np.unique(drawn)
    array([0., 1.])
    """

    ascending: FloatArray
    gaussian: GaussianKnockoffs

    @classmethod
    def from_rows(
        cls, X: FloatArray, labels: IntArray, generator: np.random.Generator, n_knockoffs: int = 1
    ) -> Self:
        """Estimate the law of the scores; `labels` are the groups of the columns."""
        scores = normal_scores(X, generator)
        gaussian = GaussianKnockoffs.from_rows(scores, labels, n_knockoffs=n_knockoffs)
        return cls(np.sort(X, axis=0), gaussian)

    def sample(self, X: FloatArray, generator: np.random.Generator) -> FloatArray:
        """Draw knockoffs of the rows that it was made from, of the shape of Gaussian ones."""
        n_rows = len(self.ascending)
        scores = self.gaussian.sample(normal_scores(X, generator), generator)
        spread = np.where(self.gaussian.scale > 0.0, self.gaussian.scale, 1.0)
        ranks = np.floor(ndtr((scores - self.gaussian.mean) / spread) * n_rows).astype(np.intp)
        return self.ascending[ranks.clip(0, n_rows - 1), np.arange(X.shape[1])]


def normal_scores(X: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Gaussian quantiles at the ranks of each column's values, equal values in random order.

    Examples
    --------
    >>> normal_scores(np.array([[3.0], [1.0], [2.0]]), np.random.default_rng(0)).round(2).ravel()
    array([ 0.97, -0.97,  0.  ])
    """
    chance = generator.random(X.shape)
    order = np.lexsort((chance, X), axis=0)
    ranks = np.empty(X.shape)
    np.put_along_axis(ranks, order, np.arange(0.5, len(X))[:, None] * np.ones(X.shape[1]), axis=0)
    return np.asarray(ndtri(ranks / len(X)))
