"""Training rows as scikit-learn checks them, after two mistakes that it would not name have been refused."""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from infoprop._core._exceptions import DataError


def checked_training_rows(estimator: Any, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
    """Return X and y as scikit-learn's `validate_data` does; `estimator` takes note of the columns.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> X, y = checked_training_rows(BaseEstimator(), [[1.0], [2.0]], ["a", "b"])
    >>> X.shape, y.tolist()
    ((2, 1), ['a', 'b'])
    """
    refuse_unusable(X, y)
    rows, labels = validate_data(estimator, X, y, **options)
    return rows, labels


def refuse_unusable(X: Any, y: Any) -> None:
    """Refuse, in one sentence each, two columns of the same name and rows without a class."""
    _refuse_equal_names(X)
    _refuse_rows_without_class(y)


def _refuse_equal_names(X: Any) -> None:
    """Refuse a data frame in which two columns have the same name (pandas allows them)."""
    columns = getattr(X, "columns", None)
    if columns is None or getattr(columns, "is_unique", True):
        return
    name = columns[columns.duplicated()][0]
    raise DataError(f"Two columns of X have the name {name!r}. Rename one of them, or drop it.")


def _refuse_rows_without_class(y: Any) -> None:
    if isinstance(y, np.ndarray) and y.dtype != object:
        return
    labels = y if hasattr(y, "__len__") and not isinstance(y, str) else ()
    rows = [row for row, label in enumerate(labels) if _is_missing(label)]
    if rows:
        more = f" and in {len(rows) - 1} more" if len(rows) > 1 else ""
        raise DataError(
            f"y has no class (None or NaN) in row {rows[0]}{more}. Drop these rows, or name their class."
        )


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float) and label != label)
