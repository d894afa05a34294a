"""What every page can do: be written to a file, in any of its forms."""

import json
from abc import ABC, abstractmethod
from importlib.resources import files
from pathlib import Path
from typing import Any

from infoprop._core._writing import write_text


class WrittenPage(ABC):
    """A page that is made of numbers alone: the same numbers give the same bytes."""

    @abstractmethod
    def html(self) -> str:
        """The page as HTML text."""

    @abstractmethod
    def json(self) -> str:
        """Every number of the page as JSON text."""

    @abstractmethod
    def markdown(self) -> str:
        """The words and tables of the page as Markdown text."""

    def write_html(self, path: str | Path) -> Path:
        """Write the page to `path` and return where it lies."""
        return _write(path, self.html())

    def write_json(self, path: str | Path) -> Path:
        """Write the numbers to `path` and return where they lie."""
        return _write(path, self.json())

    def write_markdown(self, path: str | Path) -> Path:
        """Write words and tables to `path` and return where they lie."""
        return _write(path, self.markdown())


def json_text(plain: dict[str, Any]) -> str:
    """Plain numbers and words as JSON, unrounded: a line for each field and for each entry of a long list."""
    fields = (f"  {_line(name)}: {_lines(value)}" for name, value in plain.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _lines(value: object) -> str:
    if isinstance(value, dict) and any(isinstance(part, list) for part in value.values()):
        fields = (f"    {_line(name)}: {_line(part)}" for name, part in value.items())
        return "{\n" + ",\n".join(fields) + "\n  }"
    is_long = isinstance(value, list | tuple) and len(value) > 0 and isinstance(value[0], dict | list | tuple)
    if not is_long or not isinstance(value, list | tuple):
        return _line(value)
    return "[\n    " + ",\n    ".join(map(_line, value)) + "\n  ]"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def schema_of_reports() -> dict[str, Any]:
    """The JSON Schema of reports, with the parts that other pages have in common with them."""
    text = files("infoprop.report").joinpath("report_schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _write(path: str | Path, text: str) -> Path:
    write_text(path, text)
    return Path(path)
