"""AnewJudge: what judges have in common that train from nothing for every subset."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection._evaluation import SubsetEvaluator


class AnewJudge(ABC):
    """A judge whose trainings do not depend on each other; it writes `_scores`."""

    def __init__(self, evaluator: SubsetEvaluator) -> None:
        self._evaluator = evaluator

    @abstractmethod
    def _scores(self, subsets: list[IntArray]) -> FloatArray:
        """Score of each subset, an empty one too."""

    @property
    def n_columns(self) -> int:
        """Number of columns there are."""
        return len(self._evaluator.feature_names)

    def judge(self, masks: BoolArray) -> FloatArray:
        """Score of each subset: (n_masks, n_columns) to (n_masks,)."""
        return self._scores([np.flatnonzero(mask) for mask in masks])

    def judge_grown(self, columns: IntArray, candidates: IntArray) -> FloatArray:
        """Score of `columns` with each of the `candidates` added: shape (n_candidates,)."""
        return self._scores([np.sort(np.append(columns, candidate)) for candidate in candidates])

    def snapshot(self) -> Mapping[str, Any]:
        """Return nothing: there is nothing to go on from."""
        return {}

    def restore(self, snapshot: Mapping[str, Any]) -> None:  # noqa: B027
        """Do nothing."""
