"""Deadline: when work has to end, known to everything that is done meanwhile, in other processes too."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from infoprop._core._exceptions import InfopropError
from infoprop._core._typing import FloatArray

GRACE = 5.0
"""Seconds that work without any result may go on after its time is up."""

PART_SECONDS = 1.0
"""Seconds between two looks at the clock, about, where that takes more than a look."""


def now() -> float:
    """Seconds of a clock that is never set."""
    return time.monotonic()


class OutOfTime(InfopropError):
    """Time is up. Whoever set the limit takes it; users never see it."""


class Deadline:
    """When some work has to end, and whether it has a result to end with.

    Work asks :func:`check_time` between its parts, each a training or so: a part that has begun is not broken
    off. Until there is a result it may go on for :data:`GRACE` seconds.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no limit of its own.
    outer : Deadline or None
        That of the work that this is a part of.

    Examples
    --------
    >>> with time_limit(60.0) as deadline:
    ...     check_time()
    >>> deadline.is_over, deadline.must_stop
    (False, False)
    """

    def __init__(self, seconds: float | None = None, outer: "Deadline | None" = None) -> None:
        self._end = now() + (math.inf if seconds is None else seconds)
        self.outer = outer
        self.has_result: Callable[[], bool] = bool

    @property
    def is_over(self) -> bool:
        """Whether its own time is up."""
        return now() >= self._end

    def lift(self) -> None:
        """Let what follows take its time, as far as this limit goes."""
        self._end = math.inf

    @property
    def must_stop(self) -> bool:
        """Whether work has to end now: for this limit, or for one around it."""
        if self.is_over and (self.has_result() or now() >= self._end + GRACE):
            return True
        return self.outer is not None and self.outer.must_stop

    @property
    def seconds_left(self) -> float:
        """Seconds until the first of the limits is up, at least none; infinite without a limit."""
        own = max(0.0, self._end - now())
        return own if self.outer is None else min(own, self.outer.seconds_left)


_current: ContextVar[Deadline | None] = ContextVar("_current", default=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[Deadline]:
    """Let what is done in the block end after `seconds`; limits around it hold as well."""
    deadline = Deadline(seconds, _current.get())
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)


def seconds_left() -> float | None:
    """Seconds that are left to the work under way; None if it has no limit."""
    deadline = _current.get()
    left = math.inf if deadline is None else deadline.seconds_left
    return None if left == math.inf else left


def check_time() -> None:
    """End here if time is up.

    Raises
    ------
    OutOfTime
    """
    deadline = _current.get()
    if deadline is not None and deadline.must_stop:
        raise OutOfTime("Time is up.")


def in_parts(n_items: int, judge: Callable[[slice], FloatArray]) -> FloatArray:
    """Judge items as long as there is time, a second's worth at a time; at least one.

    Parameters
    ----------
    n_items : int
    judge : callable
        From a part of the items to a number for each.

    Returns
    -------
    ndarray of shape (n_items,)
        NaN for those that there was no time for.

    Examples
    --------
    >>> in_parts(3, lambda part: np.arange(3.0)[part] + 1.0)
    array([1., 2., 3.])
    """
    deadline = _current.get()
    if deadline is None or deadline.seconds_left == math.inf or n_items == 0:
        return judge(slice(0, n_items))
    found = np.full(n_items, np.nan)
    n_done, size = 0, 1
    while n_done < n_items and not (n_done and deadline.is_over):
        part, begun = slice(n_done, n_done + size), now()
        try:
            check_time()
            found[part] = judge(part)
        except OutOfTime:
            is_for_outer = deadline.outer is not None and deadline.outer.must_stop
            if is_for_outer or not n_done or not deadline.is_over:
                raise
            break
        n_done += size
        size = 2 * size if now() - begun < PART_SECONDS / 2.0 else max(1, size // 2)
    return found
