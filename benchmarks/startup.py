"""What a user waits for before anything is computed: imports, help, compilation on first use.

Processor seconds (user and system) of whole processes, with limits that the project sets itself. *First* is a
process that finds no compiled code on disk, *second* one that finds what the first has left. *Compiled code
loaded* is what the job takes longer when a process does it for the first time than when it does it again. The
row without a limit is of other packages alone: what they take when they are imported.
"""

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_wine

IMPORT = "import sklearn, time; a = time.process_time(); import infoprop; print(time.process_time() - a)"
OTHERS = "import sklearn.base, numba"
COMMAND = """
import io, sys
from contextlib import redirect_stdout
from infoprop.cli import main
from infoprop.cli._commands import _table_run
from infoprop.cli._data import _demo_data
from infoprop.cli._display import _publishing
from infoprop.workflow import _analyse, _reading
def job():
    with redirect_stdout(io.StringIO()):
        assert main({arguments!r}) == 0
"""
FIT = """
from sklearn.datasets import load_iris
from infoprop.svm import OneVsRestSVC
X, y = load_iris(return_X_y=True)
X.flags.writeable = {is_writable}
def job():
    OneVsRestSVC({settings}).fit(X, y).predict(X)
"""
TWICE = """
import time
start = time.process_time(); job(); middle = time.process_time(); job(); end = time.process_time()
print(middle - start, end - middle)
"""


@dataclass(frozen=True)
class Job:
    """Words of a process that does it, code that makes it a function, and the limit of the first process."""

    words: list[str]
    code: str
    limit: float


def _processor_seconds(*words: str, **environment: str) -> tuple[float, str]:
    """Seconds of a process of Python, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *words],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime), done.stdout


def _jobs(folder: Path) -> dict[str, Job]:
    wine, cancer, words = _tables(folder)

    def command(*arguments: str) -> Job:
        given = [*arguments, "--quiet"]
        limit = 12 if arguments[0] == "demo" else 15
        return Job(["-m", "infoprop", *given], COMMAND.format(arguments=given), limit)

    def fit(settings: str = "", is_writable: bool = True) -> Job:
        code = FIT.format(is_writable=is_writable, settings=settings)
        return Job(["-c", f"{code}job()"], code, 15)

    return {
        "infoprop demo": command("demo", "--report", str(folder / "demo.html")),
        "infoprop credit, a table": command("credit", wine),
        "infoprop select --method backward, a table": command(
            "select", cancer, "--method", "backward", "-k", "10"
        ),
        "infoprop select --method backward, sparse rows": command(
            "select", words, "--method", "backward", "--step", "halving", "-k", "10"
        ),
        "infoprop classify --classifier mlp": command("classify", wine, "--classifier", "mlp"),
        "OneVsRestSVC().fit": fit(),
        'OneVsRestSVC(kernel="linear", solver="cd").fit, a read-only array': fit(
            'kernel="linear", solver="cd"', is_writable=False
        ),
    }


def _tables(folder: Path) -> tuple[str, str, str]:
    """Two tables and sparse rows on disk: 178 x 13, 569 x 30, and 300 x 2,000 with one cell in fifty."""
    paths = []
    for name, load in (("wine", load_wine), ("cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        header = ",".join([*(f"f{k}" for k in range(X.shape[1])), "class"])
        path = folder / f"{name}.csv"
        labels = np.char.add("c", y.astype(str))
        lines = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), labels, strict=True)]
        path.write_text("\n".join([header, *lines]) + "\n")
        paths.append(str(path))
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = sparse.random(300, 2000, 0.02, format="csr", random_state=rng)
    X += sparse.csr_matrix((np.ones(300), (np.arange(300), y)), shape=X.shape)
    words = folder / "words.svm"
    dump_svmlight_file(sparse.csr_matrix(X), y, str(words), zero_based=False)
    return paths[0], paths[1], str(words)


def run() -> list[dict[str, Any]]:
    """Return processor seconds of each way to start, and the limit it must keep."""
    imported = min(float(_processor_seconds("-c", IMPORT)[1]) for _ in range(5))
    helped = min(_processor_seconds("-m", "infoprop", "--help")[0] for _ in range(5))
    others = min(_processor_seconds("-c", OTHERS)[0] for _ in range(5))
    rows = [
        _row("import infoprop after scikit-learn", imported, 0.3),
        _row("infoprop --help", helped, 0.5),
        _row("import sklearn.base, numba", others, ""),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (what, job) in enumerate(_jobs(folder).items()):
            cache = str(folder / f"cache{number}")
            first, second = (_processor_seconds(*job.words, NUMBA_CACHE_DIR=cache)[0] for _ in range(2))
            said = _processor_seconds("-c", job.code + TWICE, NUMBA_CACHE_DIR=cache)[1]
            once, again = map(float, said.splitlines()[-1].split())
            rows.append(_row(what, first, job.limit, second, max(0.0, once - again)))
    return rows


def _row(
    what: str, first: float, limit: float | str, second: float | str = "", loaded: float | str = ""
) -> dict[str, Any]:
    shown = [value if isinstance(value, str) else round(value, 2) for value in (first, second, loaded)]
    return {
        "what": what,
        "first": shown[0],
        "limit": limit,
        "second": shown[1],
        "compiled code loaded": shown[2],
    }
