"""Feature shaping written from its definition: one column, one value at a time, in plain Python."""

from bisect import bisect_left
from math import hypot, isnan, log, log2, sqrt
from statistics import NormalDist

import numpy as np


def table(column, y, weights):
    """Distinct values with weight: ascending, NaN last; each with weights of negatives and positives."""
    counts = {}
    n_missing = [0.0, 0.0]
    for value, label, weight in zip(column, y, weights, strict=True):
        if weight > 0:
            cell = n_missing if isnan(value) else counts.setdefault(float(value) + 0.0, [0.0, 0.0])
            cell[int(label)] += weight
    rows = [(value, *counts[value]) for value in sorted(counts)]
    return rows + ([(float("nan"), *n_missing)] if sum(n_missing) else [])


def cumulative_positives(blocks, rank):
    """P(r): the piecewise linear curve through the sums of rows and positives."""
    rows = positives = 0.0
    for negative, positive in blocks:
        size = negative + positive
        if rank <= rows + size:
            return positives + (rank - rows) * positive / size
        rows += size
        positives += positive
    return positives


def laplace(negative, positive):
    return (positive + 1) / (negative + positive + 2)


def local_probabilities(rows, window=15, *, zero_bin=False, nominal=False):
    """Probability of every entry of a table, in its order."""
    known = [row for row in rows if not isnan(row[0])]
    walked = [row for row in known if not (zero_bin and row[0] == 0)]
    blocks = [(negative, positive) for _, negative, positive in walked]
    total = sum(map(sum, blocks))
    if window == "auto":
        window = max(2, min(15, total / 8))
    found = {}
    before = 0.0
    for value, negative, positive in walked:
        size = negative + positive
        middle = before + size / 2
        low = max(0.0, min(before, middle - window))
        high = min(total, max(before + size, middle + window))
        inside = cumulative_positives(blocks, high) - cumulative_positives(blocks, low)
        found[value] = (inside + 1) / (high - low + 2)
        before += size
    alone = nominal or len(known) <= 2
    return [laplace(n, p) if alone or v not in found else found[v] for v, n, p in rows]


def separation(score, true_rate, false_rate, prior):
    if score == "bns":
        quantile = NormalDist().inv_cdf
        true_rate, false_rate = (min(max(rate, 0.0005), 0.9995) for rate in (true_rate, false_rate))
        return abs(quantile(true_rate) - quantile(false_rate))
    if score == "hellinger":
        return hypot(sqrt(true_rate) - sqrt(false_rate), sqrt(1 - true_rate) - sqrt(1 - false_rate))
    joint = {}
    for label, weight, rate in ((1, prior, true_rate), (0, 1 - prior, false_rate)):
        joint[label, "above"], joint[label, "below"] = weight * rate, weight * (1 - rate)
    bits = 0.0
    for (label, side), share in joint.items():
        if share > 0:
            of_label = joint[label, "above"] + joint[label, "below"]
            of_side = joint[0, side] + joint[1, side]
            bits += share * log2(share / of_label / of_side)
    return max(bits, 0.0)


def best_separation(score, places, rows):
    """Best score over the thresholds between places that differ by more than rounding."""
    placed = sorted((place, n, p) for place, (_, n, p) in zip(places, rows, strict=True) if not isnan(place))
    negatives, positives = (sum(row[k] for row in placed) for k in (1, 2))
    if not (negatives and positives):
        return 0.0
    best = 0.0
    for i in range(1, len(placed)):
        if placed[i][0] - placed[i - 1][0] > 1e-11 * abs(placed[i][0]):
            above = [sum(row[k] for row in placed[i:]) for k in (1, 2)]
            rates = above[1] / positives, above[0] / negatives
            best = max(best, separation(score, *rates, positives / (positives + negatives)))
    return best


class Column:
    """A shaped column as the definition has it: table, places, interpolation, then the range to the score."""

    def __init__(self, column, y, weights=None, *, zero_stays=None, **rule):
        self.scaling = rule.pop("scaling", "bns")
        self.log_odds = rule.pop("probability", "local") == "log-odds"
        self.zero_bin = rule.get("zero_bin", False)
        self.zero_stays = self.zero_bin if zero_stays is None else zero_stays
        self.nominal = rule.get("nominal", False)
        self.rows = table(column, y, np.ones(len(y)) if weights is None else weights)
        self.places = local_probabilities(self.rows, **rule)
        known = [row for row in self.rows if not isnan(row[0])]
        overall = laplace(sum(row[1] for row in known), sum(row[2] for row in known))
        self.unseen = min(max(overall, min(self.places)), max(self.places))
        self.missing = self.places[-1] if isnan(self.rows[-1][0]) else self.unseen
        self.known = [row[0] for row in known]
        self.score = best_separation(self.scaling, self.places, self.rows) if self.scaling else None

    def place(self, value):
        """Local probability of any value."""
        if isnan(value):
            return self.missing
        i = bisect_left(self.known, value)
        if i < len(self.known) and self.known[i] == value:
            return self.places[i]
        lower, upper = i - 1 if i > 0 else None, i if i < len(self.known) else None
        if self.zero_bin:
            if lower is not None and self.known[lower] * value <= 0:
                lower = None
            if upper is not None and self.known[upper] * value <= 0:
                upper = None
        if self.nominal or (lower is None and upper is None):
            return self.unseen
        if lower is None or upper is None:
            return self.places[upper if lower is None else lower]
        share = (value - self.known[lower]) / (self.known[upper] - self.known[lower])
        return (1 - share) * self.places[lower] + share * self.places[upper]

    def _link(self, place):
        return log(place) - log(1 - place) if self.log_odds else place

    def shaped(self, value):
        """What a value becomes."""
        ends = [self._link(place) for place in (min(self.places), max(self.places))]
        offset = self._link(self.place(0.0)) if self.zero_stays else ends[0] if self.scaling else 0.0
        moved = self._link(self.place(value)) - offset
        if not self.scaling:
            return moved
        return moved * self.score / (ends[1] - ends[0]) if self.score else 0.0


def shaped_rows(X, y, weights=None, *, X_new=None, norm="l2", **rule):
    """All columns of the rows `X_new` shaped by `X`, rows divided by their norms."""
    X_new = X if X_new is None else X_new
    columns = [Column(X[:, j], y, weights, **rule) for j in range(X.shape[1])]
    out = np.array([[column.shaped(v) for column, v in zip(columns, row, strict=True)] for row in X_new])
    if norm:
        lengths = np.abs(out).sum(axis=1) if norm == "l1" else np.sqrt((out**2).sum(axis=1))
        out = out / np.where(lengths > 0, lengths, 1.0)[:, None]
    return out


def left_out_loss(rows, window=15, **rule):
    """Log-loss of local probabilities on rows that are each taken out of their own window."""
    loss = 0.0
    # p = (P + 1) / (W + 2) says P once W is known, and in a table whose rows are all positive it says W.
    all_positive = [(value, 0.0, negative + positive) for value, negative, positive in rows]
    widths = [1 / (1 - share) - 2 for share in local_probabilities(all_positive, window, **rule)]
    shares = local_probabilities(rows, window, **rule)
    for (value, negative, positive), share, width in zip(rows, shares, widths, strict=True):
        inside = share * (width + 2) - 1
        for label, weight in ((0, negative), (1, positive)):
            if weight > 0 and not isnan(value):
                probability = (inside - label + 1) / (width - 1 + 2)
                loss -= weight * log(probability if label else 1 - probability)
    return loss
