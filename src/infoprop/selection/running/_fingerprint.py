"""Fingerprint of a search: data, settings and libraries, part by part, so that a difference can be named."""

import hashlib
import types
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import partial
from pickle import PicklingError
from typing import Any

import joblib
import narwhals as nw
import numba
import numpy as np
import scipy
import sklearn
from scipy import sparse

import infoprop
from infoprop.selection._containers import is_frame

# How a search is run and watched changes nothing in what it finds.
NEUTRAL_PARAMETERS = frozenset({"n_jobs", "verbose", "checkpoint", "time_limit"})


def fingerprint(**parts: Any) -> str:
    """Return ``name=digest`` for each part, and for the versions of the libraries, separated by spaces.

    A part with `get_params` (a selector, a classifier) gives one entry per parameter, a dataclass one per
    field; the parameters `n_jobs`, `verbose`, `checkpoint` and `time_limit` do not count, at any depth. Equal
    values give equal digests in every process; numbers count with their type, since float32 rows train other
    machines than float64 rows.

    Examples
    --------
    >>> import numpy as np
    >>> one, other = (fingerprint(X=np.eye(2), y=[0, 1], step=step) for step in (1, 2))
    >>> differing_parts(one, other)
    ['step']
    """
    entries: dict[str, Any] = {}
    for name, value in parts.items():
        entries |= _entries(name, value)
    entries["libraries"] = [library.__version__ for library in (infoprop, np, scipy, sklearn, numba)]
    return " ".join(f"{name}={_digest(value)}" for name, value in entries.items())


def differing_parts(one: str, other: str) -> list[str]:
    """Names of the parts in which two fingerprints differ."""
    first, second = (dict(entry.split("=") for entry in text.split()) for text in (one, other))
    names = list(first) + [name for name in second if name not in first]
    return [name for name in names if first.get(name) != second.get(name)]


def _entries(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, type):
        return {name: value}
    if hasattr(value, "get_params"):
        held = _parameters(value)
    elif is_dataclass(value):
        held = _fields(value)
    else:
        return {name: value}
    return {name: type(value)} | {f"{name}.{key}": part for key, part in held.items()}


def _parameters(estimator: Any) -> dict[str, Any]:
    own = estimator.get_params(deep=False)
    return {name: own[name] for name in sorted(own) if name not in NEUTRAL_PARAMETERS}


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _digest(value: Any) -> str:
    state = hashlib.blake2b(digest_size=8)
    _feed(state, value)
    return state.hexdigest()


def _feed(state: Any, value: Any) -> None:
    """Add to the hash what `value` is and what it holds, each preceded by its length."""
    kind, contents = _parts_of(value)
    state.update(f"{kind}:{len(contents)};".encode())
    for content in contents:
        if isinstance(content, bytes | memoryview):
            state.update(f"{len(content)};".encode())
            state.update(content)
        else:
            _feed(state, content)


def _parts_of(value: Any) -> tuple[str, Sequence[Any]]:
    """Kind of a value, and what it is made of: bytes, or values to be taken apart in turn."""
    if value is None or isinstance(value, bool | int | float | complex | np.generic):
        return type(value).__name__, [repr(value).encode()]
    if isinstance(value, str | bytes):
        return type(value).__name__, [
            value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        ]
    if isinstance(value, np.ndarray):
        return _parts_of_array(value)
    if sparse.issparse(value):
        rows = value.tocsr()
        return "csr", [rows.shape, rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data]
    if is_frame(value):
        return _parts_of_frame(value)
    if isinstance(value, Mapping):
        return "mapping", list(value.items())
    if isinstance(value, Set):
        return "set", sorted(_digest(item).encode() for item in value)
    if isinstance(value, list | tuple | range):
        return "sequence", list(value)
    return _parts_of_object(value)


def _parts_of_array(value: np.ndarray[Any, Any]) -> tuple[str, Sequence[Any]]:
    if value.dtype.hasobject:
        return "objects", [value.shape, value.ravel().tolist()]
    return value.dtype.str, [value.shape, np.ascontiguousarray(value).reshape(-1).view(np.uint8).data]


def _parts_of_frame(value: Any) -> tuple[str, Sequence[Any]]:
    frame = nw.from_native(value, eager_only=True)
    columns = [(column.name, str(column.dtype), column.to_numpy()) for column in frame.iter_columns()]
    return "frame", [frame.shape, columns]


def _parts_of_object(value: Any) -> tuple[str, Sequence[Any]]:
    if isinstance(value, type):
        return "type", [value.__module__, value.__qualname__]
    if isinstance(value, types.FunctionType):
        code = value.__code__
        constants = [constant for constant in code.co_consts if not isinstance(constant, types.CodeType)]
        return "function", [value.__module__, value.__qualname__, code.co_code, constants, value.__defaults__]
    if isinstance(value, partial):
        return "partial", [value.func, value.args, value.keywords]
    if isinstance(value, np.random.RandomState):
        return "RandomState", [value.get_state(legacy=False)]
    if hasattr(value, "get_params"):
        return "estimator", [type(value), _parameters(value)]
    if is_dataclass(value):
        return "dataclass", [type(value), _fields(value)]
    return "other", [type(value), _pickle_digest(value)]


def _pickle_digest(value: Any) -> str | None:
    try:
        return str(joblib.hash(value))
    except (TypeError, AttributeError, PicklingError):
        # A generator of splits, for one: the splits that it gave are a part of their own.
        return None
