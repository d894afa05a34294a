"""Credits as a table on the terminal, laid out for the width there is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, isnan, log10
from typing import TYPE_CHECKING, Self

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from infoprop._core._numbers import aligned, aligned_percent

if TYPE_CHECKING:
    from infoprop.report import ReportSummary
    from infoprop.report._parts import FeatureSummary

MOST_CLASSES = 6
"""Classes up to which each has a column."""

_LEAST_LABEL, _MOST_LABEL = 6, 14
_SHORTEST_NAME = 12
_SHORTEST_BAR, _LONGEST_BAR = 12, 24
_NUMBERS_WIDTH = 36
"""Letters taken by rank, bits, share, choice and the spaces between them, with the usual decimals."""

_CHANCE_WIDTH = 8
"""Letters taken by the p-value and the spaces beside it."""

_BITS_DECIMALS, _SHARE_DECIMALS = 4, 1


@dataclass(frozen=True)
class Layout:
    """What fits beside each other: numbers always, then names, then the bar, then the classes.

    Attributes
    ----------
    name, bar : int
        Widths in letters; no bar is 0 wide.
    labels : tuple of str
        Classes that get a column.
    bits_decimals, share_decimals : int
        As many as the largest number needs to show two digits.
    """

    name: int
    bar: int
    labels: tuple[str, ...]
    bits_decimals: int
    share_decimals: int

    @classmethod
    def fitting(cls, summary: "ReportSummary", shown: Sequence["FeatureSummary"], width: int) -> Self:
        """Lay out the features `shown` for `width` letters."""
        bits = _decimals(max((feature.credit for feature in shown), default=0.0), _BITS_DECIMALS)
        share = _decimals(100 * max((feature.share for feature in shown), default=0.0), _SHARE_DECIMALS)
        free_width = (
            width
            - _NUMBERS_WIDTH
            - (_CHANCE_WIDTH if summary.has_noise_floor else 0)
            - (bits - _BITS_DECIMALS)
            - (share - _SHARE_DECIMALS)
        )
        labels = tuple(entry.label for entry in summary.classes)
        by_class = sum(_label_width(label, bits) + 3 for label in labels)
        if len(labels) > MOST_CLASSES or free_width < _SHORTEST_NAME + _SHORTEST_BAR + by_class:
            labels, by_class = (), 0
        name = max([len("feature"), *(cell_len(feature.name) for feature in shown)])
        bar = max(min(_LONGEST_BAR, free_width - by_class - name), _SHORTEST_BAR)
        bar = 0 if free_width < _SHORTEST_NAME + bar else bar
        return cls(max(min(name, free_width - by_class - bar), _SHORTEST_NAME), bar, labels, bits, share)


def credit_table(
    summary: "ReportSummary",
    shown: Sequence["FeatureSummary"],
    width: int,
    q_values: Mapping[str, float] | None = None,
    *,
    is_ascii: bool = False,
) -> Table:
    """Return the features `shown`, one a row, in at most `width` letters (plain ones if `is_ascii`)."""
    layout = Layout.fitting(summary, shown, width - (0 if q_values is None else _CHANCE_WIDTH))
    is_choice = any(feature.selected is not None for feature in shown)
    table = _empty_table(layout, is_choice, summary.has_noise_floor, q_values is not None)
    largest = max((feature.credit for feature in shown), default=0.0)
    for feature in shown:
        row = [
            Text(str(feature.rank)),
            Text(feature.name),
            Text(aligned(feature.credit, layout.bits_decimals)),
            Text(aligned_percent(feature.share, layout.share_decimals)),
            *([Text(aligned(feature.p_value or 0.0, 3))] if summary.has_noise_floor else []),
            *([] if q_values is None else [Text(_written(q_values.get(feature.name)))]),
            *([Text(bar(feature.credit, largest, layout.bar, is_ascii=is_ascii))] if layout.bar else []),
            *(
                Text(aligned(credit, layout.bits_decimals))
                for credit in feature.by_class[: len(layout.labels)]
            ),
            *([Text("yes" if feature.selected else "")] if is_choice else []),
        ]
        is_pale = feature.selected is False or feature.above_noise is False
        table.add_row(*row, style="dim" if is_pale else "")
    return table


def _empty_table(layout: Layout, is_choice: bool, has_noise_floor: bool, has_q_values: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("feature", overflow="ellipsis", no_wrap=True, width=layout.name)
    table.add_column("bits", justify="right", min_width=layout.bits_decimals + 2)
    table.add_column("share", justify="right", min_width=layout.share_decimals + 4)
    if has_noise_floor:
        table.add_column("p", justify="right", min_width=5)
    if has_q_values:
        table.add_column("q", justify="right", min_width=5)
    if layout.bar:
        table.add_column("", no_wrap=True, width=layout.bar, style="blue")
    for label in layout.labels:
        width = _label_width(label, layout.bits_decimals)
        table.add_column(Text(label), justify="right", overflow="ellipsis", no_wrap=True, width=width)
    if is_choice:
        table.add_column("kept", min_width=4)
    return table


def _written(q_value: float | None) -> str:
    return "" if q_value is None or isnan(q_value) else aligned(q_value, 3)


def _decimals(largest: float, least: int) -> int:
    """Decimals that show the largest number with two digits, and no fewer than `least`."""
    return least if largest <= 0 else max(least, 1 - floor(log10(largest)))


def _label_width(label: str, decimals: int) -> int:
    return max(_LEAST_LABEL, decimals + 2, min(cell_len(label), _MOST_LABEL))


def bar(credit: float, largest: float, width: int, *, is_ascii: bool = False) -> str:
    """A bar as long as the credit, in eighths of a letter (in whole ones if `is_ascii`).

    >>> bar(0.5, 1.0, 3), bar(0.0, 1.0, 3), bar(0.5, 1.0, 4, is_ascii=True)
    ('█▌', '', '##')
    """
    length = width * credit / largest if largest > 0 else 0.0
    if is_ascii:
        return "#" * round(length)
    eighths = round(8 * length)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
