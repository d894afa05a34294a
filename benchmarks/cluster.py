"""What a Dask cluster on one machine brings: many searches on a small table, and one pass over many rows.

Searches: eliminations by halving down to 64 columns, each on another half of the rows of leukemia (72 rows,
7,129 columns), by one worker and by two, in turns; "speed-up" is the ratio of the seconds, which needs a
quiet machine; "processor" is what all workers took together, which a busy one does not change. The data go to
the workers once; every search is a task.

Rows: sparse rows of counts, ten entries each among 100,000 columns, made in 40 blocks by the workers
themselves, counted by `FeatureShaper.fit_blocks` on four workers of one thread, against `partial_fit` of the
same blocks one after the other in one process. "MiB" is the most that any worker held; "same bits" compares
all tables and scores. Seconds are by the clock; "processor" adds up the seconds of all workers.
"""

import os
import resource
import time
from functools import partial
from typing import Any

import distributed
import numpy as np
from _problems import DATA
from joblib import parallel_config
from scipy import sparse

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import run_tasks
from infoprop.datasets import load_table
from infoprop.selection import BackwardEliminationSelector
from infoprop.shaping import FeatureShaper
from infoprop.svm import OneVsRestSVC

N_SEARCHES = int(os.environ.get("CLUSTER_SEARCHES", "200"))
N_ROWS = int(os.environ.get("CLUSTER_ROWS", "10_000_000"))
N_COLUMNS, N_BLOCKS, N_ENTRIES = 100_000, 40, 10


def half(rows: tuple[Any, Any], seed: int) -> bytes:
    """Eliminate on a random half of the rows."""
    X, y = rows
    own = np.random.default_rng(seed).permutation(len(y))[: len(y) // 2]
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear"),
        n_features_to_select=64,
        step="halving",
        criterion="margin",
        validation=None,
        random_state=0,
    )
    return bytes(selector.fit(X[own], y[own]).support_.tobytes())


def block(number: int) -> tuple[Any, Any]:
    """Rows of counts; words are as frequent as their rank says, the first thousand depend on the class."""
    random = np.random.default_rng(number)
    n = N_ROWS // N_BLOCKS
    y = random.integers(0, 2, n)
    ranks = N_COLUMNS ** random.random((n, N_ENTRIES)) - 1
    words = ranks.astype(np.int32)
    words += np.where((words < 1000) & (random.random(words.shape) < 0.3), y[:, None], 0).astype(np.int32)
    counts = np.ones(words.size)
    X = sparse.csr_matrix((counts, words.ravel(), np.arange(n + 1) * N_ENTRIES), (n, N_COLUMNS))
    X.sum_duplicates()
    return X, y


def cluster_of(n_workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, memory_limit="2GB", dashboard_address=":0", silence_logs=50
    )


def worker_cost() -> tuple[float, float]:
    """Processor seconds and MiB of a worker up to now."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def spent(client: Any) -> float:
    """Processor seconds of all workers up to now."""
    return sum(seconds for seconds, _ in client.run(worker_cost).values())


def row(job: str, workers: str, **measured: Any) -> dict[str, Any]:
    """A line of the table; what was not measured is empty."""
    names = ("seconds", "processor", "MiB", "speed-up", "same bits")
    return {"job": job, "workers": workers} | {name: measured.get(name, "") for name in names}


def searches() -> list[dict[str, Any]]:
    """Eliminations by one worker and by two, in turns."""
    table = load_table(DATA / "leukemia.csv.gz", target="class", split="split")
    data = SharedData((np.ascontiguousarray(table.frame.to_numpy(), dtype=float), np.asarray(table.y)))
    seconds, processor = {1: 0.0, 2: 0.0}, {1: 0.0, 2: 0.0}
    expected = [half(data.value, seed) for seed in range(4)]
    is_same = True
    for _ in range(2):
        for n_workers in seconds:
            with cluster_of(n_workers) as cluster, distributed.Client(cluster) as client:
                with parallel_config("dask"):
                    # Whatever is compiled or loaded, each worker does it once.
                    list(run_tasks(half, data, range(4 * n_workers)))
                    before, began = spent(client), time.perf_counter()
                    found = dict(run_tasks(half, data, range(N_SEARCHES)))
                    seconds[n_workers] += (time.perf_counter() - began) / 2
                    processor[n_workers] += (spent(client) - before) / 2
                is_same &= [found[seed] for seed in range(4)] == expected
    job = f"{N_SEARCHES} eliminations on halves of leukemia"
    return [
        row(
            job,
            str(n_workers),
            **{
                "seconds": round(seconds[n_workers], 1),
                "processor": round(processor[n_workers], 1),
                "speed-up": round(seconds[1] / seconds[n_workers], 2),
                "same bits": "yes" if is_same else "no",
            },
        )
        for n_workers in seconds
    ]


def rows_in_blocks() -> list[dict[str, Any]]:
    """One pass over many rows, by four workers and by one process."""
    blocks = [partial(block, number) for number in range(N_BLOCKS)]
    with cluster_of(4) as cluster, distributed.Client(cluster) as client, parallel_config("dask"):
        began = time.perf_counter()
        found = FeatureShaper().fit_blocks(blocks)
        seconds = time.perf_counter() - began
        costs = list(client.run(worker_cost).values())
    began = time.process_time()
    one = FeatureShaper()
    for part in blocks:
        X, y = part()
        one.partial_fit(X, y, classes=[0, 1])
    processor = time.process_time() - began
    is_same = found.tables_.counts.tobytes() == one.tables_.counts.tobytes()
    is_same &= found.scores_.tobytes() == one.scores_.tobytes()
    job = f"shaping, {N_ROWS:,} x {N_COLUMNS:,} sparse in {N_BLOCKS} blocks"
    measured = {
        "seconds": round(seconds, 1),
        "processor": round(sum(own for own, _ in costs), 1),
        "MiB": round(max(held for _, held in costs)),
        "same bits": "yes" if is_same else "no",
    }
    return [row(job, "4", **measured), row(job, "one process", processor=round(processor, 1))]


def run() -> list[dict[str, Any]]:
    """Both jobs."""
    return [*searches(), *rows_in_blocks()]


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
