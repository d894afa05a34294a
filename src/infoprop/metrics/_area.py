"""The area under the ROC curve: how well a classifier ranks rows, whatever its threshold."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from infoprop._core._typing import FloatArray, LabelArray

SCORE_METHODS = ("decision_function", "predict_proba")
"""Where scores of rows come from: the first of these that a classifier has."""


def area_under_curve(
    fitted: Any, X: Any, y: LabelArray, sample_weight: FloatArray | None = None
) -> float | None:
    """Area under the ROC curve of a fitted classifier on rows; None if it gives no scores.

    Of more than two classes, the mean of one against the others over the classes that `y` holds.
    """
    for method in SCORE_METHODS:
        if hasattr(fitted, method):
            scores = np.asarray(getattr(fitted, method)(X))
            return area_of_scores(scores, fitted.classes_, y, sample_weight)
    return None


def mean_area(areas: Sequence[float | None]) -> float | None:
    """The mean over folds, whose scores have no common scale; folds with one class do not count."""
    known = [area for area in areas if area is not None]
    return float(np.mean(known)) if known else None


def area_of_scores(
    scores: FloatArray, classes: LabelArray, y: LabelArray, sample_weight: FloatArray | None = None
) -> float | None:
    """The same from scores of shape (n_samples,) or (n_samples, n_classes); None if `y` holds one class."""
    from sklearn.metrics import roc_auc_score

    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != len(classes) or not np.isfinite(scores).all():
        return None
    # Of two classes both areas are the same.
    areas = [
        roc_auc_score(y == label, scores[:, number], sample_weight=sample_weight)
        for number, label in enumerate(classes)
        if 0 < np.count_nonzero(y == label) < len(y)
    ]
    return float(np.mean(areas)) if areas else None
