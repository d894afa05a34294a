"""Parameter checks. One sentence each: which parameter, what it must be, what was got."""

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

from infoprop._core._exceptions import Parameter, ParameterError


def refused(name: str, owner: str, must: str, got: Any) -> ParameterError:
    """Return the error for the parameter `name` of `owner`, which must be something else than it is."""
    return ParameterError(
        Parameter(name, f"The {name!r} parameter of {owner}"), f" must be {must}. Got {got!r}."
    )


def check_choice(name: str, value: Any, choices: Collection[Any], owner: str) -> Any:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str | bool | None) or value not in choices:
        words = ", ".join(repr(choice) for choice in choices)
        raise refused(name, owner, f"one of {words}", value)
    return value


def check_number(
    name: str,
    value: Any,
    owner: str,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    low_open: bool = False,
    high_open: bool = False,
) -> float:
    """Return `value` as a float if it is a finite number in the interval."""
    inside = (
        isinstance(value, Real)
        and not _is_boolean(value)
        and np.isfinite(float(value))
        and (float(value) > low if low_open else float(value) >= low)
        and (float(value) < high if high_open else float(value) <= high)
    )
    if not inside:
        must = "a finite number" + _interval(low, high, low_open, high_open)
        raise refused(name, owner, must, value)
    return float(value)


def check_integer(
    name: str, value: Any, owner: str, *, low: int | None = None, high: int | None = None
) -> int:
    """Return `value` as an int if it is a whole number with `low <= value <= high`."""
    inside = (
        isinstance(value, Integral)
        and not _is_boolean(value)
        and (low is None or int(value) >= low)
        and (high is None or int(value) <= high)
    )
    if not inside:
        bounds = _interval(-np.inf if low is None else low, np.inf if high is None else high, False, False)
        raise refused(name, owner, "a whole number" + bounds, value)
    return int(value)


def check_boolean(name: str, value: Any, owner: str) -> bool:
    """Return `value` if it is True or False."""
    if not _is_boolean(value):
        raise refused(name, owner, "True or False", value)
    return bool(value)


def _is_boolean(value: Any) -> bool:
    # Python counts True as a number; a parameter never means it that way.
    return isinstance(value, bool | np.bool_)


def _interval(low: float, high: float, low_open: bool, high_open: bool) -> str:
    parts = []
    if np.isfinite(low):
        parts.append(f"{'>' if low_open else '>='} {low:g}")
    if np.isfinite(high):
        parts.append(f"{'<' if high_open else '<='} {high:g}")
    return " " + " and ".join(parts) if parts else ""
