"""Problems to eliminate columns from, for machines of every kind."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from infoprop.selection.elimination._search import drop_worst
from infoprop.svm import OneVsRestSVC
from reference.engine import SplitRows, machines_over, split_rows
from reference.moving import Gone
from reference.moving import drop_worst as drop_worst_slowly


@dataclass
class Case:
    """What is asked of `drop_worst`."""

    splits: list[SplitRows]
    counts: list[int]
    group_of: Any
    keep: tuple[int, ...] = ()
    by_credit: bool = True
    estimator: Any = field(default_factory=lambda: OneVsRestSVC(kernel="linear"))

    @property
    def is_kept(self) -> Any:
        return np.isin(np.arange(self.group_of.max() + 1), self.keep)

    def machines(self, store: str, n_threads: int = 1) -> Any:
        machines = machines_over(store, self.estimator, self.splits, n_threads)
        machines.set_columns(machines.all_columns, None)
        return machines

    def dropped(self, machines: Any) -> Any:
        return drop_worst(machines, np.array(self.counts), self.group_of, self.is_kept, self.by_credit)

    def slowly(self, n_steps: int | None = None) -> Gone:
        arguments = self.splits, self.counts[:n_steps], self.group_of, self.is_kept
        n_labels = 1 + max(int(max(split.y.max(), split.truth.max(initial=0))) for split in self.splits)
        return drop_worst_slowly(self.estimator, *arguments, by_credit=self.by_credit, n_labels=n_labels)


def problem(seed: int, n: int, n_columns: int, n_classes: int = 3) -> tuple[Any, Any]:
    """Rows with some signal in the first columns."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, n_columns))
    X[:, : min(n_columns, n_classes)] += 1.5 * (y[:, None] == np.arange(min(n_columns, n_classes)))
    return X, y


def cases() -> dict[str, Case]:
    """Cases of twelve columns."""
    X, y = problem(0, 70, 12)
    rows, single = np.arange(70), np.arange(12)
    one = [split_rows(X, y, rows[:40], rows[40:])]
    folds = [split_rows(X, y, rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3)]
    groups = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4])
    without_two = np.flatnonzero(y != 2)[:30]
    lacking = split_rows(X, y, without_two, np.setdiff1d(rows, without_two))
    weights = np.random.default_rng(1).uniform(0.2, 3.0, 70)
    stranger = np.where(rows >= 60, 3, y)
    spoiled = X.copy()
    spoiled[:, [4, 5, 9]], spoiled[:, 6], spoiled[:, 8] = 0.0, 3.0, X[:, 2]
    scaled = X * np.where(single == 5, 1e3, np.where(single == 2, 30.0, 1.0))
    say_nothing = np.concatenate([y[:40], np.zeros(30, dtype=y.dtype)])
    balanced = OneVsRestSVC(kernel="linear", class_weight="balanced")
    return {
        "one by one": Case(one, [1] * 11, single),
        "by margin": Case(one, [1] * 11, single, by_credit=False),
        "several at a time": Case(one, [3, 2, 1, 4], single),
        "kept": Case(one, [1] * 10, single, keep=(3, 7)),
        "kept, several": Case(one, [4, 3], single, keep=(0, 1, 5)),
        "groups": Case(one, [1] * 4, groups),
        "groups, several, kept": Case(one, [2, 1], groups, keep=(4,)),
        "folds": Case(folds, [1] * 11, single),
        "folds, groups": Case(folds, [1] * 4, groups),
        "a split lacks a class": Case([lacking, folds[0]], [1] * 11, single),
        "weights": Case(
            [split_rows(X, y, rows[:40], rows[40:], weights)], [1] * 11, single, estimator=balanced
        ),
        "a label nobody has learned": Case([split_rows(X, stranger, rows[:40], rows[40:])], [1] * 11, single),
        "two classes": Case([split_rows(X, y % 2, rows[:40], rows[40:])], [1] * 11, single),
        "no information": Case([split_rows(X, say_nothing, rows[:40], rows[40:])], [1] * 11, single),
        "nothing to count": Case([split_rows(X, y, rows, rows[:0])], [1] * 11, single, by_credit=False),
        "zeros, constants, copies": Case([split_rows(spoiled, y, rows[:40], rows[40:])], [1] * 11, single),
        "columns of all lengths": Case([split_rows(scaled, y, rows[:40], rows[40:])], [1] * 11, single),
        "all at their bounds": Case(one, [1] * 11, single, estimator=OneVsRestSVC(kernel="linear", C=1e-3)),
        "hard margins": Case(one, [1] * 11, single, estimator=OneVsRestSVC(kernel="linear", C=1e3)),
    }


def middle_class(group_of: Any) -> Case:
    """Class 1 lies between the others, so that its machine has no weights and shares evenly."""
    rng = np.random.default_rng(1)
    size = np.array([2.0, 0.01, 0.01, 0.01, 0.01, 0.01, 0.03])
    noise = rng.normal(size=(10, 7)) * size * 0.1
    noise[:, 0] = 0.0
    noise -= noise.mean(axis=0)
    X = np.concatenate([noise - size, np.zeros((10, 7)), size - noise])
    y = np.repeat([0, 1, 2], 10)
    split = SplitRows(X, y, np.ones(30), X, np.roll(y, 2), np.ones(30))
    return Case([split], [1, 1], group_of)


def assert_same(found: Any, expected: Gone) -> None:
    """Same groups in the same order, credits to eight digits, the same tables."""
    n = len(expected.groups)
    assert found.groups[:n].tolist() == expected.groups
    np.testing.assert_allclose(found.credits[:n], expected.credits, atol=1e-8)
    np.testing.assert_allclose(found.tables[: len(expected.tables)], expected.tables, atol=1e-9)


def sparsely(case: Case) -> Case:
    """The same rows as CSR, with most entries left out."""

    def thinned(X: Any) -> Any:
        return sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))

    splits = [
        SplitRows(thinned(s.X), s.y, s.weights, thinned(s.X_test), s.truth, s.test_weights)
        for s in case.splits
    ]
    return Case(splits, case.counts, case.group_of, case.keep, case.by_credit, case.estimator)


def squared(case: Case) -> Case:
    """The same case with the squared hinge."""
    return replace(
        case, estimator=case.estimator.__class__(**case.estimator.get_params() | {"loss": "squared_hinge"})
    )
