"""KNNJudge: how often nearest neighbours are right, on any number of subsets of the columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.neighbors._rows import NeighborRows
from infoprop.neighbors._votes import grown_votes, votes

# Answers kept at a time, so that a generation of subsets of many rows does not fill the memory.
ANSWERS_AT_A_TIME = 2**23


@dataclass(frozen=True)
class NeighborTest:
    """Rows to be asked about, with the answers.

    Attributes
    ----------
    rows : NeighborRows
    truth : ndarray of shape (n_test,)
        True class numbers; a number that no training row has for any other class.
    weights : ndarray of shape (n_test,) or None
        What being right counts; None if all count the same.
    """

    rows: NeighborRows
    truth: IntArray
    weights: FloatArray | None = None

    @property
    def total(self) -> float:
        """What being right everywhere would count."""
        return float(len(self.truth) if self.weights is None else self.weights.sum())

    def right(self, found: IntArray) -> FloatArray:
        """What the answers, shape (n_subsets, n_test), count: shape (n_subsets,)."""
        is_right = found == self.truth
        if self.weights is None:
            return np.asarray(np.count_nonzero(is_right, axis=1), dtype=np.float64)
        # Subset by subset: the sum must not depend on which others are asked about with it.
        return np.array([self.weights[row].sum() for row in is_right], dtype=np.float64)


class KNNJudge:
    """Judges subsets of the columns by the validated accuracy of k nearest neighbours.

    A `SubsetJudge` that trains nothing: distances on a subset are sums over its columns, and neighbours are
    looked for among the rows of other folds. They are ordered by distance, then by row number; of classes
    with equally many votes the first wins.

    Parameters
    ----------
    tests : sequence of NeighborTest
        One for all folds, or one for each split.
    n_neighbors : int
    is_weighted : bool
        Whether a vote counts as one over its distance.
    without_columns : callable
        Returns the accuracy of always naming the most frequent class.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.1, 1.0], [0.9, 0.1], [1.0, 0.9]])
    >>> own, codes = np.arange(4), np.array([0, 0, 1, 1])
    >>> rows = NeighborRows(X, codes, own, X, own, np.ones((1, 2)), 2)
    >>> judge = KNNJudge([NeighborTest(rows, codes)], 1, False, lambda: 0.5)
    >>> judge.judge(np.array([[True, False], [False, True], [False, False]]))
    array([1. , 0. , 0.5])
    """

    def __init__(
        self,
        tests: Sequence[NeighborTest],
        n_neighbors: int,
        is_weighted: bool,
        without_columns: Callable[[], float],
    ) -> None:
        self._tests = tests
        self._n_neighbors = n_neighbors
        self._is_weighted = is_weighted
        self._without_columns = without_columns
        self._total = sum(test.total for test in tests)
        self._at_a_time = max(1, ANSWERS_AT_A_TIME // max(1, max(len(test.truth) for test in tests)))

    @property
    def n_columns(self) -> int:
        """Number of columns there are."""
        return self._tests[0].rows.n_columns

    def judge(self, masks: BoolArray) -> FloatArray:
        """Accuracy on each subset: (n_masks, n_columns) to (n_masks,)."""
        has_columns = masks.any(axis=1)
        accuracy = np.empty(len(masks))
        if not has_columns.all():
            accuracy[~has_columns] = self._without_columns()
        accuracy[has_columns] = self._counted(
            masks[has_columns],
            lambda rows, part: votes(rows, part, self._n_neighbors, is_weighted=self._is_weighted),
        )
        return accuracy

    def judge_grown(self, columns: IntArray, candidates: IntArray) -> FloatArray:
        """Accuracy on `columns` with each of the `candidates` added: shape (n_candidates,)."""
        return self._counted(
            candidates,
            lambda rows, part: grown_votes(
                rows, columns, part, self._n_neighbors, is_weighted=self._is_weighted
            ),
        )

    def snapshot(self) -> Mapping[str, Any]:
        """Return nothing: every answer is worked out from the rows."""
        return {}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go on; there is nothing to restore."""

    def _counted(self, asked: Any, answer: Callable[[NeighborRows, Any], IntArray]) -> FloatArray:
        right = np.zeros(len(asked))
        for start in range(0, len(asked), self._at_a_time):
            part = slice(start, start + self._at_a_time)
            for test in self._tests:
                right[part] += test.right(answer(test.rows, asked[part]))
        return right / self._total
