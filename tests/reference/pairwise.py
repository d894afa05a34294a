"""Slow twins of the n² classifier: coupling step by step, and a vote counted row by row."""

import numpy as np

from infoprop.pairwise import PairwiseClassifier
from infoprop.pairwise._voters import PairRows, TrainedVoter
from infoprop.selection._preparation import prepared_rows

__all__ = ["TrainedVoter", "coupled", "pair_rows", "voted"]


def pair_rows(estimator, X, y, weights=None, **parameters):
    """Rows as the voters of a classifier with these parameters see them."""
    owner = PairwiseClassifier(estimator, **{"random_state": 0} | parameters)
    evaluator, _ = prepared_rows(owner, owner._prototype(), X, y, weights, {})
    return PairRows.from_evaluator(evaluator)


def coupled(r, n_classes, n_rounds=10000):
    """Probabilities of one row by the iteration of Wu, Lin and Weng (2004), Algorithm 2.

    `r` maps a pair (i, j), i < j, to the probability of class i, given that it is one of the two.
    """
    beats = np.zeros((n_classes, n_classes))
    for (i, j), value in r.items():
        beats[i, j], beats[j, i] = value, 1.0 - value
    Q = np.array(
        [
            [
                sum(beats[s, i] ** 2 for s in range(n_classes) if s != i)
                if i == j
                else -beats[j, i] * beats[i, j]
                for j in range(n_classes)
            ]
            for i in range(n_classes)
        ]
    )
    p = np.full(n_classes, 1.0 / n_classes)
    for step in range(n_rounds):
        t = step % n_classes
        p[t] = (p @ Q @ p - sum(Q[t, j] * p[j] for j in range(n_classes) if j != t)) / Q[t, t]
        p /= p.sum()
    return p


def objective(p, r):
    """What the second method makes small: sum over ordered pairs of (r_ji p_i - r_ij p_j)^2."""
    return sum(2.0 * ((1.0 - value) * p[i] - value * p[j]) ** 2 for (i, j), value in r.items())


def voted(decisions, weights, class_weights):
    """Class of one row. `decisions` maps (i, j) to the winner, `weights` to what its vote counts."""
    votes = [0.0] * len(class_weights)
    for pair, winner in decisions.items():
        votes[winner] += weights[pair]
    best = max(round(value, 12) for value in votes)
    tied = [number for number, value in enumerate(votes) if round(value, 12) == best]
    return min(tied, key=lambda number: (-class_weights[number], number))


def grouped_accuracy(estimator, X, y, splits, genome, labels):
    """Part of the tested rows that the majority names right, trained pair by pair and split by split.

    `genome` has for each pair, in the order (0, 1), (0, 2), ..., (1, 2), ..., bits of the groups it takes;
    `labels` the group of each column.
    """
    classes, class_weights = np.unique(y, return_counts=True)
    pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]
    right = total = 0
    for train, test in splits:
        winners = [{} for _ in test]
        for (i, j), bits in zip(pairs, genome, strict=True):
            columns = [column for column, group in enumerate(labels) if bits[group] or not bits.any()]
            rows = [row for row in train if y[row] in (classes[i], classes[j])]
            model = estimator.fit(X[np.ix_(rows, columns)], y[rows])
            for winner, label in zip(winners, model.predict(X[np.ix_(test, columns)]), strict=True):
                winner[i, j] = i if label == classes[i] else j
        for row, decisions in zip(test, winners, strict=True):
            number = voted(decisions, dict.fromkeys(pairs, 1.0), class_weights)
            right, total = right + (classes[number] == y[row]), total + 1
    return right / total
