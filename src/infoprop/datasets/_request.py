"""What the caller wants from a file, held against the names the file has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np

from infoprop._core._checks import refused
from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop.datasets._dates import DATE_PARTS
from infoprop.datasets._table import KINDS

OWNER = "load_table"
DEFAULT_TARGET = "class"
ROW_NAMES = "row names"
"""What a first column without a name is called: R and pandas write the names of the rows there."""
OWN_SPLIT = "split"
"""What parts of the rows answer to in a format that keeps them apart from its columns."""
_NAMES_SHOWN = 5


@dataclass(frozen=True)
class Request:
    """Parameters of `load_table` that every reader needs."""

    source: str
    format: str
    target: str | int | None
    split: str | None
    nominal: tuple[str, ...]
    drop: tuple[str, ...]
    text: tuple[str, ...] = ()
    like: Mapping[str, str] | None = None
    numeric: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    identifier: str | None = None
    row_groups: str | None = None
    is_raw: bool = False
    """Whether the cells are wanted as they are, to be looked at; no column is refused then."""
    notes: tuple[str, ...] = ()
    """What the reader has decided before it knew the columns."""

    def named(self, kind: str, names: Sequence[str]) -> tuple[str, ...]:
        """Columns that are of a kind because the caller says so, or because an earlier table has it so."""
        listed: tuple[str, ...] = getattr(self, kind)
        there = set(names)
        return (*listed, *(name for name, its in (self.like or {}).items() if its == kind and name in there))


@dataclass(frozen=True)
class Roles:
    """Which column is what; a column in none of the roles is left out. `target` is None if there is none."""

    target: str | None
    split: str | None
    features: tuple[str, ...]
    nominal: frozenset[str]
    text: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    identifier: str | None = None
    row_groups: str | None = None

    @property
    def declared(self) -> frozenset[str]:
        """Columns that are no numbers, whatever they look like."""
        return self.nominal | self.text

    @property
    def kept_as_text(self) -> frozenset[str]:
        """Columns whose cells are looked at as they are written."""
        apart = (self.target, self.split, self.identifier, self.row_groups)
        return self.declared | self.dates | frozenset(name for name in apart if name is not None)


def check_request(request: Request) -> None:
    """Refuse parameters of the wrong type, whatever the file holds."""
    target: Any = request.target
    is_number = isinstance(target, Integral) and not isinstance(target, bool | np.bool_)
    if not (target is None or isinstance(target, str) or is_number):
        raise refused("target", OWNER, "a column name, a column number or None", target)
    for parameter in ("split", "identifier", "row_groups"):
        value: Any = getattr(request, parameter)
        if not (value is None or isinstance(value, str)):
            raise refused(parameter, OWNER, "a column name or None", value)
    like: Any = request.like
    if like is not None and not (isinstance(like, Mapping) and set(like.values()) <= set(KINDS)):
        raise refused("like", OWNER, "the columns of a table: names and kinds, or None", like)
    if like is not None and not isinstance(target, str):
        raise refused("target", OWNER, "the name of a column if 'like' is given", target)


def check_names(name: str, value: Any) -> tuple[str, ...]:
    """Return the column names in `value`, the parameter `name` of load_table."""
    if isinstance(value, Collection) and not isinstance(value, str):
        names = tuple(value)
        if all(isinstance(each, str) for each in names):
            return names
    raise refused(name, OWNER, "a list of column names", value)


def assign_roles(names: Sequence[str], request: Request) -> Roles:
    """Find every column the caller names, or say which one is not there."""
    _refuse_unusable_names(names, request.source)
    for parameter in ("drop", "nominal", "text", "numeric", "dates"):
        for name in getattr(request, parameter):
            find_column(name, names, parameter, request.source)
    for parameter in ("split", "identifier", "row_groups"):
        if getattr(request, parameter) is not None:
            find_column(getattr(request, parameter), names, parameter, request.source)
    identifier = ROW_NAMES if request.identifier is None and ROW_NAMES in names else request.identifier
    target = _target(names, request)
    nominal, text = request.named("nominal", names), request.named("text", names)
    _refuse_two_roles(target, request)
    dates = frozenset(request.dates) | _dates_of(names, request.like)
    others = {target, request.split, identifier, request.row_groups, *request.drop}
    features = tuple(name for name in names if name not in others)
    if not features:
        raise DataError(f"{request.source} has no feature columns beside the target {target!r}.")
    kinds = (frozenset(nominal), frozenset(text), frozenset(request.numeric), dates)
    return Roles(target, request.split, features, *kinds, identifier, request.row_groups)


def _dates_of(names: Sequence[str], like: Mapping[str, str] | None) -> frozenset[str]:
    """Columns of dates whose parts an earlier table has."""
    whole = {name.rpartition(".")[0] for name in like or () if name.rpartition(".")[2] in DATE_PARTS}
    return frozenset((whole & set(names)) - set(like or ()))


def _refuse_two_roles(target: str | None, request: Request) -> None:
    columns: dict[str, set[str | None]] = {
        "target": {target},
        "split": {request.split},
        "drop": set(request.drop),
        "nominal": set(request.nominal),
        "text": set(request.text),
        "numeric": set(request.numeric),
        "dates": set(request.dates),
        "identifier": {request.identifier},
        "row_groups": {request.row_groups},
    }
    # What is left out may be listed as a kind of name as well: there is nothing to decide.
    kinds = ("nominal", "text", "numeric", "dates")
    apart = [("target", other) for other in ("drop", *kinds, "split", "identifier", "row_groups")]
    apart += [("split", "drop"), ("split", "text"), *combinations(kinds, 2)]
    # One row a group is what an identifier means; a part of the rows is no group of them.
    apart += [(one, other) for one in ("identifier", "row_groups") for other in ("split", *kinds)]
    apart += [("row_groups", "identifier")]
    for one, other in apart:
        for name in sorted(filter(None, columns[one] & columns[other])):
            raise ParameterError(
                f"Column {name!r} of {request.source} cannot be both ",
                Parameter(one, one),
                " and ",
                Parameter(other, other),
                ".",
            )


def own_label_roles(names: Sequence[str], request: Request, *, has_split: bool = False) -> Roles:
    """Roles in a format that keeps its labels apart from its columns, which all are numeric.

    The parts of the rows lie apart as well, under the name split, if `has_split`.
    """
    if request.target not in (None, DEFAULT_TARGET) and request.like is None:
        raise ParameterError(
            f"{request.source} holds its labels apart from its columns; leave ",
            Parameter("target", "the target"),
            f" unset. Got {request.target!r}.",
        )
    is_split_known = request.split is None or (has_split and request.split == OWN_SPLIT)
    columns = ("nominal", "text", "numeric", "dates", "identifier", "row_groups")
    given = {"split": not is_split_known, **{name: bool(getattr(request, name)) for name in columns}}
    option = next((name for name, is_given in given.items() if is_given), None)
    if option is not None:
        raise ParameterError(
            f"{request.source} holds numbers only: it has neither a split column nor nominal or text ones; "
            "leave out ",
            Parameter(option),
            ".",
        )
    _refuse_unusable_names(names, request.source)
    for name in request.drop:
        find_column(name, names, "drop", request.source)
    dropped = set(request.drop)
    features = tuple(name for name in names if name not in dropped)
    if not features:
        raise DataError(f"{request.source} has no feature columns.")
    return Roles(DEFAULT_TARGET, None, features, frozenset())


def _target(names: Sequence[str], request: Request) -> str | None:
    if isinstance(request.target, str):
        if request.like is not None and request.target not in names:
            return None
        return find_column(request.target, names, "target", request.source)
    if request.target is not None:
        number = int(request.target)
        if not -len(names) <= number < len(names):
            raise ParameterError(
                f"{request.source} has {len(names)} columns, numbered from 0; there is no column {number}."
            )
        return names[number]
    others = {request.split, request.identifier, request.row_groups, ROW_NAMES, *request.drop}
    candidates = [name for name in names if name not in others]
    if not candidates:
        raise DataError(f"{request.source} has no column left to be the target.")
    return DEFAULT_TARGET if DEFAULT_TARGET in candidates else candidates[-1]


def find_column(name: str, names: Sequence[str], parameter: str, source: str) -> str:
    """Return `name`, which the caller gave as `parameter`, if it is among `names`."""
    if name in names:
        return name
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        hint = f"did you mean {' or '.join(repr(each) for each in close)}?"
    else:
        shown = ", ".join(repr(each) for each in names[:6])
        hint = f"its columns are {shown}{', ...' if len(names) > 6 else ''}."
    asked = Parameter(parameter, f"asked for as {parameter}")
    raise ParameterError(f"{source} has no column {name!r} (", asked, f"); {hint}")


def usable_names(names: Sequence[str], request: Request) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names that differ, and what had to be done for it in words.

    A first column without a name holds the names of the rows. Of equal names, as genes have in most
    collections, the second gets ".2" behind it, the third ".3"; labels that lie in two columns are refused.

    >>> request = Request("genes.csv", "csv", None, None, (), ())
    >>> usable_names(["", "TP53", "TP53", "class"], request)[0]
    ('row names', 'TP53', 'TP53.2', 'class')
    """
    notes = []
    found = list(names)
    if found and found[0] == "" and ROW_NAMES not in found:
        found[0] = ROW_NAMES
        notes.append("the first column has no name and is taken for the names of the rows")
    counts = Counter(found)
    repeated = [name for name, count in counts.items() if count > 1 and name]
    if not repeated:
        return tuple(found), tuple(notes)
    target = DEFAULT_TARGET if request.target is None else request.target
    if target in repeated and not request.is_raw:
        raise DataError(
            f"{request.source} has more than one column named {target!r}, which is to hold the labels; "
            "rename all but one."
        )
    taken, numbers = set(found), Counter[str]()
    for place, name in enumerate(found):
        numbers[name] += 1
        if numbers[name] > 1 and name:
            while (other := f"{name}.{numbers[name]}") in taken:
                numbers[name] += 1
            found[place] = other
            taken.add(other)
    shown = ", ".join(repr(name) for name in repeated[:_NAMES_SHOWN])
    more = f" and {len(repeated) - _NAMES_SHOWN:,} more" if len(repeated) > _NAMES_SHOWN else ""
    first = repeated[0]
    second = next(new for new, old in zip(found, names, strict=True) if old == first != new)
    notes.append(f"more than one column is named {shown}{more}; the second {first!r} is called {second!r}")
    return tuple(found), tuple(notes)


def _refuse_unusable_names(names: Sequence[str], source: str) -> None:
    if "" in names:
        raise DataError(
            f"Column {list(names).index('') + 1} of {source} has no name; name it in the header or remove it."
        )
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        shown = ", ".join(repr(name) for name in repeated[:5]) + (", ..." if len(repeated) > 5 else "")
        raise DataError(f"{source} has more than one column named {shown}; column names must differ.")
