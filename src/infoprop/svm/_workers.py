"""Threads for compiled work, which does not hold the interpreter's lock, and memory for it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from infoprop._core._typing import FloatArray

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """A pool of threads; with one worker, no pool and no threads."""

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Do `work` for every item; results in the order of the items."""
        return list(map(work, items) if self._pool is None else self._pool.map(work, items))

    def map_largest_first(
        self, work: Callable[[Item], Result], items: Sequence[Item], sizes: Sequence[int]
    ) -> list[Result]:
        """Do the same, largest items first, so that none of them is left when all others are done."""
        if self._pool is None:
            return self.map(work, items)
        order = sorted(range(len(items)), key=lambda k: -sizes[k])
        done = dict(zip(order, self.map(work, (items[k] for k in order)), strict=True))
        return [done[k] for k in range(len(items))]

    def chain_largest_first(
        self,
        work: Callable[[Item], Result],
        then: Callable[[Item, Result], None],
        items: Sequence[Item],
        sizes: Sequence[int],
    ) -> list[Result]:
        """Do `work` for every item, largest first, and `then` with what came of it, when a thread is free.

        Nobody waits for the `work` of all others to be done, so threads are busy to the end.
        """
        pool = self._pool

        def begin(item: Item) -> tuple[Result, Future[None] | None]:
            result = work(item)
            if pool is not None:
                return result, pool.submit(then, item, result)
            then(item, result)
            return result, None

        begun = self.map_largest_first(begin, items, sizes)
        for _, follower in begun:
            if follower is not None:
                follower.result()
        return [result for result, _ in begun]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=exc_type is not None)


class Rooms:
    """Memory for work that needs some for a while, as many pieces as are in use at once.

    What was touched before is several times faster than fresh memory, and what was touched just now may still
    be in the cache.
    """

    def __init__(self) -> None:
        self._free: list[FloatArray] = []

    @contextmanager
    def taken(self, n_entries: int) -> Iterator[FloatArray]:
        """At least so many entries, with anything in them, for nobody else."""
        try:
            room = self._free.pop()
        except IndexError:
            room = np.empty(0)
        if room.size < n_entries:
            room = np.empty(n_entries)
        try:
            yield room
        finally:
            self._free.append(room)


ALONE = Workers(1)
"""The calling thread, for work that is done before others are awake."""
