"""Tables in ARFF files, dense or sparse.

SciPy's reader takes neither sparse rows nor string attributes, hence a parser of our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from infoprop._core._exceptions import DataError, Parameter
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop.datasets._columns import build_table, dates_refused, labels_of, split_of
from infoprop.datasets._request import Request, Roles, assign_roles
from infoprop.datasets._source import decode
from infoprop.datasets._sparse import sparse_table

if TYPE_CHECKING:
    import polars as pl

    from infoprop._core._typing import CSRMatrix
    from infoprop.datasets._table import Table

Cell: TypeAlias = str | None
Row: TypeAlias = list[Cell]

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"""(?i)@attribute\s+(?P<name>{_QUOTED}|[^\s{{'"][^\s{{]*)\s*(?P<type>\S.*)$""")
_VALUE = re.compile(rf"""\s*(?P<value>{_QUOTED}|[^,'"][^,]*|)\s*(?P<end>,|$)""")
_PAIR = re.compile(rf"""\s*(?P<index>\d+)\s+(?P<value>{_QUOTED}|[^,'"][^,]*)\s*(?:,|$)""")
_WEIGHT = re.compile(r"[,}]\s*\{[\s\d.eE+-]*\}$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_TRUTH = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}
_BYTES_OF_CELL = 8
_TRUTH_DOMAINS = (frozenset({"0", "1"}), frozenset({"false", "true"}))


@dataclass(frozen=True)
class _Attribute:
    """A declared column. `values` are those of a nominal one, in order: the first is sparse ARFF's zero."""

    name: str
    kind: Literal["numeric", "nominal", "string", "date"]
    values: tuple[str, ...] = ()

    @property
    def is_truth(self) -> bool:
        """Whether a nominal attribute says true or false, and so is a number like any other boolean."""
        return frozenset(value.lower() for value in self.values) in _TRUTH_DOMAINS

    @property
    def default(self) -> Cell:
        """What a sparse row means by leaving the column out; for free text it means nothing."""
        if self.kind == "numeric":
            return "0"
        return self.values[0] if self.values else None


def read_arff(raw: bytes, request: Request) -> Table:
    """Read an ARFF file: numeric, nominal and string attributes, ``?`` for missing."""
    lines = _content(decode(raw, request.source))
    attributes = _header(lines, request.source)
    rows = list(lines)
    if not rows:
        raise DataError(f"{request.source} has a header but no rows.")
    roles = assign_roles([attribute.name for attribute in attributes], request)
    for number, line in rows:
        if line.endswith("}") and _WEIGHT.search(line):
            raise DataError(
                f"Line {number} of {request.source} has an instance weight, which cannot be read."
            )
    if rows[0][1].startswith("{"):
        return _sparse(rows, attributes, roles, request)
    cells = [_dense_row(number, line, len(attributes), request.source) for number, line in rows]
    by_column = dict(zip((each.name for each in attributes), zip(*cells, strict=True), strict=True))
    return build_table(_frame(attributes, by_column, roles, request.source), roles, request, rules=None)


def _content(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("%"):
            yield number, stripped


def _header(lines: Iterator[tuple[int, str]], source: str) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            if not attributes:
                raise DataError(f"{source} declares no attributes before @data.")
            return attributes
        if word == "@attribute":
            attributes.append(_attribute(line, number, source))
        elif word not in ("@relation", "@inputs", "@input", "@outputs", "@output"):
            raise DataError(f"Line {number} of {source} is not part of an ARFF header: {line[:40]!r}.")
    raise DataError(f"{source} is not an ARFF file: it has no @data line.")


def _attribute(line: str, number: int, source: str) -> _Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise DataError(f"Line {number} of {source} declares no readable attribute: {line[:40]!r}.")
    name, declared = _unquote(match["name"]), match["type"]
    if declared.startswith("{"):
        if not declared.rstrip().endswith("}"):
            raise DataError(f"Line {number} of {source} lacks the closing brace of attribute {name!r}.")
        values = _split(declared.rstrip()[1:-1], number, source)
        return _Attribute(name, "nominal", tuple(value or "?" for value in values))
    kind = declared.split(None, 1)[0].split("[")[0].lower()
    if kind in ("numeric", "real", "integer"):
        return _Attribute(name, "numeric")
    if kind == "string":
        return _Attribute(name, "string")
    if kind == "date":
        return _Attribute(name, "date")
    raise DataError(f"Attribute {name!r} of {source} has type {kind!r}, which cannot be read.")


def _unquote(token: str) -> str:
    if token[:1] in ("'", '"'):
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), token[1:-1])
    return token.strip()


def _split(line: str, number: int, source: str) -> Row:
    """Return the cells of a line; an unquoted question mark is None."""
    if "'" not in line and '"' not in line:
        cells = line.split(",") if "," in line else line.split("\t") if "\t" in line else line.split()
        return [None if cell.strip() == "?" else cell.strip() for cell in cells]
    parts: Row = []
    position = 0
    while True:
        match = _VALUE.match(line, position)
        if match is None:
            raise DataError(f"Line {number} of {source} has a quote that is never closed.")
        token = match["value"]
        parts.append(None if token.strip() == "?" else _unquote(token))
        if not match["end"]:
            return parts
        position = match.end()


def _dense_row(number: int, line: str, width: int, source: str) -> Row:
    if line.startswith("{"):
        raise DataError(f"Line {number} of {source} is a sparse row among dense ones.")
    cells = _split(line, number, source)
    if len(cells) != width:
        raise DataError(f"Line {number} of {source} has {len(cells)} cells where {width} are expected.")
    return cells


def _frame(
    attributes: Sequence[_Attribute], by_column: Mapping[str, Sequence[Cell]], roles: Roles, source: str
) -> pl.DataFrame:
    import polars as pl

    wanted = {roles.target, roles.split, *roles.features}
    return pl.DataFrame(
        [_column(each, by_column[each.name], roles, source) for each in attributes if each.name in wanted]
    )


def _column(attribute: _Attribute, cells: Sequence[Cell], roles: Roles, source: str) -> pl.Series:
    """Return one column with the type it was declared with."""
    import polars as pl

    column = pl.Series(attribute.name, cells, dtype=pl.String)
    is_feature = attribute.name not in (roles.target, roles.split)
    if attribute.kind == "nominal":
        _refuse_undeclared(column, attribute, source)
        if is_feature and attribute.is_truth and attribute.name not in roles.declared:
            return column.str.to_lowercase().replace_strict(_TRUTH, default=None, return_dtype=pl.Float64)
    if attribute.kind == "date" and is_feature and attribute.name not in roles.declared:
        raise dates_refused(attribute.name, source)
    if attribute.kind == "numeric" and attribute.name not in roles.declared:
        numbers = column.cast(pl.Float64, strict=False)
        _refuse_cells(column, numbers.is_null() & column.is_not_null(), "not a number as declared", source)
        is_whole = not is_feature and numbers.is_finite().all() and (numbers == numbers.round(0)).all()
        return numbers.cast(pl.Int64) if is_whole else numbers
    return column


def _refuse_undeclared(column: pl.Series, attribute: _Attribute, source: str) -> None:
    is_undeclared = ~column.is_in(list(attribute.values)).fill_null(True)
    _refuse_cells(column, is_undeclared, "not among its declared values", source)


def _refuse_cells(column: pl.Series, is_wrong: pl.Series, fault: str, source: str) -> None:
    if is_wrong.any():
        row = int(is_wrong.arg_max() or 0)
        raise DataError(
            f"Column {column.name!r} of {source} has {column[row]!r} in row {row + 1}, which is {fault}."
        )


def _sparse(
    rows: list[tuple[int, str]], attributes: list[_Attribute], roles: Roles, request: Request
) -> Table:
    """Read sparse rows into CSR if every feature is a number whose default is 0, else into a frame."""
    entries = _entries(rows, len(attributes), request.source)
    by_name = {attribute.name: k for k, attribute in enumerate(attributes)}

    def column(name: str) -> pl.Series:
        attribute = attributes[by_name[name]]
        cells: Row = [attribute.default] * len(rows)
        for row, cell in entries[by_name[name]]:
            cells[row] = cell
        return _column(attribute, cells, roles, request.source)

    features = [attributes[by_name[name]] for name in roles.features]
    if not all(_is_sparse_number(feature, roles) for feature in features):
        import polars as pl

        _refuse_dense(len(rows), len(roles.features), request.source)
        names = [name for name in (*roles.features, roles.target, roles.split) if name is not None]
        return build_table(pl.DataFrame([column(name) for name in names]), roles, request, rules=None)
    X = _csr(features, [entries[by_name[each.name]] for each in features], len(rows), request.source)
    split = None if roles.split is None else split_of(column(roles.split), request.source)
    target = None if roles.target is None else column(roles.target)
    return sparse_table(X, labels_of(target, len(rows), request, None), roles, request, split)


def _refuse_dense(n_rows: int, n_features: int, source: str) -> None:
    """Sparse rows are short; with every cell filled in they may be longer than memory."""
    if not fits_in_memory(n_rows * n_features * _BYTES_OF_CELL):
        raise DataError(
            f"{source} has {n_rows:,} sparse rows of {n_features:,} attributes, not all of them numeric, and "
            f"such a table is held with all its cells, which takes more than {memory_words()}; declare the "
            "attributes numeric, or leave out those that are not with ",
            Parameter("drop"),
            ".",
        )


def _is_sparse_number(attribute: _Attribute, roles: Roles) -> bool:
    if attribute.name in roles.declared:
        return False
    return attribute.kind == "numeric" or (attribute.is_truth and _TRUTH[attribute.values[0].lower()] == 0.0)


def _entries(rows: list[tuple[int, str]], width: int, source: str) -> list[list[tuple[int, Cell]]]:
    """Return for every column its (row, cell) pairs."""
    entries: list[list[tuple[int, Cell]]] = [[] for _ in range(width)]
    for row, (number, line) in enumerate(rows):
        if not (line.startswith("{") and line.endswith("}")):
            raise DataError(f"Line {number} of {source} is not in braces as the sparse rows before it are.")
        content, position, last = line[1:-1].strip(), 0, -1
        while position < len(content):
            match = _PAIR.match(content, position)
            index = int(match["index"]) if match else -1
            if match is None or not last < index < width:
                raise DataError(
                    f"Line {number} of {source} needs increasing 'number value' pairs below {width}. "
                    f"Got {content[position : position + 30]!r}."
                )
            token = match["value"]
            entries[index].append((row, None if token.strip() == "?" else _unquote(token)))
            position, last = match.end(), index
    return entries


def _csr(
    features: Sequence[_Attribute], entries: list[list[tuple[int, Cell]]], n_rows: int, source: str
) -> CSRMatrix:
    from scipy import sparse

    rows = [row for column in entries for row, _ in column]
    columns = np.repeat(np.arange(len(entries)), [len(column) for column in entries])
    values = np.empty(len(rows))
    position = 0
    for feature, column in zip(features, entries, strict=True):
        for row, cell in column:
            values[position] = _number(feature, cell, row, source)
            position += 1
    return sparse.csr_matrix((values, (rows, columns)), shape=(n_rows, len(features)))


def _number(attribute: _Attribute, cell: Cell, row: int, source: str) -> float:
    if cell is None:
        return np.nan
    try:
        return float(cell) if attribute.kind == "numeric" else _TRUTH[cell.lower()]
    except (ValueError, KeyError) as error:
        raise DataError(
            f"Column {attribute.name!r} of {source} has {cell!r} in row {row + 1}, "
            "which is not a number as declared."
        ) from error
