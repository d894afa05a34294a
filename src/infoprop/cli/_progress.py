"""How far the work is: steps by name, and items with the time that is left."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
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
from rich.text import Text

from infoprop._core._compiling import shown_on
from infoprop.selection.running._progress import WATCHED, ToldProgress
from infoprop.workflow._steps import Item, Steps


class ShownSteps(Steps):
    """A progress bar that knows its steps by name."""

    def __init__(self, progress: Progress, n_steps: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=n_steps, has_rhythm=False)
        self._n_begun = 0

    @property
    def is_shown(self) -> bool:
        return True

    def begin(self, what: str) -> None:
        self._progress.start()
        self._progress.update(self._task, description=what, completed=self._n_begun)
        self._n_begun += 1

    def begin_aside(self, what: str) -> None:
        """Say the name of the step, and leave the screen to its own progress bar."""
        self._progress.stop()
        self._progress.console.print(Text(what))
        self._n_begun += 1

    def watch(self, items: Iterable[Item], n_items: int, what: str) -> Iterator[Item]:
        """Pass `n_items` on, one by one, and show how many are done and how long the others will take."""
        if n_items < 2:
            yield from items
            return
        task = self._progress.add_task(f"  {what}", total=n_items, has_rhythm=True)
        try:
            for item in items:
                self._progress.advance(task)
                yield item
        finally:
            self._progress.remove_task(task)


class ToldSteps(Steps):
    """Steps that a program is told of which watches, while no person does."""

    def __init__(self, path: str) -> None:
        self._path = path

    def begin(self, what: str) -> None:
        ToldProgress(self._path, what, 0).write()

    def begin_aside(self, what: str) -> None:
        self.begin(what)

    def watch(self, items: Iterable[Item], n_items: int, what: str) -> Iterator[Item]:
        told = ToldProgress(self._path, what, n_items)
        for item in items:
            told.advance(1)
            yield item


class TimeLeft(ProgressColumn):
    """Remaining time of work that goes on at one pace; of steps that differ nobody knows it."""

    def render(self, task: Task) -> Text:
        if not task.fields["has_rhythm"]:
            return Text("")
        if not task.completed or not task.elapsed or task.total is None:
            return Text("-:--:-- left", style="progress.remaining")
        # From the first item on, when the speed that rich knows is still to come.
        seconds = task.elapsed * (task.total - task.completed) / task.completed
        return Text(f"{timedelta(seconds=round(seconds))} left", style="progress.remaining")


@contextmanager
def shown_steps(console: Console | None, n_steps: int) -> Iterator[Steps]:
    """Show steps on `console` while the work lasts; None shows nothing."""
    if console is None:
        watched = os.environ.get(WATCHED)
        yield ToldSteps(watched) if watched else Steps()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    with Progress(*columns, console=console, transient=True) as progress, shown_on(progress):
        yield ShownSteps(progress, n_steps)
