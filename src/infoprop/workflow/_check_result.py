"""What a check of a table has found."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from infoprop._core._frames import to_native_frame

Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

_OPTIONS = {
    "drop": "--drop",
    "identifier": "--id",
    "numeric": "--numeric",
    "nominal": "--nominal",
    "thousands": "--thousands",
    "dates": "--date",
    "text": "--text",
    "impute": "--impute",
    "class_weight": "--class-weight",
}
"""Options of the command line, by the parameters of `load_table`, `DelimitedText` and `analyse`."""
_MISLEADING = ("identifier", "number as text", "spelling", "leak", "imbalance")
"""What a command goes on with, and may be misled by."""
_HINTS = {"imbalance": "; --class-weight balanced lets it count as much as the others"}
_BRIEF = 4
_NAMES_SHOWN = 3


@dataclass(frozen=True)
class TableFinding:
    """One thing that is wrong or suspicious.

    Attributes
    ----------
    kind : str
        "identifier", "constant", "empty", "date", "number as text", "commas", "mixed", "spelling",
        "categories", "text", "missing", "infinite", "unreadable", "duplicate rows", "contradiction", "name",
        "leak", "class", "imbalance", "small class" or "unlabelled".
    columns : tuple of str
        Where it is; empty if it is about whole rows.
    severity : {"error", "warning", "note"}
        Whether other commands refuse it, may be misled by it, or need not care.
    seen : str
        What was seen, with examples.
    advice : str
        What to do.
    rows : tuple of int
        Numbers of some rows where it is, from 1.
    parameter, value : str
        Parameter of :func:`infoprop.datasets.load_table` that deals with it, or "thousands", "impute" or
        "class_weight", and what it is set to where that is not the columns; empty if there is none.

    Examples
    --------
    >>> import polars as pl
    >>> from infoprop.workflow import check_table
    >>> frame = pl.DataFrame({"unit": ["kg"] * 12, "class": ["a", "b"] * 6})
    >>> finding = check_table(frame).findings[0]
    >>> finding.kind, finding.columns, finding.seen
    ('constant', ('unit',), "'kg' in every row")
    """

    kind: str
    columns: tuple[str, ...]
    severity: Severity
    seen: str
    advice: str
    rows: tuple[int, ...] = ()
    parameter: str = ""
    value: str = ""

    @property
    def column_words(self) -> str:
        """The columns as part of a table; of many only the first."""
        shown = ", ".join(self.columns[:_NAMES_SHOWN])
        more = len(self.columns) - _NAMES_SHOWN
        return f"{shown} and {more:,} more" if more > 0 else shown


@dataclass(frozen=True)
class TableCheck:
    """What :func:`check_table` found.

    Attributes
    ----------
    source : str
        The file, or "table".
    target : str
        Name of the column that holds the classes.
    n_rows, n_columns : int
        Size of the table, the target not counted.
    classes : dict of str to int
        Number of rows of every class, the most frequent first.
    findings : tuple of TableFinding
        The most severe first.
    identifiers : tuple of str
        Columns of text that identify rows; commands leave them out unless told otherwise.

    Examples
    --------
    >>> import polars as pl
    >>> from infoprop.workflow import check_table
    >>> check = check_table(pl.DataFrame({"unit": ["kg"] * 12, "class": ["a", "b"] * 6}))
    >>> check.has_errors, check.settings
    (False, {'drop': ('unit',)})
    """

    source: str
    target: str
    n_rows: int
    n_columns: int
    classes: dict[str, int]
    findings: tuple[TableFinding, ...]
    identifiers: tuple[str, ...] = ()

    @property
    def has_errors(self) -> bool:
        """Whether other commands would refuse the table as it is."""
        return any(finding.severity == "error" for finding in self.findings)

    @property
    def settings(self) -> dict[str, tuple[str, ...]]:
        """What to tell `load_table`, or a command, so that it goes on: values by parameter."""
        told: dict[str, list[str]] = {}
        settled: set[str] = set()
        # What is to be left out needs no other treatment.
        for finding in sorted(self.findings, key=lambda finding: finding.parameter != "drop"):
            if not finding.parameter:
                continue
            values = [finding.value] if finding.value else [c for c in finding.columns if c not in settled]
            if finding.parameter == "identifier" and told.get("identifier"):
                told.setdefault("drop", []).extend(values)
            else:
                told.setdefault(finding.parameter, []).extend(values)
            if not finding.value:
                settled.update(values)
        return {name: tuple(dict.fromkeys(told[name])) for name in _OPTIONS if told.get(name)}

    @property
    def command(self) -> str:
        """The command that goes on."""
        words = ["infoprop", "credit", self.source, "--target", self.target]
        for name, values in self.settings.items():
            words += [_OPTIONS[name], ",".join(values)]
        return shlex.join(words)

    def brief(self) -> list[str]:
        """Warnings in a few lines, for commands that go on."""
        # What is refused is told by the refusal, and what is left out by the command that leaves it out.
        lines = [
            f"{finding.column_words}: {finding.seen}" + _HINTS.get(finding.kind, "")
            for finding in self.findings
            if finding.kind in _MISLEADING
            and finding.severity == "warning"
            and not set(finding.columns) & set(self.identifiers)
        ]
        left = len(lines) - _BRIEF
        return lines[:_BRIEF] + ([f"and {left:,} more warnings"] if left > 0 else [])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON holds it."""
        return {**asdict(self), "command": self.command, "has_errors": self.has_errors}

    def to_frame(self, backend: str | None = None) -> Any:
        """Findings as a data frame, one row each: pandas if it is installed, else polars."""
        rows = [asdict(finding) for finding in self.findings]
        names = ("severity", "kind", "columns", "seen", "advice", "rows")
        data = {name: [row[name] for row in rows] for name in names}
        data["columns"] = [", ".join(columns) for columns in data["columns"]]
        data["rows"] = [", ".join(map(str, numbers)) for numbers in data["rows"]]
        return to_native_frame(data, backend, "TableCheck.to_frame")
