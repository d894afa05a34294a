"""Long tables of a report as columns: a list for each field says its name once, not once for every row."""

from collections.abc import Sequence
from typing import Any

Columns = dict[str, list[Any] | None]


SHORT = frozenset({"by_class", "low", "high", "noise_floor", "p_value", "q_value", "credits", "frequencies"})
"""Columns of figures that are written with four digits: there are many of them, and nothing is added up."""


def columns_of(entries: Sequence[Any], fields: Sequence[str]) -> Columns:
    """The fields of all entries as lists; None for a field that no entry has.

    >>> from types import SimpleNamespace as Entry
    >>> columns_of([Entry(name="a", low=1 / 3, high=None), Entry(name="b", low=0.0, high=None)],
    ...            ["name", "low", "high"])
    {'name': ['a', 'b'], 'low': [0.3333, 0], 'high': None}
    """
    table: Columns = {
        field: [
            _rounded(getattr(entry, field)) if field in SHORT else getattr(entry, field) for entry in entries
        ]
        for field in fields
    }
    return {
        field: None if entries and values and all(value is None for value in values) else values
        for field, values in table.items()
    }


def _rounded(value: Any) -> Any:
    """Numbers, or lists of them, with four digits, and zero as one."""
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.4g}") if value != 0.0 else 0


def distinct_columns(entries: Sequence[Any], fields: Sequence[str]) -> tuple[list[int], Columns]:
    """The different entries as columns, in the order of their first, and the number of each entry's one."""
    known: dict[tuple[Any, ...], int] = {}
    numbers = [
        known.setdefault(tuple(getattr(entry, field) for field in fields), len(known)) for entry in entries
    ]
    values = list(zip(*known, strict=True)) or [() for _ in fields]
    return numbers, {field: list(column) for field, column in zip(fields, values, strict=True)}
