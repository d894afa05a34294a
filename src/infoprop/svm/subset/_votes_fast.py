"""From the outputs of one-vs-rest machines to labels, and to the confusion counts of validation rows.

Row i goes to the class of the machine with the largest output ``f_q(x_i) + b_q``; a single machine decides
between two classes by the sign. ``counts[true, found]`` sums the weights of the rows. Invariant: labels are
those of `OneVsRestSVC.predict`, ties included.

Reference: R. Rifkin and A. Klautau, In defense of one-vs-all classification, JMLR 5 (2004).
"""

import numpy as np

from infoprop._core._jit import njit, njit_norefcount
from infoprop.svm._vectors_fast import TIE
from infoprop.svm.active_set._machines_fast import BIAS


@njit
def vote(outputs, labels, negative):
    """Label that a split gives to a row.

    `outputs` and `labels` are those of its machines; a single one votes for `negative` where its output is
    not positive. Only what is needed is handed over: whole splits would take longer than the vote.
    """
    if outputs.shape[0] == 1:
        return labels[0] if outputs[0] > 0.0 else negative
    highest = -np.inf
    largest = 0.0
    for r in range(outputs.shape[0]):
        highest = max(highest, outputs[r])
        largest = max(largest, abs(outputs[r]))
    r = 0
    while outputs[r] < highest - TIE * largest:
        r += 1
    return labels[r]


@njit_norefcount
def count_votes(f, numbers, splits, outputs, counts):
    """Confusion counts of the validation rows: of what the machines of each split predict for its own.

    f + numbers[:, BIAS] : outputs, (n_machines, n_all).
    """
    for i in range(counts.shape[0]):
        for j in range(counts.shape[0]):
            counts[i, j] = 0.0
    for t in range(splits.start.shape[0]):
        first, last = splits.first[t], splits.last[t]
        own = outputs[first:last]
        labels = splits.positive[first:last]
        for a in range(splits.n[t], splits.n_all[t]):
            for q in range(first, last):
                outputs[q] = f[q, a] + numbers[q, BIAS]
            label = vote(own, labels, splits.negative[t])
            row = splits.start[t] + a
            counts[splits.truth[row], label] += splits.weight[row]
