"""What is suspicious in the classes, and in whole rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from infoprop.datasets._columns import MISSING_MARKS
from infoprop.workflow._check_columns import rows_where
from infoprop.workflow._check_result import TableFinding

if TYPE_CHECKING:
    import polars as pl

_RARE = 0.1
_FEW = 5
_EXAMPLES = 3


def class_findings(labels: pl.Series, target: str) -> Iterator[TableFinding]:
    """Look at the labels, which are text."""
    column = labels.set(labels.is_in(list(MISSING_MARKS)), None)
    where = (target,)
    n_missing, n_rows = column.null_count(), len(column)
    if n_missing:
        yield TableFinding(
            "unlabelled",
            where,
            "error",
            f"no label in {n_missing:,} of {n_rows:,} rows",
            "remove these rows: every row needs a label",
            rows_where(column.is_null()),
        )
    counts = column.drop_nulls().value_counts(sort=True, name="n")
    n_classes = counts.height
    if n_classes < 2:
        yield TableFinding("class", where, "error", "a single class", "name another column as the target")
        return
    single = int((counts["n"] == 1).sum())
    if single > max(2, n_classes / 2):
        seen = f"{n_classes:,} distinct values in {n_rows:,} rows, most of them once"
        yield TableFinding("class", where, "error", seen, "name a column of classes as the target")
        return
    few = counts.filter(counts["n"] < _FEW)
    if few.height:
        told = ", ".join(f"{label} ({count})" for label, count in few.head(_EXAMPLES).iter_rows())
        more = f" and {few.height - _EXAMPLES} more" if few.height > _EXAMPLES else ""
        yield TableFinding(
            "small class",
            where,
            "warning",
            f"fewer than {_FEW} rows of {few.height} classes: {told}{more}",
            "collect more, or join classes: such a class is learned and judged by chance",
        )
    label, count = counts.row(-1)
    if count < _RARE * len(column) / n_classes * 2 and count >= _FEW:
        yield TableFinding(
            "imbalance",
            where,
            "warning",
            f"class {label!r} has {count:,} of {n_rows:,} rows ({count / n_rows:.1%})",
            "let rare classes count as much, and judge by bits or balanced accuracy: accuracy hides them",
            parameter="class_weight",
            value="balanced",
        )


def row_findings(frame: pl.DataFrame, labels: pl.Series) -> Iterator[TableFinding]:
    """Look for rows that occur more than once, and for equal rows of different classes."""
    if frame.width == 0 or labels.null_count() == len(labels):
        return
    keys = frame.hash_rows(seed=0).rename("key")
    both = keys.to_frame().with_columns(labels.rename("label"))
    is_copy = ~both.hash_rows(seed=0).is_first_distinct()
    if is_copy.any():
        n_copies = int(is_copy.sum())
        yield TableFinding(
            "duplicate rows",
            (),
            "note",
            f"{n_copies:,} rows occur before, with the same class",
            "remove copies, if they are copies: a row seen in training tests nothing",
            rows_where(is_copy),
        )
    n_labels = both.unique().group_by("key").len()
    torn = n_labels.filter(n_labels["len"] > 1)["key"]
    if len(torn):
        is_torn = keys.is_in(torn.to_list())
        yield TableFinding(
            "contradiction",
            (),
            "note",
            f"{int(is_torn.sum()):,} rows are equal to rows of another class",
            "no classifier can tell these apart: correct them, or add a column",
            rows_where(is_torn),
        )
