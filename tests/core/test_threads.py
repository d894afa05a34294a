import time

import pytest
from joblib import Parallel, cpu_count, delayed, effective_n_jobs, parallel_config

from infoprop._core import _threads
from infoprop._core._threads import native_threads


def seen(n_jobs, seconds=0.0):
    """What a task is told, and what joblib tells it."""
    time.sleep(seconds)
    return native_threads(n_jobs), effective_n_jobs(n_jobs)


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (5, 5), (-1, cpu_count())])
def test_outside_of_workers_as_many_as_asked_for(n_jobs, expected):
    assert native_threads(n_jobs) == expected


def test_a_block_that_names_a_number_is_asked_too():
    with parallel_config(backend="threading", n_jobs=cpu_count()):
        assert native_threads(None) == cpu_count()


def test_processes_of_a_pool_share_the_machine():
    told = Parallel(n_jobs=2)(delayed(native_threads)(n_jobs) for n_jobs in (None, 1, -1, 64))
    most = max(1, cpu_count() // 2)
    assert told[:2] == [1, 1]
    assert max(told) <= most


@pytest.mark.parametrize(("given", "expected"), [("3", 3), ("", cpu_count()), ("many", cpu_count())])
def test_another_process_takes_what_it_was_given(monkeypatch, given, expected):
    monkeypatch.setattr(_threads.multiprocessing, "parent_process", object)
    monkeypatch.setenv("NUMBA_NUM_THREADS", given)
    assert native_threads(64) == expected


@pytest.mark.filterwarnings("ignore")
def test_a_task_on_a_cluster_gets_no_more_than_its_own_worker_has(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_threads, "cpu_count", lambda: 16)
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=2, processes=False, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client, parallel_config(backend="dask"):
        by_joblib = Parallel()(delayed(seen)(n_jobs) for n_jobs in (None, -1, 64))
        assert max(joblib for _, joblib in by_joblib[:2]) == 6
        assert max(own for own, _ in by_joblib) <= 2
        assert client.submit(native_threads, 64).result() == 2
        together = client.map(seen, [64] * 12, seconds=0.05, pure=False)
        assert {own for own, _ in client.gather(together)} <= {1, 2}
        # The client is no worker: its own cores, not those of the cluster.
        monkeypatch.setattr(_threads, "cpu_count", lambda: 4)
        assert (native_threads(None), effective_n_jobs(None)) == (4, 6)
