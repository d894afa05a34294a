"""Gaussian knockoffs: columns that could be swapped with the original ones, and know no class."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from scipy.linalg import blas, block_diag
from sklearn.covariance import ledoit_wolf

from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, IntArray

# Correlations with a smaller eigenvalue are shrunk until they have none.
_LEAST_EIGENVALUE = 1e-6

# A sweep takes a time that grows with the third power of the number of columns: about a second for so many.
_MOST_COLUMNS = 1000
_BARRIERS = np.geomspace(0.5, 0.01, 16)


@dataclass(frozen=True, eq=False)
class GaussianKnockoffs(FrozenArrays):
    r"""A sampler of knockoffs for rows from :math:`N(\mu, \Sigma)`.

    With the columns divided by their standard deviations, :math:`\Sigma` the correlations, K knockoffs of
    each column and S a matrix with :math:`0 \preceq S \preceq \frac{K+1}{K}\Sigma` that is zero between
    groups of columns,

    .. math::
        \tilde x_k = x - S\Sigma^{-1}(x - \mu) + u + S^{1/2}(v_k - \bar v), \qquad
        u \sim N\left(0, \tfrac{K+1}{K}S - S\Sigma^{-1}S\right), \quad v_k \sim N(0, 1),

    which makes the law of :math:`(x, \tilde x_1 \ldots \tilde x_K)` the same however the K + 1 versions of a
    group are swapped.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_columns,)
        A column of scale zero is its own knockoff.
    pull : ndarray of shape (n_columns, n_columns)
        :math:`\Sigma^{-1}S`.
    root : ndarray of shape (n_columns, n_columns)
        Its product with its own transpose is the covariance of u.
    spread : ndarray of shape (n_columns, n_columns)
        :math:`S^{1/2}`.
    n_knockoffs : int
        Number of knockoffs of each column, K.

    References
    ----------
    E. Candès, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high dimensional controlled
    variable selection", Journal of the Royal Statistical Society B 80 (3), 2018, section 3.4.1; J. R.
    Gimenez, J. Zou, "Improving the stability of the knockoff procedure: multiple simultaneous knockoffs and
    entropy maximization", AISTATS 2019.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(1000, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    >>> sampler = GaussianKnockoffs.from_covariance(X.mean(axis=0), np.cov(X.T), np.arange(2))
    >>> both = np.hstack([X, sampler.sample(X, np.random.default_rng(1))])
    >>> np.corrcoef(both.T)[[0, 0, 2, 2], [1, 3, 1, 3]].round(1)
    array([0.6, 0.6, 0.6, 0.6])
    """

    mean: FloatArray
    scale: FloatArray
    pull: FloatArray
    root: FloatArray
    spread: FloatArray
    n_knockoffs: int = 1

    @classmethod
    def from_covariance(
        cls, mean: FloatArray, covariance: FloatArray, labels: IntArray, n_knockoffs: int = 1
    ) -> Self:
        """Prepare the sampler.

        Parameters
        ----------
        mean : ndarray of shape (n_columns,)
        covariance : ndarray of shape (n_columns, n_columns)
        labels : ndarray of shape (n_columns,)
            Group of each column; groups are swapped as a whole.
        n_knockoffs : int, default=1
            Number of knockoffs of each column.
        """
        scale = np.sqrt(np.diag(covariance))
        divisor = np.where(scale > 0.0, scale, 1.0)
        correlations = covariance / np.outer(divisor, divisor)
        np.fill_diagonal(correlations, 1.0)
        smallest = float(np.linalg.eigvalsh(correlations)[0])
        if smallest < _LEAST_EIGENVALUE:
            part = (_LEAST_EIGENVALUE - smallest) / (1.0 - smallest)
            correlations = (1.0 - part) * correlations + part * np.eye(len(scale))
        S = separation(correlations, labels, n_knockoffs)
        pull = np.linalg.solve(correlations, S)
        root = _root((1.0 + 1.0 / n_knockoffs) * S - S @ pull)
        return cls(np.asarray(mean, dtype=np.float64), scale, pull, root, _root(S), n_knockoffs)

    @classmethod
    def from_rows(
        cls, X: FloatArray, labels: IntArray, covariance: FloatArray | None = None, n_knockoffs: int = 1
    ) -> Self:
        """Estimate the mean, and the covariance by the shrinkage of Ledoit and Wolf if it is not given."""
        if covariance is None:
            scale = X.std(axis=0)
            # Shrinkage is towards a multiple of the identity, so columns have to be of one size.
            divisor = np.where(scale > 0.0, scale, 1.0)
            shrunk, _ = ledoit_wolf((X - X.mean(axis=0)) / divisor, assume_centered=True)
            covariance = shrunk * np.outer(scale, scale)
        return cls.from_covariance(X.mean(axis=0), covariance, labels, n_knockoffs)

    def sample(self, X: FloatArray, generator: np.random.Generator) -> FloatArray:
        """Draw knockoffs of rows: (n_rows, n_columns), or (n_knockoffs, n_rows, n_columns) if several."""
        divisor = np.where(self.scale > 0.0, self.scale, 1.0)
        Z = (X - self.mean) / divisor
        drawn = Z - Z @ self.pull + generator.standard_normal(X.shape) @ self.root.T
        if self.n_knockoffs > 1:
            own = generator.standard_normal((self.n_knockoffs, *X.shape))
            drawn = drawn + (own - own.mean(axis=0)) @ self.spread.T
        return np.where(self.scale > 0.0, self.mean + self.scale * drawn, X)


def _root(matrix: FloatArray) -> FloatArray:
    """Return R with R R^T = `matrix`, which has no eigenvalue below zero but by rounding."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def separation(correlations: FloatArray, labels: IntArray, n_knockoffs: int = 1) -> FloatArray:
    """Return S: how far knockoffs are from their columns, zero between groups.

    Columns of a group are turned into uncorrelated ones of variance one; there S is diagonal. Without groups
    it is diagonal as it is.
    """
    order = np.argsort(labels, kind="stable")
    _, sizes = np.unique(labels, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    blocks = [correlations[np.ix_(order[i:j], order[i:j])] for i, j in pairwise(starts)]
    roots = [_powers(block) for block in blocks]
    root = block_diag(*(own for own, _ in roots))
    inverse = block_diag(*(own for _, own in roots))
    turned = inverse @ correlations[np.ix_(order, order)] @ inverse
    S = np.empty_like(correlations)
    S[np.ix_(order, order)] = root * diagonal_separation((turned + turned.T) / 2.0, n_knockoffs) @ root
    return S


def _powers(block: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Symmetric square root of a correlation matrix, and its inverse."""
    if len(block) == 1:
        return block, block
    values, vectors = np.linalg.eigh(block)
    kept = np.sqrt(np.maximum(values, _LEAST_EIGENVALUE))
    return (vectors * kept) @ vectors.T, (vectors / kept) @ vectors.T


def diagonal_separation(correlations: FloatArray, n_knockoffs: int = 1) -> FloatArray:
    r"""Return the diagonal S of knockoffs as little correlated with their columns as can be: (n_columns,).

    It maximises :math:`\sum_j s_j + \lambda \log\det(c\Sigma - S)` over :math:`0 \le s_j \le 1`, where c is
    1 + 1 / `n_knockoffs`, one s_j at a time, each in closed form, while :math:`\lambda` falls to nearly zero:
    the semidefinite program that is known as SDP. With more than 1,000 columns all s_j are equal, as large as
    can be (equicorrelated).

    References
    ----------
    E. Candès et al., as above, section 3.4.2; the barrier is that of A. Spector, L. Janson, "Powerful
    knockoffs via minimizing reconstructability", The Annals of Statistics 50 (1), 2022, appendix.

    Examples
    --------
    >>> diagonal_separation(np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])).round(2)
    array([0.48, 0.3 , 1.  ])
    """
    n_columns = len(correlations)
    limit = (1.0 + 1.0 / n_knockoffs) * correlations
    smallest = max(0.0, float(np.linalg.eigvalsh(limit)[0]))
    if n_columns > _MOST_COLUMNS:
        return np.full(n_columns, min(1.0, smallest) * (1.0 - 1e-9))
    s = np.full(n_columns, min(1.0, smallest / 2.0))
    for barrier in _BARRIERS:
        D = np.asfortranarray(np.linalg.inv(limit - np.diag(s)))
        for j in range(n_columns):
            column = D[:, j].copy()
            own = float(column[j])
            # c Sigma - S stays positive definite as long as s_j moves by less than 1 / D_jj.
            move = min(max(1.0 / own - barrier, -s[j]), 1.0 - s[j])
            s[j] += move
            # (c Sigma - S - move e_j e_j^T)^{-1} = D + move D_j D_j^T / (1 - move D_jj)
            D = blas.dger(move / (1.0 - move * own), column, column, a=D, overwrite_a=1)
    return s
