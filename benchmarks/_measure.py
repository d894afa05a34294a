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

    Taking turns spreads a slow spell of the machine over all of them. Warm everything up (compilation,
    imports) before: nothing is discarded here.
    """
    seconds = dict.fromkeys(methods, float("inf"))
    results: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(repeats):
            for name, method in methods.items():
                start = time.perf_counter()
                results[name] = method()
                seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds, results
