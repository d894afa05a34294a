r"""Sums over groups of rows, from which contributions follow for all rows and for all but one group.

One pass over the rows serves the contributions themselves and the jackknife, which asks what they would be
without some of the rows.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._typing import BoolArray, FloatArray, Matrix
from infoprop.credit._contributions import Indicator

_BLOCK_ENTRIES = 2**22


class Moments(NamedTuple):
    r"""What the terms of every class have to do with its output and with the class, for every feature.

    Attributes
    ----------
    values, variances : ndarray of shape (..., n_indicators, n_features)
        :math:`\mathrm{Cov}(f, \phi_k) / \mathrm{Var}(f)` and the squares of their standard errors.
    gaps, gap_variances : ndarray of the same shape
        :math:`\mathrm{Cov}(s, \phi_k)` with s = 1 on the rows of the class and 0 on others, and the same of
        them.
    """

    values: FloatArray
    variances: FloatArray
    gaps: FloatArray
    gap_variances: FloatArray


class RowSums(NamedTuple):
    r"""Weighted sums over groups of rows, of outputs f, their classes s, and their terms :math:`\phi_k`.

    Attributes
    ----------
    weight, weight_squared, output, output_squared, label : ndarray of shape (n_groups, n_indicators)
        Of w, w^2, w f, w f^2 and w s.
    terms : ndarray of shape (8, n_groups, n_indicators, n_features)
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
        """Over all rows: (n_indicators, n_features) each; zeros where an output does not vary."""
        return _moments(*(part.sum(axis=part.ndim // 4) for part in self))

    def moments_without_each(self) -> Moments:
        """Over all rows but those of one group, for each group: (n_groups, n_indicators, n_features)."""
        return _moments(*(part.sum(axis=part.ndim // 4, keepdims=True) - part for part in self))


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
    indicators: Sequence[Indicator],
    weights: FloatArray,
    membership: sparse.csr_array | None = None,
    *,
    is_class: Sequence[BoolArray] | None = None,
    n_groups: int = 1,
    first: int = 0,
) -> RowSums:
    """Sum over the rows of indicators; row i belongs to group ``(first + i) % n_groups``.

    Parameters
    ----------
    indicators : sequence of Indicator
        Of the same rows.
    weights : ndarray of shape (n_samples,)
    membership : CSR of shape (n_columns, n_features), optional
        Which feature a column belongs to; a feature's term is the sum of its columns' terms.
    is_class : sequence of ndarray of bool of shape (n_samples,), optional
        For each indicator, the rows of the class whose output it is; gaps are zero without.
    n_groups, first : int
    """
    part = weights / weights.sum()
    f = np.stack([indicator.outputs() for indicator in indicators])
    # Centred, so that squares do not cancel.
    f = f - (f @ part)[:, None]
    label = np.zeros_like(f) if is_class is None else np.stack(is_class).astype(np.float64)
    place = first, n_groups
    rows = indicators[0].machines[0].rows
    if membership is None and all(own.is_plain and own.machines[0].rows is rows for own in indicators):
        terms = _plain_sums(indicators, part, f, label, place)
    else:
        own = [_term_sums(*each, part, membership, place) for each in zip(indicators, f, label, strict=True)]
        terms = np.stack(own, axis=2)
    numbers = (first + np.arange(len(part))) % n_groups
    in_group = (numbers == np.arange(n_groups)[:, None]).astype(np.float64)
    even = np.ones_like(f)
    weight, squared, output, output_squared, labelled = (
        in_group @ (part * own).T for own in (even, part * even, f, f * f, label)
    )
    return RowSums(weight, squared, output, output_squared, labelled, terms)


def _term_sums(
    indicator: Indicator,
    f: FloatArray,
    label: FloatArray,
    part: FloatArray,
    membership: sparse.csr_array | None,
    place: tuple[int, int],
) -> FloatArray:
    """Sums of the terms of one indicator: shape (8, n_groups, n_features)."""
    means = [np.asarray(machine.rows.T @ part).ravel() for machine in indicator.machines]
    factors = np.column_stack([part, part * f, part * f**2, part * label])
    return _summed_blocks(
        (
            (rows, terms if membership is None else terms @ membership)
            for rows, terms in indicator.terms(means)
        ),
        factors,
        place,
    ).reshape(8, place[1], -1)


def _plain_sums(
    indicators: Sequence[Indicator],
    part: FloatArray,
    f: FloatArray,
    label: FloatArray,
    place: tuple[int, int],
) -> FloatArray:
    """The same for linear machines on dense rows: terms are w x, so that all indicators share the rows."""
    X = indicators[0].machines[0].rows
    mean = part @ X
    size = max(1, _BLOCK_ENTRIES // max(1, X.shape[1]))
    blocks = (slice(start, min(len(X), start + size)) for start in range(0, len(X), size))
    factors = np.concatenate([part[None], part * f, part * f**2, part * label]).T
    sums = _summed_blocks(((rows, X[rows] - mean) for rows in blocks), factors, place)
    n = len(indicators)
    w = np.stack([indicator.plain_weights() for indicator in indicators])
    terms = np.empty((8, sums.shape[2], n, sums.shape[3]))
    for power, own in enumerate(sums):
        # own : (1 + 3 n_indicators, n_groups, n_columns), of x or of x^2.
        scale = w ** (power + 1)
        terms[4 * power] = own[0][:, None] * scale
        terms[4 * power + 1 : 4 * power + 4] = own[1:].reshape(3, n, *own.shape[1:]).swapaxes(1, 2) * scale
    return terms


def _summed_blocks(
    blocks: Iterable[tuple[slice, Matrix]], factors: FloatArray, place: tuple[int, int]
) -> FloatArray:
    """Sums over groups of rows of factors times blocks, and times their squares.

    Parameters
    ----------
    blocks : iterable of (slice, matrix)
        Of shape (n_rows, n_columns).
    factors : ndarray of shape (n_samples, n_factors)
    place : tuple of int
        Group of the first row, and number of groups.

    Returns
    -------
    ndarray of shape (2, n_factors, n_groups, n_columns)
    """
    first, n_groups = place
    sums: FloatArray | None = None
    for rows, block in blocks:
        if sums is None:
            sums = np.zeros((2, factors.shape[1], n_groups, block.shape[1]))
        _add(sums, block, factors[rows], (first + rows.start) % n_groups)
    assert sums is not None
    return sums


def _add(sums: FloatArray, block: Matrix, factors: FloatArray, first: int) -> None:
    """Add the rows of a block, the first of which belongs to group `first`, and their squares."""
    n_groups = sums.shape[2]
    if sparse.issparse(block):
        squares = block.multiply(block).tocsr()
        for group in range(n_groups):
            own = slice((group - first) % n_groups, None, n_groups)
            sums[0, :, group] += np.asarray((block[own].T @ factors[own]).T)
            sums[1, :, group] += np.asarray((squares[own].T @ factors[own]).T)
        return
    # Rows of nothing fill up the first and last turn of the groups: then one product does it for all groups.
    place = slice(first, first + len(block))
    n_turns = -(-place.stop // n_groups)
    turns, shaped = (
        _filled(part, place, n_turns * n_groups).reshape(n_turns, n_groups, -1) for part in (block, factors)
    )
    turns, shaped = turns.swapaxes(0, 1), shaped.transpose(1, 2, 0)
    sums[0] += (shaped @ turns).swapaxes(0, 1)
    sums[1] += (shaped @ (turns * turns)).swapaxes(0, 1)


def _filled(part: FloatArray, place: slice, n_rows: int) -> FloatArray:
    filled = np.zeros((n_rows, part.shape[1]))
    filled[place] = part
    return filled
