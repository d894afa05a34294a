r"""Sharing by covariance: how much of an indicator's output varies because of a feature.

An output that is a sum of terms, :math:`f = \sum_k \phi_k`, has the variance
:math:`\mathrm{Var}(f) = \sum_k \mathrm{Cov}(f, \phi_k)`: the covariances add up, and those of a group of
columns are that of their sum. It is what equation 8 of moi-2004 does in every layer of a network, for any
classifier whose output is such a sum.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray
from infoprop.credit._contributions import Indicator
from infoprop.credit._moments import RowSums, row_sums
from infoprop.svm import sensitivity_shares

# A contribution counts from sqrt(2) standard errors on, where Akaike's criterion would keep it in a model.
_PENALTY = 2.0
# Below this part of the largest contribution, a contribution is rounding.
NOISE_FLOOR = 1e-12


class Contributions(NamedTuple):
    """Parts of the variance of every indicator's output, signed, and the squares of their standard errors.

    Both of shape (n_indicators, n_features). The values of a linear machine sum to one. They may be averaged
    over parts of the data that have machines of their own.

    `is_exact` says that the terms add up to the outputs. Only then does a negative contribution mean that the
    feature holds the output back. The output of an rbf machine falls towards its constant in every direction
    that leads away from the data, noise included; to first order that is a negative contribution.
    """

    values: FloatArray
    variances: FloatArray
    is_exact: bool

    def shares(self) -> FloatArray:
        r"""Non-negative shares that sum to one: :math:`|c_k| \max(0, 1 - 2 \sigma_k^2 / c_k^2)`, normalised.

        The factor is Breiman's non-negative garrote: a contribution that is within its rounding or
        :math:`\sqrt 2` standard errors of zero earns nothing, a sure one all of its own. Negative
        contributions that are not exact earn nothing. An indicator without any sure contribution is shared by
        :math:`|c_k|`; one without contributions evenly.
        """
        sizes = np.abs(self.values) if self.is_exact else np.maximum(self.values, 0.0)
        sizes[sizes <= NOISE_FLOOR * sizes.max(axis=1, keepdims=True, initial=0.0)] = 0.0
        doubt = np.divide(self.variances, sizes**2, out=np.zeros_like(sizes), where=sizes > 0.0)
        sure = sizes * np.maximum(0.0, 1.0 - _PENALTY * doubt)
        has_sure = sure.any(axis=1, keepdims=True)
        return sensitivity_shares(np.where(has_sure, sure, sizes))


def covariance_contributions(
    indicators: Sequence[Indicator], weights: FloatArray, membership: sparse.csr_array | None = None
) -> Contributions:
    r"""Measure :math:`\mathrm{Cov}(f, \phi_k) / \mathrm{Var}(f)` over rows with weights.

    Parameters
    ----------
    indicators : sequence of Indicator
    weights : ndarray of shape (n_samples,)
        Non-negative, not all zero.
    membership : CSR of shape (n_columns, n_groups), optional
        Which group a column belongs to; a group's term is the sum of its columns' terms.

    Notes
    -----
    The standard error is that of the mean of :math:`(f - \bar f)(\phi_k - \bar\phi_k)` over rows, with Kish's
    effective number of rows where they have weights. One pass over the rows for each indicator.
    """
    sums = [row_sums(indicator, weights, membership) for indicator in indicators]
    return contributions_from(sums, is_exact=all(indicator.is_linear for indicator in indicators))


def contributions_from(
    sums: Sequence[RowSums], *, is_exact: bool, left_out: int | None = None
) -> Contributions:
    """Contributions to several indicators, over all rows or all but one group of them."""
    found = [own.contributions(left_out) for own in sums]
    return Contributions(
        values=np.stack([values for values, _ in found]),
        variances=np.stack([variances for _, variances in found]),
        is_exact=is_exact,
    )
