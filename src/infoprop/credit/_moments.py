r"""Sums over groups of rows, from which contributions follow for all rows and for all but one group.

One pass over the rows serves the contributions themselves and the jackknife, which asks what they would be
without some of the rows.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, Matrix
from infoprop.credit._contributions import Indicator


class RowSums(NamedTuple):
    r"""Weighted sums over groups of rows, of an output f and of the terms :math:`\phi_k` that make it up.

    Attributes
    ----------
    weight, weight_squared, output, output_squared : ndarray of shape (n_groups,)
        Of w, w^2, w f and w f^2.
    terms : ndarray of shape (6, n_groups, n_features)
        Of w times phi, f phi, f^2 phi, phi^2, f phi^2, f^2 phi^2.
    """

    weight: FloatArray
    weight_squared: FloatArray
    output: FloatArray
    output_squared: FloatArray
    terms: FloatArray

    @property
    def n_groups(self) -> int:
        """Number of groups of rows."""
        return len(self.weight)

    def contributions(self, left_out: int | None = None) -> tuple[FloatArray, FloatArray]:
        r""":math:`c_k = \mathrm{Cov}(f, \phi_k) / \mathrm{Var}(f)` and the squares of their standard errors.

        Over all rows, or all but those of one group. Both of shape (n_features,); zeros if f does not vary.
        """
        weight, squared, output, output_squared, terms = (_total(part, left_out) for part in self)
        if weight <= 0.0:
            return np.zeros(terms.shape[1]), np.zeros(terms.shape[1])
        f, ff = float(output / weight), float(output_squared / weight)
        t, ft, fft, tt, ftt, fftt = terms / weight
        variance = ff - f * f
        covariance = ft - f * t
        if variance <= 0.0:
            return np.zeros_like(covariance), np.zeros_like(covariance)
        # E[(f - mean)^2 (phi - mean)^2], multiplied out; rounding must not leave less than nothing.
        products = fftt - 2.0 * t * fft + t * t * ff - 2.0 * f * (ftt - 2.0 * t * ft + t * t * f)
        products += f * f * (tt - t * t)
        spread = np.maximum(products - covariance**2, 0.0)
        n_effective = float(weight) ** 2 / float(squared)
        return covariance / variance, spread / max(1.0, n_effective - 1.0) / variance**2


def _total(part: FloatArray, left_out: int | None) -> FloatArray:
    axis = part.ndim - 2 if part.ndim > 1 else 0
    total = part.sum(axis=axis)
    return total if left_out is None else total - part.take(left_out, axis=axis)


def row_sums(
    indicator: Indicator,
    weights: FloatArray,
    membership: sparse.csr_array | None = None,
    *,
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
    n_groups, first : int
    """
    part = weights / weights.sum()
    f = indicator.outputs()
    # Centred, so that squares do not cancel.
    f = f - part @ f
    means = [np.asarray(machine.rows.T @ part).ravel() for machine in indicator.machines]
    numbers = (first + np.arange(len(f))) % n_groups
    sums: FloatArray | None = None
    for rows, terms in indicator.terms(means):
        block = terms if membership is None else terms @ membership
        if sums is None:
            sums = np.zeros((6, n_groups, block.shape[1]))
        for group in range(n_groups):
            own = numbers[rows] == group if n_groups > 1 else slice(None)
            _add(sums[:, group], block[own], part[rows][own], f[rows][own])
    assert sums is not None
    weight, squared, output, output_squared = (
        np.bincount(numbers, weights=values, minlength=n_groups).astype(np.float64)
        for values in (part, part**2, part * f, part * f**2)
    )
    return RowSums(weight, squared, output, output_squared, sums)


def _add(sums: FloatArray, block: Matrix, weights: FloatArray, f: FloatArray) -> None:
    factors = np.column_stack([weights, weights * f, weights * f**2])
    squares = block.multiply(block) if sparse.issparse(block) else block * block
    sums[:3] += np.asarray((block.T @ factors).T)
    sums[3:] += np.asarray((squares.T @ factors).T)
