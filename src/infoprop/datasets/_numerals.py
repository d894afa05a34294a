"""Numbers written with decimal commas, or with thousands separators.

A file keeps to one convention. Most columns tell which: ``1,5`` has a decimal comma, ``1,234,567`` and
``0.5`` have a decimal point. A column such as ``1,234`` alone does not; it follows the others of its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from infoprop._core._exceptions import DataError, Parameter

if TYPE_CHECKING:
    import polars as pl

_NEUTRAL = " '’\u00a0\u2009\u202f"
"""Thousands separators that are never decimal points: blanks of several widths, apostrophes."""
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?$"
_IN_NEUTRAL_GROUPS = rf"[1-9][0-9]{{0,2}}(?:[{_NEUTRAL}][0-9]{{3}})+"
_MARKED = rf"[0-9],|,[0-9]|[0-9][{_NEUTRAL}][0-9]{{3}}|[0-9]\.[0-9]{{3}}\."
"""What a plain number does not contain."""
_NAMES_SHOWN = 5


@dataclass(frozen=True)
class Convention:
    """Which character is the decimal point, and which separates thousands."""

    name: str
    decimal: str
    thousands: str
    in_groups: str

    @property
    def grouped(self) -> str:
        """Pattern of a number with thousands separators."""
        groups = f"(?:{self.in_groups}|{_IN_NEUTRAL_GROUPS})"
        return rf"^[+-]?{groups}(?:[{self.decimal}][0-9]*)?{_EXPONENT}"

    def read(self, column: pl.Series) -> pl.Series:
        """Return the cells that are numbers in this convention as Float64; null for the others."""
        import polars as pl

        rest = column
        if self.decimal == ",":
            # Here a point separates thousands, or the cell is not a number.
            rest = column.set(column.str.contains(".", literal=True), None)
        bare = column.str.replace_all(rf"[{self.thousands}{_NEUTRAL}]", "")
        texts = bare.zip_with(column.str.contains(self.grouped).fill_null(False), rest)
        return texts.str.replace(self.decimal, ".", literal=True).cast(pl.Float64, strict=False)


POINT = Convention("point", ".", ",", r"[1-9][0-9]{0,2}(?:,[0-9]{2,3})*,[0-9]{3}")
"""1,234.5; in India also 12,34,567."""
COMMA = Convention("comma", ",", ".", r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""1.234,5"""


_CURRENCY = (
    r"(?:\p{Sc}|US\$|EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|TRY|"
    r"Rs\.?|kr|zł|Fr\.?)"
)
_UNIT = rf"(?:{_CURRENCY}|%|‰|[\p{{L}}µ°²³/]{{1,4}})"
_WITH_UNITS = (
    rf"^{_CURRENCY}?\s*([+\-−]?\s*{_CURRENCY}?\s*[0-9.,][0-9.,{_NEUTRAL}]*(?:[eE][+-]?[0-9]+)?)\s*{_UNIT}?$"
)
"""A number with a currency before it, or a currency, a percent sign or a unit behind it."""


def without_units(column: pl.Series) -> pl.Series:
    """Return the cells without currencies, percent signs and units; other cells stay as they are.

    >>> import polars as pl
    >>> without_units(pl.Series(["€ 446.51", "12 %", "-$1,234", "(300)", "3.5 kg", "none yet"])).to_list()
    ['446.51', '12', '-1,234', '-300', '3.5', 'none yet']
    """
    import polars as pl

    cells = column.str.replace(r"^\((.*[0-9].*)\)$", "-${1}")  # as accountants write what is owed
    bare = cells.str.extract(_WITH_UNITS, 1)
    # The sign may stand before the currency.
    bare = bare.str.replace(rf"^([+\-−]?)\s*{_CURRENCY}?\s*", "${1}").str.replace("−", "-", literal=True)
    is_number = bare.is_not_null() & bare.str.contains("[0-9]")
    return (
        pl.select(pl.when(is_number).then(bare.str.strip_chars()).otherwise(column))
        .to_series()
        .alias(column.name)
    )


def has_marks(column: pl.Series) -> bool:
    """Whether some cell has a comma or a thousands separator, as numbers have."""
    return bool(column.str.contains(_MARKED).any())


@dataclass(frozen=True)
class Readings:
    """A column of text, read as numbers in both conventions. Cells in `is_passed_over` count for neither."""

    column: pl.Series
    is_passed_over: pl.Series

    @cached_property
    def numbers(self) -> dict[str, pl.Series]:
        """The numbers, by the name of the convention."""
        return {convention.name: convention.read(self.column) for convention in (POINT, COMMA)}

    def n_texts(self, convention: Convention) -> int:
        """Number of cells that are no numbers in `convention`."""
        return int((self.numbers[convention.name].is_null() & ~self.is_passed_over).sum())

    @property
    def fitting(self) -> tuple[Convention, ...]:
        """The conventions in which all cells are numbers."""
        return tuple(each for each in (POINT, COMMA) if not self.n_texts(each))

    @property
    def is_ambiguous(self) -> bool:
        """Whether both conventions fit, and mean different numbers."""
        if len(self.fitting) < 2:
            return False
        point, comma = (numbers.fill_null(0.0) for numbers in self.numbers.values())
        return bool((point != comma).any())

    @property
    def is_mixed(self) -> bool:
        """Whether every cell is a number, but some in one convention only and some in the other."""
        point, comma = self.numbers.values()
        is_text = point.is_null() & comma.is_null() & ~self.is_passed_over
        return not self.fitting and not is_text.any()

    @property
    def has_commas(self) -> bool:
        """Whether it takes more than a plain number with a point."""
        return bool(self.column.str.contains(",", literal=True).any())

    def best(self, told: Convention | None, default: Convention) -> Convention:
        """The convention that reads the most cells; of equals that which the file tells, or the default.

        Without anything told, plain numbers are plain numbers: a point is a decimal point.
        """
        preferred = told or (default if self.has_commas else POINT)
        return min((POINT, COMMA), key=lambda each: (self.n_texts(each), each is not preferred))


def unclear_columns(frame: pl.DataFrame) -> list[str]:
    """Names of the columns of text whose commas the others of the file leave open, as `load_table` sees it.

    >>> import polars as pl
    >>> unclear_columns(pl.DataFrame({"a": ["1,234", "2,500"], "b": ["0,5", "7"], "c": ["€ 2.5", "€ 3"]}))
    ['a']
    """
    import polars as pl

    texts = [without_units(frame[name]) for name, kind in frame.schema.items() if kind == pl.String]
    # What has no digit is taken for a missing value here: it tells nothing.
    readings = [Readings(cells, ~cells.str.contains("[0-9]").fill_null(False)) for cells in texts]
    readings = [reading for reading in readings if not reading.is_passed_over.all()]
    told = {reading.fitting for reading in readings if len(reading.fitting) == 1}
    unclear = [reading.column.name for reading in readings if reading.is_ambiguous and reading.has_commas]
    return unclear if len(told) > 1 else []


def convention_of(readings: Iterable[Readings], source: str) -> Convention | None:
    """Return the convention that the unambiguous columns of a file tell; None if they tell none, or both.

    Where they tell both, a column with commas that could be either is refused.
    """
    told: set[Convention] = set()
    unclear: list[pl.Series] = []
    for reading in readings:
        if reading.is_mixed:
            raise _two_ways(reading.column, "other cells", source)
        if len(reading.fitting) == 1:
            told.update(reading.fitting)
        elif reading.is_ambiguous and reading.has_commas:
            unclear.append(reading.column)
    if unclear and len(told) > 1:
        raise _two_ways(unclear[0], "other columns of the file", source)
    return told.pop() if len(told) == 1 else None


def _two_ways(column: pl.Series, others: str, source: str) -> DataError:
    has_comma = column.str.contains(",", literal=True).fill_null(False)
    return DataError(
        f"Column {column.name!r} of {source} holds {column.filter(has_comma)[0]!r}, and {others} have "
        "decimal points, so the comma can be read in two ways; say which one by ",
        Parameter("thousands"),
        " or ",
        Parameter("decimal"),
        ", write all numbers alike, or name it in ",
        Parameter("nominal"),
        " or ",
        Parameter("drop"),
        ".",
    )


def notes_on(columns: Mapping[str, tuple[Convention, pl.Series]], *, is_told: bool) -> tuple[str, ...]:
    """Say which columns were read in which convention; `columns` has their cells as text.

    `is_told` says whether the file left no doubt about it.
    """
    decimal: dict[str, str] = {}
    grouped: dict[str, str] = {}
    for name, (convention, column) in columns.items():
        for found, pattern in ((decimal, r",[0-9]*(?:[eE]|$)"), (grouped, convention.grouped)):
            cells = column.filter(column.str.contains(pattern).fill_null(False))
            if len(cells) and (found is grouped or convention is COMMA):
                found[name] = f"{cells[0]} is read as {convention.read(cells)[0]:.15g}"
    notes = [
        f"{_listed(found)} written with {what} and read as numbers ({next(iter(found.values()))})"
        for what, found in (("decimal commas", decimal), ("thousands separators", grouped))
        if found
    ]
    if notes and not is_told:
        notes[-1] += "; nothing else in the file tells whether such commas mark decimals or thousands"
    return tuple(notes)


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return f"columns {shown}{more} are" if len(names) > 1 else f"column {shown} is"
