"""What the caller wants from a file, held against the names the file has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np

from infoprop._core._checks import refused
from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop.datasets._table import KINDS

OWNER = "load_table"
DEFAULT_TARGET = "class"
OWN_SPLIT = "split"
"""What parts of the rows answer to in a format that keeps them apart from its columns."""


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

    @property
    def declared(self) -> frozenset[str]:
        """Columns that are no numbers, whatever they look like."""
        return self.nominal | self.text


def check_request(request: Request) -> None:
    """Refuse parameters of the wrong type, whatever the file holds."""
    target: Any = request.target
    is_number = isinstance(target, Integral) and not isinstance(target, bool | np.bool_)
    if not (target is None or isinstance(target, str) or is_number):
        raise refused("target", OWNER, "a column name, a column number or None", target)
    split: Any = request.split
    if not (split is None or isinstance(split, str)):
        raise refused("split", OWNER, "a column name or None", split)
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
    for parameter, wanted in (("drop", request.drop), ("nominal", request.nominal), ("text", request.text)):
        for name in wanted:
            _find(name, names, parameter, request.source)
    if request.split is not None:
        _find(request.split, names, "split", request.source)
    target = _target(names, request)
    nominal, text = request.named("nominal", names), request.named("text", names)
    _refuse_two_roles(target, request)
    others = {target, request.split, *request.drop}
    features = tuple(name for name in names if name not in others)
    if not features:
        raise DataError(f"{request.source} has no feature columns beside the target {target!r}.")
    return Roles(target, request.split, features, frozenset(nominal), frozenset(text))


def _refuse_two_roles(target: str | None, request: Request) -> None:
    columns: dict[str, set[str | None]] = {
        "target": {target},
        "split": {request.split},
        "drop": set(request.drop),
        "nominal": set(request.nominal),
        "text": set(request.text),
    }
    # What is left out may be listed as a kind of name as well: there is nothing to decide.
    apart = [("target", other) for other in ("drop", "nominal", "text", "split")]
    apart += [("split", "drop"), ("split", "text"), ("nominal", "text")]
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
    if not is_split_known or request.nominal or request.text:
        given = {"split": not is_split_known, "nominal": request.nominal, "text": request.text}
        option = next(name for name, is_given in given.items() if is_given)
        raise ParameterError(
            f"{request.source} holds numbers only: it has neither a split column nor nominal or text ones; "
            "leave out ",
            Parameter(option),
            ".",
        )
    _refuse_unusable_names(names, request.source)
    for name in request.drop:
        _find(name, names, "drop", request.source)
    dropped = set(request.drop)
    features = tuple(name for name in names if name not in dropped)
    if not features:
        raise DataError(f"{request.source} has no feature columns.")
    return Roles(DEFAULT_TARGET, None, features, frozenset())


def _target(names: Sequence[str], request: Request) -> str | None:
    if isinstance(request.target, str):
        if request.like is not None and request.target not in names:
            return None
        return _find(request.target, names, "target", request.source)
    if request.target is not None:
        number = int(request.target)
        if not -len(names) <= number < len(names):
            raise ParameterError(
                f"{request.source} has {len(names)} columns, numbered from 0; there is no column {number}."
            )
        return names[number]
    candidates = [name for name in names if name != request.split and name not in set(request.drop)]
    if not candidates:
        raise DataError(f"{request.source} has no column left to be the target.")
    return DEFAULT_TARGET if DEFAULT_TARGET in candidates else candidates[-1]


def _find(name: str, names: Sequence[str], parameter: str, source: str) -> str:
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


def _refuse_unusable_names(names: Sequence[str], source: str) -> None:
    if "" in names:
        raise DataError(
            f"Column {list(names).index('') + 1} of {source} has no name; name it in the header or remove it."
        )
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        shown = ", ".join(repr(name) for name in repeated[:5]) + (", ..." if len(repeated) > 5 else "")
        raise DataError(f"{source} has more than one column named {shown}; column names must differ.")
