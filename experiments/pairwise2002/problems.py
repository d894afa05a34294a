"""The six data sets of the paper as numbers, coded as it says."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from infoprop2001.problems import DataNotHereError

from infoprop.datasets import load_table

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, labels and the names of the columns."""

    X: Any
    y: Any
    feature_names: tuple[str, ...]


def load(name: str) -> Problem:
    """Return a data set, coded.

    Automobile: rows with an empty cell are left out, and so is `make`; a nominal column of two values is one
    column of 0 and 1, the others are one such column for each value. Meta-data: the name of the data set is
    left out, the algorithm is a column for each of the 24, empty cells are the mean of their column.
    """
    folder = Path(os.environ.get("INFOPROP_DATA", PROJECT.parent / "shared" / "data"))
    path = folder / f"{name}.csv.gz"
    if not path.exists():
        raise DataNotHereError(f"{path.name} is not in INFOPROP_DATA")
    data = load_table(path, target="class")
    frame, y = CODED.get(name, _as_it_is)(data.frame, np.asarray(data.y))
    return Problem(frame.to_numpy().astype(np.float64), y, tuple(frame.columns))


def _as_it_is(frame: pl.DataFrame, y: Any) -> tuple[pl.DataFrame, Any]:
    return frame, y


def _automobile(frame: pl.DataFrame, y: Any) -> tuple[pl.DataFrame, Any]:
    is_complete = ~np.asarray(frame.select(pl.any_horizontal(pl.all().is_null())).to_series())
    frame, y = frame.filter(pl.Series(is_complete)).drop("make"), y[is_complete]
    columns = []
    for column in frame.iter_columns():
        if column.dtype.is_numeric():
            columns.append(column.cast(pl.Float64))
            continue
        values = sorted(column.unique().to_list())
        shown = values[1:] if len(values) == 2 else values
        columns += [(column == value).cast(pl.Float64).alias(f"{column.name}={value}") for value in shown]
    return pl.DataFrame(columns), y


def _meta(frame: pl.DataFrame, y: Any) -> tuple[pl.DataFrame, Any]:
    columns = []
    for column in frame.drop("DS_Name").iter_columns():
        if column.dtype.is_numeric():
            columns.append(column.cast(pl.Float64).fill_null(strategy="mean"))
        else:
            columns += [
                (column == value).cast(pl.Float64).alias(f"{column.name}={value}")
                for value in sorted(column.unique().to_list())
            ]
    return pl.DataFrame(columns), y


CODED: Mapping[str, Callable[[pl.DataFrame, Any], tuple[pl.DataFrame, Any]]] = {
    "automobile": _automobile,
    "meta-data": _meta,
}
"""Data sets that have nominal columns or empty cells, and what becomes of them."""
