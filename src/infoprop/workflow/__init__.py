"""From a table to an answer: coded as numbers, judged, searched, explained, kept.

What the command line does, as a library. Nothing is imported until it is asked for: the parser of the command
line takes its words from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infoprop.workflow._analyse import analyse
    from infoprop.workflow._check import check_table
    from infoprop.workflow._check_result import TableCheck, TableFinding
    from infoprop.workflow._comparing import TableComparison, compare_table
    from infoprop.workflow._shaping import ShapingFinding, shape_table

_HOMES = {
    "Analysis": "_result",
    "ShapingFinding": "_shaping",
    "TableCheck": "_check_result",
    "TableComparison": "_comparing",
    "TableFinding": "_check_result",
    "analyse": "_analyse",
    "check_table": "_check",
    "compare_table": "_comparing",
    "shape_table": "_shaping",
}
"""Private module of every public name."""

__all__ = [
    "Analysis",
    "ShapingFinding",
    "TableCheck",
    "TableComparison",
    "TableFinding",
    "analyse",
    "check_table",
    "compare_table",
    "shape_table",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"infoprop.workflow.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'infoprop.workflow' has no attribute {name!r}")
