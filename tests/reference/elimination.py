"""Backward elimination written out: every step trains clones from nothing and counts anew."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from infoprop.credit._shares import credit_shares
from reference.information import indicator_credits, output_information


@dataclass
class Step:
    """Groups that stood, what they delivered, what each was worth, and which went, worst first."""

    standing: list[int]
    information: float
    worth: dict[int, float]
    dropped: list[int]


def table_of(truth: Any, predicted: Any, labels: list[Any], weights: Any) -> list[list[float]]:
    table = [[0.0] * len(labels) for _ in labels]
    for true, found, weight in zip(truth.tolist(), predicted.tolist(), weights.tolist(), strict=True):
        table[labels.index(true)][labels.index(found)] += weight
    return table


def eliminate(
    estimator: Any,
    X: Any,
    y: Any,
    splits: list[tuple[Any, Any]],
    *,
    n_target: int,
    n_dropped: Any,
    groups: list[list[int]] | None = None,
    keep: tuple[int, ...] = (),
    criterion: str = "information",
    weights: Any = None,
) -> list[Step]:
    """Drop ``n_dropped(n_left)`` groups at a time until `n_target` are left; `keep` holds group numbers."""
    groups = [[k] for k in range(X.shape[1])] if groups is None else groups
    labels, weights = np.unique(y).tolist(), np.ones(len(y)) if weights is None else weights
    standing, steps = list(range(len(groups))), []
    while True:
        columns = sorted(k for group in standing for k in groups[group])
        tables, shares = [], []
        for train, test in splits:
            parameters = {} if (weights == 1).all() else {"sample_weight": weights[train]}
            model = clone(estimator).fit(X[train][:, columns], y[train], **parameters)
            predicted = model.predict(X[test][:, columns])
            tables.append(table_of(y[test], predicted, labels, weights[test]))
            shares.append(credit_shares(model))
        table = np.sum(tables, axis=0).tolist()
        share = np.mean(shares, axis=0)
        pay = indicator_credits(table) if criterion == "information" else [1 / len(labels)] * len(labels)
        earned = dict(zip(columns, np.asarray(pay) @ share, strict=True))
        worth = {group: sum(earned[k] for k in groups[group]) for group in standing}
        n_gone = min(n_dropped(len(standing)), len(standing) - n_target)
        loose = [group for group in standing if group not in keep]
        gone = sorted(loose, key=lambda group: (round(worth[group], 12), -group))[:n_gone]
        steps.append(Step(standing, output_information(table), worth, gone))
        if not gone:
            return steps
        standing = [group for group in standing if group not in gone]
