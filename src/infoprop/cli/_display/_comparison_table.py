"""A comparison as a table on the terminal: one row for every method and size."""

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from infoprop._core._numbers import aligned

if TYPE_CHECKING:
    from infoprop.report._comparisons import ChoiceSummary, ComparisonSummary

_INTERVAL_WIDTH = 100
"""Letters of a line from which the interval of the stability fits."""


def comparison_table(comparison: "ComparisonSummary", width: int) -> Table:
    """Return methods and sizes with their numbers, for a line of `width` letters."""
    has_inner = comparison.has_inner
    has_interval = width >= _INTERVAL_WIDTH
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("method", overflow="ellipsis", no_wrap=True)
    for word in ("features", "right", "±", "bits", *(["promised"] if has_inner else []), "seconds"):
        table.add_column(word, justify="right", no_wrap=True)
    table.add_column("stability", no_wrap=True)
    for method in comparison.methods:
        for number, choice in enumerate(comparison.of(method)):
            name = method if number == 0 else ""
            table.add_row(
                Text(name),
                *(Text(cell) for cell in _cells(choice, has_inner, has_interval)),
                style=_style(choice),
            )
    return table


def _cells(choice: "ChoiceSummary", has_inner: bool, has_interval: bool) -> list[str]:
    star = "*" if choice.is_best else ""
    return [
        choice.words,
        f"{star}{choice.accuracy:.1%}",
        "" if choice.accuracy_error is None else f"{100 * choice.accuracy_error:.1f}",
        aligned(choice.information, 3),
        *(["" if choice.inner_accuracy is None else f"{choice.inner_accuracy:.1%}"] if has_inner else []),
        seconds(choice.search_seconds + choice.fit_seconds),
        _stability(choice, has_interval),
    ]


def seconds(value: float) -> str:
    """Seconds with two digits that say something.

    >>> seconds(0.01234), seconds(0.5), seconds(12.34), seconds(1234.5)
    ('0.01', '0.50', '12.3', '1,234')
    """
    if value < 10:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _stability(choice: "ChoiceSummary", has_interval: bool) -> str:
    if choice.stability is None:
        return ""
    value, lower, upper = choice.stability.words
    return f"{value} [{lower}, {upper}]" if has_interval else value


def _style(choice: "ChoiceSummary") -> str:
    return "bold" if choice.is_near_best else ""
