"""How many native threads a piece of work may use: never more than the cores that are its own."""

import multiprocessing
import os
import sys

from joblib import cpu_count, effective_n_jobs


def native_threads(n_jobs: int | None) -> int:
    """Return the number of threads for compiled work that is asked to run on `n_jobs`.

    joblib counts the cores of a whole cluster where a backend runs on one, in its workers too. Threads run
    here, so they are counted here:

    - inside a task of a Dask worker, the worker's threads (no more than the machine has cores) divided by the
      tasks that it runs at this moment;
    - inside another worker process, such as loky's, what its pool gave it (``NUMBA_NUM_THREADS``);
    - elsewhere as many as asked for; ``None`` and negative numbers mean no more than this machine has.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib.

    Returns
    -------
    int
        At least one.

    Examples
    --------
    >>> from infoprop._core._threads import native_threads
    >>> native_threads(None), native_threads(3)
    (1, 3)
    """
    wanted = int(effective_n_jobs(n_jobs))
    limit = _worker_limit()
    if limit is None and (n_jobs is None or n_jobs < 0):
        limit = cpu_count()
    return wanted if limit is None else max(1, min(wanted, limit))


def _worker_limit() -> int | None:
    """Threads that are left to one piece of work in a worker; None if this is no worker."""
    # Whoever runs inside a Dask worker has it imported already; nobody else pays for it.
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        try:
            state = distributed.get_worker().state
        except (AttributeError, ValueError):  # no task of a worker runs in this thread
            pass
        else:
            return min(state.nthreads, cpu_count()) // max(1, len(state.executing))
    if multiprocessing.parent_process() is None:
        return None
    # joblib divides the machine among the processes of its pool, and tells each of them so.
    given = os.environ.get("NUMBA_NUM_THREADS", "")
    return int(given) if given.isdigit() else cpu_count()
