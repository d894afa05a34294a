"""From the options of the command line to a table."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from infoprop._core._exceptions import DataError, ParameterError
from infoprop.datasets import DelimitedText, Table, load_table
from infoprop.workflow._options import SPLIT, DataOptions

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
    if not holds_parts(table):
        return table
    say("note: the column 'split' is left out; --validation split judges by its test rows")
    return without_split(table)


def load(data: DataOptions, *, split: str | None = None, like: Mapping[str, str] | None = None) -> Table:
    """Read a table as the options say; `like` has the columns of an earlier one (see `load_table`)."""
    return load_table(
        data.path,
        data.target,
        format=text_format(data),
        split=split,
        nominal=data.nominal,
        text=data.text,
        drop=data.drop,
        sheet=data.sheet,
        like=like,
    )


def tell_notes(table: Table, say: Callable[[str], None]) -> None:
    """Say what reading a table had to decide."""
    for note in table.notes:
        say(f"note: {note}")


def text_format(data: DataOptions) -> str | DelimitedText | None:
    """How the file is written, as `load_table` takes it."""
    given = {
        "--delimiter": data.delimiter is not None,
        "--header": data.has_header is True,
        "--no-header": data.has_header is False,
        "--encoding": data.encoding is not None,
    }
    option = next((name for name, is_given in given.items() if is_given), None)
    if option is None:
        return data.format
    if data.format not in (None, "csv", "tsv"):
        raise ParameterError(f"{option} goes with delimited text, not with --format {data.format}.")
    delimiter = "\t" if data.delimiter is None and data.format == "tsv" else data.delimiter
    return DelimitedText(delimiter, data.has_header, data.encoding or "utf-8")


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


def without_split(table: Table) -> Table:
    """The table without the column named split."""
    if table.n_features == 1:
        raise DataError(f"{table.source} has no feature columns beside {SPLIT!r} and {table.target!r}.")

    def left(known: Mapping[str, int]) -> dict[str, int]:
        return {name: count for name, count in known.items() if name != SPLIT}

    assert table.frame is not None  # a split column holds text
    return replace(
        table,
        columns={name: kind for name, kind in table.columns.items() if name != SPLIT},
        frame=table.frame.drop(SPLIT),
        missing=left(table.missing),
        cardinality=left(table.cardinality),
        left_out=(*table.left_out, SPLIT),
    )
