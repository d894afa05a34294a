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

from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.credit._contributions import Indicator
from infoprop.credit._moments import row_sums
from infoprop.svm._sensitivity import sensitivity_shares

# A contribution counts from sqrt(2) standard errors on, where Akaike's criterion would keep it in a model.
_PENALTY = 2.0
# Below this part of the largest contribution, a contribution is rounding.
NOISE_FLOOR = 1e-12


class Contributions(NamedTuple):
    r"""Parts of the variance of every indicator's output, signed, and what they have to do with its class.

    All of shape (n_indicators, n_features), or with further axes before these. The values of a linear machine
    sum to one. They may be averaged over parts of the data that have machines of their own.

    Attributes
    ----------
    values, variances
        :math:`c_k = \mathrm{Cov}(f, \phi_k) / \mathrm{Var}(f)` and the squares of their standard errors.
    gaps, gap_variances
        :math:`g_k = \mathrm{Cov}(s, \phi_k)` with s the true class of the rows, and the same of them; zeros
        where the true classes are not known.
    is_exact : bool
        Whether the terms add up to the outputs. Only then does a negative contribution mean that the feature
        holds the output back. The output of an rbf machine falls towards its constant in every direction that
        leads away from the data, noise included; to first order that is a negative contribution.
    has_labels : bool
        Whether the true classes are known.
    """

    values: FloatArray
    variances: FloatArray
    gaps: FloatArray
    gap_variances: FloatArray
    is_exact: bool
    has_labels: bool

    def taken(self, features: IntArray) -> "Contributions":
        """Those of some of the features."""
        values, variances, gaps, gap_variances = (part[:, features] for part in self[:4])
        return self._replace(values=values, variances=variances, gaps=gaps, gap_variances=gap_variances)

    def sizes(self) -> FloatArray:
        """Contributions without a sign; what is rounding, or negative and not exact, is zero."""
        sizes = np.abs(self.values) if self.is_exact else np.maximum(self.values, 0.0)
        sizes[sizes <= NOISE_FLOOR * sizes.max(axis=-1, keepdims=True, initial=0.0)] = 0.0
        return sizes

    def shares(self) -> FloatArray:
        r"""Non-negative shares that sum to one.

        .. math:: |c_k| \, \max(0, 1 - 2 \sigma_k^2 / c_k^2) \, \max(0, 1 - 2 \tau_k^2 / g_k^2) ,

        normalised, and zero unless c_k and g_k have the same sign. The factors are Breiman's non-negative
        garrote: a contribution that is within its rounding or :math:`\sqrt 2` standard errors of zero earns
        nothing, a sure one all of its own. The first asks whether the feature moves the output at all. What a
        machine has learned by heart does, on any rows: it moves the output by itself. So the second asks
        whether it moves the output towards the class (or away from it, for a suppressor). Without labels
        there is only the first. Negative contributions that are not exact earn nothing. An indicator without
        any sure contribution is shared by :math:`|c_k|`; one without contributions evenly.
        """
        sizes = self.sizes()
        sure = sizes * _garrote(sizes, self.variances)
        if self.has_labels:
            # What goes the way of the contribution; all else is against it, and not sure.
            agreeing = np.maximum(self.gaps * np.sign(self.values), 0.0)
            sure *= _garrote(agreeing, self.gap_variances)
        has_sure = sure.any(axis=-1, keepdims=True)
        chosen = np.where(has_sure, sure, sizes)
        return sensitivity_shares(chosen.reshape(-1, chosen.shape[-1])).reshape(chosen.shape)


def _garrote(sizes: FloatArray, variances: FloatArray) -> FloatArray:
    """Factor of a size that is known with a variance: 1 if it is sure, 0 if it may be nothing."""
    squares = sizes**2
    known = squares > 0.0
    doubt = np.divide(variances, squares, out=np.full_like(squares, np.inf), where=known)
    return np.asarray(np.maximum(0.0, 1.0 - _PENALTY * doubt))


def covariance_contributions(
    indicators: Sequence[Indicator],
    weights: FloatArray,
    membership: sparse.csr_array | None = None,
    is_class: Sequence[BoolArray] | None = None,
) -> Contributions:
    r"""Measure contributions over rows with weights.

    Parameters
    ----------
    indicators : sequence of Indicator
    weights : ndarray of shape (n_samples,)
        Non-negative, not all zero.
    membership : CSR of shape (n_columns, n_groups), optional
        Which group a column belongs to; a group's term is the sum of its columns' terms.
    is_class : sequence of ndarray of bool, optional
        For each indicator, which rows truly belong to its class.

    Notes
    -----
    The standard error is that of the mean of :math:`(f - \bar f)(\phi_k - \bar\phi_k)` over rows, with Kish's
    effective number of rows where they have weights. One pass over the rows for each indicator.
    """
    is_exact = all(indicator.is_linear for indicator in indicators)
    found = row_sums(indicators, weights, membership, is_class=is_class).moments()
    return Contributions(*found, is_exact, is_class is not None)


def pooled(parts: Sequence[Contributions], learned: Sequence[IntArray], n_classes: int) -> Contributions:
    """Mean over parts of the data, of each class over the parts whose machines know it.

    Parameters
    ----------
    parts : sequence of Contributions
        With a row for each class that is known there, (..., n_known, n_features).
    learned : sequence of ndarray
        Numbers of those classes.
    n_classes : int
    """
    *leading, _, n_features = parts[0].values.shape
    values, variances, gaps, gap_variances = np.zeros((4, *leading, n_classes, n_features))
    n_parts = np.zeros((n_classes, 1))
    for part, rows in zip(parts, learned, strict=True):
        values[..., rows, :] += part.values
        variances[..., rows, :] += part.variances
        gaps[..., rows, :] += part.gaps
        gap_variances[..., rows, :] += part.gap_variances
        n_parts[rows] += 1.0
    n = np.maximum(n_parts, 1.0)
    return Contributions(
        values / n,
        variances / n**2,
        gaps / n,
        gap_variances / n**2,
        all(part.is_exact for part in parts),
        all(part.has_labels for part in parts),
    )


def labelled_rows(indicators: Sequence[Indicator], classes: LabelArray, y: LabelArray) -> list[BoolArray]:
    """For each indicator, the rows of its class; a single indicator answers for the second of two."""
    labels = classes.tolist() if len(indicators) > 1 else classes.tolist()[-1:]
    return [np.asarray(y == label) for label in labels]
