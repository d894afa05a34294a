"""A process whose children search, and die on request.

Reads jobs from standard input, one JSON object a line, forks a child for each and answers with its process
number; whoever asks may send that process signals. A line "wait" is answered with the child's exit code. The
parent searches only to load compiled code, which takes longer than the searches themselves; it keeps nothing
of them, so every child is as good as a process just started.
"""

import json
import os
import signal
import sys
import time
import warnings
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from infoprop.datasets import make_led24
from infoprop.selection import (
    BackwardEliminationSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    KnockoffSelector,
    StabilitySelector,
)
from infoprop.selection.elimination import _moved
from infoprop.selection.searches import _directed
from infoprop.svm import OneVsRestSVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference.engine import STORES, GramMachines, KernelMachines, MovingSVC, NewtonMachines, RowMachines
from reference.evaluators import RefitSubsetModel
from reference.running import Journal

ESTIMATORS = {
    "linear": lambda: OneVsRestSVC(kernel="linear"),
    "tall": lambda: make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear")),
    "sparse": lambda: OneVsRestSVC(kernel="linear"),
    "squared": lambda: OneVsRestSVC(kernel="linear", loss="squared_hinge"),
    "rbf": lambda: OneVsRestSVC(kernel="rbf"),
    "drifting": lambda: LinearSVC(random_state=0),
    "refitted": lambda: make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
}
SELECTORS = {
    "backward": (BackwardEliminationSelector, {"n_features_to_select": "auto", "validation": 3}),
    "by covariance": (
        BackwardEliminationSelector,
        {"n_features_to_select": 2, "validation": 3, "sharing": "covariance"},
    ),
    "by twos": (BackwardEliminationSelector, {"n_features_to_select": 3, "step": 2, "criterion": "margin"}),
    "directed": (DirectedSearchSelector, {"n_features_to_select": 5}),
    "restarted": (DirectedSearchSelector, {"n_features_to_select": 4, "n_starts": 3, "init": "random"}),
    "forward": (ForwardBeamSelector, {"beam_width": 2, "validation": 3}),
    "stability": (StabilitySelector, {"n_pairs": 6, "n_features_to_select": 5}),
    "knockoffs": (KnockoffSelector, {"n_draws": 6, "n_features_to_select": 5}),
    "genetic": (GeneticSelector, {"population_size": 6, "n_generations": 5, "validation": 3}),
}


class DriftingModel(RefitSubsetModel):
    """A model whose answers depend on the way it came, as those of one that is moved do in their last bits.

    Far more here, so that a snapshot too many, too few, or not gone on from shows in every result.
    """

    moves_between_snapshots = 3

    def __init__(self, evaluator, **options):
        super().__init__(evaluator, **options)
        self._drift = np.zeros(2)

    def add(self, columns):
        super().add(columns)
        self._drift = 1.1 * self._drift + columns.mean()

    def drop(self, columns):
        super().drop(columns)
        self._drift = 1.3 * self._drift + columns.mean()

    def credit_shares(self):
        shares = super().credit_shares() * (1.5 + np.sin(self._drift.sum() + self.columns))
        return shares / shares.sum(axis=1, keepdims=True)

    def snapshot(self):
        self._drift = self._drift.round(1)
        return {"drift": self._drift}

    def restore(self, columns, snapshot):
        super().restore(columns, snapshot)
        self._drift = snapshot["drift"]


def data(estimator="linear"):
    """Return rows and labels: 12 features, of which 7 are relevant, and 3 classes."""
    X, y = make_led24(300 if estimator == "tall" else 90, random_state=3, return_X_y=True)
    X = X[:, :12].copy()
    return sparse.csr_array(X) if estimator == "sparse" else X, y % 3


def hurry():
    """Let moved machines be asked for two steps at a time, and written down after every third."""
    for machines in STORES.values():
        machines.steps_at_a_time = 2
        machines.steps_between_rebuilds = 3
    MovingSVC.moves_between_snapshots = 3


def selector(job):
    """Return the selector that a job asks for."""
    kind, parameters = SELECTORS[job["search"]]
    own = {"random_state": 0, "checkpoint": job.get("checkpoint")} | job.get("parameters", {})
    return kind(ESTIMATORS[job["estimator"]](), **(parameters | own))


def written_out(value):
    """Return a value as text that differs if a single bit does."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, float):
        return value.hex()
    if is_dataclass(value):
        return {field.name: written_out(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple | np.ndarray):
        return [written_out(item) for item in value]
    return repr(value)


def result(fitted, X):
    """Everything that a search learned, bit for bit."""
    names = (
        "path_",
        "trace_",
        "credits_",
        "stability_",
        "knockoffs_",
        "q_values_",
        "support_",
        "ranking_",
        "n_features_",
        "n_trainings_",
        "n_trainings_",
    )
    learned = {name: getattr(fitted, name) for name in names if hasattr(fitted, name)}
    learned["predicted"] = fitted.predict(X)
    learned["decision"] = fitted.decision_function(X)
    return {name: written_out(value) for name, value in learned.items()}


def steps_of(fitted):
    """Number of steps that a search made."""
    return len(fitted.path_) if hasattr(fitted, "path_") else len(fitted.trace_)


def after_calls(places, n_calls, action):
    """Do something right after the n-th call of the methods in these places."""
    count = 0

    def counted(plain):
        def counting(*arguments):
            nonlocal count
            answer = plain(*arguments)
            count += 1
            if count == n_calls:
                action(*arguments)
            return answer

        return counting

    for owner, method in places:
        setattr(owner, method, counted(getattr(owner, method)))


def kill(*_):
    """Die at once, with nothing tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


def press_ctrl_c(*_):
    """Do what a terminal does."""
    os.kill(os.getpid(), signal.SIGINT)


def kill_inside_the_next_write(journal, *_):
    """Die when a transaction is about to be committed."""
    commit = "COMMIT"
    journal._connection.set_trace_callback(lambda statement: statement.startswith(commit) and kill())


def wait_for_a_signal(waiting):
    """Return an action that says it waits, by a file, and waits.

    Not by one endless call: a signal that comes just before would be noticed only once the call ends.
    """

    def wait(*_):
        waiting.touch()
        while True:
            time.sleep(0.01)

    return wait


TRAININGS = [
    (RefitSubsetModel, "fit"),
    (MovingSVC, "fit"),
    (_moved, "drop_worst"),
]
# Whoever is stopped there leaves machines that stand nowhere.
INSIDE = [
    (GramMachines, "state"),
    (RowMachines, "_drop_one"),
    (NewtonMachines, "_drop_from"),
    (KernelMachines, "_solve"),
]
DISTURBANCES = {
    "killed in training": (TRAININGS, kill),
    "killed before a write": ([(Journal, "records")], kill),
    "killed inside a write": ([(Journal, "records")], kill_inside_the_next_write),
    "killed after a write": ([(Journal, "append")], kill),
    "killed inside the write after": ([(Journal, "append")], kill_inside_the_next_write),
    "Ctrl-C in training": (TRAININGS, press_ctrl_c),
    "Ctrl-C inside a training": (INSIDE, press_ctrl_c),
    "Ctrl-C after a write": ([(Journal, "append")], press_ctrl_c),
}


def disturbed(job):
    """Prepare what the job asks for to happen while it is done."""
    if "disturb" in job:
        where, n_calls = job["disturb"]
        places, action = DISTURBANCES[where]
        after_calls(places, n_calls, action)
    if "waiting" in job:
        after_calls(TRAININGS, 1, wait_for_a_signal(Path(job["waiting"])))


def work(job):
    """Search, and leave in the job's output file what was learned and what was said."""
    hurry()
    disturbed(job)
    if job["estimator"] == "drifting":
        _moved.subset_model = _directed.subset_model = DriftingModel
    X, y = data(job["estimator"])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fitted = selector(job).fit(X, y)
    answer = {"result": result(fitted, X), "warnings": [f"{w.category.__name__}: {w.message}" for w in said]}
    with open(job["output"], "w") as file:
        json.dump(answer, file)


def begun(job):
    """Fork a child that does the job; return its process number."""
    parent = os.getpid()
    try:
        child = os.fork()
        if child:
            return child
        work(job)
    except BaseException as error:
        # A signal may reach the child before its first line; Python forgets some that come sooner.
        if os.getpid() == parent:
            raise
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def main():
    """Answer requests until there are no more."""
    # Whoever starts this in the background may have switched Ctrl-C off.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # From Python 3.12 on it warns of locks of other threads; here they wait for work and hold none.
    warnings.filterwarnings("ignore", ".*use of fork", DeprecationWarning)
    for estimator in ("linear", "tall", "sparse", "rbf"):
        for search in ("by twos", "directed"):
            selector({"search": search, "estimator": estimator}).fit(*data(estimator))
    child = 0
    for line in sys.stdin:
        if line.strip() == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            answer = child = begun(json.loads(line))
        print(answer, flush=True)


if __name__ == "__main__":
    main()
