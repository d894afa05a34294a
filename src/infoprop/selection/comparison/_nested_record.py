"""What one method does in one outer fold: choose, be trained on, be counted."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from infoprop._core._deadline import check_time
from infoprop._core._row_folds import row_group_parameters
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.selection._containers import take_columns, take_rows
from infoprop.selection._validation import Split, plan_validation
from infoprop.selection.comparison._choosing import Rows, choose, seeds
from infoprop.selection.comparison._comparison import ComparedChoice
from infoprop.selection.comparison._nested_plan import Nested
from infoprop.selection.running._interruption import interruptions_pass

Record = dict[str, Any]
"""What one method did in one outer fold, as a journal keeps it."""


def nested_record(nested: Nested, fold: int, name: str) -> Record:
    """Let one method choose in one fold, train on its choices and count."""
    split = nested.splits[fold]
    seed = int(np.random.default_rng([nested.seed, fold]).integers(np.iinfo(np.int32).max))
    judge = Judge(nested, split, seed)
    rows = Rows(judge.X, judge.y, nested.columns, seed, judge.row_groups)
    with interruptions_pass():
        chosen = choose(nested.methods[name], rows, nested.sizes, nested.groups)
    judged = []
    for choice in chosen:
        check_time()
        judged.append(judge.judge(choice.mask))
    return {
        "fold": fold,
        "method": name,
        "sizes": [choice.size for choice in chosen],
        "supports": np.array([choice.mask for choice in chosen]),
        "search_seconds": np.array([choice.seconds for choice in chosen]),
        "tables": np.array([table for table, _, _ in judged]),
        "inner_tables": np.array([inner for _, inner, _ in judged]),
        "fit_seconds": np.array([seconds for _, _, seconds in judged]),
    }


class Judge:
    """Trains the classifier on chosen features of one fold's training rows, and counts."""

    def __init__(self, nested: Nested, split: Split, seed: int) -> None:
        assert split.test is not None
        self._columns, self._labels = nested.columns, np.unique(nested.y)
        self.X, self.y = take_rows(nested.X, split.train), nested.y[split.train]
        self._test, self._truth = take_rows(nested.X, split.test), nested.y[split.test]
        self.row_groups = None if nested.row_groups is None else nested.row_groups[split.train]
        self._estimator = clone(nested.estimator)
        self._estimator.set_params(**seeds(self._estimator, seed))
        self._inner: Sequence[Split] = ()
        if nested.inner_validation is not None:
            rows, weights = take_rows(nested.checked, split.train), np.ones(len(self.y))
            self._inner = plan_validation(
                nested.inner_validation,
                rows,
                self.y,
                weights,
                has_given=False,
                seed=seed,
                split_parameters={"groups": self.row_groups},
            ).splits

    def judge(self, mask: BoolArray) -> tuple[FloatArray, FloatArray, float]:
        """Confusion tables of the test rows, and of the training rows in turn; seconds of the training."""
        columns = self._columns.members(np.flatnonzero(mask))
        X = take_columns(self.X, columns)
        begun = perf_counter()
        predict = self._trained(X, self.y, columns, self.row_groups)
        seconds = perf_counter() - begun
        table = _table(self._labels, self._truth, predict(take_columns(self._test, columns)))
        inner = np.zeros_like(table)
        for train, test in ((split.train, split.test) for split in self._inner):
            own = None if self.row_groups is None else self.row_groups[train]
            predict = self._trained(take_rows(X, train), self.y[train], columns, own)
            inner += _table(self._labels, self.y[test], predict(take_rows(X, test)))
        return table, inner, seconds

    def _trained(self, X: Any, y: LabelArray, columns: IntArray, row_groups: LabelArray | None) -> Any:
        labels, counts = np.unique(y, return_counts=True)
        if not len(columns) or len(labels) < 2:
            # Nothing to learn from: the commonest class, the first of equals.
            return lambda rows: np.repeat(labels[np.argmax(counts)], rows.shape[0])
        told = row_group_parameters(self._estimator, row_groups)
        return clone(self._estimator).fit(X, y, **told).predict


def _table(labels: LabelArray, y: LabelArray, predicted: LabelArray) -> FloatArray:
    """Count predictions: (L, L), rows are true classes."""
    size = len(labels)
    cells = np.searchsorted(labels, y) * size + np.searchsorted(labels, predicted)
    return np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.float64)


def joined_records(name: str, records: list[Record]) -> list[ComparedChoice]:
    """Bring the folds of one method together, size by size; sizes that a fold did without are left out."""
    sizes = [size for size in records[0]["sizes"] if all(size in record["sizes"] for record in records)]
    return [
        ComparedChoice(
            method=name,
            size=size,
            **{
                part: np.array([record[part][record["sizes"].index(size)] for record in records])
                for part in ("supports", "tables", "inner_tables", "search_seconds", "fit_seconds")
            },
        )
        for size in sizes
    ]
