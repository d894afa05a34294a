"""What the command line says: results on standard output, progress on standard error."""

import io
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from infoprop._core._compiling import said_by
from infoprop._core._numbers import aligned
from infoprop.cli._display._credit_table import credit_table
from infoprop.cli._progress import shown_steps
from infoprop.workflow._steps import Steps

if TYPE_CHECKING:
    from infoprop.report import ReportSummary

_FILE_WIDTH = 10_000
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


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
        """Show the steps of the work while it lasts; without a real terminal only say that it compiles."""
        is_watched = self._err.is_terminal and not self._is_quiet
        with said_by(self.say), shown_steps(self._err if is_watched else None, n_steps) as steps:
            yield steps

    @contextmanager
    def remarks(self) -> Iterator[list[warnings.WarningMessage]]:
        """Turn the libraries' warnings into one remark each, said at the end; yield what they are put in."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            self.say(f"note: {' '.join(message.split())}")

    def show(self, summary: "ReportSummary", top: int, q_values: Mapping[str, float] | None = None) -> None:
        """Print the finding: headline, credits as a table, with q-values by name if the choice has them."""
        self.show_lead(summary)
        shown = summary.features[:top] if top else summary.features
        self.show_table(credit_table(summary, shown, self.width, q_values, is_ascii=self.is_ascii))
        left = len(summary.features) - len(shown)
        if left:
            rest = sum(feature.credit for feature in summary.features[len(shown) :])
            self.result(
                f"and {left:,} more, worth {aligned(rest, 4)} bits together (--top 0 shows all)", style="dim"
            )

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

    Names from the data may hold control characters, which the terminal would obey; they are left
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
    if isinstance(stream, io.TextIOWrapper):
        # Names may hold letters that this stream cannot show; a question mark is better than no result.
        stream.reconfigure(errors="replace")
    # A file or a pipe has no edge: lines are as long as they need to be.
    return _Console(file=stream, width=None if stream.isatty() else _FILE_WIDTH, highlight=False, emoji=False)
