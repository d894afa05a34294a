"""From a table to the numbers a classifier learns from, with every column's origin kept."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray, LabelArray, Matrix
from infoprop.cli._options import DataOptions, ModelOptions
from infoprop.datasets import Table
from infoprop.svm import OneVsRestSVC

MOST_CATEGORIES = 200
"""Distinct texts up to which a column is one-hot coded; beyond, it is hardly a category."""

_MISSING = "(missing)"
_NAMES_SHOWN = 5


@dataclass(frozen=True)
class Problem:
    """What is learned from.

    Attributes
    ----------
    X : ndarray or CSR of shape (n_rows, n_columns)
        The features as numbers, not yet scaled; NaN where a number is to be imputed.
    y : ndarray of shape (n_rows,)
        The classes.
    owners : tuple of str, length n_columns
        The feature that each column of `X` comes from: a nominal feature owns several.
    target : str
        Name of the column that holds the classes.
    is_test : ndarray of bool of shape (n_rows,), or None
        The rows that a split column sets apart.
    """

    X: Matrix
    y: LabelArray
    owners: tuple[str, ...]
    target: str
    is_test: BoolArray | None = None

    @property
    def n_features(self) -> int:
        """Number of features before coding."""
        return len(set(self.owners))


def prepare(table: Table, options: DataOptions) -> Problem:
    """Code `table` as numbers, or say what stands against it."""
    _refuse_missing(table, options)
    is_test = None if table.split is None else _test_rows(table.split, table.source)
    if table.X is not None:
        return Problem(table.X, table.y, table.feature_names, table.target, is_test)
    _refuse_many_categories(table)
    blocks: list[FloatArray] = []
    owners: list[str] = []
    assert table.frame is not None  # a table is sparse or has a frame
    for name, kind in table.columns.items():
        block = _numbers(table.frame[name]) if kind == "numeric" else _indicators(table.frame[name])
        blocks.append(block)
        owners.extend([name] * block.shape[1])
    return Problem(np.hstack(blocks), table.y, tuple(owners), table.target, is_test)


def classifier(model: ModelOptions, *, impute: str | None, is_scaled: bool, is_sparse: bool) -> BaseEstimator:
    """Imputation, scaling and support vector machines, all learned from the training rows alone."""
    steps: list[BaseEstimator] = []
    if impute is not None:
        steps.append(SimpleImputer(strategy=impute, keep_empty_features=True))
    if is_scaled:
        steps.append(MaxAbsScaler() if is_sparse else StandardScaler())
    machine = OneVsRestSVC(
        C=model.C,
        kernel=model.kernel,
        gamma=model.gamma,
        degree=model.degree,
        coef0=model.coef0,
        n_jobs=model.jobs,
    )
    return make_pipeline(*steps, machine) if steps else machine


def _refuse_missing(table: Table, options: DataOptions) -> None:
    if table.missing and options.impute is None:
        raise DataError(
            f"{table.source} has missing values in {_listed(list(table.missing))}; fill them with "
            "--impute mean, --impute median or --impute most_frequent, or leave the columns out with --drop."
        )
    empty = [name for name, count in table.missing.items() if count == table.n_rows]
    if empty:
        raise DataError(
            f"{table.source} has no values at all in {_listed(empty)}; leave them out with --drop."
        )


def _refuse_many_categories(table: Table) -> None:
    for name, count in table.cardinality.items():
        if count > MOST_CATEGORIES:
            raise DataError(
                f"Column {name!r} of {table.source} holds text with {count:,} distinct values, more than the "
                f"{MOST_CATEGORIES} that are still coded as categories; leave it out with --drop {name!r}."
            )


def _numbers(column: pl.Series) -> FloatArray:
    values: FloatArray = column.fill_null(float("nan")).to_numpy()[:, np.newaxis]
    return values


def _indicators(column: pl.Series) -> FloatArray:
    """One column of 0 and 1 per distinct text; a missing one is a category like any other."""
    values = np.array(column.fill_null(_MISSING).to_list(), dtype=object)
    coded: FloatArray = (values[:, np.newaxis] == np.unique(values)[np.newaxis, :]).astype(np.float64)
    return coded


def _test_rows(split: LabelArray, source: str) -> BoolArray:
    parts = np.char.lower(split.astype(str))
    unknown = sorted(set(parts.tolist()) - {"train", "test"})
    if unknown or len(set(parts.tolist())) < 2:
        found = ", ".join(repr(part) for part in sorted(set(parts.tolist()))[:_NAMES_SHOWN])
        raise DataError(
            f"The split column of {source} must say 'train' or 'test' in every row; it holds {found}."
        )
    is_test: BoolArray = parts == "test"
    return is_test


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
