"""Threads for compiled work, which does not hold the interpreter's lock, and memory for it."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Self, TypeVar
from weakref import finalize

import numpy as np

from infoprop._core._stopping import Threads
from infoprop._core._typing import FloatArray

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """The calling thread and a pool of others; with one worker, no pool and no threads.

    To wake a thread takes as long as many a piece of work, so the caller does not sleep while there is any.
    """

    def __init__(self, n_threads: int) -> None:
        self._n_others = n_threads - 1
        self._pool = Threads(self._n_others) if self._n_others > 0 else None
        if self._pool is not None:
            # Threads that nobody can give work to shall not wait for it.
            finalize(self, self._pool.close)

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Do `work` for every item; results in the order of the items."""
        if self._pool is None:
            return list(map(work, items))
        given = list(items)
        return self._shared(work, given, range(len(given)))

    def map_largest_first(
        self, work: Callable[[Item], Result], items: Sequence[Item], sizes: Sequence[int]
    ) -> list[Result]:
        """Do the same, largest items first, so that none of them is left when all others are done."""
        return self._shared(work, items, sorted(range(len(sizes)), key=lambda k: -sizes[k]))

    def _shared(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        order: Iterable[int],
    ) -> list[Result]:
        """Do all that, in this order; a thread that is free takes what is next."""
        done: dict[int, Result] = {}

        def do(k: int) -> None:
            done[k] = work(items[k])

        todo: deque[Callable[[], None]] = deque(partial(do, k) for k in order)

        def take() -> None:
            while True:
                try:
                    job = todo.popleft()
                except IndexError:
                    return
                try:
                    job()
                except BaseException:
                    todo.clear()
                    raise

        if self._pool is None:
            take()
        else:
            self._take_together(self._pool, take, min(self._n_others, len(todo) - 1))
        return [done[k] for k in range(len(items))]

    def _take_together(self, pool: Threads, take: Callable[[], None], n_others: int) -> None:
        """Let the caller and the others take work until there is none; an interrupt stops them all."""
        others = [pool.submit(take) for _ in range(n_others)]
        try:
            take()
        except KeyboardInterrupt:
            pool.ask_to_stop()
            raise
        finally:
            # What they work on may be needed afterwards: nobody leaves before they do.
            for other in others:
                other.exception()
        for other in others:
            other.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.close()


class WorkspacePool:
    """Memory for work that needs some for a while, as many pieces as are in use at once.

    What was touched before is several times faster than fresh memory, and what was touched just now may still
    be in the cache.
    """

    def __init__(self) -> None:
        self._free: list[FloatArray] = []

    @contextmanager
    def taken(self, n_entries: int) -> Iterator[FloatArray]:
        """At least so many entries, with anything in them, for one caller."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = np.empty(0)
        if workspace.size < n_entries:
            workspace = np.empty(n_entries)
        try:
            yield workspace
        finally:
            self._free.append(workspace)


ALONE = Workers(1)
"""The calling thread, for work that takes less time than it takes to wake others."""
