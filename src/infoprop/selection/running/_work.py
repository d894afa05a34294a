"""Work: what a search reports to while it runs, and what may end it early."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from infoprop._core._deadline import Deadline, OutOfTime, check_time
from infoprop.selection.running._callbacks import SearchTasks
from infoprop.selection.running._interruption import SearchStopped, best_so_far
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._progress import Progress

INTERRUPTED = "interrupted"
OUT_OF_TIME = "time"


@dataclass(frozen=True)
class Work:
    """What the template hands to a search besides the data.

    A search writes ::

        with work.until_stopped(lambda: bool(steps)):
            while ...:
                work.begin_step()
                ...
                work.end_step(lambda: self._learned(...))

    and goes on after the block with the steps it has.

    Attributes
    ----------
    journal : Journal
        Where steps are written down; keeps nothing without a checkpoint.
    progress : Progress
    seed : int
        For whatever the search draws at random; the same when a search goes on from its checkpoint.
    tasks : SearchTasks or None
        The callbacks, if there are any.
    owner : str
        Name of the selector.
    deadline : Deadline
        When the search ends with what it has.

    Examples
    --------
    >>> from infoprop.selection.running._work import Work
    >>> work, steps = Work(), []
    >>> with work.until_stopped(lambda: bool(steps)):
    ...     for number in range(3):
    ...         work.begin_step()
    ...         steps.append(number)
    ...         work.end_step(dict)
    >>> steps, work.is_watched
    ([0, 1, 2], False)
    """

    journal: Journal = field(default_factory=Journal)
    progress: Progress = field(default_factory=Progress)
    seed: int = 0
    tasks: SearchTasks | None = None
    owner: str = ""
    deadline: Deadline = field(default_factory=Deadline)

    def until_stopped(self, has_result: Callable[[], bool]) -> AbstractContextManager[None]:
        """Return a block that Ctrl-C, a callback or the time limit leaves once `has_result()` is true."""
        self.deadline.has_result = has_result
        return best_so_far(has_result, self.owner, self.journal.path, self.deadline.outer)

    @property
    def is_watched(self) -> bool:
        """Whether there are callbacks, which are to be told of every step."""
        return self.tasks is not None and self.tasks.is_watched

    def begin_step(self) -> None:
        """Tell the callbacks that a step begins."""
        if self.tasks is not None:
            self.tasks.begin_step()

    def end_step(self, attributes: Callable[[], dict[str, Any]]) -> None:
        """Tell the callbacks that the step is done; leave the block if one of them says so.

        `attributes` gives what fit would learn if this step were the last.
        """
        if self.tasks is not None and self.tasks.end_step(attributes):
            raise SearchStopped
        if self.is_out_of_time:
            raise OutOfTime
        check_time()

    @property
    def is_out_of_time(self) -> bool:
        """Whether the search has taken as long as it may."""
        return self.deadline.is_over

    @property
    def early_end(self) -> str:
        """Why a search ended that did not come to its end."""
        return OUT_OF_TIME if self.is_out_of_time else INTERRUPTED
