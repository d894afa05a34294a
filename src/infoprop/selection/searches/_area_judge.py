"""AreaJudge: subsets judged by the area under the ROC curve, which needs scores of rows, not predictions."""

from typing import Any

import numpy as np

from infoprop._core._exceptions import DataError, UnsupportedEstimatorError
from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.metrics._area import SCORE_METHODS, area_under_curve
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection.searches._anew_judge import AnewJudge

NO_RANKING = 0.5
"""Area of scores that are all the same."""


class AreaJudge(AnewJudge):
    """Trains a clone for every subset and split and measures how well its scores rank the validation rows.

    Scores of different classifiers cannot be compared, so there is one area for each split, and the judgement
    is their mean. Rows count by their weights. With more than two classes an area is that of one class
    against all others, averaged over the classes that the split has learned and predicts, as scikit-learn's
    `roc_auc_ovr` does.

    Parameters
    ----------
    evaluator : SubsetEvaluator
        Must have rows of two classes in each split.

    Raises
    ------
    UnsupportedEstimatorError
        If the classifier has no scores, or those of pairs of classes.
    DataError
        If the validation rows of some split have no two classes to tell apart.
    """

    def __init__(self, evaluator: SubsetEvaluator) -> None:
        check_scores(evaluator.estimator)
        _check_classes(evaluator)
        super().__init__(evaluator)

    def _scores(self, subsets: list[IntArray]) -> FloatArray:
        areas = np.full(len(subsets), NO_RANKING)
        asked = [number for number, columns in enumerate(subsets) if len(columns)]
        if asked:
            found = self._evaluator.measured(_area, [subsets[number] for number in asked])
            areas[asked] = np.nanmean(found, axis=1)
        return areas


def check_scores(estimator: Any) -> None:
    """Refuse a classifier, not yet trained, without scores of the classes."""
    name = type(estimator).__name__
    if not any(hasattr(estimator, method) for method in SCORE_METHODS):
        raise UnsupportedEstimatorError(
            f"scoring='roc_auc' needs a classifier with decision_function or predict_proba. {name} has "
            "neither: judge by 'balanced_accuracy' or 'information'."
        )
    for key, value in estimator.get_params().items():
        if key.endswith("decision_function_shape") and isinstance(value, str) and value == "ovo":
            raise UnsupportedEstimatorError(
                f"scoring='roc_auc' needs a score for each class; {name} has {key}='ovo', scores of pairs. "
                "Set it to 'ovr'."
            )


def _check_classes(evaluator: SubsetEvaluator) -> None:
    """Refuse splits with nothing to rank: a class that was learned, and rows of another."""
    for number, split in enumerate(evaluator.plan.splits):
        rows = evaluator.test_rows(split, with_X=False)
        present = np.unique(rows.y)
        is_learned = np.isin(present, evaluator.training.y[split.train])
        if len(present) == 1 or (len(present) and not is_learned.any()):
            raise DataError(
                "scoring='roc_auc' needs validation rows of two classes in every split, as it tells how well "
                f"rows are ranked. Split {number + 1} of {len(evaluator.plan.splits)} has rows of "
                f"{present.tolist()[0]!r} only. Leave out more than one row at a time: use fewer folds, or "
                "hold out a larger part."
            )


def _area(fitted: Any, X: Any, y: LabelArray, sample_weight: FloatArray | None) -> float:
    area = area_under_curve(fitted, X, y, sample_weight)
    if area is None:
        raise UnsupportedEstimatorError(
            f"scoring='roc_auc' needs a finite score for each class from {type(fitted).__name__}."
        )
    return area
