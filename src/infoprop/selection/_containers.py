"""Rows and columns of whatever the data came in: arrays, CSR, pandas or polars frames stay what they are."""

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from infoprop._core._typing import IntArray


def is_frame(X: Any) -> bool:
    """Whether X is a data frame with names.

    Examples
    --------
    >>> import polars as pl
    >>> from infoprop.selection._containers import is_frame
    >>> is_frame(pl.DataFrame({"a": [1]})), is_frame([[1]])
    (True, False)
    """
    return bool(nw.dependencies.is_into_dataframe(X))


def take_rows(X: Any, rows: IntArray | None) -> Any:
    """Rows of X in the order given; None means all.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection._containers import take_rows
    >>> take_rows(np.array([[1, 2], [3, 4], [5, 6]]), np.array([2, 0]))
    array([[5, 6],
           [1, 2]])
    """
    if rows is None:
        return X
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[rows].to_native()
    return X[rows]


def take_columns(X: Any, columns: IntArray | None) -> Any:
    """Columns of X in the order given; None means all.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> from infoprop.selection._containers import take_columns
    >>> take_columns(pl.DataFrame({"a": [1], "b": [2], "c": [3]}), np.array([2, 0])).columns
    ['c', 'a']
    """
    if columns is None:
        return X
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[:, columns.tolist()].to_native()
    if sparse.issparse(X):
        return X[:, columns]
    return np.ascontiguousarray(X[:, columns])


def take_parameters(parameters: dict[str, Any], rows: IntArray | None, n_rows: int) -> dict[str, Any]:
    """Cut those fit parameters that have one entry per row down to `rows`."""
    if rows is None:
        return parameters
    return {name: _cut(value, rows, n_rows) for name, value in parameters.items()}


def _cut(value: Any, rows: IntArray, n_rows: int) -> Any:
    if isinstance(value, str | bytes | dict):
        return value
    shape = getattr(value, "shape", None) or (len(value) if hasattr(value, "__len__") else None,)
    if shape[0] != n_rows:
        return value
    if is_frame(value) or sparse.issparse(value):
        return take_rows(value, rows)
    return np.asarray(value)[rows]
