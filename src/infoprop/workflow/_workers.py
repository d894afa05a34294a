"""Processes that share the work, and leave Ctrl-C to the one that started them."""

import signal
from contextlib import AbstractContextManager
from typing import Any


def quiet_workers() -> AbstractContextManager[Any]:
    """Return a block whose worker processes are not told of Ctrl-C: they end when their master does.

    The terminal sends it to all of them, and each would print where it was.
    """
    import joblib

    block: AbstractContextManager[Any] = joblib.parallel_config("loky", initializer=ignore_interrupts)
    return block


def ignore_interrupts() -> None:
    """Go on when Ctrl-C is pressed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
