r"""Sums over groups of rows, from which contributions follow for all rows and for all but one group.

One pass over the rows serves the contributions themselves and the jackknife, which asks what they would be
without some of the rows.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._typing import BoolArray, FloatArray, Matrix
from infoprop.credit._contributions import Indicator


class Moments(NamedTuple):
    r"""What the terms of a class have to do with its output and with the class, for every feature.

    Attributes
    ----------
    values, variances : ndarray of shape (n_features,)
        :math:`\mathrm{Cov}(f, \phi_k) / \mathrm{Var}(f)` and the squares of their standard errors.
    gaps, gap_variances : ndarray of shape (n_features,)
        :math:`\mathrm{Cov}(s, \phi_k)` with s = 1 on the rows of the class and 0 on others, and the same of
        them.
    """

    values: FloatArray
    variances: FloatArray
    gaps: FloatArray
    gap_variances: FloatArray


class RowSums(NamedTuple):
    r"""Weighted sums over groups of rows, of an output f, of its class s, and of its terms :math:`\phi_k`.

    Attributes
    ----------
    weight, weight_squared, output, output_squared, label : ndarray of shape (n_groups,)
        Of w, w^2, w f, w f^2 and w s.
    terms : ndarray of shape (8, n_groups, n_features)
        Of w times phi, f phi, f^2 phi, s phi; phi^2, f phi^2, f^2 phi^2, s phi^2.
    """

    weight: FloatArray
    weight_squared: FloatArray
    output: FloatArray
    output_squared: FloatArray
    label: FloatArray
    terms: FloatArray

    @property
    def n_groups(self) -> int:
        """Number of groups of rows."""
        return len(self.weight)

    def moments(self) -> Moments:
        """Over all rows: (n_features,) each; zeros if the output does not vary."""
        return _moments(*(part.sum(axis=max(0, part.ndim - 2)) for part in self))

    def moments_without_each(self) -> Moments:
        """Over all rows but those of one group, for each group: (n_groups, n_features)."""
        return _moments(*(part.sum(axis=max(0, part.ndim - 2), keepdims=True) - part for part in self))


def _moments(*sums: FloatArray) -> Moments:
    """Moments of sums, in the order of `RowSums`; one for each entry of the first, (...,) and (8, ..., p)."""
    *numbers, terms = sums
    weight, squared, output, output_squared, label = (np.asarray(part)[..., None] for part in numbers)
    safe = np.where(weight > 0.0, weight, np.inf)
    f, ff, s = output / safe, output_squared / safe, label / safe
    t, ft, fft, st, tt, ftt, fftt, stt = terms / safe
    variance = ff - f * f
    is_moved = variance > 0.0
    covariance, gaps = ft - f * t, st - s * t
    # E[(phi - mean)^2], alone, with (f - mean)^2, and with (s - mean)^2 = (1 - 2 mean) s + mean^2,
    # multiplied out.
    own = tt - t * t
    products = fftt - 2.0 * t * fft + t * t * ff - 2.0 * f * (ftt - 2.0 * t * ft + t * t * f) + f * f * own
    apart = (1.0 - 2.0 * s) * (stt - 2.0 * t * st + t * t * s) + s * s * own
    freedom = np.maximum(1.0, weight**2 / np.where(squared > 0.0, squared, np.inf) - 1.0)
    variance = np.where(is_moved, variance, np.inf)
    # Rounding must not leave less than nothing.
    return Moments(
        covariance / variance,
        np.maximum(products - covariance**2, 0.0) / freedom / variance**2,
        np.where(is_moved, gaps, 0.0),
        np.where(is_moved, np.maximum(apart - gaps**2, 0.0) / freedom, 0.0),
    )


def row_sums(
    indicator: Indicator,
    weights: FloatArray,
    membership: sparse.csr_array | None = None,
    *,
    is_class: BoolArray | None = None,
    n_groups: int = 1,
    first: int = 0,
) -> RowSums:
    """Sum over the rows of an indicator; row i belongs to group ``(first + i) % n_groups``.

    Parameters
    ----------
    indicator : Indicator
    weights : ndarray of shape (n_samples,)
    membership : CSR of shape (n_columns, n_features), optional
        Which feature a column belongs to; a feature's term is the sum of its columns' terms.
    is_class : ndarray of bool of shape (n_samples,), optional
        Rows of the class whose output it is; gaps are zero without.
    n_groups, first : int
    """
    part = weights / weights.sum()
    f = indicator.outputs()
    # Centred, so that squares do not cancel.
    f = f - part @ f
    means = [np.asarray(machine.rows.T @ part).ravel() for machine in indicator.machines]
    label = np.zeros(len(f)) if is_class is None else is_class.astype(np.float64)
    numbers = (first + np.arange(len(f))) % n_groups
    sums: FloatArray | None = None
    for rows, terms in indicator.terms(means):
        block = terms if membership is None else terms @ membership
        if sums is None:
            sums = np.zeros((8, n_groups, block.shape[1]))
        w, own = part[rows], f[rows]
        factors = np.column_stack([w, w * own, w * own**2, w * label[rows]])
        _add(sums, block, factors, (first + rows.start) % n_groups)
    assert sums is not None
    weight, squared, output, output_squared, labelled = (
        np.bincount(numbers, weights=values, minlength=n_groups).astype(np.float64)
        for values in (part, part**2, part * f, part * f**2, part * label)
    )
    return RowSums(weight, squared, output, output_squared, labelled, sums)


def _add(sums: FloatArray, block: Matrix, factors: FloatArray, first: int) -> None:
    """Add the rows of a block, the first of which belongs to group `first`, and their squares."""
    n_groups = sums.shape[1]
    if sparse.issparse(block):
        squares = block.multiply(block).tocsr()
        for group in range(n_groups):
            own = slice((group - first) % n_groups, None, n_groups)
            sums[:4, group] += np.asarray((block[own].T @ factors[own]).T)
            sums[4:, group] += np.asarray((squares[own].T @ factors[own]).T)
        return
    # Rows of nothing fill up the first and last turn of the groups: then one product does it for all groups.
    n_rows = len(block)
    gap = first, -(first + n_rows) % n_groups
    turns = np.pad(block, (gap, (0, 0))).reshape(-1, n_groups, block.shape[1]).swapaxes(0, 1)
    shaped = np.pad(factors, (gap, (0, 0))).reshape(-1, n_groups, factors.shape[1]).transpose(1, 2, 0)
    sums[:4] += (shaped @ turns).swapaxes(0, 1)
    sums[4:] += (shaped @ (turns * turns)).swapaxes(0, 1)
