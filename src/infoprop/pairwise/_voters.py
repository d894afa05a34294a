"""Who decides between two classes, in validation: classifiers trained on the rows of the two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.pairwise._voting import class_pairs
from infoprop.selection._containers import take_columns
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._preparation import restricted


@dataclass(frozen=True)
class PairRows:
    """The rows of a fit, by class and by pair of classes.

    Attributes
    ----------
    evaluator : SubsetEvaluator
        Holds rows, splits and the classifier.
    codes : ndarray of shape (n_rows,)
        Class numbers of the training rows; -1 for a row that counts nothing.
    class_weights : ndarray of shape (n_classes,)
        Summed weights of the rows of each class.
    first, second : ndarray of shape (n_pairs,)
        Class numbers of the pairs.
    tested : ndarray of shape (n_tested,)
        Numbers of the rows that the splits predict, end to end.
    """

    evaluator: SubsetEvaluator
    codes: IntArray
    class_weights: FloatArray
    first: IntArray
    second: IntArray
    tested: IntArray

    @classmethod
    def from_evaluator(cls, evaluator: SubsetEvaluator) -> "PairRows":
        """Number the classes and the pairs."""
        y, weights = evaluator.training.y, evaluator.training.sample_weight
        codes = np.full(len(y), -1, dtype=np.intp)
        used = evaluator.all_rows()
        codes[used] = np.searchsorted(evaluator.classes, y[used])
        n_classes = len(evaluator.classes)
        class_weights = np.bincount(codes[used], None if weights is None else weights[used], n_classes)
        tests = [split.test for split in evaluator.plan.splits if split.test is not None]
        first, second = class_pairs(n_classes)
        return cls(evaluator, codes, class_weights.astype(np.float64), first, second, np.concatenate(tests))

    @property
    def n_pairs(self) -> int:
        """Number of pairs of classes."""
        return len(self.first)

    def of_pair(self, pair: int) -> IntArray:
        """Numbers of the rows of the two classes."""
        return np.flatnonzero((self.codes == self.first[pair]) | (self.codes == self.second[pair]))


class PairVoter(Protocol):
    """Answers for every pair of classes, on any subset of the columns, for rows it was not trained on."""

    def decide(self, asked: Sequence[tuple[int, BoolArray]]) -> list[BoolArray]:
        """Decide between the classes of pairs.

        Parameters
        ----------
        asked : sequence of (pair, masks)
            Number of a pair, and subsets of the columns: shape (n_masks, n_columns), none of them empty.

        Returns
        -------
        list of ndarray of shape (n_masks, n_tested)
            Whether a row that the splits test, whatever its class, is given to the first class of the pair.
        """


class TrainedVoter:
    """The always correct voter: a clone of the classifier is trained for every pair, subset and split.

    A split in which one of the two classes has no rows to train on decides for the other one.

    Parameters
    ----------
    rows : PairRows
    """

    def __init__(self, rows: PairRows) -> None:
        self._rows = rows
        self._sent = SharedData(rows)

    def decide(self, asked: Sequence[tuple[int, BoolArray]]) -> list[BoolArray]:
        """Train, and predict; see :class:`PairVoter`."""
        tasks = [(pair, np.flatnonzero(mask)) for pair, masks in asked for mask in masks]
        answers = results_in_order(run_tasks(_decisions, self._sent, tasks, self._rows.evaluator.n_jobs))
        return [np.array([next(answers) for _ in masks], dtype=bool) for _, masks in asked]


def _decisions(rows: PairRows, task: tuple[int, IntArray]) -> BoolArray:
    """Whether each tested row is given to the first class of the pair: shape (n_tested,)."""
    pair, columns = task
    own = rows.of_pair(pair)
    answers = []
    for split in rows.evaluator.plan.splits:
        train = split.train[np.isin(split.train, own)]
        has_first, has_second = (
            bool((rows.codes[train] == number).any()) for number in (rows.first[pair], rows.second[pair])
        )
        test = rows.evaluator.test_rows(split)
        if has_first and has_second:
            predicted = _predicted(rows.evaluator, train, test.X, columns)
            answers.append(predicted == rows.evaluator.classes[rows.first[pair]])
        else:
            answers.append(np.full(len(test.y), has_first or not has_second))
    return np.concatenate(answers)


def _predicted(evaluator: SubsetEvaluator, train: IntArray, X: Any, columns: IntArray) -> Any:
    model = restricted(evaluator, train).fitted(columns)
    return np.asarray(model.predict(take_columns(X, columns)))
