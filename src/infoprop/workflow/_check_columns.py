"""What is suspicious in single columns: identifiers, dates, numbers written as text, spellings, gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from infoprop.datasets._columns import MISSING_MARKS, NUMBER_MISSING_MARKS
from infoprop.datasets._dates import read_dates
from infoprop.datasets._numerals import COMMA, POINT, unclear_columns, without_units
from infoprop.workflow._check_result import TableFinding

if TYPE_CHECKING:
    import polars as pl

MOST_CATEGORIES = 200
"""Distinct texts up to which a column is one-hot coded."""

_ID_NAME = re.compile(
    r"(?i)(^|[^a-z])(id|ids|uuid|guid|key|nr|no|num|number|code|index|idx|rowid|serial|record)$|[a-z]Id$|^#$"
)
_FEW_ROWS = 10
_NEARLY_ALL = 0.95
_RANGE = 2.0
_WORDS_OF_TEXT = 5
_MOST_UNITS = 5
_EXAMPLES = 3
_MANY_MISSING = 0.5


def name_findings(notes: Iterable[str]) -> Iterator[TableFinding]:
    """What the reader had to do to the names of columns."""
    for note in notes:
        yield TableFinding("name", (), "note", note, "name the columns in the header if that is not right")


def comma_findings(frame: pl.DataFrame) -> Iterator[TableFinding]:
    """Columns whose commas may mark thousands or decimals, in a table that has both."""
    if names := unclear_columns(frame):
        example = frame[names[0]].drop_nulls().str.strip_chars()
        yield TableFinding(
            "commas",
            tuple(names),
            "error",
            f"commas such as in {example.filter(example.str.contains(','))[0]!r} may mark thousands or "
            "decimals: other columns have both",
            "say which; here they are taken for thousands",
            parameter="thousands",
            value=",",
        )


def typed_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn text into numbers where all cells are numbers or mean that there is none, as readers do."""
    import polars as pl

    return frame.with_columns(
        [_typed(frame[name]) for name, kind in frame.schema.items() if kind == pl.String]
    )


def _typed(column: pl.Series) -> pl.Series:
    import polars as pl

    column = column.str.strip_chars()
    column = column.set(column.is_in(list(MISSING_MARKS)), None)
    marked = column.str.to_lowercase().is_in(list(NUMBER_MISSING_MARKS)).fill_null(False)
    rest = column.set(marked, None)
    n_rest = int(rest.count())
    if not n_rest or not rest.drop_nulls().head(_FEW_ROWS).str.contains("[0-9]").any():
        return column
    for numbers in (rest.cast(pl.Float64, strict=False), POINT.read(rest), COMMA.read(rest)):
        if numbers.count() == n_rest:
            return numbers
    return column


def column_findings(
    frame: pl.DataFrame, identifier: str | None = None, declared: Iterable[str] = ()
) -> tuple[list[TableFinding], tuple[str, ...]]:
    """Look at every column; return what was found, and the columns of text that identify rows.

    `declared` columns are known to be running text.
    """
    import polars as pl

    passed_over = {identifier, *declared}
    names = [name for name in frame.columns if name not in passed_over]
    findings: list[TableFinding] = []
    identifiers: list[str] = []
    gaps: list[pl.Series] = []
    for name in _suspects(frame.select(names)):
        column = frame[name]
        if column.null_count() == len(column):
            findings.append(
                TableFinding("empty", (name,), "error", "no values at all", "leave it out", parameter="drop")
            )
            continue
        if column.null_count():
            gaps.append(column)
        found = _text_finding(column) if column.dtype == pl.String else _other_finding(column)
        if found is not None:
            findings.append(found)
            if found.kind == "identifier" and column.dtype == pl.String:
                identifiers.append(name)
    findings += _missing_findings(gaps, frame.height)
    return findings, tuple(identifiers)


def _suspects(frame: pl.DataFrame) -> list[str]:
    """Columns that are to be looked at one by one: most of thousands of measurements are not."""
    import polars as pl

    numeric = [name for name, kind in frame.schema.items() if kind.is_numeric()]
    if not numeric:
        return frame.columns
    cells = pl.col(numeric)
    measures = (
        cells.n_unique(),
        cells.null_count(),
        cells.cast(pl.Float64).is_infinite().any(),
        (cells == cells.floor()).all(),
    )
    rows = zip(*(frame.select(measure).row(0) for measure in measures), strict=True)
    plain = {
        name
        for name, (n_distinct, n_missing, is_infinite, is_whole) in zip(numeric, rows, strict=True)
        if not (n_missing or is_infinite or n_distinct == 1)
        and not (is_whole and n_distinct >= _NEARLY_ALL * frame.height)
    }
    return [name for name in frame.columns if name not in plain]


def _text_finding(column: pl.Series) -> TableFinding | None:
    """The first thing that is wrong with a column of text."""
    filled = column.drop_nulls()
    lower = filled.str.to_lowercase()
    if filled.n_unique() == 1:
        return _constant(column, len(filled))
    # Marks such as NA are missing among numbers, and names among names.
    rest = filled.filter(~lower.is_in(list(NUMBER_MISSING_MARKS)))
    if len(rest):
        found = _number_finding(column, rest) or _date_finding(column)
        if found is not None:
            return found
    return _identifier_finding(column, filled) or _category_finding(column, filled)


def _constant(column: pl.Series, n_filled: int) -> TableFinding:
    value = column.drop_nulls()[0]
    where = "in every row" if n_filled == len(column) else f"in all {n_filled:,} rows that have a value"
    return TableFinding(
        "constant",
        (column.name,),
        "note",
        f"{value!r} {where}",
        "leave it out: it says nothing",
        parameter="drop",
    )


def _number_finding(column: pl.Series, rest: pl.Series) -> TableFinding | None:
    """Numbers with units, and text among numbers; plain numbers and those with separators are read anyway."""
    plain = _read(rest)
    n_plain, n_rest = int(plain.sum()), len(rest)
    if n_plain == n_rest:
        return None
    bare = _read(without_units(rest))
    # Numbers have one unit or a few; identifiers end in anything.
    n_units = rest.str.replace_all(r"[0-9.,'\s+-]+", "").n_unique()
    if bare.sum() >= _NEARLY_ALL * n_rest and bare.sum() > n_plain and n_units <= _MOST_UNITS:
        examples = rest.filter(bare & ~plain).unique(maintain_order=True).head(_EXAMPLES).to_list()
        left = "" if bare.all() else f"; {n_rest - int(bare.sum())} cells are not numbers"
        return TableFinding(
            "number as text",
            (column.name,),
            "warning",
            f"numbers written as text, such as {_quoted(examples)}{left}",
            "read it as numbers",
            rows_where(column.is_in(examples)),
            "numeric",
        )
    if 2 * n_plain > n_rest:
        is_other = column.is_not_null() & ~_read(column)
        is_other &= ~column.str.to_lowercase().is_in(list(NUMBER_MISSING_MARKS)).fill_null(False)
        examples = column.filter(is_other).unique(maintain_order=True).head(_EXAMPLES).to_list()
        numbers = rest.filter(plain)
        if 5 * (n_rest - n_plain) > n_rest and numbers.n_unique() <= 20:
            return None  # names that look like numbers: 2, 3, 4, 5more
        return TableFinding(
            "mixed",
            (column.name,),
            "error",
            f"numbers, but {int(is_other.sum()):,} cells hold text, such as {_quoted(examples)}",
            "correct them; as numbers, the text is taken as missing",
            rows_where(is_other),
            "numeric",
        )
    return None


def _read(column: pl.Series) -> pl.Series:
    """Which cells are numbers in one convention or the other."""
    import polars as pl

    plain = column.cast(pl.Float64, strict=False).is_not_null()
    if plain.all():
        return plain
    return plain | POINT.read(column).is_not_null() | COMMA.read(column).is_not_null()


def _date_finding(column: pl.Series) -> TableFinding | None:
    dates = read_dates(column)
    n_filled = len(column) - column.null_count()
    if dates is None or dates.n_read < _NEARLY_ALL * n_filled:
        return None
    examples = column.drop_nulls().unique(maintain_order=True).head(2).to_list()
    return TableFinding(
        "date",
        (column.name,),
        "error",
        f"dates or times, such as {_quoted(examples)}",
        "turn them into parts: year, month, weekday, ...",
        parameter="dates",
    )


def _identifier_finding(column: pl.Series, filled: pl.Series) -> TableFinding | None:
    n_distinct, n_filled = filled.n_unique(), len(filled)
    if n_distinct < _NEARLY_ALL * n_filled or n_filled < 2:
        return None
    n_words = filled.str.count_matches(r"\S+").mean()
    if n_words is not None and float(n_words) >= _WORDS_OF_TEXT:  # type: ignore[arg-type]
        return _running_text(column, n_distinct)
    is_coded = bool(filled.str.contains("[0-9]").all())
    if n_filled < _FEW_ROWS and not (is_coded or _ID_NAME.search(column.name)):
        return None
    return TableFinding(
        "identifier",
        (column.name,),
        "warning",
        f"{n_distinct:,} distinct texts in {n_filled:,} rows, such as {_quoted(filled.head(2).to_list())}",
        "carry it along: it names rows, and says nothing of others",
        parameter="identifier",
    )


def _running_text(column: pl.Series, n_distinct: int) -> TableFinding:
    return TableFinding(
        "text",
        (column.name,),
        "error" if n_distinct > MOST_CATEGORIES else "warning",
        f"running text, {n_distinct:,} distinct",
        "count its words",
        parameter="text",
    )


def _category_finding(column: pl.Series, filled: pl.Series) -> TableFinding | None:
    n_distinct = filled.n_unique()
    if n_distinct > MOST_CATEGORIES:
        n_words = float(filled.str.count_matches(r"\S+").mean() or 0.0)  # type: ignore[arg-type]
        if n_words >= _WORDS_OF_TEXT:
            return _running_text(column, n_distinct)
        return TableFinding(
            "categories",
            (column.name,),
            "error",
            f"{n_distinct:,} distinct texts, more than the {MOST_CATEGORIES} that are coded as categories",
            "leave it out, or write fewer kinds",
            parameter="drop",
        )
    texts = filled.unique(maintain_order=True)
    same = texts.str.to_lowercase().str.replace_all(r"\s+", " ").rename("same")
    groups: dict[str, list[str]] = {}
    for text, key in zip(texts.to_list(), same.to_list(), strict=True):
        groups.setdefault(key, []).append(text)
    variants = [spellings for spellings in groups.values() if len(spellings) > 1]
    if not variants:
        return None
    rare = [min(spellings, key=lambda text: int((filled == text).sum())) for spellings in variants]
    more = f" ({len(variants)} such groups)" if len(variants) > 1 else ""
    return TableFinding(
        "spelling",
        (column.name,),
        "warning",
        f"{_quoted(variants[0])} differ in case or blanks only{more}",
        "write them alike in the file: they are taken for different categories",
        rows_where(column.is_in(rare)),
    )


def _other_finding(column: pl.Series) -> TableFinding | None:
    """What is wrong with a column that is not text."""
    import polars as pl

    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        seen = f"holds {column.dtype}, neither numbers nor text"
        return TableFinding("unreadable", (column.name,), "error", seen, "leave it out", parameter="drop")
    if column.dtype.is_temporal():
        return _date_finding(column)
    n_filled = len(column) - column.null_count()
    n_distinct = column.drop_nulls().n_unique()
    if n_distinct == 1:
        return _constant(column, n_filled)
    if not column.dtype.is_numeric():
        return None
    if column.dtype.is_float() and column.is_infinite().any():
        is_infinite = column.is_infinite().fill_null(False)
        seen = f"{int(is_infinite.sum()):,} infinite values"
        return TableFinding(
            "infinite",
            (column.name,),
            "error",
            seen,
            "replace them by numbers",
            rows_where(is_infinite),
            "drop",
        )
    if n_distinct < _NEARLY_ALL * n_filled or n_filled < 2:
        return None
    filled = column.drop_nulls().cast(pl.Float64)
    if not (filled == filled.floor()).all():
        return None
    why = _reason(filled, column.name)
    if why is None:
        return None
    return TableFinding(
        "identifier",
        (column.name,),
        "warning",
        f"whole numbers that {'all' if n_distinct == n_filled else 'nearly all'} differ and {why}",
        "carry it along, or leave it out, unless it measures something",
        parameter="identifier",
    )


def _reason(filled: pl.Series, name: str) -> str | None:
    """Why whole numbers that all differ look like identifiers; None if they do not."""
    low, high, n_filled = float(filled.min()), float(filled.max()), len(filled)  # type: ignore[arg-type]
    if _ID_NAME.search(name):
        return "are named as identifiers are"
    if _NEARLY_ALL * (high - low + 1) <= n_filled:
        return f"fill the range from {low:.0f} to {high:.0f}"
    if n_filled < _FEW_ROWS:
        return None
    if filled.is_sorted() or filled.is_sorted(descending=True):
        return "rise or fall with the rows"
    if high - low < _RANGE * n_filled and n_filled >= 2 * _FEW_ROWS:
        return f"nearly fill the range from {low:.0f} to {high:.0f}"
    return None


def _missing_findings(gaps: Sequence[pl.Series], n_rows: int) -> Iterator[TableFinding]:
    if not gaps:
        return
    counts = {column.name: column.null_count() for column in gaps}
    worst = max(counts, key=counts.__getitem__)
    total = sum(counts.values())
    yield TableFinding(
        "missing",
        tuple(counts),
        "error",
        f"{total:,} missing cells in {len(counts):,} columns, most in {worst} ({counts[worst] / n_rows:.0%})",
        "fill them, here with the median of the training rows",
        rows_where(gaps[0].is_null()),
        "impute",
        "median",
    )
    many = tuple(name for name, count in counts.items() if count > _MANY_MISSING * n_rows)
    if many:
        yield TableFinding(
            "missing", many, "note", "more than half of the cells are missing", "think of leaving them out"
        )


def rows_where(is_there: pl.Series) -> tuple[int, ...]:
    """Numbers of the first rows of which something is true, from 1."""
    found = is_there.fill_null(False).arg_true().head(_EXAMPLES).to_list()
    return tuple(number + 1 for number in found)


def _quoted(values: Sequence[object]) -> str:
    return ", ".join(repr(str(value)[:40]) for value in values)
