r"""Sharing by covariance: how much of an indicator's output varies because of a feature.

An output that is a sum of terms, :math:`f = \sum_k \phi_k`, has the variance
:math:`\mathrm{Var}(f) = \sum_k \mathrm{Cov}(f, \phi_k)`: the covariances add up, and those of a group of
columns are that of their sum. It is what equation 8 of moi-2004 does in every layer of a network, for any
classifier whose output is such a sum, and without the absolute values that let noise earn in every layer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.credit._contributions import Indicator
from infoprop.credit._moments import row_sums
from infoprop.svm._sensitivity import sensitivity_shares

# A contribution counts from sqrt(3) standard errors on. Akaike's criterion would keep it from sqrt(2) on; on
# data with known noise that lets a lucky column through now and then.
_PENALTY = 3.0
# Below this part of the largest contribution, a contribution is rounding.
NOISE_FLOOR = 1e-12


class Contributions(NamedTuple):
    r"""Parts of the variance of every indicator's output, signed, and what they have to do with its class.

    All of shape (n_indicators, n_features), or with further axes before these. The values of a linear machine
    or a network sum to one. They may be averaged over parts of the data that have machines of their own.

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
        """What is shared, before any doubt; what is rounding is zero.

        Gaps that have the sign of the contribution, without it; positive ones where terms are not exact.
        Contributions themselves where the classes are not known.
        """
        if self.has_labels and not self.is_exact:
            return _without_rounding(np.maximum(self.gaps, 0.0))
        moves = self._moves()
        if not self.has_labels:
            return moves
        return np.where(moves > 0.0, np.maximum(self.gaps * np.sign(self.values), 0.0), 0.0)

    def errors(self) -> FloatArray:
        """Standard errors of the sizes, as parts of their sum."""
        total = self.sizes().sum(axis=-1, keepdims=True)
        spread = np.sqrt(self.gap_variances if self.has_labels else self.variances)
        return np.divide(spread, total, out=np.zeros_like(spread), where=total > 0.0)

    def _moves(self) -> FloatArray:
        return _without_rounding(np.abs(self.values) if self.is_exact else np.maximum(self.values, 0.0))

    def shares(self) -> FloatArray:
        r"""Non-negative shares that sum to one.

        .. math:: |g_k| \, \max(0, 1 - 3 \sigma_k^2 / c_k^2) \, \max(0, 1 - 3 \tau_k^2 / g_k^2) ,

        normalised, and zero unless c_k and g_k have the same sign. The gaps of a linear machine's terms add
        up to that of its output. The factors are Breiman's non-negative garrote: what is within its rounding
        or :math:`\sqrt{3}` standard errors of zero earns nothing, a sure contribution all of its own. The
        first asks whether the feature moves the output at all; with far more columns than rows, a column of
        noise easily has a gap. What a machine has learned by heart moves its output on any rows, so the
        second asks whether it moves it towards the class (or away from it, for a suppressor). Without labels
        :math:`|c_k|` is shared and there is only the first factor. Where terms are not exact, c_k says
        little: only the second is asked, and a negative g_k earns nothing. An indicator without any sure
        contribution is shared by :math:`|g_k|` alone; one where nothing goes with the class evenly.
        """
        sizes = self.sizes()
        sure = sizes.copy()
        if self.is_exact or not self.has_labels:
            sure *= _garrote(self._moves(), self.variances)
        if self.has_labels:
            sure *= _garrote(sizes, self.gap_variances)
        has_sure = sure.any(axis=-1, keepdims=True)
        chosen = np.where(has_sure, sure, sizes)
        return sensitivity_shares(chosen.reshape(-1, chosen.shape[-1])).reshape(chosen.shape)


def _without_rounding(sizes: FloatArray) -> FloatArray:
    sizes[sizes <= NOISE_FLOOR * sizes.max(axis=-1, keepdims=True, initial=0.0)] = 0.0
    return sizes


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
    is_exact = all(indicator.is_exact for indicator in indicators)
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
