"""run_tasks: the one place where the independent parts of a selection are mapped over processes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sklearn.utils.parallel import Parallel, delayed

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
        Tasks at a time, through joblib.
    learned : callable
        What fit would learn from the tasks done, for callbacks.
    """
    records: dict[int, Record] = {int(record["task"]): record for record in work.journal.records()}
    work.progress.advance(len(records))
    missing = [number for number in range(len(tasks)) if number not in records]
    with work.until_stopped(lambda: bool(records)):
        for number, answer in _answers(function, tasks, missing, n_jobs):
            work.begin_step()
            records[number] = {"task": number, **answer}
            work.journal.append([records[number]], {})
            work.progress.step()
            work.end_step(lambda: learned(records))
    return dict(sorted(records.items()))


def _answers(
    function: Callable[[Any], Record], tasks: Sequence[Any], missing: list[int], n_jobs: int | None
) -> Iterator[tuple[int, Record]]:
    calls = (delayed(_numbered)(function, number, tasks[number]) for number in missing)
    try:
        # As they are done, in any order: what is done is written down at once.
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:
        # This backend gives all answers at the end.
        parallel = Parallel(n_jobs=n_jobs)
    yield from parallel(calls)


def _numbered(function: Callable[[Any], Record], number: int, task: Any) -> tuple[int, Record]:
    return number, function(task)
