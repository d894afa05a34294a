"""Ctrl-C reaches compiled work, and threads stop when what they were started for is interrupted."""

import signal
import subprocess
import sys
import threading
import time
from contextvars import ContextVar

import pytest

from infoprop._core._stopping import Threads, check_stop, stoppable

# Far beyond what it takes, so that a slow machine does not fail.
PATIENCE = 60.0

ENDLESS = """
import numpy as np
from infoprop._core._stopping import stoppable
X = np.ones((3000, 3000))
def endless():
    while True:
        np.dot(X, X)
print("ready", flush=True)
stoppable(endless)
"""


def interrupted(code):
    """Run code in a process of its own and interrupt it once it is ready; returns its standard error."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()


def until_told():
    """Work until told to stop."""
    begin = time.monotonic()
    while time.monotonic() - begin < PATIENCE:
        check_stop()
        time.sleep(0.001)
    raise AssertionError("nobody asked to stop")


def test_an_interrupt_ends_work_that_never_looks_for_one():
    assert "KeyboardInterrupt" in interrupted(ENDLESS)


def test_work_in_the_main_thread_is_done_by_another_and_gives_what_it_gives():
    assert stoppable(threading.current_thread) is not threading.main_thread()
    with pytest.raises(ZeroDivisionError):
        stoppable(lambda: 1 / 0)


def test_work_in_another_thread_stays_there():
    with Threads(1) as threads:
        assert threads.submit(
            lambda: stoppable(threading.current_thread) is threading.current_thread()
        ).result()


def test_work_sees_the_context_of_its_caller():
    value = ContextVar("value", default=0)
    value.set(7)
    assert stoppable(value.get) == 7


def test_an_interrupt_stops_all_threads(monkeypatch):
    with Threads(2) as threads:
        futures = [threads.submit(until_told) for _ in range(2)]
        threads.ask_to_stop()
        for future in futures:
            with pytest.raises(KeyboardInterrupt):
                future.result(timeout=PATIENCE)


def test_threads_within_threads_stop_together():
    def outer():
        with Threads(1) as inner:
            return inner.submit(until_told).result(timeout=PATIENCE)

    with Threads(1) as threads:
        future = threads.submit(outer)
        threads.ask_to_stop()
        with pytest.raises(KeyboardInterrupt):
            future.result(timeout=PATIENCE)


def test_results_come_in_the_order_of_the_items():
    with Threads(3) as threads:
        assert threads.map(lambda k: k * k, range(20)) == [k * k for k in range(20)]


def test_an_error_of_one_item_is_raised():
    with Threads(2) as threads, pytest.raises(ValueError, match="three"):
        threads.map(lambda k: (_ for _ in ()).throw(ValueError("three")) if k == 3 else k, range(6))


def test_nobody_is_asked_to_stop_outside():
    check_stop()
