"""Data frames of any library as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import column_or_1d

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._optional import require
from infoprop._core._training_rows import refuse_unusable
from infoprop.datasets._table import Kind, Table

if TYPE_CHECKING:
    import polars as pl


def table_of_frame(frame: Any, target: Any) -> Table:
    """Return a data frame (pandas, polars, ...) as the table that a file of it would give.

    Numbers, true and false become numeric columns; everything else is nominal, as text. An empty cell is
    missing.

    Parameters
    ----------
    frame : data frame of shape (n_rows, n_columns)
    target : str or array-like of shape (n_rows,)
        The column that holds the classes, or the classes.
    """
    require(("polars",), "cli", "Reading a data frame")
    import polars

    refuse_unusable(frame, ())
    held = nw.from_native(frame, eager_only=True)
    names = [str(name) for name in held.columns]
    if isinstance(target, str):
        if target not in names:
            raise ParameterError(Parameter("target"), f" names {target!r}, and there is no such column.")
        name, y = target, held[target].to_numpy()
    else:
        name, y = str(getattr(target, "name", None) or "class"), column_or_1d(target)
    refuse_unusable(frame, np.asarray(y))
    columns = [
        _column(polars, held[name], name)
        for name in names
        if not (isinstance(target, str) and name == target)
    ]
    kinds: dict[str, Kind] = {
        column.name: "numeric" if column.dtype.is_float() else "nominal" for column in columns
    }
    return Table(
        source="a data frame",
        format="frame",
        target=name,
        y=np.asarray(y),
        columns=kinds,
        frame=polars.DataFrame(columns),
        X=None,
        missing={column.name: column.null_count() for column in columns if column.null_count()},
        cardinality={
            column.name: column.drop_nulls().n_unique()
            for column in columns
            if kinds[column.name] == "nominal"
        },
        split=None,
    )


def _column(polars: Any, column: Any, name: str) -> pl.Series:
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        values = column.cast(nw.Float64).to_numpy()
        return polars.Series(name, values, dtype=polars.Float64).fill_nan(None)
    texts = [None if is_null else str(value) for value, is_null in zip(column, column.is_null(), strict=True)]
    return polars.Series(name, texts, dtype=polars.String)
