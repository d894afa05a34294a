"""Machines on subsets of the columns, trained from nothing; and elimination with them, written out."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop.svm import OneVsRestSVC
from reference.engine import SplitRows
from reference.information import indicator_credits, output_information


def cold(estimator: Any, split: SplitRows, columns: Any, tol: float = 1e-10) -> OneVsRestSVC:
    """The classifier of one split, trained from nothing, precisely."""
    parameters = estimator.get_params() | {"tol": tol, "cache_size": 500.0}
    return OneVsRestSVC(**parameters).fit(split.X[:, columns], split.y, sample_weight=split.weights)


def table_of(models: list[Any], splits: list[SplitRows], columns: Any, n_labels: int) -> Any:
    """Confusion table of all splits, one row at a time."""
    table = np.zeros((n_labels, n_labels))
    for model, split in zip(models, splits, strict=True):
        if split.X_test.shape[0]:
            found = model.predict(split.X_test[:, columns])
            for true, label, weight in zip(split.truth, found, split.test_weights, strict=True):
                table[true, label] += weight
    return table


def column_worth(
    models: list[Any], table: Any, n_columns: int, n_labels: int, *, by_credit: bool
) -> tuple[Any, bool]:
    """What each column is worth, and whether the table says anything.

    The shares of a class are averaged over the splits that have learned it.
    """
    shares, times = np.zeros((n_labels, n_columns)), np.zeros(n_labels)
    for model in models:
        shares[model.classes_] += model.credit_shares()
        times[model.classes_] += 1
    mean = shares / np.maximum(times, 1)[:, None]
    says = by_credit and output_information(table.tolist()) > 0
    pay = indicator_credits(table.tolist()) if says else [1 / (times > 0).sum()] * n_labels
    return np.asarray(pay) @ mean, says


@dataclass
class Gone:
    """Groups in the order of going, their credits, the table before each step; what every group was worth."""

    groups: list[int]
    credits: list[float]
    tables: list[Any]
    worths: list[dict[int, float]]


def drop_worst(
    estimator: Any,
    splits: list[SplitRows],
    counts: Any,
    group_of: Any,
    is_kept: Any,
    *,
    by_credit: bool = True,
    n_labels: int | None = None,
) -> Gone:
    """Train, count, drop the worst, and again."""
    n_labels = n_labels or len(np.unique(np.concatenate([split.y for split in splits])))
    left, gone = np.arange(len(group_of)), Gone([], [], [], [])
    for count in counts:
        models = [cold(estimator, split, left) for split in splits]
        table = table_of(models, splits, left, n_labels)
        worth, says = column_worth(models, table, len(left), n_labels, by_credit=by_credit)
        by_group = {g: worth[group_of[left] == g].sum() for g in np.unique(group_of[left]).tolist()}
        loose = [g for g in by_group if not is_kept[g]]
        worst = sorted(loose, key=lambda g: (round(by_group[g], 12), -g))[:count]
        gone.groups += worst
        gone.credits += [by_group[g] if says or not by_credit else 0.0 for g in worst]
        gone.tables.append(table)
        gone.worths.append(by_group)
        left = left[~np.isin(group_of[left], worst)]
    return gone
