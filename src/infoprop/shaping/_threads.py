"""Columns in blocks, blocks in threads. What is computed for a column never depends on its block."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from infoprop._core._stopping import Threads
from infoprop._core._threads import native_threads
from infoprop._core._typing import IntArray

Result = TypeVar("Result")

_BLOCK_ENTRIES = 1 << 18


def blocks(starts: IntArray, block_entries: int = _BLOCK_ENTRIES) -> list[tuple[int, int]]:
    """Split columns into ranges (first, last) of about `block_entries` entries.

    Parameters
    ----------
    starts : array of shape (n_columns + 1,)
        Where the entries of each column begin; the last number is the end.
    block_entries : int
        Entries of a block; a longer column is a block of its own.
    """
    marks = np.arange(starts[0] + block_entries, starts[-1], block_entries)
    cuts = np.unique(np.searchsorted(starts, marks))
    edges = [0, *cuts[(cuts > 0) & (cuts < len(starts) - 1)].tolist(), len(starts) - 1]
    return list(pairwise(edges))


def map_blocks(
    work: Callable[[int, int], Result], ranges: list[tuple[int, int]], n_jobs: Any
) -> list[Result]:
    """Do ``work(first, last)`` for every range; results in their order."""
    n_threads = min(native_threads(n_jobs), len(ranges))
    if n_threads <= 1:
        return [work(first, last) for first, last in ranges]
    with Threads(n_threads) as pool:
        return pool.map(lambda edges: work(*edges), ranges)
