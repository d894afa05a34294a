"""Rows in blocks that do not fit into memory together: where they come from, and one table of all of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from infoprop._core._cluster import SharedData
from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop._core._typing import LabelArray
from infoprop.shaping._tables import ValueTables

Block: TypeAlias = Callable[[], tuple[Any, Any]]
"""Gives rows and their labels, wherever it is called."""


@dataclass(frozen=True)
class CountedBlock:
    """What is left of a block: its labels, ascending, the table of its rows, and what its columns are."""

    labels: LabelArray
    tables: ValueTables
    names: tuple[str, ...] | None
    is_sparse: bool

    def merged(self, other: "CountedBlock") -> "CountedBlock":
        """Return what is left of both, which must have the same columns."""
        if (self.names, self.tables.n_features) != (other.names, other.tables.n_features):
            raise DataError(
                f"All blocks must have the same columns. Got {_columns(self)} in one and {_columns(other)} "
                "in another."
            )
        labels = np.unique(np.concatenate([self.labels, other.labels]))
        return CountedBlock(
            labels,
            _widened(self, labels).merged(_widened(other, labels)),
            self.names,
            self.is_sparse and other.is_sparse,
        )


def _columns(block: CountedBlock) -> str:
    shown = "" if block.names is None else f" ({', '.join(block.names[:3])}, ...)"
    return f"{block.tables.n_features} columns{shown}"


def _widened(block: CountedBlock, labels: LabelArray) -> ValueTables:
    """Table of a block with a row for each of `labels`."""
    if len(labels) == len(block.labels):
        return block.tables
    counts = np.zeros((len(labels), block.tables.counts.shape[1]))
    counts[np.searchsorted(labels, block.labels)] = block.tables.counts
    return ValueTables(block.tables.starts.copy(), block.tables.values.copy(), counts)


def count_blocks(
    count: Callable[[Any, Block], CountedBlock], owner: Any, blocks: Sequence[Block], n_jobs: int | None
) -> CountedBlock:
    """Count all blocks by ``count(owner, block)``, a few at a time, and add them up in their order."""
    total: CountedBlock | None = None
    for counted in results_in_order(run_tasks(count, SharedData(owner), blocks, n_jobs)):
        total = counted if total is None else total.merged(counted)
    if total is None:
        raise DataError("There are no blocks of rows to count.")
    return total


def row_blocks(data: Any, y: Any, target: str | None) -> list[Block]:
    """Return the blocks of whatever can be read in blocks.

    Parameters
    ----------
    data : Dask array or data frame, sequence of paths, or sequence of callables
    y : Dask array, series or None
        Labels, in the chunks of `data`.
    target : str or None
        Column of the labels in a data frame or in files.
    """
    if hasattr(data, "__dask_graph__"):
        return _dask_blocks(data, y, target)
    if isinstance(data, (str, Path)):
        data = [data]
    items = list(data) if isinstance(data, Iterable) else []
    if items and all(callable(item) for item in items):
        return items
    if items and all(isinstance(item, (str, Path)) for item in items):
        if target is None:
            raise ParameterError("Files need 'target', the name of the column that holds the labels.")
        return [ParquetBlock(str(path), target) for path in items]
    raise ParameterError(
        "Blocks must be paths of Parquet files, functions that return rows and labels, or a Dask array or "
        f"data frame. Got {type(data).__name__}."
    )


@dataclass(frozen=True)
class ParquetBlock:
    """All rows of a Parquet file; one column holds the labels, all others are numbers."""

    path: str
    target: str
    drop: tuple[str, ...] = ()

    def __call__(self) -> tuple[Any, Any]:
        import polars as pl

        try:
            frame = pl.read_parquet(self.path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise DataError(f"{self.path} is not a readable Parquet file: {error}") from error
        names = [name for name in frame.columns if name not in (self.target, *self.drop)]
        return _apart(frame, self.target, self.path, names)


@dataclass(frozen=True)
class DaskBlock:
    """A chunk of a Dask collection, computed where it is asked for."""

    rows: Any
    labels: Any
    target: str | None

    def __call__(self) -> tuple[Any, Any]:
        rows = self.rows.compute(scheduler="synchronous")
        if self.target is None:
            return rows, self.labels.compute(scheduler="synchronous")
        names = [name for name in rows.columns if name != self.target]
        return _apart(rows, self.target, "The data frame", names)


def _apart(frame: Any, target: str, source: str, names: list[str]) -> tuple[Any, Any]:
    if target not in frame.columns:
        raise DataError(f"{source} has no column {target!r} for the labels.")
    return frame[names], frame[target].to_numpy()


def _dask_blocks(data: Any, y: Any, target: str | None) -> list[Block]:
    if (y is None) == (target is None):
        raise ParameterError(
            "Labels are either 'y', in the chunks of the rows, or the column named 'target'."
        )
    rows = data.to_delayed()
    if hasattr(rows, "ndim"):
        if rows.ndim == 2 and rows.shape[1] > 1:
            raise ParameterError(
                "The chunks of a Dask array must hold whole rows: rechunk it with X.rechunk({1: -1})."
            )
        rows = rows.ravel().tolist()
    labels = [None] * len(rows) if y is None else np.asarray(y.to_delayed(), dtype=object).ravel().tolist()
    if len(labels) != len(rows):
        raise ParameterError(f"y must have the chunks of the rows: {len(rows)}. Got {len(labels)}.")
    return [DaskBlock(part, label, target) for part, label in zip(rows, labels, strict=True)]
