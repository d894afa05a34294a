"""Labels that lie in a file of their own, as with samples of genes."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from infoprop._core._exceptions import DataError, Parameter
from infoprop.datasets._columns import TextRules, labels_of
from infoprop.datasets._delimited import DelimitedText, read_delimited
from infoprop.datasets._request import Request
from infoprop.datasets._source import check_path, read_source, source_name

if TYPE_CHECKING:
    import polars as pl

    from infoprop.datasets._table import Table

NO_TARGET = "\x00"
"""The target of a table whose labels lie elsewhere: no column is called like that."""


def with_labels(table: Table, path: str | os.PathLike[str], target: str | int | None) -> Table:
    """Return `table` with the labels in the file `path`, row by row or by the names of the rows."""
    import polars as pl

    found = check_path(path)
    raw, format = read_source(found, None)
    source = source_name(found)
    if format not in ("csv", "tsv"):
        raise DataError(
            f"{source} must be delimited text to hold ", Parameter("labels"), f"; it is {format}."
        )
    request = Request(source, format, target, None, (), (), is_raw=True)
    first = raw.split(b"\n", 1)[0]
    if not any(mark in first for mark in (b",", b"\t", b";", b"|", b" ")):
        cells = [line.strip() for line in raw.decode("utf-8-sig").splitlines() if line.strip()]
        has_header = len(cells) == table.n_rows + 1
        name = cells[0] if has_header else "class"
        column = pl.Series(name, cells[1:] if has_header else cells, dtype=pl.String)
        keys = None
    else:
        read = read_delimited(raw, DelimitedText(), request)
        assert read.frame is not None  # delimited text is dense
        column = read.frame[read.target].cast(pl.String)
        names = [each for each in read.frame.columns if each != read.target]
        keys = read.frame[names[0]].cast(pl.String).to_list()
    if keys is not None and table.identifiers is not None:
        column = _looked_up(column, keys, table, source)
    elif len(column) != table.n_rows:
        raise DataError(
            f"{source} has {len(column):,} labels for the {table.n_rows:,} rows of {table.source}."
        )
    y = labels_of(column, table.n_rows, replace(request, is_raw=False), TextRules())
    return replace(table, y=y, target=str(column.name))


def _looked_up(column: pl.Series, keys: list[str], table: Table, source: str) -> pl.Series:
    """Labels in the order of the table's rows."""
    import polars as pl

    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise DataError(f"{source} has more than one label for {twice[0]!r}.")
    known = dict(zip(keys, column.to_list(), strict=True))
    assert table.identifiers is not None
    absent = [name for name in table.identifiers.tolist() if name not in known]
    if absent:
        raise DataError(
            f"{source} has no label for {len(absent):,} of the {table.n_rows:,} rows of {table.source}, such "
            f"as {absent[0]!r}; its first column must hold their names."
        )
    return pl.Series(column.name, [known[name] for name in table.identifiers.tolist()], dtype=pl.String)
