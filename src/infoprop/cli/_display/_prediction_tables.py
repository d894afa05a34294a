"""Predicted classes as tables: on disk, and as a confusion table on the terminal."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from infoprop._core._numbers import aligned
from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.metrics import InformationFlow

_LEAST_WIDTH, _MOST_WIDTH = 5, 14
_SPACE = 3


def predictions_frame(
    rows: IntArray,
    predicted: LabelArray,
    true: LabelArray | None,
    classes: LabelArray,
    probabilities: FloatArray | None,
    *,
    identifiers: tuple[str, LabelArray] | None = None,
    scores: FloatArray | None = None,
) -> pl.DataFrame:
    """Return one row per prediction: its row in the data (from 1), classes, probabilities and scores if any.

    `identifiers` has the name and all cells of a column that is carried along.
    """
    columns: dict[str, object] = {"row": (rows + 1).tolist()}
    if identifiers is not None:
        columns[identifiers[0]] = identifiers[1][rows].tolist()
    if true is not None:
        columns["true"] = true.tolist()
    columns["predicted"] = predicted.tolist()
    for what, values in (("probability", probabilities), ("score", scores)):
        if values is not None:
            columns |= {f"{what}_{label}": values[:, k] for k, label in enumerate(classes.tolist())}
    return pl.DataFrame(columns, strict=False)


def predictions_table(frame: pl.DataFrame) -> Table:
    """Return predictions, one a row."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    for name in frame.columns:
        is_number = name == "row" or frame[name].dtype.is_float()
        table.add_column(Text(name), justify="right" if is_number else "left", overflow="ellipsis")
    for row in frame.iter_rows():
        table.add_row(*(Text(aligned(cell, 3) if isinstance(cell, float) else str(cell)) for cell in row))
    return table


def confusion_table(flow: InformationFlow, width: int) -> Table:
    """Return how often each class (rows) was taken for each (columns).

    Where the columns do not fit into `width` letters, there is one for what each class was most often
    mistaken for.
    """
    labels = [str(label) for label in flow.labels.tolist()]
    counts = flow.counts
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    widths = [_width(label) for label in labels]
    longest = min(_MOST_WIDTH, max(len("true class"), *(cell_len(label) for label in labels)))
    table.add_column("true class", overflow="ellipsis", no_wrap=True, width=longest)
    if longest + len("right") + sum(widths) + _SPACE * (len(labels) + 2) <= width:
        _add_columns(table, labels, widths)
        rows = [_whole_row(label, number, counts) for number, label in enumerate(labels)]
    else:
        for name, justify in (("rows", "right"), ("right", "right"), ("most often mistaken for", "left")):
            table.add_column(name, justify=justify)  # type: ignore[arg-type]
        rows = [_short_row(labels, number, counts) for number in range(len(labels))]
    for row in rows:
        table.add_row(*row)
    return table


def _add_columns(table: Table, labels: Sequence[str], widths: Sequence[int]) -> None:
    for label, width in zip(labels, widths, strict=True):
        table.add_column(Text(label), justify="right", overflow="ellipsis", no_wrap=True, width=width)
    table.add_column("right", justify="right")


def _whole_row(label: str, number: int, counts: FloatArray) -> list[Text]:
    cells = [
        Text(f"{count:g}" if count else ".", style="bold" if column == number else "")
        for column, count in enumerate(counts[number].tolist())
    ]
    return [Text(label), *cells, Text(_right(number, counts))]


def _short_row(labels: Sequence[str], number: int, counts: FloatArray) -> list[Text]:
    wrong = counts[number].copy()
    wrong[number] = 0.0
    most = int(np.argmax(wrong))
    mistaken = f"{labels[most]} ({wrong[most]:g})" if wrong[most] else ""
    return [
        Text(labels[number]),
        Text(f"{counts[number].sum():g}"),
        Text(_right(number, counts)),
        Text(mistaken),
    ]


def _right(number: int, counts: FloatArray) -> str:
    total = counts[number].sum()
    return f"{counts[number, number] / total:.1%}" if total else ""


def _width(label: str) -> int:
    return max(_LEAST_WIDTH, min(cell_len(label), _MOST_WIDTH))
