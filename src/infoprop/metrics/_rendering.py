"""An information flow as text and as HTML: headline, confusion table, numbers of each indicator."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from infoprop._core._numbers import aligned
from infoprop._core._typing import FloatArray, LabelArray

MAX_SHOWN = 20
"""Labels shown; a wider table reads no better."""

MAX_LABEL_WIDTH = 24

_CORNER = "true \\ predicted"
_CELL = "padding:2px 8px;text-align:right"


class FlowTable(NamedTuple):
    """Confusion table and, under each column, the numbers of its indicator."""

    labels: LabelArray
    counts: FloatArray
    footer: Mapping[str, FloatArray]


def render_text(headline: Sequence[str], table: FlowTable) -> str:
    """Lines of aligned columns; labels lose line breaks and other characters that move the cursor."""
    head, *rows = _grid(table)
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = list(headline)
    for first, *others in (head, *rows):
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, *_omission(table)])


def render_html(headline: Sequence[str], table: FlowTable) -> str:
    """One small table that needs nothing from outside; every label is escaped."""
    head, *rows = _grid(table)
    n_labels = len(rows) - len(table.footer)
    parts = ["<div>", *(f"<p>{escape(line)}</p>" for line in headline)]
    parts.append('<table style="border-collapse:collapse"><thead>')
    parts += [_html_row(head, "th"), "</thead><tbody>"]
    parts += [_html_row(row, "td") for row in rows[:n_labels]]
    parts.append('</tbody><tfoot style="border-top:1px solid currentColor">')
    parts += [_html_row(row, "td") for row in rows[n_labels:]]
    parts += ["</tfoot></table>", *(f"<p>{escape(line)}</p>" for line in _omission(table)), "</div>"]
    return "\n".join(parts)


def _grid(table: FlowTable) -> list[list[str]]:
    names = [_label_text(label) for label in table.labels.tolist()[:MAX_SHOWN]]
    rows = [[_CORNER, *names]]
    for name, counts in zip(names, table.counts.tolist(), strict=False):
        rows.append([name, *(_count_text(count) for count in counts[:MAX_SHOWN])])
    for name, values in table.footer.items():
        rows.append([name, *(aligned(value, 4) for value in values.tolist()[:MAX_SHOWN])])
    return rows


def _omission(table: FlowTable) -> list[str]:
    n_labels = len(table.labels)
    return [f"First {MAX_SHOWN} of {n_labels} labels shown."] if n_labels > MAX_SHOWN else []


def _html_row(cells: Sequence[str], tag: str) -> str:
    first, *others = cells
    columns = "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in others)
    return f'<tr><th style="{_CELL};text-align:left">{escape(first)}</th>{columns}</tr>'


def _label_text(label: Any) -> str:
    text = "".join(character if character.isprintable() else " " for character in str(label))
    return text if len(text) <= MAX_LABEL_WIDTH else text[: MAX_LABEL_WIDTH - 1] + "…"


def _count_text(count: float) -> str:
    return f"{count:.0f}" if count.is_integer() and count < 1e15 else f"{count:.4g}"
