"""Objects as the Python that makes them, with the imports they need."""

from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

_WIDTH = 96
_INDENT = "    "


class Script:
    """Lines of Python, and the imports that they need.

    Parameters
    ----------
    known : mapping of str to object
        Variables: where one of these very objects is a parameter, its name is written.
    """

    def __init__(self, **known: object) -> None:
        self.known = known
        self._imports: dict[str, set[str]] = {}
        self._lines: list[str] = []

    def add(self, *lines: str) -> None:
        """Append lines; an empty one separates paragraphs."""
        self._lines.extend(lines)

    def name_of(self, thing: Any) -> str:
        """Name of a class or function, which is imported from the public module that offers it."""
        return self.imported(_public_module(thing.__module__), thing.__name__)

    def imported(self, module: str, name: str) -> str:
        """`name`, imported from `module`."""
        self._imports.setdefault(module, set()).add(name)
        return name

    def text(self) -> str:
        """The whole script: imports of others, then infoprop's, then the lines."""
        ordered = sorted(self._imports, key=lambda module: (module.startswith("infoprop"), module))
        imports = [_import(module, sorted(self._imports[module])) for module in ordered]
        return "\n".join([*imports, "", *self._lines]) + "\n"

    def written(self, value: Any) -> str:
        """Python that makes `value`: an estimator with what differs from its defaults, or a plain value."""
        for name, object_ in self.known.items():
            if value is object_:
                return name
        if isinstance(value, Pipeline):
            return call(
                self.imported("sklearn.pipeline", "make_pipeline"),
                [self.written(step) for _, step in value.steps],
            )
        if isinstance(value, BaseEstimator):
            return call(self.name_of(type(value)), self._arguments(value))
        if isinstance(value, list):
            return _listed([self.written(entry) for entry in value])
        if isinstance(value, dict):
            pairs = (f"{self.written(key)}: {self.written(entry)}" for key, entry in value.items())
            return f"{{{', '.join(pairs)}}}"
        if is_dataclass(value) and not isinstance(value, type):
            self.name_of(type(value))
        if isinstance(value, np.generic):
            return repr(value.item())
        return quoted(str(value)) if isinstance(value, str | Path) else repr(value)

    def _arguments(self, estimator: BaseEstimator) -> list[str]:
        """Parameters that differ from their defaults; those that need no name have none."""
        told: list[str] = []
        for name, parameter in signature(type(estimator)).parameters.items():
            value = getattr(estimator, name)
            if not _is_default(value, parameter.default):
                is_plain = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD and not told
                told.append(self.written(value) if is_plain else f"{name}={self.written(value)}")
        return told


def call(name: str, arguments: Iterable[str]) -> str:
    """A call, on one line if it fits."""
    told = list(arguments)
    line = f"{name}({', '.join(told)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    inner = [f"{_INDENT}{argument}".replace("\n", f"\n{_INDENT}") for argument in told]
    return "\n".join([f"{name}(", *(f"{argument}," for argument in inner), ")"])


def _listed(entries: Sequence[str]) -> str:
    line = f"[{', '.join(entries)}]"
    if len(line) <= _WIDTH - len(_INDENT):
        return line
    return "\n".join(["[", *(f"{_INDENT}{entry}," for entry in entries), "]"])


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"{_INDENT}{name}," for name in names), ")"])


def quoted(text: str) -> str:
    """A string in double quotes, as Python reads it."""
    single = repr(text)
    return single if '"' in text or "'" in text or single[0] != "'" else f'"{single[1:-1]}"'


def assigned(name: str, value: str) -> Sequence[str]:
    """The lines of an assignment."""
    return f"{name} = {value}".split("\n")


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and isinstance(value, int | float | str | tuple) and value == default


def _public_module(module: str) -> str:
    """The module of a private file: what comes before the first name that begins with an underscore.

    Of infoprop the package itself, such as ``infoprop.selection``: what is inside of it is not public.
    """
    parts = module.split(".")
    if parts[0] == "infoprop":
        return ".".join(parts[:2])
    n_public = next((k for k, part in enumerate(parts) if part.startswith("_")), len(parts))
    return ".".join(parts[:n_public])
