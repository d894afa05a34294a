"""Measured numbers on the pages, read from ``benchmarks/results`` while they are built.

The role `measured` with ``elimination_wide; data=colon; criterion=margin; ratio`` is one number in a
sentence, or the range of all rows that fit. ``{measured-table} elimination_wide`` is a table of some of its
columns. No page has to repeat a number by hand, so none goes stale.
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"


def read(name: str) -> dict[str, Any]:
    """What was measured by the benchmark `name`."""
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return result


def fitting_rows(name: str, conditions: list[str]) -> list[dict[str, Any]]:
    """Rows that meet all conditions: ``column=value`` or ``column!=value``."""
    rows = read(name)["rows"]
    for condition in conditions:
        column, _, value = condition.partition("=")
        wanted = not column.endswith("!")
        column = column.removesuffix("!").strip()
        rows = [row for row in rows if (str(row[column]) == value.strip()) is wanted]
    if not rows:
        raise ValueError(f"no row of {name} fits {conditions}")
    return rows


def spoken(value: float) -> str:
    """A measured number with as many digits as a run on another day would confirm."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def in_words(request: str) -> str:
    """``name; conditions...; column`` as a number, or as the range of several."""
    name, *conditions, column = [part.strip() for part in request.split(";")]
    values = sorted(float(row[column]) for row in fitting_rows(name, conditions) if row[column] != "")
    ends = list(dict.fromkeys([spoken(values[0]), spoken(values[-1])]))
    return " to ".join(ends)


class Measured(SphinxRole):
    """One number, or the range of several, in a sentence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look it up."""
        self.env.note_dependency(str(RESULTS / f"{self.text.partition(';')[0].strip()}.json"))
        return [nodes.Text(in_words(self.text))], []


class MeasuredTable(SphinxDirective):
    """Some columns of a benchmark, and how it was measured."""

    required_arguments = 1
    option_spec = {"columns": directives.unchanged_required, "where": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        name = self.arguments[0]
        self.env.note_dependency(str(RESULTS / f"{name}.json"))
        conditions = [part for part in self.options.get("where", "").split(";") if part.strip()]
        columns = [column.strip() for column in self.options["columns"].split(";")]
        rows = [[row[column] for column in columns] for row in fitting_rows(name, conditions)]
        return [_table(columns, rows), *_method(read(name))]


def _table(titles: list[str], rows: list[list[Any]]) -> nodes.Node:
    table, group = nodes.table(classes=["measured"]), nodes.tgroup(cols=len(titles))
    group += [nodes.colspec(colwidth=1) for _ in titles]
    head, body = nodes.thead(), nodes.tbody()
    head += _row(titles, [False] * len(titles))
    for row in rows:
        body += _row([_shown(value) for value in row], [_is_number(value) for value in row])
    group += [head, body]
    table += group
    return nodes.container("", table, classes=["wide-table"])


def _row(texts: list[str], is_number: list[bool]) -> nodes.row:
    row = nodes.row()
    for text, right in zip(texts, is_number, strict=True):
        row += nodes.entry("", nodes.paragraph(text, text), classes=["number"] if right else [])
    return row


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    return spoken(value) if isinstance(value, float) else str(value)


def _method(result: dict[str, Any]) -> list[nodes.Node]:
    """How it was measured, folded away."""
    opening = "<details class='measured-method'><summary>How this was measured</summary>"
    paragraphs = [" ".join(part.split()) for part in result["about"].strip().split("\n\n")]
    versions = ", ".join(f"{key} {value}" for key, value in result["environment"].items())
    texts = [*paragraphs, f"Measured with {versions}."]
    return [
        nodes.raw("", opening, format="html"),
        *(nodes.paragraph(text, text) for text in texts),
        nodes.raw("", "</details>", format="html"),
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the role and the directive."""
    app.add_role("measured", Measured())
    app.add_directive("measured-table", MeasuredTable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
