"""From the outputs of machines to what their columns are worth: votes, table, indicator credits."""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_norefcount
from infoprop.svm.active_set._pivots_fast import BIAS

# Outputs this close to the loudest, in relation, tie with it, as in `OneVsRestSVC.decision_function`.
TIE = 1e-9
# Credits are compared to twelve decimals, as in `FeatureCredits.ranking`.
DECIMALS = 1e12


class Drops(NamedTuple):
    """What may go: the group of every column, groups kept, how many go in each step, and by which rule."""

    group_of: Any
    is_kept: Any
    counts: Any
    is_single: Any
    uses_information: Any


class Record(NamedTuple):
    """What went: groups in order, their credits, and the confusion table before each step."""

    dropped: Any
    credits: Any
    tables: Any


@njit
def vote(outputs, labels, negative):
    """Label that a split gives to a row, and by how much its outputs would have to change for another one.

    `outputs` and `labels` are those of its machines; a single one votes for `negative` where its output is
    not positive. Only what is needed is handed over: whole splits would take longer than the vote.
    """
    if outputs.shape[0] == 1:
        return labels[0] if outputs[0] > 0.0 else negative, abs(outputs[0])
    loudest = -np.inf
    largest = 0.0
    for r in range(outputs.shape[0]):
        loudest = max(loudest, outputs[r])
        largest = max(largest, abs(outputs[r]))
    bar = loudest - TIE * largest
    label = -1
    runner_up = -np.inf
    n_loud = 0
    for r in range(outputs.shape[0]):
        if outputs[r] >= bar:
            n_loud += 1
            if label < 0:
                label = labels[r]
        else:
            runner_up = max(runner_up, outputs[r])
    return label, 0.0 if n_loud > 1 else loudest - runner_up - 2.0 * TIE * largest


@njit
def share_information(counts, credits):
    """Write the credits of the indicators of a table (equation 3 of infoprop-2001); returns I in bits."""
    n_labels = counts.shape[0]
    total = 0.0
    for i in range(n_labels):
        for j in range(n_labels):
            total += counts[i, j]
    class_entropy = 0.0
    left = 0.0
    usefulness = 0.0
    for r in range(n_labels):
        true = 0.0
        predicted = 0.0
        for c in range(n_labels):
            true += counts[r, c]
            predicted += counts[c, r]
        if true > 0.0:
            class_entropy -= true / total * np.log2(true / total)
        doubt = 0.0
        for c in range(n_labels):
            if counts[c, r] > 0.0:
                doubt -= counts[c, r] / predicted * np.log2(counts[c, r] / predicted)
        left += predicted / total * doubt
        credits[r] = predicted / total * max(0.0, np.log2(n_labels) - doubt)
        usefulness += credits[r]
    information = min(class_entropy - left, class_entropy)
    if information * DECIMALS < 0.5:
        # No credit would differ from zero in twelve decimals: nothing is delivered.
        information = 0.0
    for r in range(n_labels):
        credits[r] = information * credits[r] / usefulness if usefulness > 0.0 else 0.0
    return information


@njit
def weigh_machines(machines, splits, counts, uses_information, shares, scale):
    """Write what each machine's shares are worth: its indicator's bits, or the same for all; returns I.

    What rounds to nothing where credits are compared is nothing. Two classes have one machine and so one row
    of shares, which earns for both. A class earns as much in every split that has learned it.
    """
    information = share_information(counts, shares) if uses_information else 0.0
    if information * DECIMALS < 1.0:
        information = 0.0
        for r in range(shares.shape[0]):
            shares[r] = 1.0 / splits.n_classes
    for q in range(scale.shape[0]):
        t = machines.split[q]
        r = machines.positive[q]
        scale[q] = shares[r] * splits.label_scale[r]
        if splits.last[t] - splits.first[t] == 1:
            r = splits.negative[t]
            scale[q] += shares[r] * splits.label_scale[r]
    return information


@njit
def choose_worst(keys, ids, is_kept, count, chosen, values):
    """Write positions and values of the `count` smallest keys that may go; of equal ones the last id first.

    Keys that were chosen are set to infinity.
    """
    for c in range(count):
        best = -1
        least = np.inf
        for a in range(keys.shape[0]):
            scaled = keys[a] * DECIMALS
            if scaled <= least + 1.0 and scaled < np.inf and not is_kept[ids[a]]:
                rounded = np.rint(scaled)
                if best < 0 or rounded < least or (rounded == least and ids[a] > ids[best]):
                    best = a
                    least = rounded
        chosen[c] = best
        values[c] = keys[best]
        keys[best] = np.inf


@njit_norefcount
def count_votes(f, machines, splits, outputs, counts):
    """Table of what all splits predict for the validation rows."""
    for i in range(counts.shape[0]):
        for j in range(counts.shape[0]):
            counts[i, j] = 0.0
    for t in range(splits.start.shape[0]):
        first, last = splits.first[t], splits.last[t]
        own = outputs[first:last]
        labels = machines.positive[first:last]
        for a in range(splits.n[t], splits.n_all[t]):
            for q in range(first, last):
                outputs[q] = f[q, a] + machines.numbers[q, BIAS]
            label, _ = vote(own, labels, splits.negative[t])
            row = splits.start[t] + a
            counts[splits.truth[row], label] += splits.weight[row]
