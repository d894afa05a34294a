"""What the command line says: results on standard output, progress on standard error."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Self

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from infoprop.report import FeatureSummary, ReportSummary

_MOST_CLASSES = 6
_LEAST_LABEL, _MOST_LABEL = 6, 14
_SHORTEST_NAME = 12
_SHORTEST_BAR, _LONGEST_BAR = 12, 24
_NUMBERS_WIDTH = 36
"""Letters taken by rank, bits, share, choice and the spaces between them."""

_FILE_WIDTH = 10_000


class Steps:
    """A progress bar that knows its steps by name, or nothing at all when nobody watches."""

    def __init__(self, progress: Progress | None, n_steps: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=n_steps) if progress else None
        self._n_begun = 0

    def begin(self, what: str) -> None:
        """End the step before and begin the next."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=what, completed=self._n_begun)
        self._n_begun += 1


class Terminal:
    """The two streams of a command.

    Parameters
    ----------
    is_quiet : bool
        Say nothing but results and errors.
    """

    def __init__(self, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._out = _console(sys.stdout)
        self._err = _console(sys.stderr)

    def say(self, words: str) -> None:
        """A remark about the work, on standard error."""
        if not self._is_quiet:
            self._err.print(Text(words))

    def result(self, words: str, style: str = "") -> None:
        """A line of the result, on standard output."""
        self._out.print(Text(words, style=style))

    @contextmanager
    def progress(self, n_steps: int) -> Iterator[Steps]:
        """Show the steps of the work while it lasts; on a real terminal only."""
        if self._is_quiet or not self._err.is_terminal:
            yield Steps(None, n_steps)
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._err, transient=True) as progress:
            yield Steps(progress, n_steps)

    @contextmanager
    def remarks(self) -> Iterator[None]:
        """Turn the libraries' warnings into one remark each, said at the end."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            self.say(f"note: {' '.join(message.split())}")

    def show(self, summary: "ReportSummary", top: int) -> None:
        """Print the finding: headline, credits as a table."""
        shown = summary.features[:top] if top else summary.features
        self._out.print()
        self._out.print(Text(summary.headline, style="bold"))
        self._out.print(Text(summary.lead))
        self._out.print()
        self._out.print(_table(summary, shown, self._out.width))
        left = len(summary.features) - len(shown)
        if left:
            rest = sum(feature.credit for feature in summary.features[len(shown) :])
            self._out.print(
                Text(f"and {left:,} more, worth {rest:.4f} bits together (--top 0 shows all)", style="dim")
            )


def _console(stream: IO[str]) -> Console:
    # A file or a pipe has no edge: lines are as long as they need to be.
    return Console(file=stream, width=None if stream.isatty() else _FILE_WIDTH, highlight=False, emoji=False)


@dataclass(frozen=True)
class _Layout:
    """What fits beside each other: numbers always, then names, then the bar, then the classes."""

    name: int
    bar: int
    labels: tuple[str, ...]

    @classmethod
    def fitting(cls, summary: "ReportSummary", names: Sequence[str], width: int) -> Self:
        labels = tuple(entry.label for entry in summary.classes)
        by_class = sum(_label_width(label) + 3 for label in labels)
        room = width - _NUMBERS_WIDTH
        if len(labels) > _MOST_CLASSES or room < _SHORTEST_NAME + _SHORTEST_BAR + by_class:
            labels, by_class = (), 0
        name = max([len("feature"), *map(cell_len, names)])
        bar = max(min(_LONGEST_BAR, room - by_class - name), _SHORTEST_BAR)
        bar = 0 if room < _SHORTEST_NAME + bar else bar
        return cls(max(min(name, room - by_class - bar), _SHORTEST_NAME), bar, labels)


def _label_width(label: str) -> int:
    return max(_LEAST_LABEL, min(cell_len(label), _MOST_LABEL))


def _table(summary: "ReportSummary", shown: tuple["FeatureSummary", ...], width: int) -> Table:
    layout = _Layout.fitting(summary, [feature.name for feature in shown], width)
    is_choice = any(feature.selected is not None for feature in shown)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("#", justify="right", style="dim", min_width=1)
    table.add_column("feature", overflow="ellipsis", no_wrap=True, width=layout.name)
    table.add_column("bits", justify="right", min_width=6)
    table.add_column("share", justify="right", min_width=5)
    if layout.bar:
        table.add_column("", no_wrap=True, width=layout.bar, style="blue")
    for label in layout.labels:
        table.add_column(
            Text(label), justify="right", overflow="ellipsis", no_wrap=True, width=_label_width(label)
        )
    if is_choice:
        table.add_column("kept", min_width=4)
    largest = max((feature.credit for feature in shown), default=0.0)
    for feature in shown:
        row = [
            Text(str(feature.rank)),
            Text(feature.name),
            Text(f"{feature.credit:.4f}"),
            Text(f"{feature.share:.1%}"),
            *([Text(_bar(feature.credit, largest, layout.bar))] if layout.bar else []),
            *(Text(f"{credit:.4f}") for credit in feature.by_class[: len(layout.labels)]),
        ]
        if is_choice:
            row.append(Text("yes" if feature.selected else ""))
        table.add_row(*row, style="dim" if feature.selected is False else "")
    return table


def _bar(credit: float, largest: float, width: int) -> str:
    """A bar as long as the credit, in eighths of a letter."""
    eighths = round(8 * width * credit / largest) if largest > 0 else 0
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
