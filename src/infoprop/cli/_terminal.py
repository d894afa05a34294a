"""What the command line says: results on standard output, progress on standard error."""

import io
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, TYPE_CHECKING, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from infoprop.cli._credit_table import credit_table

if TYPE_CHECKING:
    from infoprop.report import ReportSummary

_FILE_WIDTH = 10_000
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

Item = TypeVar("Item")


class Steps:
    """A progress bar that knows its steps by name, or nothing at all when nobody watches."""

    def __init__(self, progress: Progress | None, n_steps: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=n_steps, has_rhythm=False) if progress else None
        self._n_begun = 0

    def begin(self, what: str) -> None:
        """End the step before and begin the next."""
        if self._progress is not None and self._task is not None:
            self._progress.start()
            self._progress.update(self._task, description=what, completed=self._n_begun)
        self._n_begun += 1

    @property
    def is_shown(self) -> bool:
        """Whether somebody watches."""
        return self._progress is not None

    def begin_aside(self, what: str) -> None:
        """Begin a step that has a progress bar of its own: say its name, and leave the screen to it."""
        if self._progress is not None:
            self._progress.stop()
            self._progress.console.print(Text(what))
        self._n_begun += 1

    def watch(self, items: Iterable[Item], n_items: int, what: str) -> Iterator[Item]:
        """Pass `n_items` on, one by one, and show how many are done and how long the others will take."""
        if self._progress is None or n_items < 2:
            yield from items
            return
        task = self._progress.add_task(f"  {what}", total=n_items, has_rhythm=True)
        try:
            for item in items:
                self._progress.advance(task)
                yield item
        finally:
            self._progress.remove_task(task)


class _TimeLeft(ProgressColumn):
    """Remaining time of work that goes on at one pace; of steps that differ nobody knows it."""

    def render(self, task: Task) -> Text:
        if not task.fields["has_rhythm"]:
            return Text("")
        if not task.completed or not task.elapsed or task.total is None:
            return Text("-:--:-- left", style="progress.remaining")
        # From the first item on, when the speed that rich knows is still to come.
        seconds = task.elapsed * (task.total - task.completed) / task.completed
        return Text(f"{timedelta(seconds=round(seconds))} left", style="progress.remaining")


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
            _TimeLeft(),
        )
        with Progress(*columns, console=self._err, transient=True) as progress:
            yield Steps(progress, n_steps)

    @contextmanager
    def remarks(self) -> Iterator[list[warnings.WarningMessage]]:
        """Turn the libraries' warnings into one remark each, said at the end; yield what they are put in."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            self.say(f"note: {' '.join(message.split())}")

    def show(self, summary: "ReportSummary", top: int) -> None:
        """Print the finding: headline, credits as a table."""
        self.show_lead(summary)
        shown = summary.features[:top] if top else summary.features
        self.show_table(credit_table(summary, shown, self.width, is_ascii=self.is_ascii))
        left = len(summary.features) - len(shown)
        if left:
            rest = sum(feature.credit for feature in summary.features[len(shown) :])
            self.result(f"and {left:,} more, worth {rest:.4f} bits together (--top 0 shows all)", style="dim")

    def show_lead(self, summary: "ReportSummary") -> None:
        """Print the finding in words."""
        self._out.print()
        self._out.print(Text(summary.headline, style="bold"))
        self._out.print(Text(summary.lead))

    def show_table(self, table: Table) -> None:
        """Print a table of the result; it brings an empty line above and below."""
        self._out.print(table)

    def show_json(self, text: str) -> None:
        """Print JSON as it is."""
        self._out.file.write(f"{text}\n")

    @property
    def width(self) -> int:
        """Letters in a line of the result."""
        return self._out.width

    @property
    def is_ascii(self) -> bool:
        """Whether the result can be shown in plain letters only."""
        return self._out.options.ascii_only


class _Console(Console):
    """Rich's console, which leaves a closed pipe to the caller instead of ending the process.

    Names from the data may hold control characters, which would speak to the terminal itself; they are left
    out.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control is None and not segment.text.isprintable():
                yield Segment(_CONTROL.sub("", segment.text), segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(stream: IO[str]) -> Console:
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        # Names may hold letters that this stream cannot show; a question mark is better than no result.
        stream.reconfigure(errors="replace")
    # A file or a pipe has no edge: lines are as long as they need to be.
    return _Console(file=stream, width=None if stream.isatty() else _FILE_WIDTH, highlight=False, emoji=False)
