import os
import threading

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn import config_context, get_config

from infoprop._core import _cluster, _tasks
from infoprop._core._cluster import SharedData, cluster_client
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop.exceptions import ClusterError
from reference.cluster import cluster_of, dies, fails, kill_worker, slow_product, worker_pid, worker_pids

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

DATA = np.arange(1000.0)
TASKS = [(factor, 0.02) for factor in range(20)]
EXPECTED = {number: DATA.sum() * number for number in range(20)}


def routing_of(data, task):
    return get_config()["enable_metadata_routing"]


def interrupted(data, task):
    raise KeyboardInterrupt


def process_of(data, task):
    return os.getpid()


def nested_sums(data, task):
    return [value for _, value in sorted(run_tasks(slow_product, SharedData(data), [(task, 0), (2, 0)]))]


@pytest.fixture(scope="module")
def threads():
    """A cluster that costs next to nothing: its workers are threads."""
    with cluster_of(3, processes=False) as client:
        yield client


@pytest.mark.parametrize("backend", ["sequential", "threading", "multiprocessing"])
def test_workers_of_joblib_give_all_results(backend):
    with parallel_config(backend=backend, n_jobs=2):
        assert cluster_client() is None
        found = dict(run_tasks(np.multiply, SharedData(DATA), [1, 2, 3]))
    assert [found[k].tobytes() for k in range(3)] == [(DATA * k).tobytes() for k in (1, 2, 3)]


def test_after_an_interrupt_no_workers_are_started_again():
    data = SharedData(DATA)
    with pytest.raises(KeyboardInterrupt), parallel_config("threading"):
        list(run_tasks(interrupted, data, [0, 1], n_jobs=2))
    assert dict(run_tasks(process_of, data, [0], n_jobs=2)) == {0: os.getpid()}


@pytest.mark.soak
def test_processes_that_die_again_and_again_are_an_error_that_says_so(monkeypatch):
    monkeypatch.setattr(_tasks, "_ATTEMPTS", 1)
    with pytest.raises(ClusterError, match=r"1 of 1 tasks could not be done.*memory"):
        list(run_tasks(dies, SharedData(DATA), [0], n_jobs=2))


def test_results_come_from_the_cluster_that_joblib_was_told_to_use(threads):
    assert cluster_client() is threads
    assert dict(run_tasks(slow_product, SharedData(DATA), TASKS)) == EXPECTED
    assert dict(run_tasks(slow_product, SharedData(DATA), TASKS, n_jobs=1)) == EXPECTED
    assert list(run_tasks(slow_product, SharedData(DATA), [])) == []
    in_order = list(results_in_order(run_tasks(slow_product, SharedData(DATA), TASKS)))
    assert in_order == list(EXPECTED.values())


def test_scikit_learn_is_configured_there_as_it_is_here(threads):
    with config_context(enable_metadata_routing=True):
        assert dict(run_tasks(routing_of, SharedData(DATA), [0])) == {0: True}


def test_a_task_inside_of_a_task_does_not_wait_for_the_cluster(threads):
    assert dict(run_tasks(nested_sums, SharedData(DATA), [3])) == {0: [DATA.sum() * 3, DATA.sum() * 2]}
    by_joblib = Parallel()(delayed(nested_sums)(DATA, task) for task in (3, 4, 5))
    assert by_joblib[2] == [DATA.sum() * 5, DATA.sum() * 2]


def test_an_error_of_a_task_is_raised_here(threads):
    with pytest.raises(ArithmeticError, match="task 7"):
        list(run_tasks(fails, SharedData(DATA), [7]))


def test_data_go_once_and_go_away_with_their_owner(threads):
    data = SharedData(DATA)
    assert dict(run_tasks(slow_product, data, TASKS)) == EXPECTED
    place = data.placed(threads)
    assert place is data.placed(threads)
    assert os.path.isfile(place.path)
    del data
    assert not os.path.exists(place.path)


def test_a_worker_that_does_not_see_the_file_is_sent_the_data(threads, monkeypatch):
    monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: True)
    data = SharedData(DATA)
    os.remove(data.placed(threads).path)
    monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: False)
    assert dict(run_tasks(slow_product, data, TASKS)) == EXPECTED
    assert data.placed(threads).status == "finished"


def test_results_are_not_fetched_in_the_thread_that_all_clients_share(threads, monkeypatch):
    fetched, names = _cluster._fetched, set()

    def noted(future):
        names.add(threading.current_thread().name)
        return fetched(future)

    monkeypatch.setattr(_cluster, "_fetched", noted)
    assert dict(run_tasks(slow_product, SharedData(DATA), TASKS)) == EXPECTED
    assert len(names) == 1
    assert not names.pop().startswith("Dask")


def test_a_cluster_without_workers_is_an_error_that_says_so(monkeypatch):
    monkeypatch.setattr(_cluster, "_POLL", 0.05)
    monkeypatch.setattr(_cluster, "_PATIENCE", 0.2)
    with cluster_of(1, processes=False) as client:
        client.cluster.scale(0)
        with pytest.raises(ClusterError, match=r"has had no worker for 0 seconds. What a checkpoint holds"):
            list(run_tasks(slow_product, SharedData(DATA), TASKS))


def test_a_lost_scheduler_is_an_error_that_says_so(monkeypatch):
    monkeypatch.setattr(_cluster, "_POLL", 0.05)
    with cluster_of(1, processes=False) as client:
        answers = run_tasks(slow_product, SharedData(DATA), [(1, 0.01), (2, 0.5)])
        assert next(answers)[0] == 0
        client.close()
        with pytest.raises(ClusterError, match=r"connection to the Dask scheduler .* was lost"):
            next(answers)


def test_a_lost_worker_that_alone_held_the_data_changes_nothing(monkeypatch):
    monkeypatch.setattr(_cluster, "_POLL", 0.1)
    monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: False)
    with cluster_of(2, processes=False) as client:
        data = SharedData(DATA)
        (holder,) = client.who_has([distributed.wait(data.placed(client)).done.pop()]).popitem()[1]
        answers = run_tasks(slow_product, data, TASKS)
        workers = {worker.address: worker for worker in client.cluster.workers.values()}
        # One worker is enough to go on. This one goes without a word, as if its machine were gone.
        client.sync(workers[holder].batched_stream.close)
        client.sync(workers[holder].close, executor_wait=False, nanny=False)
        assert dict(answers) == EXPECTED


@pytest.mark.soak
def test_a_killed_worker_that_alone_held_the_data_changes_nothing(monkeypatch):
    monkeypatch.setattr(_cluster, "_POLL", 0.1)
    monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: False)
    with cluster_of(2) as client:
        for nanny in client.cluster.workers.values():
            # One worker is enough to go on: another shall not be started.
            nanny.close_gracefully()
        data = SharedData(DATA)
        answers = run_tasks(slow_product, data, TASKS)
        found = dict([next(answers)])
        holder = client.who_has([data.placed(client)]).popitem()[1][0]
        os.kill(worker_pids(client)[holder], 9)
        assert found | dict(answers) == EXPECTED


@pytest.mark.soak
def test_a_killed_worker_changes_nothing(monkeypatch):
    monkeypatch.setattr(_cluster, "_POLL", 0.1)
    with cluster_of(2) as client:
        told = dict(run_tasks(worker_pid, SharedData(DATA), range(20)))
        assert all(is_mapped for _, is_mapped in told.values())
        threading.Timer(0.1, kill_worker, (client,)).start()
        assert dict(run_tasks(slow_product, SharedData(DATA), TASKS)) == EXPECTED
