"""The loop "drop the worst" by covariance, in one piece, over machines that keep their Gram matrices.

The mathematics is that of `infoprop.credit._covariance`: with phi_k = w_k x_k on the validation rows of a
split, ``c_k = w_k Cov(f, x_k) / Var(f)``, averaged over splits, is compared with its standard error, and
so is its covariance with the class. The same, slow and plain, is the loop in `_by_covariance`. Invariant
between steps: machines are at the optimum of the columns left (`_gram_machines_fast`). Columns are priced
anew once one in a hundred of them is gone, see `Prices` in `_by_covariance`.

Reference: S. Lundberg and S.-I. Lee, A unified approach to interpreting model predictions, NeurIPS (2017), of
the contributions ``w_k (x_k - mean)`` of linear machines.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop.metrics._indicators_fast import DECIMALS, share_information
from infoprop.svm.active_set._gram_machines_fast import change_all, is_off_scale, settle_all
from infoprop.svm.subset._votes_fast import count_votes

# Both as in `infoprop.credit._covariance`, which has the reasons; the tests compare this loop with that one.
PENALTY = 3.0
NOISE_FLOOR = 1e-12
# Rows are copied without the columns that are gone once fewer than this part of them are left.
KEPT_PART = 0.8
PRICED_ANEW = 100


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


class ColumnPrices(NamedTuple):
    """What columns were worth when they were priced last; written by compiled code.

    worth, signed : (n_columns,); numbers : columns that stood then (0: never), and 1 if there were bits.
    """

    worth: Any
    signed: Any
    numbers: Any


@njit
def _add_row(total, row, factor):
    for a in range(total.shape[0]):
        total[a] += factor * row[a]


@njit
def _add_two_rows(first, second, row, means, varied, squared):
    """Add ``varied (x - mean)`` and ``squared (x - mean)^2`` of one row."""
    for a in range(first.shape[0]):
        d = row[a] - means[a]
        first[a] += varied * d
        second[a] += squared * d * d


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
def _contribute(f, machines, splits, moments, rows, found):
    """Add up what columns contribute to each class: (n_classes, n_columns, 4), sums over splits.

    rows : (n_rows, n_columns), those of all splits; moments : of the same columns. Row by row, so that all
    columns are done at once, and rows that are not support vectors not at all.
    """
    found[:] = 0.0
    widest, p = f.shape[1], rows.shape[1]
    varied, squared = np.empty(widest), np.empty(widest)
    w, covariance, fourth = np.empty(p), np.empty(p), np.empty(p)
    for q in range(machines.beta.shape[0]):
        t = splits.split[q]
        start, n, n_all = splits.start[t], splits.n[t], splits.n_all[t]
        tests = n_all - n
        part = moments.parts[start + n : start + n_all]
        variance = _vary(f[q, n:n_all], part, varied[:tests], squared[:tests])
        if variance <= 0.0:
            continue
        w[:] = 0.0
        covariance[:] = 0.0
        fourth[:] = 0.0
        for i in range(n):
            if machines.beta[q, i] != 0.0:
                _add_row(w, rows[start + i], machines.beta[q, i])
        for i in range(tests):
            if part[i] > 0.0:
                _add_two_rows(
                    covariance, fourth, rows[start + n + i], moments.means[t], varied[i], squared[i]
                )
        is_pair = splits.last[t] - splits.first[t] == 1
        # Two classes share all there is: one row stands for both.
        r = splits.positive[q] if found.shape[0] > 1 else 0
        other = splits.negative[t] if is_pair and found.shape[0] > 1 else -1
        for a in range(p):
            spread = max(0.0, fourth[a] - covariance[a] * covariance[a]) / moments.freedom[t]
            value = w[a] * covariance[a] / variance
            doubt = w[a] * w[a] * spread / variance / variance
            gap = w[a] * moments.gaps[q, a]
            gap_doubt = w[a] * w[a] * moments.gap_variances[q, a]
            for c in (r, other):
                if c >= 0:
                    found[c, a, 0] += value
                    found[c, a, 1] += doubt
                    found[c, a, 2] += gap
                    found[c, a, 3] += gap_doubt


@njit
def _without(moments, rows, stays):
    """Moments and rows of the columns that stay."""
    left = ColumnMoments(
        moments.parts,
        moments.freedom,
        moments.means[:, stays],
        moments.gaps[:, stays],
        moments.gap_variances[:, stays],
    )
    return left, rows[:, stays]


@njit
def _garrote(size, variance):
    return max(0.0, 1.0 - PENALTY * variance / (size * size)) if size * size > 0.0 else 0.0


@njit
def _add_worth(own, scale, bits, n_left, sure, worth, signed):
    """Add what a class gives to the columns; own : (n_columns, 4) sums, scale : one over their number."""
    p = worth.shape[0]
    largest = 0.0
    for a in range(p):
        largest = max(largest, abs(own[a, 0]) * scale)
    total = 0.0
    plain = 0.0
    square = scale * scale
    for a in range(p):
        value = own[a, 0] * scale
        move = abs(value)
        gap = own[a, 2] * scale
        size = 0.0 if move <= NOISE_FLOOR * largest else max(0.0, gap if value > 0.0 else -gap)
        sure[0, a] = size * _garrote(move, own[a, 1] * square) * _garrote(size, own[a, 3] * square)
        sure[1, a] = size
        total += sure[0, a]
        plain += size
        signed[a] += bits * gap
    row = 0 if total > 0.0 else 1
    total = total if total > 0.0 else plain
    for a in range(p):
        worth[a] += bits * (sure[row, a] / total if total > 0.0 else 1.0 / n_left)


@njit
def _worst(worth, signed, may_go):
    """Position of the column that is worth least: of equals that with the least gap, then the last."""
    best = -1
    least = 0.0
    least_signed = 0.0
    for a in range(worth.shape[0]):
        if not may_go[a]:
            continue
        own = np.rint(worth[a] * DECIMALS)
        own_signed = np.rint(signed[a] * DECIMALS)
        if best < 0 or own < least or (own == least and own_signed <= least_signed):
            best = a
            least = own
            least_signed = own_signed
    return best


@njit
def _price(f, machines, splits, moments, rows, stays, shares, worth, signed):
    """Write what every column is worth, and its gap; shares : what the classes have to give, (n_classes,)."""
    p = rows.shape[1]
    found = np.empty((shares.shape[0], p, 4))
    _contribute(f, machines, splits, moments, rows, found)
    for a in range(p):
        # Columns that are gone have no part in any output.
        if not stays[a]:
            found[:, a] = 0.0
    worth[:] = 0.0
    signed[:] = 0.0
    sure = np.empty((2, p))
    for r in range(shares.shape[0]):
        _add_worth(found[r], splits.label_scale[r], shares[r], stays.sum(), sure, worth, signed)


@njit
def eliminate_by_covariance(state, moments, counts, is_kept, prices, record):
    """Drop the worst columns, `counts` in each step; returns the number of steps made.

    state : `GramState`; moments : `ColumnMoments` of its columns; is_kept : (n_columns,);
    prices : `ColumnPrices`; record : `Record`, whose groups are numbers of columns of the state.
    """
    XT, K, f, machines, splits, scratch = state
    n_classes = 1 if splits.n_classes == 2 else splits.n_classes
    columns, may_go = np.arange(XT.shape[0]), ~is_kept
    stays, n_left = np.ones(XT.shape[0], np.bool_), XT.shape[0]
    rows = XT.T.copy()
    bits = np.empty(record.tables.shape[1])
    outputs = np.empty(machines.beta.shape[0])
    worth, signed, numbers = prices.worth.copy(), prices.signed.copy(), prices.numbers
    made = 0
    for step in range(counts.shape[0]):
        table = record.tables[step]
        count_votes(f, machines.numbers, splits, outputs, table)
        has_information = share_information(table, bits) * DECIMALS >= 1.0
        if n_classes == 1:
            bits[0] += bits[1]
        if numbers[0] == 0 or numbers[0] - n_left >= max(1, numbers[0] // PRICED_ANEW):
            shares = bits[:n_classes] if has_information else np.full(n_classes, 1.0 / n_classes)
            _price(f, machines, splits, moments, rows, stays, shares, worth, signed)
            numbers[0], numbers[1] = n_left, has_information
            prices.worth[columns] = worth
            prices.signed[columns] = signed
        for c in range(counts[step]):
            a = _worst(worth, signed, may_go)
            record.dropped[made + c] = columns[a]
            record.credits[made + c] = worth[a] if numbers[1] else 0.0
            may_go[a] = False
            stays[a] = False
            change_all(K, f, machines, splits, XT[columns[a]], -1.0, scratch)
        n_left -= counts[step]
        made += counts[step]
        if is_off_scale(K, machines, splits) or not settle_all(K, f, machines, splits, False, scratch):
            return step
        if n_left < KEPT_PART * columns.shape[0]:
            # A copy now and then is cheaper than to jump over what is gone in every row.
            moments, rows = _without(moments, rows, stays)
            columns, may_go = columns[stays], may_go[stays]
            worth, signed = worth[stays], signed[stays]
            stays = np.ones(n_left, np.bool_)
    return counts.shape[0]
