"""What the command line says: results on standard output, progress on standard error."""

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from infoprop.cli._credit_table import credit_table

if TYPE_CHECKING:
    from infoprop.report import ReportSummary

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

    @property
    def is_shown(self) -> bool:
        """Whether somebody watches."""
        return self._progress is not None

    def begin_aside(self, what: str) -> None:
        """Begin a step that has a progress bar of its own: say its name, and leave the screen to it."""
        if self._progress is not None:
            self._progress.stop()
            self._progress.console.print(Text(what))


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
    def remarks(self) -> Iterator[list[warnings.WarningMessage]]:
        """Turn the libraries' warnings into one remark each, said at the end; yield what they are put in."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            self.say(f"note: {' '.join(message.split())}")

    def show(self, summary: "ReportSummary", top: int) -> None:
        """Print the finding: headline, credits as a table."""
        shown = summary.features[:top] if top else summary.features
        self._out.print()
        self._out.print(Text(summary.headline, style="bold"))
        self._out.print(Text(summary.lead))
        self._out.print()
        self._out.print(credit_table(summary, shown, self._out.width, is_ascii=self._out.options.ascii_only))
        left = len(summary.features) - len(shown)
        if left:
            rest = sum(feature.credit for feature in summary.features[len(shown) :])
            self._out.print(
                Text(f"and {left:,} more, worth {rest:.4f} bits together (--top 0 shows all)", style="dim")
            )


class _Console(Console):
    """Rich's console, which leaves a closed pipe to the caller instead of ending the process."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(stream: IO[str]) -> Console:
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        # Names may hold letters that this stream cannot show; a question mark is better than no result.
        stream.reconfigure(errors="replace")
    # A file or a pipe has no edge: lines are as long as they need to be.
    return _Console(file=stream, width=None if stream.isatty() else _FILE_WIDTH, highlight=False, emoji=False)
