"""What a table holds, and what the commands would make of it."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from infoprop._core._exceptions import InfopropError
from infoprop.cli._grammar._wording import option_words
from infoprop.datasets import Table
from infoprop.metrics import class_entropy
from infoprop.workflow._judging import Holdout, check_classes, judging_rows
from infoprop.workflow._options import SPLIT, DataOptions
from infoprop.workflow._preparation import Problem, listed, prepare
from infoprop.workflow._reading import holds_parts, load
from infoprop.workflow._request import Request, Task

_VALUES_SHOWN = 3
_LONGEST_VALUE = 24


@dataclass(frozen=True)
class ColumnDescription:
    """One column of a table.

    Attributes
    ----------
    name, kind : str
    n_missing : int
    n_distinct : int or None
        None for columns of a sparse table.
    values : str
        What it holds, in a few words.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int | None
    values: str


@dataclass(frozen=True)
class Description:
    """What a table holds.

    Attributes
    ----------
    source, format, target : str
    n_rows, n_features : int
    kinds : dict of str to int
        Number of features of each kind.
    n_missing : int
        Missing cells among the features.
    classes : dict of str to int
        Rows of every class, the largest first.
    bits : float
        What knowing the class of a row takes.
    parts : dict of str to int, or None
        Rows of every part that a column named split tells of.
    columns : tuple of ColumnDescription
        The first columns.
    outcome : str
        What `infoprop credit` would do with the table, or why it would refuse it.
    is_refused : bool
        Whether it would.
    hints : tuple of str
        What to look at before any work.
    """

    source: str
    format: str
    target: str
    n_rows: int
    n_features: int
    kinds: dict[str, int]
    n_missing: int
    classes: dict[str, int]
    bits: float
    parts: dict[str, int] | None
    columns: tuple[ColumnDescription, ...]
    outcome: str
    is_refused: bool
    hints: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)


def describe(data: DataOptions, top: int) -> Description:
    """Read a table and describe it and its first `top` columns (0: all of them)."""
    table = load(data)
    parts = None
    if holds_parts(table):
        assert table.frame is not None  # a split column holds text
        parts = _counted(table.frame[SPLIT].drop_nulls().to_list())
        table = table.without([SPLIT])
    counts = _counted(table.y.tolist())
    outcome, is_refused = _outcome(table, data)
    names = table.feature_names[: top or None]
    return Description(
        source=data.name,
        format=table.format,
        target=table.target,
        n_rows=table.n_rows,
        n_features=table.n_features,
        kinds=dict(Counter(table.columns.values())),
        n_missing=sum(table.missing.values()),
        classes=counts,
        bits=class_entropy(table.y),
        parts=parts,
        columns=tuple(_column(table, name, number) for number, name in enumerate(names)),
        outcome=outcome,
        is_refused=is_refused,
        hints=tuple(_hints(table, parts)),
    )


def _counted(labels: list[object]) -> dict[str, int]:
    return {str(label): count for label, count in Counter(labels).most_common()}


def _column(table: Table, name: str, number: int) -> ColumnDescription:
    kind, n_missing = table.columns[name], table.missing.get(name, 0)
    if table.X is not None:
        n_filled = int((table.X.indices == number).sum())
        return ColumnDescription(name, kind, n_missing, None, f"not zero in {n_filled:,} rows")
    assert table.frame is not None  # a table is sparse or has a frame
    column = table.frame[name].drop_nulls()
    n_distinct = column.n_unique() if len(column) else 0
    return ColumnDescription(name, kind, n_missing, n_distinct, _values(column, kind))


def _values(column: pl.Series, kind: str) -> str:
    if not len(column):
        return "nothing"
    if kind == "numeric":
        low, middle, high = (float(np.quantile(column, at)) for at in (0.0, 0.5, 1.0))
        return f"{low:.4g} to {high:.4g}, median {middle:.4g}"
    if kind == "text":
        n_words = column.str.count_matches(r"\w\w+").sum() / len(column)
        return f"on average {n_words:.0f} words"
    common = Counter(column.to_list()).most_common(_VALUES_SHOWN)
    more = ", ..." if column.n_unique() > _VALUES_SHOWN else ""
    return ", ".join(f"{_short(text)} ({count:,})" for text, count in common) + more


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _outcome(table: Table, data: DataOptions) -> tuple[str, bool]:
    """What `infoprop credit` would do with its default options, and whether it would refuse."""
    request = Request()
    try:
        problem = prepare(table, data.impute, data.min_df, data.ngrams)
        check_classes(problem, request.validation, Task.of(request).estimator)
        judging = judging_rows(problem, request.validation, request.random_state)
    except InfopropError as error:
        return option_words(error), True
    assert isinstance(judging, Holdout)  # the default sets rows apart
    n_columns = problem.X.shape[1]
    told = f"learn from {len(judging.train):,} rows and judge on {len(judging.judge):,} others"
    return f"{told}, with {n_columns:,} columns of numbers {_origin(table, problem)}", False


def _origin(table: Table, problem: Problem) -> str:
    n_numeric, n_nominal = len(table.numeric), len(table.nominal)
    words = [f"{n_numeric:,} numeric" if n_numeric else "", f"{n_nominal:,} nominal" if n_nominal else ""]
    if table.text:
        assert problem.encoder is not None  # it comes from a table
        n_words = sum(len(known) for known in problem.encoder.parts["words"].values())
        words.append(f"{n_words:,} words")
    return f"({', '.join(word for word in words if word)})"


def _hints(table: Table, parts: dict[str, int] | None) -> list[str]:
    hints = list(table.notes)
    if parts is not None:
        told = ", ".join(f"{part} {count:,}" for part, count in parts.items())
        hints.append(
            f"the column 'split' ({told}) is not a feature; --validation split judges by its test rows"
        )
    if table.frame is None:
        return hints
    columns = [table.frame[name] for name in table.feature_names if name not in table.missing]
    same = [column.name for column in columns if (column == column[0]).all()]
    if same:
        hints.append(f"{listed(same)} {'is' if len(same) == 1 else 'are'} the same in all rows")
    numbers = [column for column in columns if table.columns[column.name] == "numeric"]
    steps = {column.name: column.diff().drop_nulls() for column in numbers if len(column) > 2}
    counting = [name for name, step in steps.items() if (step == 1.0).all()]
    if counting:
        hints.append(f"{listed(counting)} numbers the rows; leave it out with --drop")
    return hints
