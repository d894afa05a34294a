"""Measure time and memory of one method in a process of its own."""

import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from _elimination_data import Rows
from sklearn.exceptions import ConvergenceWarning

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_BUDGET_SECONDS = 30.0
_SECONDS_OF_SHORT_RUNS = 2.0


@dataclass(frozen=True)
class Measured:
    """Best seconds, by the clock and of the processor, what the method returned, and its memory in MiB.

    `peak` is all that the process ever held: interpreter, libraries, data and method. `growth` is by how much
    the method raised it above what was there before.
    """

    seconds: float
    result: Any
    peak: float
    growth: float
    shape: str
    counted_on: str
    processor: float = 0.0

    def better(self, again: "Measured") -> "Measured":
        """The same method measured at two times: the better time, the larger memory."""
        return replace(
            self,
            seconds=min(self.seconds, again.seconds),
            peak=max(self.peak, again.peak),
            growth=max(self.growth, again.growth),
        )


def measure(load: Callable[[], Rows], method: Callable[[Rows], Any], repeats: int = 1) -> Measured:
    """Run a method in a fresh process, after a warm-up on a tiny part of the same rows; best time counts.

    Repeats end early when they have taken half a minute together, and go on until they have taken two
    seconds: the shorter a run, the more it is at the mercy of the moment.
    """
    measured: Measured = _elsewhere(measure_here, load, method, repeats)
    return measured


def compile_once(load: Callable[[], Rows], method: Callable[[Rows], Any]) -> None:
    """Fill the cache on disk from another process: a compiler stays in the memory of the one it works in.

    All rows are taken, as what is done with a few of them is not always what is done with many.
    """
    _elsewhere(_whole_job, load, method)


def _elsewhere(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as process:
        return process.submit(function, *arguments).result()


def _whole_job(load: Callable[[], Rows], method: Callable[[Rows], Any]) -> None:
    method(load())


def measure_here(load: Callable[[], Rows], method: Callable[[Rows], Any], repeats: int = 1) -> Measured:
    """The same in this process."""
    rows = load()
    best, processor, spent = float("inf"), float("inf"), 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        method(rows.tiny())
        before = _start_of_memory()
        n_runs = 0
        while n_runs == 0 or (
            spent <= _BUDGET_SECONDS
            and (n_runs < repeats or (repeats > 1 and spent < _SECONDS_OF_SHORT_RUNS))
        ):
            start, start_of_processor = time.perf_counter(), time.process_time()
            result = method(rows)
            seconds = time.perf_counter() - start
            processor = min(processor, time.process_time() - start_of_processor)
            best, spent, n_runs = min(best, seconds), spent + seconds, n_runs + 1
    peak = peak_memory()
    return Measured(best, result, peak, peak - before, rows.shape, rows.counted_on, processor)


def peak_memory() -> float:
    """Return the most memory this process has held so far, in MiB.

    On Linux getrusage also counts what the parent held when it started this process; the kernel's own page
    does not.
    """
    if _STATUS.exists():
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024.0
    unit = 1024.0**2 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _start_of_memory() -> float:
    """Forget the peak of the warm-up, where the system lets us, and return what is held now."""
    if _CLEAR.exists():
        _CLEAR.write_text("5")
    return peak_memory()
