"""Dates and times: how they are recognised, and the numbers that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infoprop._core._exceptions import DataError, Parameter

if TYPE_CHECKING:
    import polars as pl

DATE_PARTS = ("year", "month", "day", "weekday", "hour", "days")
"""Numbers made of a date: weekday 1 is Monday, `hour` has fractions, `days` are counted from 1970-01-01."""

_DAY_FORMATS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%B %d, %Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
)
_LOOKS_LIKE = (
    r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{2}[/.]\d{2}[/.]\d{2}\b|"
    r"\d{1,2}[- ]\p{L}{3,9}\.?[- ]\d{4}|\p{L}{3,9} \d{1,2}, \d{4})"
)
_CLOCK = r"(\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?$"
_SAMPLE = 200


@dataclass(frozen=True)
class Dates:
    """A column read as dates: day and hour of the day of every cell, null where it is none or has none."""

    day: pl.Series
    hour: pl.Series
    format: str

    @property
    def n_read(self) -> int:
        """Number of cells that are dates or times."""
        return int((self.day.is_not_null() | self.hour.is_not_null()).sum())


def read_dates(column: pl.Series) -> Dates | None:
    """Read a column of dates in whichever way reads the most cells; None if its first cells are no dates.

    Where day and month could be exchanged in every cell, the day comes first.
    """
    import polars as pl

    if column.dtype.is_temporal():
        return _typed_dates(column)
    if column.dtype != pl.String:
        return None
    cells = column.str.strip_chars()
    first = cells.drop_nulls()
    first = first.filter(first != "").head(_SAMPLE)
    looks = first.str.contains(_LOOKS_LIKE) | first.str.contains(rf"^{_CLOCK}")
    if not len(first) or 2 * int(looks.sum()) < len(first):
        return None
    clock = cells.str.extract(rf"(?:^|[ T]){_CLOCK}", 1)
    times = clock.str.pad_start(5, "0") + pl.Series([""])
    hour = (
        times.str.slice(0, 2).cast(pl.Float64, strict=False)
        + times.str.slice(3, 2).cast(pl.Float64, strict=False) / 60.0
        + times.str.slice(6, 2).cast(pl.Float64, strict=False).fill_null(0.0) / 3600.0
    )
    days = cells.str.replace(rf"[ T]*{_CLOCK}", "")
    read = {form: _with_whole_years(days.str.to_date(form, strict=False)) for form in _DAY_FORMATS}
    best = max(read, key=lambda form: int(read[form].count()))
    return Dates(read[best].alias("day"), hour.alias("hour"), best)


def _with_whole_years(day: pl.Series) -> pl.Series:
    """Leave out dates before the year 1000: "20" was taken for one."""
    return day.set((day.dt.year() < 1000).fill_null(False), None)


def _typed_dates(column: pl.Series) -> Dates | None:
    import polars as pl

    if column.dtype == pl.Duration:
        return None
    nothing = pl.Series("hour", [None] * len(column), dtype=pl.Float64)
    if column.dtype == pl.Date:
        return Dates(column.alias("day"), nothing, "")
    hour = (column.dt.hour() + column.dt.minute() / 60.0 + column.dt.second() / 3600.0).cast(pl.Float64)
    if column.dtype == pl.Time:
        return Dates(nothing.cast(pl.Date).alias("day"), hour.alias("hour"), "")
    return Dates(column.dt.date().alias("day"), hour.alias("hour"), "")


def date_parts(
    column: pl.Series, source: str, like: Mapping[str, str] | None = None
) -> tuple[list[pl.Series], tuple[str, ...]]:
    """Return the parts of the dates in `column` that vary, as numbers, and what had to be decided in words.

    Parameters
    ----------
    column : polars.Series
        Dates, times or both, as such or as text.
    source : str
        Name of the file.
    like : dict or None
        Columns of an earlier table: its parts are made again, whether they vary here or not.
    """
    import polars as pl

    dates = read_dates(column)
    n_filled = len(column) - column.null_count()
    if dates is None or 2 * dates.n_read < n_filled:
        example = column.drop_nulls().head(1).to_list()
        raise DataError(
            f"Column {column.name!r} of {source} holds no dates or times"
            f"{f' (such as {example[0]!r})' if example else ''}; leave it out of ",
            Parameter("dates"),
            ".",
        )
    day, hour = dates.day, dates.hour
    found = {
        "year": day.dt.year(),
        "month": day.dt.month(),
        "day": day.dt.day(),
        "weekday": day.dt.weekday(),
        "hour": hour,
        "days": day.cast(pl.Int32) + hour.fill_null(0.0) / 24.0,
    }
    parts = [part.cast(pl.Float64).alias(f"{column.name}.{name}") for name, part in found.items()]
    if like is None:
        parts = [part for part in parts if part.drop_nulls().n_unique() > 1]
    else:
        parts = [part for part in parts if part.name in like]
    return parts, _notes(column, dates, n_filled)


def _notes(column: pl.Series, dates: Dates, n_filled: int) -> tuple[str, ...]:
    notes = []
    if n_filled > dates.n_read:
        notes.append(f"{n_filled - dates.n_read:,} cells of column {column.name!r} are not dates: missing")
    if dates.format in ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y") and int(dates.day.dt.day().max() or 0) <= 12:  # type: ignore[arg-type]
        first = column.drop_nulls()[0]
        notes.append(f"column {column.name!r} is read with the day before the month ({first})")
    return tuple(notes)
