"""From a table to an answer: coded as numbers, judged, searched, explained, kept.

What the command line does, as a library. Nothing is imported until it is asked for: the parser of the command
line takes its words from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infoprop.workflow._check import check_table
    from infoprop.workflow._check_result import TableCheck, TableFinding

_HOMES = {
    "TableCheck": "_check_result",
    "TableFinding": "_check_result",
    "check_table": "_check",
}
"""Private module of every public name."""

__all__ = ["TableCheck", "TableFinding", "check_table"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"infoprop.workflow.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'infoprop.workflow' has no attribute {name!r}")
