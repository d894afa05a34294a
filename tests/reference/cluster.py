"""Clusters of real processes, and what kills their workers."""

import os
import signal
import time
from contextlib import contextmanager

import numpy as np


@contextmanager
def cluster_of(n_workers, threads_per_worker=1, *, processes=True):
    """A cluster on this machine, its client, and joblib told to use it."""
    import dask
    import distributed
    from joblib import parallel_config

    # Its profiler asks for the frames of all threads, during which CPython 3.11 can stop for ever when
    # the garbage collector sets in (python/cpython#106883).
    dask.config.set({"distributed.worker.profile.enabled": False})
    cluster = distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=threads_per_worker,
        processes=processes,
        dashboard_address=":0",
        silence_logs=60,
    )
    with cluster, distributed.Client(cluster) as client, parallel_config(backend="dask"):
        yield client


def worker_pids(client):
    """Process of every worker that answers."""
    return {address: pid for address, pid in client.run(os.getpid, on_error="ignore").items() if pid}


def kill_worker(client, number=0):
    """Kill a worker, with nothing tidied up; its nanny starts another one."""
    pids = sorted(worker_pids(client).values())
    os.kill(pids[number % len(pids)], signal.SIGKILL)


def slow_product(data, task):
    """A task that takes a while, so that workers can be killed during it."""
    factor, seconds = task
    time.sleep(seconds)
    return (data * factor).sum()


def worker_pid(data, task):
    """Who does the task, and whether the data were mapped."""
    return os.getpid(), isinstance(data, np.memmap) or isinstance(data.base, np.memmap)


def fails(data, task):
    """A task that cannot be done."""
    raise ArithmeticError(f"task {task}")


def dies(data, task):
    """A task that ends its worker."""
    os.kill(os.getpid(), signal.SIGKILL)
