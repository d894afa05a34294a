"""Judges of subsets: how well the evaluator's classifier does on them in validation."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from infoprop._core._subset import SubsetJudge, SubsetModel
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._moving import moving_model
from infoprop.selection.searches._anew_judge import AnewJudge
from infoprop.selection.searches._area_judge import AreaJudge
from infoprop.selection.searches._neighbors import neighbor_judge
from infoprop.selection.searches._scores import ACCURACY, AREA, SCORES, constant_score

_STANDING = "judge.columns"


def subset_judge(evaluator: SubsetEvaluator, scoring: str = ACCURACY) -> SubsetJudge:
    """Return the fastest judge that gives the answers of the evaluator's classifier."""
    if scoring == AREA:
        return AreaJudge(evaluator)
    judge = neighbor_judge(evaluator, scoring)
    if judge is not None:
        return judge
    model = moving_model(evaluator)
    return RefitJudge(evaluator, scoring) if model is None else ModelJudge(model, evaluator, scoring)


class RefitJudge(AnewJudge):
    """The always correct judge: a clone is trained from nothing for every subset and split.

    The score is that of the confusion table of the validation rows of all splits together, by default
    ``accuracy = sum of the weights of rows that are right / sum of their weights``. No training depends on
    another: all of a call are done by whatever workers there are.

    Parameters
    ----------
    evaluator : SubsetEvaluator
        Must have rows to count.
    scoring : {"accuracy", "balanced_accuracy", "information"}
    """

    def __init__(self, evaluator: SubsetEvaluator, scoring: str = ACCURACY) -> None:
        super().__init__(evaluator)
        self._scoring = scoring

    def _scores(self, subsets: list[IntArray]) -> FloatArray:
        accuracies = np.full(len(subsets), np.nan)
        asked = [number for number, columns in enumerate(subsets) if len(columns)]
        for number, answers in zip(
            asked,
            self._evaluator.answers_of([subsets[number] for number in asked], with_shares=False),
            strict=True,
        ):
            predicted = [self._evaluator.classes[:0] if a.predicted is None else a.predicted for a in answers]
            accuracies[number] = SCORES[self._scoring](self._evaluator.pooled.counts(predicted))
        accuracies[np.isnan(accuracies)] = constant_score(self._evaluator, self._scoring)
        return accuracies


class ModelJudge:
    """Answers as :class:`RefitJudge` does, but moves a model from subset to subset, counting its predictions.

    Parameters
    ----------
    model : SubsetModel
    evaluator : SubsetEvaluator
        Must have rows to count.
    scoring : {"accuracy", "balanced_accuracy", "information"}
    """

    def __init__(self, model: SubsetModel, evaluator: SubsetEvaluator, scoring: str = ACCURACY) -> None:
        self._model = model
        self._evaluator = evaluator
        self._scoring = scoring

    @property
    def n_columns(self) -> int:
        """Number of columns there are."""
        return len(self._evaluator.feature_names)

    def judge(self, masks: BoolArray) -> FloatArray:
        """Accuracy on each subset: (n_masks, n_columns) to (n_masks,)."""
        return np.array([self._accuracy(np.flatnonzero(mask)) for mask in masks], dtype=np.float64)

    def judge_grown(self, columns: IntArray, candidates: IntArray) -> FloatArray:
        """Accuracy on `columns` with each of the `candidates` added: shape (n_candidates,)."""
        grown = [self._accuracy(np.append(columns, candidate)) for candidate in candidates]
        return np.array(grown, dtype=np.float64)

    def snapshot(self) -> Mapping[str, Any]:
        """Return where the model stands, and what it goes on from."""
        return {_STANDING: self._model.columns, **self._model.snapshot()}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Put the model where it stood."""
        own = dict(snapshot)
        self._model.restore(own.pop(_STANDING), own)

    def _accuracy(self, columns: IntArray) -> float:
        if not len(columns):
            return constant_score(self._evaluator, self._scoring)
        standing = self._model.columns
        # Columns come before others go: a model never stands on nothing.
        arriving, leaving = np.setdiff1d(columns, standing), np.setdiff1d(standing, columns)
        if len(arriving):
            self._model.add(arriving)
        if len(leaving):
            self._model.drop(leaving)
        self._model.fit()
        counts = self._evaluator.pooled.counts(self._model.predict())
        return SCORES[self._scoring](counts)
