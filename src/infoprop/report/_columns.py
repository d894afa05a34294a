"""Long tables of a report as columns: a list for each field says its name once, not once for every row."""

from collections.abc import Sequence
from typing import Any

Columns = dict[str, list[Any] | None]


def columns_of(entries: Sequence[Any], fields: Sequence[str]) -> Columns:
    """The fields of all entries as lists; None for a field that no entry has.

    >>> from types import SimpleNamespace as Entry
    >>> columns_of([Entry(name="a", low=None), Entry(name="b", low=None)], ["name", "low"])
    {'name': ['a', 'b'], 'low': None}
    """
    table: Columns = {field: [getattr(entry, field) for entry in entries] for field in fields}
    return {
        field: None if entries and values and all(value is None for value in values) else values
        for field, values in table.items()
    }


def distinct_columns(entries: Sequence[Any], fields: Sequence[str]) -> tuple[list[int], Columns]:
    """The different entries as columns, in the order of their first, and the number of each entry's one."""
    known: dict[tuple[Any, ...], int] = {}
    numbers = [
        known.setdefault(tuple(getattr(entry, field) for field in fields), len(known)) for entry in entries
    ]
    values = list(zip(*known, strict=True)) or [() for _ in fields]
    return numbers, {field: list(column) for field, column in zip(fields, values, strict=True)}
