"""Tables in delimited text: CSV, TSV and their relatives."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from infoprop._core._checks import check_boolean, check_choice, refused
from infoprop._core._exceptions import DataError, Parameter
from infoprop._core._formulas import without_guard
from infoprop.datasets._columns import (
    MISSING_MARKS,
    NUMBER_MISSING_MARKS,
    TextRules,
    build_table,
    text_features,
)
from infoprop.datasets._numerals import COMMA, POINT, Convention, has_marks
from infoprop.datasets._request import Request, assign_roles, usable_names
from infoprop.datasets._source import decode

if TYPE_CHECKING:
    import polars as pl

    from infoprop._core._typing import IntArray
    from infoprop.datasets._table import Table

_DELIMITERS = (",", "\t", ";", "|")
_SNIFFED_LINES = 20
_OWNER = "DelimitedText"


@dataclass(frozen=True)
class DelimitedText:
    """How a delimited text file is written, where that has to be said.

    Pass one as the `format` of :func:`load_table`.

    Parameters
    ----------
    delimiter : str or None, default=None
        One character; None looks for comma, tab, semicolon, vertical bar or blanks.
    header : bool or None, default=None
        Whether the first line holds the column names. False names them ``column 1``, ``column 2``, ...;
        None expects names and refuses a first line that looks like data.
    encoding : str, default="utf-8"
        Encoding of the text.
    missing : collection of str or None, default=None
        Cells that mean "missing", beside the empty one, in any column. None: ``?`` everywhere, and
        among numbers also NA, N/A, NaN, null, None, ``-`` and ``.`` in any case.
    decimal : {".", ","} or None, default=None
        The decimal point. None looks at the columns that leave no doubt.
    thousands : {",", ".", " ", "'"} or None, default=None
        What separates thousands; a comma there makes the point the decimal point, and the other way round.
    transpose : bool, default=False
        Whether a line of the file is a feature, with its name in the first cell, and a column is a row of
        the table, as with genes × samples. The first line then holds the names of the samples.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from infoprop.datasets import DelimitedText, load_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flowers.data"
    >>> _ = path.write_text("5.1:3.5:setosa\\n6.2:2.9:virginica\\n")
    >>> load_table(path, format=DelimitedText(delimiter=":", header=False)).feature_names
    ('column 1', 'column 2')
    """

    delimiter: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    missing: Collection[str] | None = None
    decimal: str | None = None
    thousands: str | None = None
    transpose: bool = False

    def __post_init__(self) -> None:
        self._check_delimiter()
        check_choice("decimal", self.decimal, (".", ",", None), _OWNER)
        check_choice("thousands", self.thousands, (",", ".", " ", "'", None), _OWNER)
        check_boolean("transpose", self.transpose, _OWNER)
        if self.decimal is not None and self.decimal == self.thousands:
            raise refused("thousands", _OWNER, "another character than the decimal point", self.thousands)
        if self.header is not None:
            check_boolean("header", self.header, _OWNER)
        try:
            # Python knows codecs between bytes, or between texts, as well; decoding refuses those.
            b"a".decode(self.encoding)
        except UnicodeError:
            pass  # an encoding that takes two bytes a letter
        except (LookupError, TypeError, ValueError) as error:
            must = "the name of a text encoding, such as utf-8 or latin-1"
            raise refused("encoding", _OWNER, must, self.encoding) from error
        marks: Any = self.missing
        if marks is not None and not (
            isinstance(marks, Collection)
            and not isinstance(marks, str)
            and all(isinstance(each, str) for each in marks)
        ):
            raise refused("missing", _OWNER, "a list of strings or None", marks)

    def _check_delimiter(self) -> None:
        given: Any = self.delimiter
        if given is None:
            return
        if not isinstance(given, str) or len(given) != 1 or not given.isascii() or given in '"\r\n':
            raise refused("delimiter", _OWNER, "one ASCII character or None", given)

    def rules(self, delimiter: str) -> TextRules:
        """Return how the cells of such a file are understood."""
        # Files in which the semicolon separates cells come from where the comma is the decimal point.
        default = COMMA if delimiter == ";" else POINT
        if self.missing is None:
            return TextRules(MISSING_MARKS, NUMBER_MISSING_MARKS, default, self.told)
        return TextRules(frozenset({"", *self.missing}), frozenset(), default, self.told)

    @property
    def told(self) -> Convention | None:
        """How numbers are written, if that was said."""
        if self.decimal == "," or self.thousands == ".":
            return COMMA
        return POINT if self.decimal == "." or self.thousands == "," else None


@dataclass(frozen=True)
class _Records:
    """How a file is cut: where its records lie, how many cells each has; empty lines left out."""

    delimiter: str
    starts: IntArray
    ends: IntArray
    widths: IntArray
    is_quoted: bool


def read_delimited(raw: bytes, style: DelimitedText, request: Request) -> Table:
    """Read a delimited text file."""
    text = decode(raw, request.source, style.encoding, names_encoding=True)
    raw = text.replace("\r\n", "\n").replace("\r", "\n").encode()
    delimiter = style.delimiter or _sniff(raw, request.format)
    if delimiter == " " and b'"' not in raw:
        raw = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", raw)
        raw = re.sub(rb"[ \t]+", b" ", raw)
    records = _scan(raw, delimiter)
    _refuse_open_quote(raw, records, request.source)
    if not len(records.starts):  # a mark of its encoding, and nothing behind it
        raise DataError(f"{request.source} is empty.")
    names = _names(raw, records, style, request.source)
    if style.transpose:
        raw, records = _transposed(raw, records, style, request.source)
        names = _names(raw, records, DelimitedText(header=True), request.source)
    elif (
        style.header is not False and (records.widths[1:] == len(names) + 1).all() and len(records.widths) > 1
    ):
        names = ("", *names)  # R names the rows, but not the column that holds their names
        records.widths[0] += 1
    names, notes = usable_names(names, request)
    request = replace(request, notes=notes)
    if len(names) == 1 and style.delimiter is None and request.like is None:
        raise DataError(
            f"{request.source} has a single column, {names[0][:60]!r}; if its cells are separated by another "
            "character than comma, tab, semicolon, bar or blank, name it by ",
            Parameter("delimiter", "format=DelimitedText(delimiter=...)"),
            ".",
        )
    _refuse_ragged(raw, records, len(names), request.source)
    first = 0 if style.header is False else 1
    if len(records.starts) == first:
        raise DataError(f"{request.source} has a header but no rows.")
    roles = assign_roles(names, request)
    body = _body(raw, records, first)
    kept_as_text: Set[str] = roles.kept_as_text
    frame = _read(body, names, records, style, kept_as_text, request.source)
    if style.told is COMMA or any(has_marks(frame[name]) for name in text_features(frame, roles)):
        # In such a file a point may separate thousands, so cells with points are looked at as text too.
        kept_as_text |= {name for name, kind in frame.schema.items() if kind.is_float()}
        frame = _read(body, names, records, style, kept_as_text, request.source)
    return build_table(frame, roles, request, style.rules(delimiter))


def _transposed(raw: bytes, records: _Records, style: DelimitedText, source: str) -> tuple[bytes, _Records]:
    """Exchange lines and columns; what was the first line becomes the names of the rows."""

    widths = records.widths
    if len(widths) > 1 and (widths[1:] == widths[0] + 1).all():
        raw = raw[: records.starts[0]] + records.delimiter.encode() + raw[records.starts[0] :]
        records = _scan(raw, records.delimiter)
    _refuse_ragged(raw, records, int(records.widths[0]), source)
    names = tuple(str(number) for number in range(int(records.widths[0])))
    cells = _read(_body(raw, records, 0), names, records, style, set(names), source)
    # The corner is a name of nothing: what is below it are names of features.
    turned = cells.transpose()
    turned[0, 0] = ""
    raw = turned.write_csv(include_header=False).encode()
    return raw, _scan(raw, ",")


def _sniff(raw: bytes, format: str) -> str:
    """Return the delimiter that cuts the first lines into the most cells, equally many in each."""
    if format == "tsv" and b"\t" in raw.split(b"\n", 1)[0]:
        return "\t"
    end = -1
    for _ in range(_SNIFFED_LINES):
        end = raw.find(b"\n", end + 1)
        if end < 0:
            end = len(raw)
            break
    head = raw[:end]
    widths = {delimiter: _scan(head, delimiter).widths for delimiter in _DELIMITERS}
    even = {each: int(width[0]) for each, width in widths.items() if len(width) and np.ptp(width) == 0}
    if even.get(",", 1) > 1 and not re.search(rb"(?<![0-9]),|,(?![0-9])", head):
        # All commas stand between digits: if something else cuts the lines as well, they are decimal commas.
        even = {each: n_cells for each, n_cells in even.items() if each != "," and n_cells > 1} or even
    best = max(even, key=even.__getitem__, default=",")
    if even.get(best, 1) == 1:
        # No even cut: a ragged file. Go by the header line, so that the complaint is about the right rows.
        best = max(widths, key=lambda each: int(widths[each][0]) if len(widths[each]) else 0)
        if len(widths[best]) and widths[best][0] == 1 and b" " in head.split(b"\n", 1)[0].strip():
            return " "
    return best


def _scan(raw: bytes, delimiter: str) -> _Records:
    """Find the records of `raw` without parsing it: O(len(raw)), a few bytes of memory per byte."""
    codes = np.frombuffer(raw, dtype=np.uint8)
    is_break, is_delimiter = codes == ord("\n"), codes == ord(delimiter)
    quotes = np.flatnonzero(codes == ord('"'))
    # A file whose quotes never open a cell does not quote: 5" stands for five inches.
    before = codes[quotes - 1]
    is_quoted = bool(((quotes == 0) | (before == ord("\n")) | (before == ord(delimiter))).any())
    if is_quoted:
        # A doubled quote switches off and on again, so parity alone tells inside from outside.
        is_outside = ~np.logical_xor.accumulate(codes == ord('"'))
        is_break &= is_outside
        is_delimiter &= is_outside
    ends = np.flatnonzero(is_break)
    if not len(ends) or ends[-1] != len(raw) - 1:
        ends = np.append(ends, len(raw))
    starts = np.append(0, ends[:-1] + 1)
    counts = np.searchsorted(np.flatnonzero(is_delimiter), ends)
    widths = np.diff(counts, prepend=0) + 1
    is_filled = widths > 1
    for k in np.flatnonzero(~is_filled):
        is_filled[k] = bool(raw[starts[k] : ends[k]].strip())
    return _Records(delimiter, starts[is_filled], ends[is_filled], widths[is_filled], is_quoted)


def _names(raw: bytes, records: _Records, style: DelimitedText, source: str) -> tuple[str, ...]:
    if style.header is False:
        return tuple(f"column {k}" for k in range(1, int(records.widths[0]) + 1))
    import polars as pl

    line = raw[records.starts[0] : records.ends[0]].decode()
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if records.is_quoted else csv.QUOTE_NONE
    try:
        cells = next(csv.reader([line], delimiter=records.delimiter, quoting=quoting))
    except csv.Error as error:
        raise DataError(f"The header of {source} cannot be read: {error}.") from error
    names = tuple(without_guard(pl.Series([cell.strip() for cell in cells], dtype=pl.String)).to_list())
    if style.header is None and _looks_like_data(names):
        raise DataError(
            f"The first line of {source} looks like data, not like column names; add a line of names, say "
            "that there is none with ",
            Parameter("header=False", "format=DelimitedText(header=False)"),
            ", or that it is one with ",
            Parameter("header=True", "format=DelimitedText(header=True)"),
            ".",
        )
    return names


def _looks_like_data(names: tuple[str, ...]) -> bool:
    """Whether most names are numbers without a pattern.

    Numbers that are names follow one: 0, 1, 2 or 1990, 2000, 2010 or a long row of wavelengths.
    """
    numbers = []
    for name in names:
        with suppress(ValueError):
            numbers.append(float(name.replace(",", ".")))
    numbers = [number for number in numbers if isfinite(number)]
    if 2 * len(numbers) <= len(names) or len(numbers) < 2:
        return False
    steps = np.diff(numbers)
    is_even = bool(np.all(steps == steps[0])) and (steps[0] == 1.0 or (len(steps) > 1 and steps[0] != 0.0))
    is_ordered = len(steps) >= 4 and bool(np.all(steps > 0) or np.all(steps < 0))
    return not (is_even or is_ordered)


def _refuse_open_quote(raw: bytes, records: _Records, source: str) -> None:
    if records.is_quoted and raw.count(b'"') % 2:
        line = raw.count(b"\n", 0, int(records.starts[-1])) + 1
        raise DataError(f"{source} has a quote that is opened and never closed, near line {line}.")


def _refuse_ragged(raw: bytes, records: _Records, width: int, source: str) -> None:
    wrong = np.flatnonzero(records.widths != width)
    if len(wrong):
        line = raw.count(b"\n", 0, int(records.starts[wrong[0]])) + 1
        raise DataError(
            f"Line {line} of {source} has {records.widths[wrong[0]]} cells where {width} are expected."
        )


def _body(raw: bytes, records: _Records, first: int) -> bytes:
    starts, ends = records.starts[first:], records.ends[first:]
    if np.array_equal(starts[1:], ends[:-1] + 1):
        return raw[starts[0] : ends[-1]]
    return b"\n".join(raw[s:e] for s, e in zip(starts, ends, strict=True))


def _read(
    body: bytes,
    names: tuple[str, ...],
    records: _Records,
    style: DelimitedText,
    kept_as_text: Set[str],
    source: str,
) -> pl.DataFrame:
    """Let polars parse the cells; columns that are not numbers by nature are kept as text."""
    import polars as pl

    header = records.delimiter.join(str(number) for number in range(len(names)))
    try:
        frame = pl.read_csv(
            header.encode() + b"\n" + body,
            separator=records.delimiter,
            quote_char='"' if records.is_quoted else None,
            null_values=None if style.missing is None else list(style.missing),
            infer_schema_length=None,
            schema_overrides={str(k): pl.String for k, name in enumerate(names) if name in kept_as_text},
        )
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{source} cannot be read as a table: {str(error).splitlines()[0]}.") from error
    frame.columns = list(names)
    texts = [column for column in frame.get_columns() if column.dtype == pl.String]
    return frame.with_columns([without_guard(column) for column in texts])
