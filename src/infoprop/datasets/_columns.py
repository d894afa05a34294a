"""From columns as read to labels, numbers and names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from infoprop._core._exceptions import DataError, Parameter
from infoprop.datasets._dates import date_parts
from infoprop.datasets._numerals import (
    POINT,
    Convention,
    Readings,
    convention_of,
    has_marks,
    notes_on,
    without_units,
)
from infoprop.datasets._table import Kind, Table

if TYPE_CHECKING:
    import polars as pl

    from infoprop._core._typing import LabelArray
    from infoprop.datasets._request import Request, Roles

MISSING_MARKS = frozenset({"", "?"})
NUMBER_MISSING_MARKS = frozenset({"na", "nan", "n/a", "null", "none", "-", "."})
"""Lower-cased cells that mean "missing" among numbers, but may be values among names."""

_WHOLE = r"^[+-]?(0|[1-9][0-9]*)$"
_DATE = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$"
_LONG_LABEL = 200
_MANY_NUMBERS = 20
_FEW_TEXTS = 0.2


@dataclass(frozen=True)
class TextRules:
    """How cells of undeclared type are to be understood."""

    missing: frozenset[str] = MISSING_MARKS
    missing_among_numbers: frozenset[str] = NUMBER_MISSING_MARKS
    default: Convention = POINT
    """How numbers are written where the file does not tell."""
    told: Convention | None = None
    """How numbers are written because the caller says so."""


def build_table(frame: pl.DataFrame, roles: Roles, request: Request, rules: TextRules | None) -> Table:
    """Make the result out of typed columns; `rules` is None where the file declares its types."""
    import polars as pl

    if request.is_raw:
        return _raw_table(frame, roles, request)
    frame = _as_bare_numbers(frame, roles, request, rules)
    target = None if roles.target is None else frame[roles.target]
    y = labels_of(target, frame.height, request, rules)
    split = None if roles.split is None else split_of(frame[roles.split], request.source)
    numerals = _Numerals.of(frame, roles, request.source, rules)
    features: list[pl.Series] = []
    columns: dict[str, Kind] = {}
    notes = [*request.notes]
    for name in roles.features:
        if name in roles.dates:
            parts, words = date_parts(frame[name], request.source, request.like)
            features.extend(parts)
            columns.update(dict.fromkeys((part.name for part in parts), "numeric"))
            notes.extend(words)
            continue
        column = _feature(frame[name], roles, request.source, rules, numerals)
        columns[name] = "nominal" if column.dtype == pl.String else "numeric"
        if name in roles.text:
            columns[name] = "text"
            # An empty text has no words, which is as good as any other number of them.
            column = column.fill_null("")
        features.append(column)
    identifiers = None if roles.identifier is None else frame[roles.identifier].cast(pl.String).fill_null("")
    groups = None if roles.row_groups is None else row_groups_of(frame[roles.row_groups], request.source)
    return Table(
        source=request.source,
        format=request.format,
        target=str(request.target) if roles.target is None else roles.target,
        y=y,
        columns=columns,
        frame=pl.DataFrame(features),
        X=None,
        missing={column.name: n for column in features if (n := column.null_count())},
        cardinality={
            column.name: _cardinality(column) for column in features if columns[column.name] == "nominal"
        },
        split=split,
        identifier=roles.identifier,
        identifiers=None if identifiers is None else np.array(identifiers.to_list(), dtype=object),
        row_groups=groups,
        notes=(*notes, *numerals.notes([name for name in columns if columns[name] == "numeric"])),
    )


def row_groups_of(column: pl.Series, source: str) -> LabelArray:
    """Return the labels of the row groups; refuse a row that belongs to none."""
    import polars as pl

    labels = column.cast(pl.String).str.strip_chars()
    is_missing = (labels.is_null() | labels.is_in(list(MISSING_MARKS))).to_numpy()
    if is_missing.any():
        row = int(np.flatnonzero(is_missing)[0]) + 1
        raise DataError(
            f"Column {column.name!r} of {source} is empty in row {row}; every row must belong to a row "
            "group. Fill the cells, or leave out ",
            Parameter("row_groups"),
            ".",
        )
    return np.array(labels.to_list(), dtype=object)


def _raw_table(frame: pl.DataFrame, roles: Roles, request: Request) -> Table:
    """All cells as they were read, the labels among them; nothing is known of the columns yet."""
    return Table(
        source=request.source,
        format=request.format,
        target=str(request.target) if roles.target is None else roles.target,
        y=np.full(frame.height, None, dtype=object),
        columns=dict.fromkeys(frame.columns, "text"),
        frame=frame,
        X=None,
        missing={},
        cardinality={},
        split=None,
        identifier=roles.identifier,
        notes=request.notes,
    )


def _as_bare_numbers(
    frame: pl.DataFrame, roles: Roles, request: Request, rules: TextRules | None
) -> pl.DataFrame:
    """Take currencies, percent signs and units off the columns that are to be numbers."""
    import polars as pl

    kinds = frame.schema
    numeric = roles.numeric | {name for name, kind in (request.like or {}).items() if kind == "numeric"}
    texts = [name for name in roles.features if name in numeric and kinds[name] == pl.String]
    return frame.with_columns([without_units(_cells(frame[name], rules)) for name in texts])


@dataclass(frozen=True)
class _Numerals:
    """How the numbers of a file are written, and its columns that hold others than plain ones."""

    told: Convention | None = None
    default: Convention = POINT
    readings: dict[str, Readings] = field(default_factory=dict)
    is_given: bool = False
    """Whether the caller said how numbers are written; a column where only the other way fits is read so."""

    @classmethod
    def of(cls, frame: pl.DataFrame, roles: Roles, source: str, rules: TextRules | None) -> _Numerals:
        """Look at all features that are text and may be numbers."""
        names = [] if rules is None else text_features(frame, roles)
        if rules is None:
            return cls()
        if rules.told is not None:
            return cls(rules.told, rules.told, {name: _readings(frame[name], rules) for name in names}, True)
        if not any(has_marks(frame[name]) for name in names):
            return cls()
        readings = {name: _readings(frame[name], rules) for name in names}
        return cls(convention_of(readings.values(), source), rules.default, readings)

    def read(self, column: pl.Series) -> pl.Series:
        """Return the cells of a column of text as numbers, null where they are none."""
        import polars as pl

        reading = self.readings.get(column.name)
        if reading is None:
            return column.cast(pl.Float64, strict=False)
        return reading.numbers[self._best(reading).name]

    def _best(self, reading: Readings) -> Convention:
        if self.is_given and self.told is not None and (self.told in reading.fitting or not reading.fitting):
            return self.told
        return reading.best(self.told, self.default)

    def notes(self, numeric: list[str]) -> tuple[str, ...]:
        """Say which of the `numeric` columns were not written as plain numbers."""
        found = {name: self.readings[name] for name in numeric if name in self.readings}
        is_open = any(reading.is_ambiguous and reading.has_commas for reading in found.values())
        columns = {name: (self._best(reading), reading.column) for name, reading in found.items()}
        return notes_on(columns, is_told=self.told is not None or not is_open)


def text_features(frame: pl.DataFrame, roles: Roles) -> list[str]:
    """Names of the features whose cells are text, and may be numbers for all that the caller says."""
    import polars as pl

    kinds = frame.schema
    return [name for name in roles.features if name not in roles.declared and kinds[name] == pl.String]


def _readings(column: pl.Series, rules: TextRules) -> Readings:
    column = _cells(column, rules)
    marked = column.str.to_lowercase().is_in(list(rules.missing_among_numbers))
    return Readings(column, column.is_null() | marked.fill_null(False))


def _cardinality(column: pl.Series) -> int:
    return int(column.drop_nulls().n_unique())


def labels_of(column: pl.Series | None, n_rows: int, request: Request, rules: TextRules | None) -> LabelArray:
    """Return the labels in `column`: as declared, or of the simplest type that keeps them apart.

    A later table (`like`) may lack the column, or have nothing in it: all labels then are None.
    """
    import polars as pl

    source = request.source
    if column is None or (request.like is not None and _is_empty(column, rules)):
        return np.full(n_rows, None, dtype=object)
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise DataError(f"Column {column.name!r} of {source} holds {column.dtype}, which cannot be labels.")
    if column.dtype.is_float():
        column = _missing_instead_of_nan(column)
        _refuse_infinite(column, source)
    elif not (column.dtype.is_integer() or column.dtype == pl.Boolean):
        column = _cells(column.cast(pl.String), rules)
    if column.dtype == pl.String and rules is not None:
        column = _simplest_labels(column, rules)
    if column.null_count():
        first = int(column.is_null().arg_max() or 0) + 1
        raise DataError(
            f"The target {column.name!r} of {source} is missing in {column.null_count()} of {len(column)} "
            f"rows, first in row {first}; every row needs a label."
        )
    if column.dtype == pl.String:
        longest = int(column.str.len_chars().max() or 0)  # type: ignore[arg-type]
        # A fixed-width array of running text would take memory for its longest cell in every row.
        return np.array(column.to_list(), dtype=object if longest > _LONG_LABEL else str)
    return column.to_numpy()


def _is_empty(column: pl.Series, rules: TextRules | None) -> bool:
    import polars as pl

    cells = _cells(column, rules) if column.dtype == pl.String else column
    return cells.null_count() == len(cells)


def _simplest_labels(column: pl.Series, rules: TextRules) -> pl.Series:
    import polars as pl

    filled = column.drop_nulls()
    if not len(filled):
        return column
    if filled.str.to_lowercase().is_in(["true", "false"]).all():
        return column.str.to_lowercase() == "true"
    if filled.str.contains(_WHOLE).all():
        whole = column.str.strip_prefix("+").cast(pl.Int64, strict=False)
        return whole if whole.null_count() == column.null_count() else column
    marked = filled.str.to_lowercase().is_in(list(rules.missing_among_numbers))
    numbers = filled.filter(~marked).cast(pl.Float64, strict=False)
    # "007" and "7" stay apart as text; "1.0" and "NaN" are numbers.
    has_zeros_in_front = filled.str.contains(r"^[+-]?0[0-9]").any()
    if len(numbers) and not numbers.null_count() and numbers.is_finite().all() and not has_zeros_in_front:
        return _missing_instead_of_nan(column.cast(pl.Float64, strict=False))
    return column


def split_of(column: pl.Series, source: str) -> LabelArray:
    """Return the parts (such as "train" and "test") the rows belong to."""
    import polars as pl

    parts = _cells(column.cast(pl.String), TextRules())
    if parts.null_count():
        raise DataError(
            f"The split column {column.name!r} of {source} is missing in {parts.null_count()} rows; "
            "every row must belong to a part."
        )
    return np.array(parts.to_list(), dtype=str)


def _feature(
    column: pl.Series, roles: Roles, source: str, rules: TextRules | None, numerals: _Numerals
) -> pl.Series:
    """Return a feature as Float64 or String, null where missing."""
    import polars as pl

    kind = column.dtype
    if kind.is_nested() or kind in (pl.Binary, pl.Object):
        raise DataError(
            f"Column {column.name!r} of {source} holds {kind}; only numbers and text can be read."
        )
    if column.name in roles.declared:
        return _cells(column.cast(pl.String), rules)
    if column.name in roles.numeric and kind == pl.String:
        # What is no number although the caller says that the column holds numbers is missing.
        return _missing_instead_of_nan(numerals.read(column))
    if kind.is_temporal():
        raise dates_refused(column.name, source, column)
    if kind in (pl.String, pl.Categorical, pl.Enum):
        column = _cells(column.cast(pl.String), rules)
        if rules is not None:
            column = _typed_by_content(column, source, rules, numerals)
        if column.dtype == pl.String:
            return column
    column = _missing_instead_of_nan(column.cast(pl.Float64))
    _refuse_infinite(column, source)
    return column


def _cells(column: pl.Series, rules: TextRules | None) -> pl.Series:
    if rules is None:
        return column
    column = column.str.strip_chars()
    return column.set(column.is_in(list(rules.missing)), None)


def _typed_by_content(column: pl.Series, source: str, rules: TextRules, numerals: _Numerals) -> pl.Series:
    """Return text cells as numbers if they all are, as text if they are names; refuse a mixture."""
    import polars as pl

    filled = column.drop_nulls()
    if not len(filled):
        return column.cast(pl.Float64)
    if filled.str.to_lowercase().is_in(["true", "false"]).all():
        return (column.str.to_lowercase() == "true").cast(pl.Float64)
    numbers = numerals.read(column)
    is_text = numbers.is_null() & column.is_not_null()
    is_text &= ~column.str.to_lowercase().is_in(list(rules.missing_among_numbers)).fill_null(False)
    n_texts, n_numbers = int(is_text.sum()), int(numbers.count())
    if n_numbers and not n_texts:
        return numbers
    if _is_mixture(numbers.drop_nulls(), n_texts):
        row = int(is_text.arg_max() or 0)
        raise DataError(
            f"Column {column.name!r} of {source} holds numbers, but row {row + 1} has {column[row]!r}"
            f"{f' ({n_texts} such cells)' if n_texts > 1 else ''}; correct it, leave the cell empty, or name "
            "the column in ",
            Parameter("nominal"),
            " (names) or ",
            Parameter("numeric"),
            " (numbers; other cells are missing).",
        )
    if filled.str.contains(_DATE).all():
        raise dates_refused(column.name, source, column)
    return column


def _is_mixture(numbers: pl.Series, n_texts: int) -> bool:
    """Whether text is out of place among `numbers`, not one more name among names that look like numbers.

    Names that look like numbers (2, 3, 4, 5more) are few and whole. So text is out of place in a column
    of mostly numbers if it is rare, or the numbers are many, or some of them are not whole.
    """
    if len(numbers) <= n_texts:
        return False
    is_rare = n_texts <= _FEW_TEXTS * (len(numbers) + n_texts)
    return is_rare or numbers.n_unique() > _MANY_NUMBERS or bool((numbers != numbers.round(0)).any())


def dates_refused(name: str, source: str, column: pl.Series | None = None) -> DataError:
    """Return the error for a column of dates."""
    example = [] if column is None else column.drop_nulls().head(1).to_list()
    shown = f" (such as {example[0]})" if example else ""
    return DataError(
        f"Column {name!r} of {source} holds dates or times{shown}; turn them into parts (year, month, ...) "
        "with ",
        Parameter("dates"),
        ", leave the column out with ",
        Parameter("drop"),
        ", or read them as names with ",
        Parameter("nominal"),
        ".",
    )


def _missing_instead_of_nan(column: pl.Series) -> pl.Series:
    # The sum is NaN whenever a cell is, and much cheaper to have for thousands of short columns.
    total = column.sum()
    return column.fill_nan(None) if total is not None and total != total else column


def _refuse_infinite(column: pl.Series, source: str) -> None:
    total = column.sum()
    if total is None or np.isfinite(float(total)):
        return
    infinite = column.is_infinite().fill_null(False)
    if infinite.any():
        row = int(infinite.arg_max() or 0) + 1
        raise DataError(
            f"Column {column.name!r} of {source} holds infinite values, first in row {row}; "
            "replace them by numbers or leave the cells empty."
        )
