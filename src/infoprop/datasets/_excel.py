"""Tables in spreadsheets: .xlsx, .xls and .ods, one sheet each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from infoprop._core._exceptions import DataError, MissingDependencyError, ParameterError
from infoprop.datasets._columns import TextRules, build_table
from infoprop.datasets._request import Request, Roles, assign_roles

if TYPE_CHECKING:
    import polars as pl

    from infoprop.datasets._table import Table


def read_excel(raw: bytes, sheet: str | None, request: Request) -> Table:
    """Read one sheet of a spreadsheet, the first if none is named.

    The first row that is not empty holds the names. Cells are understood as those of delimited text are,
    whatever format they are shown in; empty rows, and empty columns without a name, are passed over.
    """
    import polars as pl

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
    roles = assign_roles([names[k] for k in kept], request)
    rules = TextRules()
    columns = [_column(names[k], texts[:, k], numbers[:, k], roles, rules) for k in kept]
    return build_table(pl.DataFrame(columns), roles, request, rules)


def _open(raw: bytes, source: str) -> Any:
    try:
        import fastexcel
    except ImportError as error:
        raise MissingDependencyError(
            f"Reading {source} needs fastexcel, which is not installed: pip install 'infoprop[excel]'."
        ) from error
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
    if name in roles.declared or name not in roles.features:
        return texts
    is_number = texts.str.strip_chars().cast(pl.Float64, strict=False).is_not_null()
    others = texts.filter(~is_number).drop_nulls().str.strip_chars().str.to_lowercase()
    if not is_number.any() or not others.is_in(list(rules.missing | rules.missing_among_numbers)).all():
        return texts
    return numbers.alias(name).set(~is_number, None)
