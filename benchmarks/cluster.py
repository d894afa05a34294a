"""What a Dask cluster on one machine brings: many searches on a small table, and passes over many rows.

Halves: `StabilitySelector` on leukemia (72 rows, 7,129 columns and nine shuffled copies of each), 100 pairs
of halves, each eliminated by halving: by a cluster of one worker of one thread, of two, of three with two
threads each, and by two and six processes of joblib's own, one after the other. Whatever is loaded or
compiled, workers do before the clock starts. "speed-up" is the ratio to the seconds of one worker, "to
joblib" that of the seconds of as many processes of joblib's own to those of the cluster, above 1 if the
cluster is faster; both need a quiet machine, here one of two cores.

Rows: sparse rows of counts, ten entries each among 100,000 columns, made in 40 blocks by the workers
themselves, counted by `FeatureShaper.fit_blocks` on four workers of one thread, against `partial_fit` of the
same blocks one after the other in one process. Dense rows: `BlockwiseLinearSVC` on 100 columns of 10,000,000
rows in 100 blocks on two workers, made anew in every pass; and on 1,000,000 of them in one process, against
`OneVsRestSVC` with the squared hinge and all rows in memory. "MiB" is the most that any worker held; "same
bits" compares all tables and scores; of weights it is the largest difference, as a part of the largest
weight. Seconds are by the clock; "start" is the processor time of all workers before the first block
(interpreter, imports, compiled code), "processor" what came after.

Steps: seconds that a step of a backward elimination with five folds takes in one process whose machines are
moved, and with machines that are trained anew; beside them what it takes to send one task for each fold to
two workers and to have the answers back, with nothing to do in them.
"""

import os
import re
import resource
import time
from functools import partial
from pathlib import Path
from typing import Any

import distributed
import numpy as np
from _problems import DATA
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.preprocessing import scale

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import run_tasks
from infoprop.datasets import load_table
from infoprop.selection import BackwardEliminationSelector, StabilitySelector
from infoprop.shaping import FeatureShaper
from infoprop.svm import BlockwiseLinearSVC, OneVsRestSVC

N_PAIRS = int(os.environ.get("CLUSTER_PAIRS", "100"))
N_ROWS = int(os.environ.get("CLUSTER_ROWS", "10_000_000"))
N_DENSE_ROWS = int(os.environ.get("CLUSTER_DENSE_ROWS", "10_000_000"))
N_DENSE, N_CHECKED = 100, 1_000_000
N_COLUMNS, N_BLOCKS, N_ENTRIES = 100_000, 40, 10


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


def dense_block(number: int, n_rows: int) -> tuple[Any, Any]:
    """Normal columns; the class depends on a few of them, and on noise."""
    random = np.random.default_rng(number)
    X = random.normal(size=(n_rows, N_DENSE))
    return X, X[:, :10].sum(axis=1) + 2.0 * random.normal(size=n_rows) > 0.0


def cluster_of(n_workers: int, n_threads: int = 1) -> Any:
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=n_threads,
        memory_limit="2GB",
        dashboard_address=":0",
        silence_logs=50,
    )


def worker_cost() -> tuple[float, float]:
    """Processor seconds and MiB of a worker up to now."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # What getrusage says of memory begins with what the process held that started this one.
    status = Path("/proc/self/status").read_text()
    held = int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0])
    return usage.ru_utime + usage.ru_stime, held / 1024


def spent(client: Any) -> float:
    """Processor seconds of all workers up to now."""
    return sum(seconds for seconds, _ in client.run(worker_cost).values())


def row(job: str, workers: str, **measured: Any) -> dict[str, Any]:
    """A line of the table; what was not measured is empty."""
    names = ("seconds", "start", "processor", "MiB", "passes", "speed-up", "to joblib", "same bits")
    return {"job": job, "workers": workers} | {name: measured.get(name, "") for name in names}


def on_halves(n_pairs: int, n_jobs: int | None = None) -> StabilitySelector:
    return StabilitySelector(
        OneVsRestSVC(kernel="linear"), n_pairs=n_pairs, step="halving", random_state=0, n_jobs=n_jobs
    )


def on_cluster(X: Any, y: Any, n_workers: int, n_threads: int) -> tuple[float, float, bytes]:
    """Seconds, processor seconds and what was found."""
    cluster = cluster_of(n_workers, n_threads)
    with cluster, distributed.Client(cluster) as client, parallel_config("dask"):
        on_halves(2 * n_workers * n_threads).fit(X, y)
        before, began = spent(client), time.perf_counter()
        found = on_halves(N_PAIRS).fit(X, y)
        return time.perf_counter() - began, spent(client) - before, found.ranking_.tobytes()


def in_processes(X: Any, y: Any, n_jobs: int) -> tuple[float, float, bytes]:
    on_halves(2 * n_jobs, n_jobs).fit(X, y)
    began = time.perf_counter()
    found = on_halves(N_PAIRS, n_jobs).fit(X, y)
    return time.perf_counter() - began, float("nan"), found.ranking_.tobytes()


def halves() -> list[dict[str, Any]]:
    """One worker, more of them, and as many processes of joblib's own."""
    table = load_table(DATA / "leukemia.csv.gz", target="class", split="split")
    X = scale(table.frame.to_numpy())
    y = np.asarray(table.y)
    contest = {
        "1": partial(on_cluster, X, y, 1, 1),
        "2": partial(on_cluster, X, y, 2, 1),
        "2 of joblib": partial(in_processes, X, y, 2),
        "3 of 2 threads": partial(on_cluster, X, y, 3, 2),
        "6 of joblib": partial(in_processes, X, y, 6),
    }
    runs = {name: measured() for name, measured in contest.items()}
    peers = {"2": "2 of joblib", "3 of 2 threads": "6 of joblib"}
    are_same = len({found for _, _, found in runs.values()}) == 1
    rows = []
    for name, (seconds, processor, _) in runs.items():
        measured_of = {
            "seconds": round(seconds, 1),
            "processor": "" if np.isnan(processor) else round(processor, 1),
            "speed-up": round(runs["1"][0] / seconds, 2),
            "to joblib": round(runs[peers[name]][0] / seconds, 2) if name in peers else "",
            "same bits": "yes" if are_same else "no",
        }
        rows.append(row(f"{2 * N_PAIRS} halves of leukemia", name, **measured_of))
    return rows


def rows_in_blocks() -> list[dict[str, Any]]:
    """One pass over many rows, by four workers and by one process."""
    blocks = [partial(block, number) for number in range(N_BLOCKS)]
    small = [partial(small_block, number) for number in range(16)]
    with cluster_of(4) as cluster, distributed.Client(cluster) as client, parallel_config("dask"):
        FeatureShaper().fit_blocks(small)
        start, began = spent(client), time.perf_counter()
        found = FeatureShaper().fit_blocks(blocks)
        seconds = time.perf_counter() - began
        costs = list(client.run(worker_cost).values())
    one = FeatureShaper()
    began = time.process_time()
    for part in blocks:
        X, y = part()
        one.partial_fit(X, y, classes=[0, 1])
    processor = time.process_time() - began
    is_same = found.tables_.counts.tobytes() == one.tables_.counts.tobytes()
    is_same &= found.scores_.tobytes() == one.scores_.tobytes()
    job = f"shaping, {N_ROWS:,} x {N_COLUMNS:,} sparse in {N_BLOCKS} blocks"
    measured = {
        "seconds": round(seconds, 1),
        "start": round(start, 1),
        "processor": round(sum(own for own, _ in costs) - start, 1),
        "MiB": round(max(held for _, held in costs)),
        "same bits": "yes" if is_same else "no",
    }
    return [row(job, "4", **measured), row(job, "one process", processor=round(processor, 1))]


def small_block(number: int) -> tuple[Any, Any]:
    X, y = block(number)
    return X[:1000], y[:1000]


def machines_in_blocks() -> list[dict[str, Any]]:
    """Linear machines in passes over many dense rows."""
    blocks = [partial(dense_block, number, N_DENSE_ROWS // 100) for number in range(100)]
    with cluster_of(2) as cluster, distributed.Client(cluster) as client, parallel_config("dask"):
        BlockwiseLinearSVC().fit_blocks([partial(dense_block, number, 1000) for number in range(8)])
        start, began = spent(client), time.perf_counter()
        found = BlockwiseLinearSVC().fit_blocks(blocks)
        seconds = time.perf_counter() - began
        costs = list(client.run(worker_cost).values())
    measured = {
        "seconds": round(seconds, 1),
        "start": round(start, 1),
        "processor": round(sum(own for own, _ in costs) - start, 1),
        "MiB": round(max(held for _, held in costs)),
        "passes": found.n_iter_,
    }
    return [row(f"squared hinge, {N_DENSE_ROWS:,} x {N_DENSE} dense in 100 blocks", "2", **measured)]


def optimum() -> list[dict[str, Any]]:
    """How far weights found in blocks are from those found with all rows in memory."""
    blocks = [partial(dense_block, number, N_CHECKED // 100) for number in range(100)]
    there = BlockwiseLinearSVC().fit_blocks(blocks)
    X, y = (np.concatenate(parts) for parts in zip(*(part() for part in blocks), strict=True))
    here = OneVsRestSVC(kernel="linear", loss="squared_hinge").fit(X, y)
    difference = np.abs(there.coef_ - here.coef_).max() / np.abs(here.coef_).max()
    measured = {"passes": there.n_iter_, "same bits": f"to {difference:.0e}"}
    return [row(f"squared hinge, {N_CHECKED:,} x {N_DENSE} dense in 100 blocks", "one process", **measured)]


class Anew(OneVsRestSVC):
    """The same machines, which no search knows how to move."""


def nothing(data: None, task: int) -> int:
    return task


def seconds_of_step(machine: OneVsRestSVC, X: Any, y: Any, n_steps: int) -> float:
    """Seconds of a step among the first ones of a backward elimination."""
    n_left = X.shape[1] - n_steps
    search = BackwardEliminationSelector(machine, n_features_to_select=n_left, validation=5, random_state=0)
    clone(search).set_params(n_features_to_select=n_left + n_steps - 1).fit(X, y)
    began = time.perf_counter()
    search.fit(X, y)
    return (time.perf_counter() - began) / n_steps


def steps() -> list[dict[str, Any]]:
    """What could be sent to workers in every step of a search, and what it would cost to send it."""
    X, y = load_digits(return_X_y=True)
    tables = {"digits": (scale(X), y), "20,000 x 100": dense_block(0, 20_000)}
    rows = []
    for name, (X, y) in tables.items():
        job = f"a step of an elimination, {name}"
        for workers, kind, n_steps in (("moved", OneVsRestSVC, 60), ("trained anew", Anew, 3)):
            seconds = seconds_of_step(kind(kernel="linear", loss="squared_hinge"), X, y, n_steps)
            rows.append(row(job, workers, seconds=round(seconds, 4)))
    with cluster_of(2) as cluster, distributed.Client(cluster), parallel_config("dask"):
        data = SharedData(None)
        dict(run_tasks(nothing, data, range(50)))
        began = time.perf_counter()
        for _ in range(100):
            dict(run_tasks(nothing, data, range(5)))
        seconds = (time.perf_counter() - began) / 100
    return [*rows, row("five tasks there and back", "2", seconds=round(seconds, 4))]


JOBS = {
    "halves": halves,
    "sparse": rows_in_blocks,
    "dense": machines_in_blocks,
    "optimum": optimum,
    "steps": steps,
}


def run(only: str | None = None) -> list[dict[str, Any]]:
    """All jobs, or one of them."""
    return [line for name, job in JOBS.items() if only in (None, name) for line in job()]


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
