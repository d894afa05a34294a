"""How many threads BLAS works with."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  (compiled products call its BLAS)
from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """Within this context BLAS works in the calling thread.

    Small products take several times longer on two threads than on one, as each call wakes the others; and
    sums must not depend on how many cores there are.
    """
    limit: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="blas")
    return limit


@cache
def _thread_pools() -> ThreadpoolController:
    # Looking for the libraries takes a millisecond.
    return ThreadpoolController()
