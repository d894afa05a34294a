"""How many threads BLAS works with."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  (compiled products call its BLAS)
from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this context BLAS works in the calling thread.

    Small products take several times longer on two threads than on one, as each call wakes the others; and
    sums must not depend on how many cores there are.
    """
    # The controller's own context describes every library on the way in and out, 50 microseconds each time;
    # searches come by here thousands of times.
    before = [(library, library.get_num_threads()) for library in _blas_libraries()]
    changed = [(library, n_threads) for library, n_threads in before if n_threads != 1]
    for library, _ in changed:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, n_threads in changed:
            library.set_num_threads(n_threads)


@cache
def _blas_libraries() -> tuple[Any, ...]:
    # Looking for the libraries takes a millisecond.
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
