"""The area under the ROC curve: how well a classifier ranks rows, whatever its threshold."""

from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from infoprop._core._typing import FloatArray, LabelArray


def area_under_curve(fitted: Any, X: Any, y: LabelArray) -> float | None:
    """Area under the ROC curve of a fitted classifier on rows; None if it gives no scores.

    Of more than two classes, the mean of one against the others over the classes that `y` holds.
    """
    for method in ("decision_function", "predict_proba"):
        if hasattr(fitted, method):
            return area_of_scores(np.asarray(getattr(fitted, method)(X)), fitted.classes_, y)
    return None


def area_of_scores(scores: FloatArray, classes: LabelArray, y: LabelArray) -> float | None:
    """The same from scores of shape (n_samples,) or (n_samples, n_classes); None if `y` holds one class."""
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != len(classes) or not np.isfinite(scores).all():
        return None
    # Of two classes both areas are the same.
    areas = [
        roc_auc_score(y == label, scores[:, number])
        for number, label in enumerate(classes)
        if 0 < np.count_nonzero(y == label) < len(y)
    ]
    return float(np.mean(areas)) if areas else None
