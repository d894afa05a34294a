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

    def moments(self, left_out: int | None = None) -> Moments:
        """Over all rows, or all but those of one group; zeros if the output does not vary."""
        weight, squared, output, output_squared, label, terms = (_total(part, left_out) for part in self)
        if weight <= 0.0:
            return Moments(*np.zeros((4, terms.shape[1])))
        f, ff, s = (float(total / weight) for total in (output, output_squared, label))
        t, ft, fft, st, tt, ftt, fftt, stt = terms / weight
        variance = ff - f * f
        if variance <= 0.0:
            return Moments(*np.zeros((4, terms.shape[1])))
        covariance, gaps = ft - f * t, st - s * t
        # E[(phi - mean)^2], alone, with (f - mean)^2, and with (s - mean)^2 = (1 - 2 mean) s + mean^2,
        # multiplied out.
        own = tt - t * t
        products = (
            fftt - 2.0 * t * fft + t * t * ff - 2.0 * f * (ftt - 2.0 * t * ft + t * t * f) + f * f * own
        )
        apart = (1.0 - 2.0 * s) * (stt - 2.0 * t * st + t * t * s) + s * s * own
        freedom = max(1.0, float(weight) ** 2 / float(squared) - 1.0)
        # Rounding must not leave less than nothing.
        return Moments(
            covariance / variance,
            np.maximum(products - covariance**2, 0.0) / freedom / variance**2,
            gaps,
            np.maximum(apart - gaps**2, 0.0) / freedom,
        )


def _total(part: FloatArray, left_out: int | None) -> FloatArray:
    axis = part.ndim - 2 if part.ndim > 1 else 0
    total = part.sum(axis=axis)
    return total if left_out is None else total - part.take(left_out, axis=axis)


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
        for group in range(n_groups):
            own = numbers[rows] == group if n_groups > 1 else slice(None)
            _add(sums[:, group], block[own], part[rows][own], f[rows][own], label[rows][own])
    assert sums is not None
    weight, squared, output, output_squared, labelled = (
        np.bincount(numbers, weights=values, minlength=n_groups).astype(np.float64)
        for values in (part, part**2, part * f, part * f**2, part * label)
    )
    return RowSums(weight, squared, output, output_squared, labelled, sums)


def _add(sums: FloatArray, block: Matrix, weights: FloatArray, f: FloatArray, label: FloatArray) -> None:
    factors = np.column_stack([weights, weights * f, weights * f**2, weights * label])
    squares = block.multiply(block) if sparse.issparse(block) else block * block
    sums[:4] += np.asarray((block.T @ factors).T)
    sums[4:] += np.asarray((squares.T @ factors).T)
