"""Whether a classifier can be trained with its settings on rows like these, asked before any training."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from infoprop._core._matrices import check_magnitude
from infoprop._core._typing import FloatArray, LabelArray
from infoprop.selection._containers import is_frame
from infoprop.selection._moving import fills_gaps, parts_of


def check_trainable(
    estimator: Any, X: Any, y: LabelArray, sample_weight: FloatArray | None, owner: str
) -> None:
    """Raise what the classifier's own fit would raise before any work.

    Classifiers of this library answer for themselves; a search that updates them would otherwise not find
    out before its last training, if at all. Of any other classifier the first training is the check. Behind
    steps that make other rows of these, the last step of a pipeline is asked about its settings only.

    Parameters
    ----------
    estimator : classifier
        Alone or as the last step of a pipeline; it is not changed.
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    sample_weight : array of shape (n_samples,) or None
    owner : str
        Name of the selector, which needs numbers that can be squared whatever its classifier.
    """
    if not is_frame(X):
        check_magnitude(X, owner)
    classifier = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    check = getattr(clone(classifier), "_check_trainable", None)
    if check is None:
        return
    scalers, movable = parts_of(estimator)
    is_seen_as_given = movable is not None and not any(fills_gaps(scaler) for scaler in scalers)
    # Rows that the classifier will not see as they are: one column of zeros stands in for them.
    check(X if is_seen_as_given else np.zeros((len(y), 1)), y, sample_weight)
