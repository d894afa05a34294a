"""run_tasks: the one place where the independent parts of a selection are mapped over processes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import run_tasks as run_on_workers
from infoprop.selection.running._work import Work

Record: TypeAlias = Mapping[str, Any]
"""What a task gives: arrays and numbers by name, as a journal keeps them."""


def run_tasks(
    function: Callable[[Any], Record],
    tasks: Sequence[Any],
    work: Work,
    n_jobs: int | None,
    learned: Callable[[dict[int, Record]], dict[str, Any]],
) -> dict[int, Record]:
    """Do tasks that do not depend on each other, and return what they gave by their numbers.

    Each is journaled as soon as it is done, and those in the journal are not done again. Ctrl-C, or a
    callback, ends with those that are done, if there is one.

    Parameters
    ----------
    function : callable
        Takes one of the `tasks`. What it returns must follow from the task alone.
    tasks : sequence
    work : Work
        Where to report to.
    n_jobs : int or None
        Tasks at a time, through joblib; inside ``parallel_config("dask")`` the cluster decides.
    learned : callable
        What fit would learn from the tasks done, for callbacks.
    """
    records: dict[int, Record] = {int(record["task"]): record for record in work.journal.records()}
    work.progress.advance(len(records))
    missing = [number for number in range(len(tasks)) if number not in records]
    with work.until_stopped(lambda: bool(records)):
        # The function holds the data, and goes to each worker once.
        left = [tasks[number] for number in missing]
        for place, answer in run_on_workers(_called, SharedData(function), left, n_jobs):
            number = missing[place]
            work.begin_step()
            records[number] = {"task": number, **answer}
            work.journal.append([records[number]], {})
            work.progress.step()
            work.end_step(lambda: learned(records))
    return dict(sorted(records.items()))


def _called(function: Callable[[Any], Record], task: Any) -> Record:
    return function(task)
