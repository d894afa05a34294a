"""Progress on the terminal, on standard error, and only when asked for."""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from infoprop._core._compiling import shown_on
from infoprop._core._optional import is_installed

Item = TypeVar("Item")

WATCHED = "INFOPROP_PROGRESS"
"""Variable of the environment that names the file for a program that watches."""

_PACE, _SHARE = 0.3, 0.01
"""Between two lines for it: seconds, and a share of the time gone, so that the file stays short."""


class Progress(AbstractContextManager["Progress"]):
    """A progress bar over a known number of trainings; plain lines of text without rich.

    Examples
    --------
    >>> with Progress(verbose=0, title="crediting", total=2) as progress:
    ...     list(progress.watch("ab"))
    ['a', 'b']
    """

    def __init__(self, *, verbose: int = 0, title: str = "", total: int = 0) -> None:
        self.is_shown = verbose > 0
        self._told = ToldProgress.of(title, total)
        self._has_bar = self.is_shown and is_installed("rich")
        self._bar: Any = nullcontext()
        if self._has_bar:
            self._bar = _rich_bar()
            self._task = self._bar.add_task(title, total=total)
        else:
            self.say(f"{title}: {total} trainings")

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield `items`, one step each."""
        for item in items:
            self.step()
            yield item

    def step(self) -> None:
        """One training more is done."""
        self.advance(1)

    def advance(self, n_steps: int) -> None:
        """`n_steps` trainings more are done."""
        if self._told is not None:
            self._told.advance(n_steps)
        if self._has_bar:
            self._bar.advance(self._task, n_steps)

    @property
    def is_told(self) -> bool:
        """Whether a program watches, which is to be told of subsets tried."""
        return self._told is not None

    def reached(self, n_features: int, accuracy: float, bits: float | None = None) -> None:
        """Tell a program that watches what a subset of this size delivers."""
        if self._told is not None:
            self._told.reached(n_features, accuracy, bits)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        if self._has_bar:
            self._bar.console.print(text, markup=False, highlight=False)
        elif self.is_shown:
            print(text, file=sys.stderr)

    def __enter__(self) -> Self:
        if self._told is not None and not self._told.begin():
            self._told = None
        self._bar.__enter__()
        if self._has_bar:
            self._compilations = shown_on(self._bar)
            self._compilations.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._told is not None:
            self._told.end()
        if self._has_bar and exc_type is None:
            # A search that ends early is done nevertheless: nothing is left.
            task = self._bar.tasks[0]
            self._bar.update(task.id, total=task.completed)
        if self._has_bar:
            self._compilations.__exit__(exc_type, exc_value, traceback)
        self._bar.__exit__(exc_type, exc_value, traceback)


class ToldProgress:
    """Progress as lines of JSON in a file, for a program that watches.

    A line has `title`, `done`, `total`, `at` (seconds), `process`, and in `curve` what the subsets tried
    since the last line deliver: number of features, accuracy, bits (or None).
    """

    _is_begun: ClassVar[bool] = False

    def __init__(self, path: str, title: str, total: int) -> None:
        self._path, self._title, self._total = path, title, total
        self._done, self._begun, self._next = 0, time.time(), 0.0
        self._curve: list[tuple[int, float, float | None]] = []

    @classmethod
    def of(cls, title: str, total: int) -> "ToldProgress | None":
        """One, if there is a title and somebody watches."""
        path = os.environ.get(WATCHED)
        return cls(path, title, total) if path and title else None

    def begin(self) -> bool:
        """Whether it may tell: work inside of other work that tells is not told."""
        if ToldProgress._is_begun:
            return False
        ToldProgress._is_begun = True
        return True

    def end(self) -> None:
        """Tell what is left to tell."""
        ToldProgress._is_begun = False
        if self._curve:
            self.write()

    def reached(self, n_features: int, accuracy: float, bits: float | None) -> None:
        """Keep what a subset delivers for the next line."""
        rounded = None if bits is None else round(bits, 5)
        self._curve.append((n_features, round(accuracy, 5), rounded))

    def advance(self, n_steps: int) -> None:
        """Write a line, a few times a second at most."""
        self._done += n_steps
        now = time.time()
        if now >= self._next or self._done >= self._total:
            self._next = now + max(_PACE, _SHARE * (now - self._begun))
            self.write()

    def write(self) -> None:
        """Write a line."""
        told = {
            "title": self._title,
            "done": self._done,
            "total": self._total,
            "at": round(time.time(), 2),
            "process": os.getpid(),
            "curve": self._curve,
        }
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")
        self._curve = []


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("gone,"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
    )
