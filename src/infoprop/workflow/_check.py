"""Everything that is wrong or suspicious in a table, at once, with the command that goes on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from infoprop._core._exceptions import DataError
from infoprop._core._optional import require
from infoprop.datasets import DelimitedText, Table
from infoprop.datasets._loading import read_cells
from infoprop.workflow._check_classes import class_findings, row_findings
from infoprop.workflow._check_columns import column_findings, comma_findings, name_findings, typed_columns
from infoprop.workflow._check_leaks import leak_findings
from infoprop.workflow._check_result import SEVERITIES, TableCheck, TableFinding

if TYPE_CHECKING:
    import polars as pl

    from infoprop._core._typing import LabelArray


def check_table(
    table: Any,
    target: str | int | None = None,
    *,
    format: str | DelimitedText | None = None,
    sheet: str | None = None,
) -> TableCheck:
    """Look for everything that is wrong or suspicious in a table.

    Parameters
    ----------
    table : path-like, Table, or data frame of pandas or polars
        What to look at. A file is looked at as it is, also if `load_table` would refuse it.
    target : str, int or None, default=None
        Column that holds the classes; None: "class" if there is one, else the last. Of no use with a Table.
    format, sheet : optional
        How a file is written, as in :func:`infoprop.datasets.load_table`.

    Returns
    -------
    TableCheck
        The findings, and the command that goes on.

    Notes
    -----
    - A column identifies rows if (nearly) all its texts differ and are short, or if its whole numbers all
      differ and rise or fall with the rows, fill a range nearly without gaps, or are named as an identifier.
    - A column gives the class away if it alone tells at least 95 % of what there is to know of it,
      :math:`I(Y; \\hat Y) / H(Y) \\ge 0.95`, where :math:`\\hat Y` is predicted for rows that were not used:
      in three folds, names by the majority of the rows of the same name, numbers by a small tree. That a
      cell is missing counts as a name.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from infoprop.workflow import check_table
    >>> frame = pd.DataFrame(
    ...     {
    ...         "customer": [f"C{number}" for number in range(40)],
    ...         "price": ["€ 1,250.00", "€ 12.50"] * 20,
    ...         "size": np.random.default_rng(0).normal(size=40),
    ...         "bought": ["yes", "no", "no", "no"] * 10,
    ...     }
    ... )
    >>> check = check_table(frame, target="bought")
    >>> [(finding.kind, finding.columns) for finding in check.findings]
    [('identifier', ('customer',)), ('number as text', ('price',))]
    >>> check.command
    'infoprop credit table --target bought --id customer --numeric price'
    """
    require(("polars",), "cli", "check_table")
    known, frame, labels = _parts(table, target, format, sheet)
    findings: list[TableFinding] = list(name_findings(known.notes))
    identifiers: tuple[str, ...] = ()
    findings += class_findings(labels, known.target)
    if frame is not None:
        if not known.is_labelled and (not isinstance(format, DelimitedText) or format.told is None):
            findings += comma_findings(frame)
        frame = typed_columns(frame)
        declared = set(known.text) if known.is_labelled else set()
        found, identifiers = column_findings(frame, known.identifier, declared)
        kinds = ("identifier", "unreadable")
        apart = {column for finding in found for column in finding.columns if finding.kind in kinds}
        apart |= {*declared, known.identifier or ""}
        features = [name for name in frame.columns if name not in apart]
        findings += found
        findings += leak_findings(frame.select(features), labels)
        findings += row_findings(frame.select([*features, *declared]), labels)
    order = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return TableCheck(
        known.source,
        known.target,
        known.n_rows,
        known.n_features if frame is None else frame.width,
        _counts(labels),
        tuple(order),
        identifiers,
    )


def _parts(
    table: Any, target: str | int | None, format: str | DelimitedText | None, sheet: str | None
) -> tuple[Table, pl.DataFrame | None, pl.Series]:
    """What is known of the table, its features (None if sparse), and its labels as text."""
    import polars as pl

    if isinstance(table, str | os.PathLike):
        table = read_cells(table, target, format=format, sheet=sheet)
    elif not isinstance(table, Table):
        table = _of_frame(table, target)
    if table.is_labelled:
        labels = pl.Series(table.target, [str(label) for label in table.y.tolist()], dtype=pl.String)
        return table, table.frame, labels
    frame = table.frame
    if (kind := frame.schema[table.target]).is_nested() or kind in (pl.Binary, pl.Object):
        raise DataError(f"Column {table.target!r} of {table.source} holds {kind}, which cannot be labels.")
    return table, frame.drop(table.target), frame[table.target].cast(pl.String).str.strip_chars()


def _of_frame(frame: Any, target: str | int | None) -> Table:
    import narwhals as nw
    import polars as pl

    try:
        cells = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            "check_table takes a path, a Table, or a data frame of pandas or polars. "
            f"Got {type(frame).__name__}."
        ) from None
    names = cells.columns
    if target is None:
        target = "class" if "class" in names else len(names) - 1
    name = target if isinstance(target, str) else names[target]
    if name not in names:
        raise DataError(f"The table has no column {name!r}; its columns are {', '.join(names[:6])}.")
    columns = {each: cells[each].to_list() for each in names}
    found = pl.DataFrame({each: _series(each, values) for each, values in columns.items()})
    nothing: LabelArray = np.full(found.height, None, dtype=object)
    kinds: dict[str, Any] = dict.fromkeys(names, "text")
    return Table("table", "frame", name, nothing, kinds, found, None, {}, {}, None)


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    """A column of anything; what is not of one kind becomes text."""
    import polars as pl

    values = [None if value is None or value != value else value for value in values]
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _counts(labels: pl.Series) -> dict[str, int]:
    filled = labels.drop_nulls().value_counts(sort=True)
    return dict(zip(filled[:, 0].to_list(), filled[:, 1].to_list(), strict=True))
