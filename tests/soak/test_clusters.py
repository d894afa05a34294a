"""Real clusters whose workers are killed at random points, and joblib's other backends."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import scale

from infoprop._core import _cluster
from infoprop.selection import GeneticSelector
from reference.cluster import cluster_of, worker_pids

pytestmark = pytest.mark.filterwarnings("ignore")

X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)


def searched(n_jobs=None, checkpoint=None):
    selector = GeneticSelector(
        RidgeClassifier(),
        population_size=20,
        n_generations=6,
        validation=5,
        random_state=0,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
    ).fit(X, Y)
    fitness = [generation.fitness.tobytes() for generation in selector.trace_]
    return selector.support_.tobytes(), fitness, selector.predict(X).tobytes()


@pytest.fixture(scope="module")
def alone():
    return searched(n_jobs=1)


def timed(expected):
    """Seconds of a search that finds what it should."""
    began = time.perf_counter()
    assert searched() == expected
    return time.perf_counter() - began


def killing(client, victims, seed, expected):
    """Search until somebody was killed ten times, once in a search; all searches must find the same.

    `victims` picks processes from those of all workers, given by address. Moments are drawn from the time
    that the shortest search so far took.
    """
    random = np.random.default_rng(seed)
    killed = []

    def kill(moment):
        pids = victims(worker_pids(client))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        if pids:
            killed.append(round(moment, 2))

    lasts = timed(expected)
    for _ in range(60):
        # A worker that is killed while it starts is not started again.
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=300)
        moment = random.uniform(0.0, lasts)
        killer = threading.Timer(moment, kill, (moment,))
        killer.start()
        lasts = min(lasts, timed(expected))
        killer.cancel()
        killer.join()
        if len(killed) == 10:
            break
    print(f"seed {seed}: killed after {killed} s of searches of at least {lasts:.2f} s")
    assert len(killed) == 10


@pytest.mark.parametrize("is_file", [True, False])
@pytest.mark.parametrize("number", [0, 1])
def test_killed_workers_change_nothing(alone, monkeypatch, soak_seed, number, is_file):
    pytest.importorskip("distributed")
    if not is_file:
        monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: False)

    with cluster_of(2) as client:

        def one_of_two(pids):
            # Whoever is started anew in its place has the same name.
            nannies = client.cluster.workers
            pid = nannies[sorted(nannies)[number]].pid if len(nannies) == 2 else None
            return [pid] if pid in pids.values() else []

        killing(client, one_of_two, soak_seed, alone)


def test_killed_holders_of_the_data_change_nothing(alone, monkeypatch, soak_seed):
    pytest.importorskip("distributed")
    held = []

    def noted(client, value):
        held.append(sent(client, value))
        return held[-1]

    sent = _cluster._held_by_cluster
    monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: False)
    monkeypatch.setattr(_cluster, "_held_by_cluster", noted)
    with cluster_of(2) as client:

        def all_holders(pids):
            addresses = client.who_has(held[-1:]).get(held[-1].key, ()) if held else ()
            return [pids[address] for address in addresses if address in pids]

        killing(client, all_holders, soak_seed, alone)


CLIENT = """
    import sys
    import distributed, joblib
    from soak.test_clusters import searched
    with distributed.Client(sys.argv[1]), joblib.parallel_config("dask"):
        searched(checkpoint=sys.argv[2])
"""


def test_a_killed_client_goes_on(alone, soak_seed, tmp_path):
    pytest.importorskip("distributed")
    random = np.random.default_rng(soak_seed)
    path = tmp_path / "search.journal"
    killed = []
    with cluster_of(2) as client:
        lasts = timed(alone)
        arguments = [client.scheduler.address, str(path)]
        for _ in range(3):
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(CLIENT), *arguments],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            while not path.exists() and process.poll() is None:
                time.sleep(0.05)
            moment = random.uniform(0.0, lasts / 2)
            time.sleep(moment)
            if process.poll() is None:
                killed.append(round(moment, 2))
            process.kill()
            process.wait()
        assert searched(checkpoint=path) == alone
    print(f"seed {soak_seed}: client killed after {killed} s of a search of {lasts:.2f} s")
    assert killed


def test_ray_gives_the_same_bits(alone):
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        register_ray()
        with parallel_config(backend="ray", n_jobs=2):
            assert searched() == alone
    finally:
        ray.shutdown()


def test_spark_gives_the_same_bits(alone, monkeypatch):
    pytest.importorskip("pyspark")
    pytest.importorskip("joblibspark")
    from joblibspark import register_spark

    # Its workers would be those of the first Python on the path.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    register_spark()
    with parallel_config(backend="spark", n_jobs=2):
        assert searched() == alone
