"""The 27 data sets of the paper as numbers, and which of their classes are tasks."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from infoprop2001.problems import DataNotHereError, data_folder
from scipy import sparse

from infoprop.datasets import load_table

FEWEST_POSITIVES = 50
"""A class with fewer rows is no task; its rows are negatives of the others."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, class numbers, and the classes that are told from the rest.

    Attributes
    ----------
    name : str
    X : array or CSR matrix of shape (n_samples, n_features)
        Word counts are sparse, everything else is dense.
    codes : array of shape (n_samples,)
        Number of the class of every row.
    tasks : tuple of int
        Classes with at least 50 rows; of two classes the smaller one.
    labels : tuple of str
        Names of all classes.
    n_features : int
        As the paper counts them, before nominal columns are coded.
    """

    name: str
    X: Any
    codes: Any
    tasks: tuple[int, ...]
    labels: tuple[str, ...]
    n_features: int

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @property
    def is_text(self) -> bool:
        return sparse.issparse(self.X)


@lru_cache(maxsize=2)
def load(name: str) -> Problem:
    """Return a data set by the name that the paper's Table 1 gives it.

    A nominal column of two values becomes one column of 0 and 1, another one such column for each value.
    """
    folder = data_folder()
    for ending in ("npz", "csv.gz"):
        path = folder / f"{name}.{ending}"
        if path.exists():
            return _words(name, path) if ending == "npz" else _table(name, path)
    raise DataNotHereError(f"{name} is not in INFOPROP_DATA")


def _words(name: str, path: Any) -> Problem:
    with np.load(path, allow_pickle=False) as stored:
        parts = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
        X = sparse.csr_matrix(parts, shape=tuple(stored["shape"]))
        codes, labels = stored["y"].astype(np.intp), tuple(str(label) for label in stored["classes"])
    X.sum_duplicates()
    X.eliminate_zeros()
    return Problem(name, X, codes, _tasks(codes), labels, X.shape[1])


def _table(name: str, path: Any) -> Problem:
    columns = pl.read_csv(path, n_rows=0).columns
    data = load_table(path, target="class", split="split" if "split" in columns else None)
    labels, codes = np.unique(np.asarray(data.y).astype(str), return_inverse=True)
    coded = [part for column in data.frame.iter_columns() for part in _coded(column)]
    X = np.ascontiguousarray(np.column_stack(coded), dtype=np.float64)
    return Problem(name, X, codes, _tasks(codes), tuple(labels.tolist()), data.frame.width)


def _coded(column: pl.Series) -> list[Any]:
    if column.dtype.is_numeric():
        return [column.to_numpy()]
    values = sorted(column.unique().to_list())
    shown = values[1:] if len(values) == 2 else values
    return [(column == value).to_numpy().astype(np.float64) for value in shown]


def _tasks(codes: Any) -> tuple[int, ...]:
    counts = np.bincount(codes)
    if counts.size == 2:
        return (int(np.argmin(counts)),)
    return tuple(np.flatnonzero(counts >= FEWEST_POSITIVES).tolist())
