"""A Dask cluster as a place to work: what is sent there, what comes back, and what happens when workers die.

Dask's scheduler sends the tasks of a dead worker to another one. Added here: data outlive their holders,
and a run that has lost all its workers ends with a sentence.
"""

import asyncio
import os
import queue
import shutil
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import finalize

import joblib
from joblib.parallel import get_active_backend
from sklearn import config_context, get_config

from infoprop._core._deadline import check_time
from infoprop._core._exceptions import ClusterError

Task = TypeVar("Task")
Result = TypeVar("Result")

_POLL = 1.0
"""Seconds after which a run that hears nothing asks whether there are workers."""

_PATIENCE = 60.0
"""Seconds that a run waits for a first or another worker."""


class WorkersLost(Exception):
    """Tasks came back undone, because workers died with them."""


class SharedData:
    """Something large that many tasks read, brought to the workers of a cluster once.

    Where the workers see the client's files it is a file, and its arrays are mapped into memory, not copied.
    Elsewhere it is a result in the cluster that the scheduler can make again when its holders die. Both go
    with this object.

    Parameters
    ----------
    value : object
        Anything that can be pickled. Workers must not write to it.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self.was_interrupted = False
        self._path: str | None = None
        self._places: dict[str, Any] = {}

    def placed(self, client: Any) -> Any:
        """Return what stands for the data in the tasks of a client."""
        place = self._places.get(client.id)
        if place is None or getattr(place, "status", "finished") in ("cancelled", "error"):
            place = self._places[client.id] = self._file(client) or _held_by_cluster(client, self.value)
        return place

    def forget_file(self) -> None:
        """Use no file any more: a worker does not see it."""
        self._places = {key: place for key, place in self._places.items() if not isinstance(place, _File)}
        self._path = None

    def _file(self, client: Any) -> "_File | None":
        if self._path is None:
            folder = tempfile.mkdtemp(prefix="infoprop-", dir=_shared_folder())
            finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._path = str(Path(folder) / "data")
            joblib.dump(self.value, self._path)
        return _File(self._path) if _is_seen(client, self._path) else None

    def __getstate__(self) -> dict[str, Any]:
        return {"value": self.value, "was_interrupted": False, "_path": None, "_places": {}}


@dataclass(frozen=True)
class _File:
    """Data in a file that all workers see."""

    path: str


class _FileNotSeen(Exception):
    """A worker that came later does not see the file."""


@lru_cache(maxsize=2)
def _opened(path: str) -> Any:
    """Map the arrays of a file into memory, once in every worker."""
    return joblib.load(path, mmap_mode="r")


def _shared_folder() -> str | None:
    return os.environ.get("JOBLIB_TEMP_FOLDER")


def _is_seen(client: Any, path: str) -> bool:
    answers = client.run(os.path.isfile, path, on_error="return")
    return bool(answers) and all(answer is True for answer in answers.values())


def _held_by_cluster(client: Any, value: Any) -> Any:
    # A task, not scattered data: the scheduler keeps what it is made of, and makes it again if it is lost.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        return client.submit(_itself, value, pure=False)


def _itself(value: Any) -> Any:
    return value


def is_in_worker() -> bool:
    """Whether this code is a task of a Dask worker."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except (AttributeError, ValueError):
        return False
    return True


def cluster_client() -> Any:
    """Return the client of the cluster that joblib was told to use; None if it was told nothing like that."""
    backend, _ = get_active_backend()
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


def run_on_cluster(
    client: Any, work: Callable[[Any, Task], Result], data: SharedData, tasks: Mapping[int, Task]
) -> Generator[tuple[int, Result], None, None]:
    """Yield numbers and results of tasks as they are done.

    Raises
    ------
    WorkersLost
        At the end, if some tasks were given up because their workers died.
    ClusterError
        If there has been no worker for a minute, or no scheduler any more.
    """
    place = data.placed(client)
    # Dask looks for other tasks inside of lists and tuples; what is boxed it hands on as it is.
    boxed = [_Box(task) for task in tasks.values()]
    futures = client.map(_Call(work, get_config()), boxed, data=place, pure=False)
    numbers = {future.key: number for future, number in zip(futures, list(tasks), strict=True)}
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Any, BaseException | None]] = queue.SimpleQueue()
    for future in futures:
        # One thread calls this for all clients of the process, so nothing may wait in it.
        future.add_done_callback(arrived.put)
    threading.Thread(target=_fetch, args=(arrived, done), daemon=True).start()
    watch = _Watch(client)
    lost: BaseException | None = None
    try:
        for _ in range(len(futures)):
            key, result, error = watch.next_of(done)
            if error is None:
                yield numbers[key], result
            elif isinstance(error, _FileNotSeen):
                data.forget_file()
                lost = error
            elif _is_lost(error):
                watch.check()
                lost = error
            else:
                raise error
    finally:
        arrived.put(None)
        if client.status == "running":
            client.cancel(futures)
    if lost is not None:
        raise WorkersLost(str(lost)) from lost


def _fetch(arrived: "queue.SimpleQueue[Any]", done: "queue.SimpleQueue[Any]") -> None:
    """Fetch the results of tasks as they are done, until there is None.

    To fetch with a time limit would cancel a long transfer; without one it may wait for ever for a scheduler
    that is gone. So a thread of its own does it; who waits for the results looks at the client.
    """
    while (future := arrived.get()) is not None:
        done.put(_fetched(future))


def _fetched(future: Any) -> tuple[str, Any, BaseException | None]:
    """Key of a task that is done, and its result or error."""
    try:
        return future.key, future.result(), None
    except BaseException as error:
        return future.key, None, error
    finally:
        future.release()


def _is_lost(error: BaseException) -> bool:
    """Whether a task came back undone because its workers, or all of them, are gone."""
    from distributed import KilledWorker

    return isinstance(error, KilledWorker | CancelledError | asyncio.CancelledError)


@dataclass(frozen=True)
class _Box:
    """A task on its way."""

    task: Any


@dataclass(frozen=True)
class _Call:
    """Does one task, in a worker, with scikit-learn configured as it is at the client."""

    work: Callable[[Any, Any], Any]
    config: dict[str, Any]

    def __call__(self, box: _Box, *, data: Any) -> Any:
        if isinstance(data, _File):
            try:
                data = _opened(data.path)
            except FileNotFoundError as error:
                raise _FileNotSeen(str(error)) from None
        with config_context(**self.config):
            return self.work(data, box.task)


class _Watch:
    """Waits for tasks, as long as somebody works on them."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._since: float | None = None

    def next_of(self, done: "queue.SimpleQueue[Any]") -> Any:
        """Return what comes next out of the queue."""
        while True:
            try:
                return done.get(timeout=_POLL)
            except queue.Empty:
                check_time()
                self.check()

    def check(self) -> None:
        """Raise if there is nobody to wait for."""
        address = getattr(self._client.scheduler, "address", "the given address")
        again = "What a checkpoint holds is kept: start workers and run the same call again."
        if self._client.status != "running":
            raise ClusterError(f"The connection to the Dask scheduler at {address} was lost. {again}")
        if self._client.nthreads():
            self._since = None
            return
        self._since = time.monotonic() if self._since is None else self._since
        if time.monotonic() - self._since >= _PATIENCE:
            raise ClusterError(
                f"The Dask cluster at {address} has had no worker for {_PATIENCE:.0f} seconds. {again}"
            )
