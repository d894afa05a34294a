"""Tables in spreadsheets: .xlsx, .xls and .ods, one sheet each."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop.datasets._columns import TextRules, build_table
from infoprop.datasets._request import Request, Roles, assign_roles, usable_names

if TYPE_CHECKING:
    import polars as pl

    from infoprop.datasets._table import Table

_XLSX_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_ROW_OF_CELL = re.compile(rb' r="[A-Z]{1,3}([0-9]{1,7})"')
_COLUMN_OF_CELL = re.compile(rb' r="([A-Z]{1,3})[0-9]')
_BYTES_OF_CELL = 32


def read_excel(raw: bytes, sheet: str | None, request: Request) -> Table:
    """Read one sheet of a spreadsheet, the first if none is named.

    The first row that is not empty holds the names. Cells are understood as those of delimited text are,
    whatever format they are shown in; empty rows, and empty columns without a name, are passed over.
    """
    import polars as pl

    _refuse_large(raw, request.source)
    book = _open(raw, request.source)
    title = _title(book, sheet, request.source)
    what = f"Sheet {title!r} of {request.source}"
    texts = _cells(book, title, "string", what)
    is_row = ~pl.Series(texts.select(pl.all_horizontal(pl.all().is_null()))[:, 0])
    if texts.height < 2 or is_row[1:].sum() == 0:
        raise DataError(f"{what} has no rows below a row of names.")
    names = [(cell or "").strip() for cell in texts.row(0)]
    # As text a number has nine decimals; as a number it is whole, but then a text is nothing.
    numbers = _cells(book, title, "float", what)
    texts, numbers = texts.filter(is_row)[1:], numbers.filter(is_row)[1:]
    kept = [k for k, name in enumerate(names) if name or texts[:, k].null_count() < texts.height]
    found, notes = usable_names([names[k] for k in kept], request)
    request = replace(request, notes=notes)
    roles = assign_roles(found, request)
    rules = TextRules()
    columns = [
        _column(name, texts[:, k], numbers[:, k], roles, rules) for k, name in zip(kept, found, strict=True)
    ]
    return build_table(pl.DataFrame(columns), roles, request, rules)


def _refuse_large(raw: bytes, source: str) -> None:
    """Refuse sheets whose last cell is far away: all cells up to there are held, filled or not."""
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            sheets = [name for name in archive.namelist() if _XLSX_SHEET.fullmatch(name)]
            extents = [_extent(archive.read(name)) for name in sheets if fits_in_memory(size)]
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"{source} is not a readable spreadsheet: {error}.") from error
    size = max([size, *(n_rows * n_columns * _BYTES_OF_CELL for n_rows, n_columns in extents)])
    if not fits_in_memory(size):
        raise DataError(
            f"{source} has a sheet that takes {size / 1e9:,.3g} GB up to its last cell, more than the "
            f"{memory_words()} that may be used; remove the cells far away from the table."
        )


def _extent(sheet: bytes) -> tuple[int, int]:
    """Return the numbers of the last row and the last column that the XML of a sheet names."""
    rows = {int(number) for number in set(_ROW_OF_CELL.findall(sheet))}
    columns = {_column_number(letters) for letters in set(_COLUMN_OF_CELL.findall(sheet))}
    return max(rows, default=0), max(columns, default=0)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _open(raw: bytes, source: str) -> Any:
    import fastexcel

    try:
        return fastexcel.read_excel(raw)
    except fastexcel.FastExcelError as error:
        raise DataError(f"{source} is not a readable spreadsheet: {_first_line(error)}.") from error


def _title(book: Any, sheet: str | None, source: str) -> str:
    titles: list[str] = book.sheet_names
    if not titles:
        raise DataError(f"{source} has no sheets.")
    if sheet is not None and sheet not in titles:
        there = ", ".join(repr(title) for title in titles)
        raise ParameterError(f"{source} has no sheet {sheet!r}; its sheets are {there}.")
    return titles[0] if sheet is None else sheet


def _cells(book: Any, title: str, kind: Literal["string", "float"], what: str) -> pl.DataFrame:
    import fastexcel
    import polars as pl

    try:
        return pl.DataFrame(book.load_sheet(title, header_row=None, dtypes=kind))
    except fastexcel.FastExcelError as error:
        raise DataError(f"{what} cannot be read: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].removeprefix("calamine error: ").rstrip(".")


def _column(name: str, texts: pl.Series, numbers: pl.Series, roles: Roles, rules: TextRules) -> pl.Series:
    """Return the cells as numbers if that is what they are, else as texts."""
    import polars as pl

    texts = texts.alias(name)
    if name in roles.kept_as_text or name not in roles.features:
        return texts
    is_number = texts.str.strip_chars().cast(pl.Float64, strict=False).is_not_null()
    others = texts.filter(~is_number).drop_nulls().str.strip_chars().str.to_lowercase()
    if not is_number.any() or not others.is_in(list(rules.missing | rules.missing_among_numbers)).all():
        return texts
    return numbers.alias(name).set(~is_number, None)
