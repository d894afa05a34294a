"""How a search ends early: on Ctrl-C, or because a callback asked for it, with the best found so far."""

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from infoprop._core._deadline import Deadline, OutOfTime
from infoprop._core._exceptions import InfopropError

# What may stand between the search and the code that called fit.
LIBRARIES = ("infoprop", "contextlib", "sklearn", "joblib")


_passes = ContextVar("_passes", default=False)
_noted: ContextVar[list[str] | None] = ContextVar("_noted", default=None)


class SearchInterruptedWarning(UserWarning):
    """A search was stopped by the user; the selector stands on the best subset found until then.

    Examples
    --------
    >>> import warnings
    >>> from infoprop.selection import SearchInterruptedWarning
    >>> warnings.simplefilter("ignore", SearchInterruptedWarning)
    """


class SearchStopped(InfopropError):
    """A callback asked the search to stop. :func:`best_so_far` takes it; users never see it."""


@contextmanager
def best_so_far(
    has_result: Callable[[], bool], owner: str, checkpoint: object = None, outer: Deadline | None = None
) -> Iterator[None]:
    """Let the search in the block end early, if there is a result to end with.

    On KeyboardInterrupt the block is left, with a :class:`SearchInterruptedWarning`, and the caller goes on
    to finish with what it has; as long as `has_result()` is false, the interrupt goes its way. On
    :class:`SearchStopped` and :class:`OutOfTime` the block is left without a warning.

    Parameters
    ----------
    has_result : callable
        Says whether at least one step is complete.
    owner : str
        Name of the selector.
    checkpoint : str, path or None
        Where the search is journaled, if it is.
    outer : Deadline, default=None
        That of work around this. If its time is up, that work ends here, and not with this result.

    Examples
    --------
    >>> steps = []
    >>> with best_so_far(lambda: bool(steps), "SomeSelector"):
    ...     for step in range(10):
    ...         steps.append(step)
    ...         if step == 2:
    ...             raise SearchStopped
    >>> steps
    [0, 1, 2]
    """
    try:
        yield
    except KeyboardInterrupt:
        if _passes.get() or not has_result():
            raise
        note_interruption(owner)
        message, level = _message(owner, checkpoint), level_of_the_caller()
        warnings.warn(message, SearchInterruptedWarning, stacklevel=level)
    except (SearchStopped, OutOfTime):
        if not has_result() or (outer is not None and outer.must_stop):
            raise


@contextmanager
def interruptions_pass() -> Iterator[None]:
    """Let Ctrl-C end more than the search that it meets: in the block none ends with its best so far."""
    token = _passes.set(True)
    try:
        yield
    finally:
        _passes.reset(token)


@contextmanager
def noted_interruptions() -> Iterator[list[str]]:
    """Yield a list that names what was ended by Ctrl-C, with a result, in the block."""
    noted: list[str] = []
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def note_interruption(owner: str) -> None:
    """Tell whoever runs this that `owner` ended early."""
    noted = _noted.get()
    if noted is not None:
        noted.append(owner)


def level_of_the_caller() -> int:
    """Level, counted from the function that asks, of the code that called fit.

    Python shows a warning once for every place it comes from; one place inside the library for all of them
    would show the first interruption of a session only.
    """
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals["__name__"].partition(".")[0] in LIBRARIES:
        frame, level = frame.f_back, level + 1
    return level


def _message(owner: str, checkpoint: object) -> str:
    begun = f"{owner} was interrupted; it ends with the best subset found so far."
    if checkpoint is None:
        return f"{begun} To be able to go on another time, give it a checkpoint."
    return f"{begun} The same call goes on from the checkpoint {checkpoint}."
