"""Data of many classes, as numbers from 0 to 1, and their pairs of classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from _problems import DATA
from sklearn.preprocessing import minmax_scale

from infoprop.datasets import load_table


@dataclass(frozen=True)
class ClassRows:
    """Rows and labels of a data set."""

    name: str
    X: Any
    y: Any

    @property
    def shape(self) -> str:
        return f"{self.X.shape[0]} x {self.X.shape[1]}"

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Rows and labels of every pair of classes, each pair scaled by itself."""
        for pair in combinations(np.unique(self.y), 2):
            own = np.isin(self.y, pair)
            yield minmax_scale(self.X[own]), self.y[own]


def class_rows(name: str) -> ClassRows:
    """A table of the shared data; nominal columns of two values as one column, others as indicators.

    Rows with an empty cell are left out, and so is the make of an automobile, as in the paper of 2002.
    """
    data = load_table(DATA / f"{name}.csv.gz", target="class")
    complete = ~np.asarray(data.frame.select(pl.any_horizontal(pl.all().is_null())).to_series())
    frame = data.frame.filter(pl.Series(complete)).drop("make", strict=False)
    columns = []
    for column in frame.iter_columns():
        if column.dtype.is_numeric():
            columns.append(column.cast(pl.Float64).to_numpy())
        else:
            values = sorted(column.unique().to_list())
            columns += [(column == value).to_numpy() for value in values[len(values) == 2 :]]
    return ClassRows(name, np.column_stack(columns).astype(np.float64), np.asarray(data.y)[complete])


def is_there() -> bool:
    """Whether the shared data are."""
    if not DATA.is_dir():
        print(f"skipped: no data at INFOPROP_DATA={DATA}")
    return DATA.is_dir()
