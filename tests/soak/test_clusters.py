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


class Killer(threading.Thread):
    """Kills one worker after the other at random moments, as long as it is let."""

    def __init__(self, client, number, seed, n_kills):
        super().__init__(daemon=True)
        self.client, self.number, self.n_kills = client, number, n_kills
        self.random = np.random.default_rng(seed)
        self.killed = 0
        self.over = threading.Event()

    def run(self):
        while self.killed < self.n_kills and not self.over.wait(self.random.uniform(0.2, 3.0)):
            pids = sorted(worker_pids(self.client).values())
            if len(pids) > 1:
                os.kill(pids[self.number % len(pids)], signal.SIGKILL)
                self.killed += 1


@pytest.mark.parametrize("is_file", [True, False])
@pytest.mark.parametrize("number", [0, 1])
def test_killed_workers_change_nothing(alone, monkeypatch, soak_seed, number, is_file):
    pytest.importorskip("distributed")
    if not is_file:
        monkeypatch.setattr(_cluster, "_is_seen", lambda client, path: False)
    n_killed = 0
    with cluster_of(2) as client:
        for attempt in range(20):
            killer = Killer(client, number, soak_seed + attempt, 10 - n_killed)
            killer.start()
            assert searched() == alone
            killer.over.set()
            killer.join()
            n_killed += killer.killed
            if n_killed >= 10:
                break
    assert n_killed >= 10


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
    with cluster_of(2) as client:
        arguments = [client.scheduler.address, str(path)]
        for _ in range(3):
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(CLIENT), *arguments],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            while not path.exists() and process.poll() is None:
                time.sleep(0.05)
            time.sleep(random.uniform(0.0, 2.0))
            process.kill()
            process.wait()
        assert searched(checkpoint=path) == alone


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


def test_spark_gives_the_same_bits(alone):
    pytest.importorskip("joblibspark")
    from joblibspark import register_spark

    register_spark()
    with parallel_config(backend="spark", n_jobs=2):
        assert searched() == alone
