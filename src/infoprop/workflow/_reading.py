"""From the options of the command line to a table."""

from collections import Counter
from collections.abc import Callable, Mapping

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._typing import LabelArray
from infoprop.datasets import DelimitedText, Table, load_table
from infoprop.workflow._check import check_table
from infoprop.workflow._options import SPLIT, DataOptions
from infoprop.workflow._preparation import listed

_PARTS_SHOWN = 3
_PARTS = {"train", "test", "valid", "validation", "unused"}


def read_table(data: DataOptions, *, is_split: bool, say: Callable[[str], None]) -> Table:
    """Read the table that is learned from.

    Parameters
    ----------
    data : DataOptions
        Which, and how.
    is_split : bool
        Whether a column named split says which rows judge. If not, such a column is left out: which part a
        row belongs to is no property of what it describes.
    say : callable
        Told what has been left out.
    """
    table = load(data, split=SPLIT if is_split else None)
    tell_notes(table, say)
    if table.split is not None:
        _tell_unused(table.split.tolist(), say)
    if holds_parts(table):
        say("note: the column 'split' is left out; --validation split judges by its test rows")
        table = table.without([SPLIT])
    return _without_identifiers(table, data, say)


def _without_identifiers(table: Table, data: DataOptions, say: Callable[[str], None]) -> Table:
    """Leave out columns of text that name rows, and say in a few lines what else is suspicious."""
    check = check_table(table)
    out = [name for name in check.identifiers if name not in data.nominal]
    if len(out) == table.n_features:
        raise DataError(
            f"Every feature of {table.source} identifies rows ({listed(out)}); count its words with --text "
            f"{out[0]!r}, or take them for names with --nominal {out[0]!r}."
        )
    for name in out:
        say(
            f"note: column {name!r} is left out: it identifies rows, and says nothing of others; --id {name} "
            f"carries it along, --nominal {name} learns from it"
        )
    lines = check.brief()
    for line in lines:
        say(f"note: {line}")
    if lines:
        say(f"note: infoprop check {data.name} lists everything")
    return table.without(out) if out else table


def load(data: DataOptions, *, split: str | None = None, like: Mapping[str, str] | None = None) -> Table:
    """Read a table as the options say; `like` has the columns of an earlier one (see `load_table`)."""
    return load_table(
        data.path,
        data.target,
        format=text_format(data),
        split=split,
        nominal=data.nominal,
        text=data.text,
        numeric=data.numeric,
        dates=data.dates,
        drop=data.drop,
        identifier=data.identifier,
        row_groups=data.row_groups,
        labels=data.labels,
        sheet=data.sheet,
        layer=data.layer,
        like=like,
    )


def tell_notes(table: Table, say: Callable[[str], None]) -> None:
    """Say what reading a table had to decide."""
    for note in table.notes:
        say(f"note: {note}")


def identifiers_of(table: Table) -> tuple[str, LabelArray] | None:
    """Name and cells of the column that identifies the rows, if there is one."""
    if table.identifier is None or table.identifiers is None:
        return None
    return table.identifier, table.identifiers


def text_format(data: DataOptions) -> str | DelimitedText | None:
    """How the file is written, as `load_table` takes it."""
    given = {
        "--delimiter": data.delimiter is not None,
        "--header": data.has_header is True,
        "--no-header": data.has_header is False,
        "--encoding": data.encoding is not None,
        "--decimal": data.decimal is not None,
        "--thousands": data.thousands is not None,
        "--transpose": data.is_transposed,
    }
    option = next((name for name, is_given in given.items() if is_given), None)
    if option is None:
        return data.format
    if data.format not in (None, "csv", "tsv"):
        raise ParameterError(f"{option} goes with delimited text, not with --format {data.format}.")
    delimiter = "\t" if data.delimiter is None and data.format == "tsv" else data.delimiter
    return DelimitedText(
        delimiter,
        data.has_header,
        data.encoding or "utf-8",
        decimal=data.decimal,
        thousands=data.thousands,
        transpose=data.is_transposed,
    )


def _tell_unused(parts: list[str], say: Callable[[str], None]) -> None:
    others = Counter(part for part in parts if part.lower() not in ("train", "test"))
    if others:
        told = ", ".join(f"{part!r} ({count:,})" for part, count in others.most_common(_PARTS_SHOWN))
        say(f"note: rows whose split is {told} are neither learned from nor judged")


def holds_parts(table: Table) -> bool:
    """Whether a column named split says which part of the data each row belongs to."""
    if table.frame is None or SPLIT not in table.nominal:
        return False
    parts = table.frame[SPLIT].drop_nulls().str.to_lowercase().unique().to_list()
    return set(parts) <= _PARTS
