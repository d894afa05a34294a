"""run_tasks: many independent pieces of work on the same data, by whatever workers there are."""

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import Any, TypeVar

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from infoprop._core._cluster import SharedData, WorkersLost, cluster_client, is_in_worker, run_on_cluster
from infoprop._core._deadline import check_time, seconds_left, time_limit
from infoprop._core._exceptions import ClusterError

Task = TypeVar("Task")
Result = TypeVar("Result")

_ATTEMPTS = 3
"""Times that everything that is left is tried again without any of it getting done."""


def run_tasks(
    work: Callable[[Any, Task], Result], data: SharedData, tasks: Sequence[Task], n_jobs: int | None = None
) -> Iterator[tuple[int, Result]]:
    """Yield ``(number, work(data.value, tasks[number]))`` as they are done, in any order.

    Inside ``joblib.parallel_config("dask")`` the workers of that cluster do it, unless `n_jobs` is 1: the
    data go there once, tasks of a worker that dies are done by others, as long as there is one. Otherwise
    `n_jobs` workers do it, through joblib; if one of its processes dies, new ones do what is left. After
    Ctrl-C, which ends them, this process does all further tasks on the same data: it is little, and to start
    workers takes seconds.

    Parameters
    ----------
    work : callable
        A function of a module, of the data and a task. What it returns must follow from these alone, as a
        task may be done more than once.
    data : SharedData
    tasks : sequence
        Small; what is large belongs into `data`.
    n_jobs : int, default=None
        As in joblib.

    Yields
    ------
    tuple of int and result

    Raises
    ------
    ClusterError
        If no worker is left, or the same tasks end their workers again and again.
    OutOfTime
        If time is up before all are done.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop._core._cluster import SharedData
    >>> from infoprop._core._tasks import run_tasks
    >>> dict(run_tasks(np.multiply, SharedData(np.arange(3)), [1, 2]))
    {0: array([0, 1, 2]), 1: array([0, 2, 4])}
    """
    if data.was_interrupted:
        n_jobs = 1
    client = None if n_jobs == 1 or is_in_worker() else cluster_client()
    left = dict(enumerate(tasks))
    n_failures = 0
    while left:
        n_left = len(left)
        try:
            if client is None:
                answers = _run_here(work, data, left, n_jobs)
            else:
                answers = run_on_cluster(client, work, data, left)
            with closing(answers):
                for number, result in answers:
                    del left[number]
                    yield number, result
                    if left:
                        check_time()
        except KeyboardInterrupt:
            data.was_interrupted = client is None
            raise
        except (WorkersLost, BrokenProcessPool) as error:
            n_failures = 0 if len(left) < n_left else n_failures + 1
            if n_failures == _ATTEMPTS:
                raise ClusterError(
                    f"{len(left)} of {len(tasks)} tasks could not be done: the workers that had them died "
                    "again and again, most often because they have too little memory. Give each worker more, "
                    "or run fewer at a time."
                ) from error


def has_workers(n_jobs: int | None) -> bool:
    """Whether :func:`run_tasks` would do several tasks at a time.

    >>> has_workers(None), has_workers(2)
    (False, True)
    """
    return n_jobs != 1 and not is_in_worker() and effective_n_jobs(n_jobs) > 1


def results_in_order(answers: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Yield the results of :func:`run_tasks` in the order of the tasks, each as soon as it can be.

    >>> list(results_in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    waiting: dict[int, Result] = {}
    n_given = 0
    for number, result in answers:
        waiting[number] = result
        while n_given in waiting:
            yield waiting.pop(n_given)
            n_given += 1


def _run_here(
    work: Callable[[Any, Task], Result], data: SharedData, tasks: Mapping[int, Task], n_jobs: int | None
) -> Generator[tuple[int, Result], None, None]:
    if is_in_worker():
        # joblib would ask the cluster, which waits for this task.
        n_jobs = 1
    # Asked when a task is sent: other processes and threads do not know how much time there is.
    calls = (
        delayed(_numbered)(work, data.value, number, task, seconds_left())
        for number, task in list(tasks.items())
    )
    # joblib warns of it in the thread that hands out the tasks. Were this an error, the thread would end, and
    # the others wait for ever.
    warnings.filterwarnings("default", "A worker stopped while some jobs were given", UserWarning)
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:
        # This backend gives all answers at the end.
        parallel = Parallel(n_jobs=n_jobs)
    # A caller that has enough before all is done knows that some work was for nothing. A filter of warnings
    # would not do, as it is not safe with threads.
    parallel._warn_exit_early = lambda: None
    yield from parallel(calls)


def _numbered(
    work: Callable[[Any, Task], Result], value: Any, number: int, task: Task, seconds: float | None
) -> tuple[int, Result]:
    with time_limit(seconds):
        return number, work(value, task)
