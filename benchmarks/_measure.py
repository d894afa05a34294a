"""How a benchmark times: methods take turns, the best time of each counts."""

import time
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning


def best_times(
    methods: dict[str, Callable[[], Any]], repeats: int = 3
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the best seconds and the last result of each method.

    There are at least `repeats` turns, and as many as fill a second: the shorter a run, the more it is at
    the mercy of the moment. Taking turns spreads a slow spell of the machine over all of them. Warm
    everything up (compilation, imports) before: nothing is discarded here.
    """
    seconds = dict.fromkeys(methods, float("inf"))
    results: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.perf_counter()
        turn = 0
        while turn < repeats or time.perf_counter() - begin < 1.0:
            turn += 1
            for name, method in methods.items():
                start = time.perf_counter()
                results[name] = method()
                seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds, results
