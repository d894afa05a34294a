"""How Ctrl-C reaches compiled work, and threads that do not outlive what they were started for.

Python hears of an interrupt between two of its own instructions, in the main thread only. Long compiled work
is therefore done by another thread, while the main thread waits and listens. An interrupt goes its way at
once; the work is told to stop, and does so where it next asks :func:`check_stop`. All threads here are
daemons: one that is still inside compiled code does not keep the program from ending.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# Seconds between two looks at the waiting thread, for systems where an interrupt does not end the waiting.
_BETWEEN_LOOKS = 0.2
_current = threading.local()


class _Stop:
    """A request to stop, for one piece of work and all that it has started."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._outer: _Stop | None = getattr(_current, "stop", None)

    def ask(self) -> None:
        self._asked.set()

    def is_asked(self) -> bool:
        return self._asked.is_set() or (self._outer is not None and self._outer.is_asked())


def check_stop() -> None:
    """Raise KeyboardInterrupt in a thread whose work has been interrupted.

    Examples
    --------
    >>> from infoprop._core._stopping import check_stop
    >>> check_stop()
    """
    stop: _Stop | None = getattr(_current, "stop", None)
    if stop is not None and stop.is_asked():
        raise KeyboardInterrupt


def stoppable(work: Callable[[], Result]) -> Result:
    """Do `work` so that Ctrl-C ends it at once; it may write only to what nobody needs after an interrupt.

    Other threads than the main one never hear of an interrupt: there it is simply done.

    Examples
    --------
    >>> from infoprop._core._stopping import stoppable
    >>> stoppable(lambda: 2 + 2)
    4
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    with Threads(1) as threads:
        return threads.waited(threads.submit(work))


class Threads:
    """A few threads for compiled work; leaving the block on an interrupt tells them to stop.

    Examples
    --------
    >>> from infoprop._core._stopping import Threads
    >>> with Threads(2) as threads:
    ...     threads.map(abs, [-1, -2, -3])
    [1, 2, 3]
    """

    def __init__(self, n_threads: int) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._stop = _Stop()
        self._n_threads = n_threads
        for _ in range(n_threads):
            threading.Thread(target=self._run, daemon=True).start()

    def submit(self, work: Callable[..., Result], *given: Any) -> "Future[Result]":
        """Have ``work(*given)`` done by a thread that is free."""
        future: Future[Result] = Future()
        context = copy_context()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(context.run(work, *given))
            except BaseException as error:
                future.set_exception(error)

        self._jobs.put(job)
        return future

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Do `work` for every item; results in the order of the items."""
        futures = [self.submit(work, item) for item in items]
        try:
            return [self.waited(future) for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def waited(self, future: "Future[Result]") -> Result:
        """Wait for a result; an interrupt tells all threads to stop, and is raised at once."""
        try:
            while True:
                try:
                    return future.result(timeout=_BETWEEN_LOOKS)
                except TimeoutError:
                    if future.done():
                        raise
        except KeyboardInterrupt:
            self.ask_to_stop()
            raise

    def ask_to_stop(self) -> None:
        """Tell the threads to stop where they next ask."""
        self._stop.ask()

    def _run(self) -> None:
        _current.stop = self._stop
        while (job := self._jobs.get()) is not None:
            job()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the threads end when they are done."""
        for _ in range(self._n_threads):
            self._jobs.put(None)
