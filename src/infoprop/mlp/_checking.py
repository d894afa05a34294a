"""Training rows and labels as scikit-learn checks them, without its price where nothing is to be done."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from infoprop._core._matrices import check_magnitude
from infoprop._core._training_rows import checked_training_rows

# Labels of these kinds are classes, whatever their values.
_DISCRETE = "iubSU"


def checked_rows(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return X as finite doubles and y as labels, and let `estimator` take note of the columns.

    A small network is trained in less time than scikit-learn takes to look at its rows, so arrays that are
    what it would make of them pass at once.
    """
    if _is_ready(X, y):
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        check_magnitude(X, "MLPClassifier")
        return X, y
    X, y = checked_training_rows(estimator, X, y, accept_sparse="csr", dtype=np.float64)
    check_magnitude(X, "MLPClassifier")
    if y.dtype.kind not in _DISCRETE:
        check_classification_targets(y)
    return X, y


def _is_ready(X: Any, y: Any) -> bool:
    return (
        type(X) is np.ndarray
        and type(y) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.shape[1] > 0
        and y.dtype.kind in _DISCRETE
        and y.shape == (X.shape[0],)
        and y.size > 1
        and bool(np.isfinite(X).all())
    )
