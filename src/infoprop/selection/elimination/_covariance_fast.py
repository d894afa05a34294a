"""The loop "drop the worst" by covariance, in one piece, over machines that keep their Gram matrices.

The mathematics is that of `infoprop.credit._covariance`: with phi_k = w_k x_k on the validation rows of a
split, ``c_k = w_k Cov(f, x_k) / Var(f)``, averaged over splits, is compared with its standard error, and
so is its covariance with the class. Its slow twin is the loop in `_by_covariance`.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.metrics._indicators_fast import DECIMALS, share_information
from infoprop.svm.active_set._gram_machines_fast import change_all, is_off_scale, settle_all
from infoprop.svm.subset._votes_fast import count_votes

PENALTY = 2.0
NOISE_FLOOR = 1e-12


class ColumnMoments(NamedTuple):
    """What columns have to do with classes in the validation rows of all splits.

    parts : weights of all splits' rows, those of a split sum to one (zero for training rows), (n_rows,);
    freedom : effective number of validation rows less one, (n_splits,); means : (n_splits, n_columns);
    gaps, gap_variances : of x_k with the class of each machine, (n_machines, n_columns).
    """

    parts: Any
    freedom: Any
    means: Any
    gaps: Any
    gap_variances: Any


@njit_sums
def _product(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@njit_sums
def _two_sums(x, mean, varied, squared):
    """Sums of ``varied (x - mean)`` and of ``squared (x - mean)^2``."""
    first = 0.0
    second = 0.0
    for i in range(x.shape[0]):
        d = x[i] - mean
        first += varied[i] * d
        second += squared[i] * d * d
    return first, second


@njit
def _vary(f, part, varied, squared):
    """Write (f - mean) and its square, times the weights of the rows; returns the variance."""
    mean = 0.0
    for i in range(f.shape[0]):
        mean += part[i] * f[i]
    variance = 0.0
    for i in range(f.shape[0]):
        d = f[i] - mean
        varied[i] = part[i] * d
        squared[i] = part[i] * d * d
        variance += squared[i]
    return variance


@njit
def _contribute(state, moments, columns, found):
    """Add up what columns contribute to each class: (n_classes, n_columns, 4), sums over splits."""
    XT, _, f, machines, splits, _ = state
    found[:] = 0.0
    widest = f.shape[1]
    varied = np.empty(widest)
    squared = np.empty(widest)
    for q in range(machines.beta.shape[0]):
        t = machines.split[q]
        start, n, n_all = splits.start[t], splits.n[t], splits.n_all[t]
        tests = n_all - n
        part = moments.parts[start + n : start + n_all]
        variance = _vary(f[q, n:n_all], part, varied[:tests], squared[:tests])
        if variance <= 0.0:
            continue
        is_pair = splits.last[t] - splits.first[t] == 1
        # Two classes share all there is: one row stands for both.
        r = machines.positive[q] if found.shape[0] > 1 else 0
        other = splits.negative[t] if is_pair and found.shape[0] > 1 else -1
        for a in range(columns.shape[0]):
            k = columns[a]
            x = XT[k]
            w = _product(machines.beta[q, :n], x[start : start + n])
            covariance, fourth = _two_sums(
                x[start + n : start + n_all], moments.means[t, k], varied[:tests], squared[:tests]
            )
            spread = max(0.0, fourth - covariance * covariance) / moments.freedom[t]
            value = w * covariance / variance
            doubt = w * w * spread / variance / variance
            gap = w * moments.gaps[q, k]
            gap_doubt = w * w * moments.gap_variances[q, k]
            for c in (r, other):
                if c >= 0:
                    found[c, a, 0] += value
                    found[c, a, 1] += doubt
                    found[c, a, 2] += gap
                    found[c, a, 3] += gap_doubt


@njit
def _garrote(size, variance):
    return max(0.0, 1.0 - PENALTY * variance / (size * size)) if size * size > 0.0 else 0.0


@njit
def _add_worth(own, scale, bits, sure, worth, signed):
    """Add what a class gives to the columns; own : (n_columns, 4) sums, scale : one over their number."""
    p = worth.shape[0]
    largest = 0.0
    for a in range(p):
        largest = max(largest, abs(own[a, 0]) * scale)
    total = 0.0
    plain = 0.0
    for a in range(p):
        value = own[a, 0] * scale
        size = abs(value)
        if size <= NOISE_FLOOR * largest:
            size = 0.0
        gap = own[a, 2] * scale
        agreeing = gap if value > 0.0 else -gap
        square = scale * scale
        factor = _garrote(size, own[a, 1] * square) * _garrote(max(agreeing, 0.0), own[a, 3] * square)
        sure[0, a] = size * factor
        sure[1, a] = size
        total += sure[0, a]
        plain += size
        signed[a] += bits * value
    row = 0 if total > 0.0 else 1
    total = total if total > 0.0 else plain
    for a in range(p):
        worth[a] += bits * (sure[row, a] / total if total > 0.0 else 1.0 / p)


@njit
def _worst(worth, signed, columns, is_kept):
    """Position of the column that is worth least: of equals the one that adds the least, then the last."""
    best = -1
    least = 0.0
    least_signed = 0.0
    for a in range(worth.shape[0]):
        if is_kept[columns[a]]:
            continue
        own = np.rint(worth[a] * DECIMALS)
        own_signed = np.rint(signed[a] * DECIMALS)
        if best < 0 or own < least or (own == least and own_signed <= least_signed):
            best = a
            least = own
            least_signed = own_signed
    return best


@njit
def eliminate_by_covariance(state, moments, counts, is_kept, record):
    """Drop the worst columns, `counts` in each step; returns the number of steps made.

    state : `GramState`; moments : `ColumnMoments` of its columns; is_kept : (n_columns,);
    record : `Record`, whose groups are numbers of columns of the state.
    """
    XT, K, f, machines, splits, scratch = state
    n_classes = 1 if splits.n_classes == 2 else splits.n_classes
    columns = np.arange(XT.shape[0])
    bits = np.empty(record.tables.shape[1])
    outputs = np.empty(machines.beta.shape[0])
    made = 0
    for step in range(counts.shape[0]):
        table = record.tables[step]
        count_votes(f, machines.numbers, machines.positive, splits, outputs, table)
        information = share_information(table, bits)
        has_information = information * DECIMALS >= 1.0
        p = columns.shape[0]
        found = np.empty((n_classes, p, 4))
        if n_classes == 1:
            bits[0] += bits[1]
        _contribute(state, moments, columns, found)
        worth, signed, sure = np.zeros(p), np.zeros(p), np.empty((2, p))
        for r in range(n_classes):
            own = bits[r] if has_information else 1.0 / n_classes
            _add_worth(found[r], splits.label_scale[r], own, sure, worth, signed)
        stays = np.ones(p, np.bool_)
        for c in range(counts[step]):
            a = _worst(worth, signed, columns, is_kept)
            record.dropped[made + c] = columns[a]
            record.credits[made + c] = worth[a] if has_information else 0.0
            worth[a] = np.inf
            stays[a] = False
            change_all(K, f, machines, splits, XT[columns[a]], -1.0, scratch)
        columns = columns[stays]
        made += counts[step]
        if is_off_scale(K, machines, splits) or not settle_all(K, f, machines, splits, False, scratch):
            return step
    return counts.shape[0]
