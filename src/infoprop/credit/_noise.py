r"""What every feature would seem to be worth if it knew nothing: the same terms, with the labels shuffled.

On rows that a classifier has not seen, what a feature without knowledge adds to an output is unrelated to the
class. So the labels of the rows are dealt anew, and what each feature adds is compared with them again. The
machines, their outputs and their terms stay as they are: a draw costs one product of matrices, no training.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix

LEVEL = 0.05
"""Chance that a feature without knowledge, the luckiest of all, is taken for one that has some."""

# Below this part of the largest singular value, a direction is rounding.
_RANK = 1e-9


@dataclass(frozen=True, eq=False)
class NoiseFloor(FrozenArrays):
    r"""What chance alone could earn.

    The statistic is what a feature adds to telling a class from the others, :math:`T_k = \sum_r I_r \max(0,
    \mathrm{Cov}(s_r, \phi_k^r) / \mathrm{Cov}(s_r, f_r))` in bits, with s_r the indicator of class r among
    the true labels. It is compared with those of shuffled labels, of which the largest over all features
    counts, each in units of its own spread (the single-step max-T method). A suppressor, which leads away
    from the class, is not above.

    Attributes
    ----------
    statistics : ndarray of shape (n_features,)
        T, in bits.
    floor : ndarray of shape (n_features,)
        Bits that T must exceed: one draw in twenty has any feature above its own.
    p_values : ndarray of shape (n_features,)
        Part of the draws, the rows as they are among them, in which the luckiest feature comes as far.
        Corrected for the number of features.
    n_draws : int
        Number of times that the labels were shuffled.

    References
    ----------
    P. Westfall, S. Young, "Resampling-based multiple testing", Wiley, 1993.

    Examples
    --------
    >>> from infoprop.credit import credit_features
    >>> from infoprop.datasets import make_led24
    >>> from infoprop.svm import OneVsRestSVC
    >>> data = make_led24(700, random_state=0)
    >>> machine = OneVsRestSVC(kernel="linear").fit(data.X[:200], data.y[:200])
    >>> credits = credit_features(machine, data.X[200:], data.y[200:], null="shuffled", random_state=0)
    >>> credits.noise.is_above.nonzero()[0].tolist() == list(data.relevant)
    True
    """

    statistics: FloatArray
    floor: FloatArray
    p_values: FloatArray
    n_draws: int

    @property
    def is_above(self) -> BoolArray:
        """Which features earn more than chance could."""
        return np.asarray(self.p_values <= LEVEL)

    @classmethod
    def from_draws(cls, statistics: FloatArray, draws: FloatArray) -> "NoiseFloor":
        """Compare statistics of shape (n_features,) with those of shuffled labels, (n_draws, n_features)."""
        # The labels as they are count as one of the draws, here too: else their units would be better known
        # than those of a draw, and few draws would call too much real.
        spread = np.vstack([statistics, draws]).std(axis=0)
        known = spread > 0.0
        z = np.divide(statistics, spread, out=np.zeros_like(statistics), where=known)
        drawn = np.divide(draws, spread, out=np.zeros_like(draws), where=known)
        largest = drawn.max(axis=1)
        n_draws = len(draws)
        as_far = (largest[:, None] >= z).sum(axis=0)
        # The draw after which one in twenty is left: what p <= 0.05 compares with.
        last = max(0, n_draws - int(LEVEL * (n_draws + 1)))
        floor = spread * np.sort(largest)[min(last, n_draws - 1)]
        return cls(statistics, floor, (1.0 + as_far) / (1.0 + n_draws), n_draws)


class RowTerms(NamedTuple):
    """What the output of one class is made of, on rows with labels.

    Attributes
    ----------
    outputs : ndarray of shape (n_samples,)
    blocks : iterable of (slice, matrix)
        Terms of the features, block by block of rows.
    code : int
        Number of the class.
    scales : ndarray of shape (n_samples, n_norms) or None
        What steps before the classifier multiplied whole rows by.
    """

    outputs: FloatArray
    blocks: Iterable[tuple[slice, Matrix]]
    code: int
    scales: FloatArray | None = None


def shuffled_codes(codes: IntArray, n_draws: int, generator: np.random.Generator) -> IntArray:
    """Codes of the rows as they are, then shuffled: shape (1 + n_draws, n_samples)."""
    return np.stack([codes, *(generator.permutation(codes) for _ in range(n_draws))])


def gap_draws(source: RowTerms, codes: IntArray, weights: FloatArray) -> FloatArray:
    r""":math:`\mathrm{Cov}(s, \phi_k) / \mathrm{Cov}(s, f)`, s drawn: shape (1 + n_draws, n_features).

    The denominator is that of the labels as they are. Zeros if the output does not tell its class from
    others. Where rows were divided by their norms, every column carries what the norm tells of the class, a
    column of noise as well: s is then taken less its regression on one over the norms.

    Parameters
    ----------
    source : RowTerms
    codes : ndarray of shape (1 + n_draws, n_samples)
        Numbers of the classes, as `shuffled_codes` returns them.
    weights : ndarray of shape (n_samples,)
    """
    part = weights / weights.sum()
    signs = (codes == source.code).astype(np.float64)
    signs -= (signs @ part)[:, None]
    gap = float((signs[0] * part) @ source.outputs)
    if source.scales is not None:
        basis = _orthonormal(source.scales, part)
        signs -= ((signs * part) @ basis) @ basis.T
    signs *= part
    scale = 1.0 / gap if gap > 0.0 else 0.0
    # Signs sum to zero over all rows, so constants in the terms do not matter.
    blocks = (np.asarray((block.T @ signs[:, rows].T).T) for rows, block in source.blocks)
    return np.asarray(scale * sum(blocks))


def _orthonormal(columns: FloatArray, part: FloatArray) -> FloatArray:
    """Centred columns of full rank that span the same, orthonormal under the weights of the rows."""
    root = np.sqrt(part)
    left, sizes, _ = np.linalg.svd((columns - part @ columns) * root[:, None], full_matrices=False)
    kept = left[:, sizes > _RANK * max(sizes.max(initial=0.0), np.finfo(np.float64).tiny)]
    return np.divide(kept, root[:, None], out=np.zeros_like(kept), where=root[:, None] > 0.0)
