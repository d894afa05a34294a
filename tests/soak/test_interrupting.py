"""Ctrl-C at random moments of large jobs: how long until it is answered, and until the process has ended?

``python -m pytest tests/soak/test_interrupting.py -m soak -s`` prints the seconds of every job. An answer is
the KeyboardInterrupt, or the best found so far of a search; what comes after it is the end of Python itself.
"""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytestmark = pytest.mark.soak

# Generous: the promise is one second on a machine that does nothing else.
MOST_SECONDS = 10.0
N_TIMES = 3

ROWS = """
import numpy as np
from scipy import sparse
rng = np.random.default_rng(0)
def rows(n, d, k=3):
    X = rng.standard_normal((n, d))
    return X, np.argmax(X[:, :k] + 2.0 * rng.standard_normal((n, k)), axis=1)
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from sklearn.svm import LinearSVC
from infoprop.mlp import MLPClassifier
from infoprop.selection import (
    BackwardEliminationSelector, DirectedSearchSelector, ForwardBeamSelector, GeneticSelector
)
from infoprop.shaping import FeatureShaper
from infoprop.kernels import kernel_matrix

class Kernel:
    def fit(self, X, y):
        kernel_matrix(X, kernel="anova", gamma=0.1, degree=2)

class Sparse:
    def __init__(self, **settings):
        self.machine = OneVsRestSVC(kernel="linear", C=100.0, **settings)
    def fit(self, X, y):
        self.machine.fit(sparse.csr_array(np.where(np.abs(X) > 1.0, X, 0.0)), y)

class Shaping:
    def fit(self, X, y):
        FeatureShaper(window="auto").fit_transform(np.tile(X, (1, 40)), y > 0)
"""

# What is trained with first is small: it loads the compiled code.
JOBS = {
    "smo": "OneVsRestSVC(C=100.0)",
    "smo-threads": "OneVsRestSVC(C=100.0, n_jobs=2)",
    "linear-smo": "OneVsRestSVC(kernel='linear', solver='smo', C=100.0)",
    "cd": "OneVsRestSVC(kernel='linear', solver='cd', C=100.0)",
    "cd-threads": "OneVsRestSVC(kernel='linear', solver='cd', C=100.0, n_jobs=2)",
    "primal": "OneVsRestSVC(kernel='linear', solver='primal', C=100.0)",
    "newton": "OneVsRestSVC(kernel='linear', loss='squared_hinge', C=100.0)",
    "sparse": "Sparse()",
    "sparse-threads": "Sparse(n_jobs=2)",
    "network": "MLPClassifier(hidden_layer_sizes=(200,), tol=0.0, max_iter=100000, random_state=0)",
    "networks": "MLPClassifier((100,), tol=0.0, max_iter=100000, n_starts=4, n_jobs=2, random_state=0)",
    "backward": "BackwardEliminationSelector(OneVsRestSVC(kernel='linear'))",
    "backward-kernel": "BackwardEliminationSelector(OneVsRestSVC())",
    "directed": "DirectedSearchSelector(OneVsRestSVC(kernel='linear'), validation=5)",
    "genetic": "GeneticSelector(OneVsRestSVC(kernel='linear'), n_generations=100000, random_state=0)",
    "neighbors": "ForwardBeamSelector()",
    "backward-workers": "BackwardEliminationSelector(LinearSVC(), validation=5, n_jobs=2)",
    "kernel matrix": "Kernel()",
    "shaping": "Shaping()",
}
SIZES = {
    "smo": (20000, 50),
    "smo-threads": (20000, 50),
    "linear-smo": (8000, 600),
    "newton": (100000, 200),
    "sparse": (20000, 600),
    "sparse-threads": (20000, 600),
    "backward-kernel": (3000, 60),
    "neighbors": (10000, 40),
    "backward-workers": (20000, 60),
    "kernel matrix": (10000, 60),
}

# The command line, on a table of so many rows and columns.
COMMANDS = {
    "credit": (["credit", "--kernel", "rbf", "--validation", "5"], 8000, 40),
    "select backward": (["select", "--method", "backward", "--kernel", "rbf", "-k", "2"], 3000, 40),
    "select forward": (["select", "--method", "forward"], 8000, 40),
    "classify mlp": (["classify", "--classifier", "mlp", "--hidden", "100"], 20000, 60),
    "classify mlp, two jobs": (
        ["classify", "--classifier", "mlp", "--hidden", "100", "--jobs", "2"],
        20000,
        60,
    ),
    "compare": (["compare", "--methods", "backward,credit", "--folds", "5"], 8000, 60),
    "compare, two jobs": (
        ["compare", "--methods", "backward,credit", "--folds", "5", "--jobs", "2"],
        8000,
        60,
    ),
}


def program(job, with_what_is_compiled=True):
    """Code that says when it begins to train, and what came of it."""
    n, d = SIZES.get(job, (60000, 100))
    first = "model.fit(*rows(60, 5))" if with_what_is_compiled else ""
    return f"""
{ROWS}
model = {JOBS[job]}
{first}
X, y = rows({n}, {d})
print("ready", flush=True)
try:
    model.fit(X, y)
finally:
    print("answered", flush=True)
"""


def command_line(arguments):
    """Code that runs a command."""
    return f"""
from infoprop.cli import main
print("ready", flush=True)
code = main({arguments!r})
print("answered", flush=True)
raise SystemExit(code)
"""


def seconds_of(code, delay, **environment):
    """Run `code` and interrupt it some time after it is ready: seconds to the answer, and to the end."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    time.sleep(delay)
    was_running = process.poll() is None
    process.send_signal(signal.SIGINT)
    begin = time.perf_counter()
    while process.stdout.readline() not in ("answered\n", ""):
        pass
    answered = time.perf_counter()
    _, errors = process.communicate(timeout=600)
    ended = time.perf_counter()
    # A job that is over dies of the signal without a word, while Python ends.
    if was_running and process.returncode and (errors or process.returncode != -signal.SIGINT):
        assert "KeyboardInterrupt" in errors or "interrupted" in errors
    return answered - begin, ended - begin


def shown(what, found):
    """Print what was measured, and return the longest."""
    answers, ends = zip(*found, strict=True)
    line = " | ".join(", ".join(f"{seconds:.2f}" for seconds in each) for each in (answers, ends))
    print(f"{what}: {line} s", flush=True)
    return max(ends)


@pytest.mark.parametrize("job", JOBS)
def test_every_job_ends_soon_after_an_interrupt(job):
    delays = random.Random(job)
    found = [seconds_of(program(job), delays.uniform(0.2, 6.0)) for _ in range(N_TIMES)]
    assert shown(job, found) < MOST_SECONDS


@pytest.mark.parametrize("job", ["smo", "sparse", "network", "backward", "neighbors"])
def test_compiling_ends_soon_after_an_interrupt(job, tmp_path):
    delays = random.Random(job)
    found = []
    for number in range(N_TIMES):
        code = program(job, with_what_is_compiled=False)
        cache = str(tmp_path / str(number))
        found.append(seconds_of(code, delays.uniform(0.2, 4.0), NUMBA_CACHE_DIR=cache))
    assert shown(f"{job}, compiling", found) < MOST_SECONDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_soon_after_an_interrupt(command, tmp_path):
    words, n, d = COMMANDS[command]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = np.argmax(X[:, :3] + 2.0 * rng.standard_normal((n, 3)), axis=1)
    table = tmp_path / "table.csv"
    header = ",".join([*(f"f{k}" for k in range(d)), "class"])
    np.savetxt(
        table, np.column_stack([X, y]), delimiter=",", fmt=["%.6g"] * d + ["c%d"], header=header, comments=""
    )
    code = command_line([words[0], str(table), *words[1:]])
    delays = random.Random(command)
    found = [seconds_of(code, delays.uniform(3.0, 12.0)) for _ in range(N_TIMES)]
    assert shown(command, found) < MOST_SECONDS
