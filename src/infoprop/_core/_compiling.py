"""Compiling is announced when it has taken two seconds, and only where something is compiled.

Code from the cache is not announced. A progress bar that is on the screen already gets one more task; a
terminal without one gets a bar, or a line where rich is not installed. Where standard error is not a terminal
nothing is written, except by the command line, which prints one line.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing import current_process
from typing import Any

WORDS = "compiling numerical code (first use only)"
SECONDS_IN_SILENCE = 2.0


class _Notice:
    """What is being compiled now, and how it is shown."""

    def __init__(self) -> None:
        self.bars: list[Any] = []
        self.say: Callable[[str], None] | None = None
        self.spent = 0.0
        self.has_spoken = False
        self.n_done = 0


_notice = _Notice()


@contextmanager
def shown_on(bar: Any) -> Iterator[None]:
    """While this lasts, compiling is a task of `bar`, a progress bar of rich that is on the screen."""
    _notice.bars.append(bar)
    try:
        yield
    finally:
        _notice.bars.remove(bar)


@contextmanager
def said_by(say: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, compiling is said once, in a line, where no bar is on the screen."""
    before, _notice.say, _notice.has_spoken = _notice.say, say, False
    try:
        yield
    finally:
        _notice.say = before


@contextmanager
def announced(function: Callable[..., Any]) -> Iterator[None]:
    """Say that a function and all it calls are being compiled, once compiling has taken two seconds in all.

    Numba compiles in one thread at a time, so there is one such function at any moment.
    """
    is_over = threading.Event()
    total = _count_reached(function)
    shower = threading.Thread(target=_show_late, args=(total, is_over), daemon=True)
    _notice.n_done = 0
    start = time.perf_counter()
    shower.start()
    try:
        yield
    finally:
        _notice.spent += time.perf_counter() - start
        is_over.set()
        shower.join()


def count_function() -> None:
    """One function more is compiled."""
    _notice.n_done += 1


def _show_late(total: int, is_over: threading.Event) -> None:
    if is_over.wait(max(0.0, SECONDS_IN_SILENCE - _notice.spent)):
        return
    with _bar_in_sight() as bar:
        if bar is None:
            return
        task = bar.add_task(f"  {WORDS}", total=total, has_rhythm=False)
        try:
            while not is_over.wait(0.1):
                bar.update(task, completed=min(_notice.n_done, total))
        finally:
            bar.remove_task(task)


def _bar_in_sight() -> AbstractContextManager[Any]:
    """The bar that shows it, entered; None where a line was said instead, or nothing."""
    if _notice.bars:
        return nullcontext(_notice.bars[-1])
    if _notice.say is not None:
        _say_once(_notice.say)
        return nullcontext(None)
    if not sys.stderr.isatty() or current_process().name != "MainProcess":
        return nullcontext(None)
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        _say_once(lambda words: print(f"infoprop: {words}", file=sys.stderr))
        return nullcontext(None)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _say_once(say: Callable[[str], None]) -> None:
    if not _notice.has_spoken:
        _notice.has_spoken = True
        say(WORDS)


def _count_reached(function: Callable[..., Any]) -> int:
    """How many compiled functions `function` reaches through calls, itself included."""
    reached, left = {function}, [function]
    while left:
        caller: Any = left.pop()
        for name in caller.__code__.co_names:
            callee = getattr(caller.__globals__.get(name), "py_func", None)
            if callee is not None and callee not in reached:
                reached.add(callee)
                left.append(callee)
    return len(reached)
