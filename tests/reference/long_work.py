"""A process whose children search, and die on request.

Reads jobs from standard input, one JSON object a line, forks a child for each and answers with its process
number; whoever asks may send that process signals. A line "wait" is answered with the child's exit code. The
parent itself never searches, so that every child is as good as a process just started; it only loads compiled
code, which takes longer than the searches.
"""

import json
import os
import signal
import sys
import warnings
from dataclasses import fields, is_dataclass

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from infoprop.datasets import make_led24
from infoprop.selection import BackwardEliminationSelector, DirectedSearchSelector
from infoprop.selection._journal import Journal
from infoprop.svm import OneVsRestSVC

ESTIMATORS = {
    "linear": lambda: OneVsRestSVC(kernel="linear"),
    "rbf": lambda: OneVsRestSVC(kernel="rbf"),
    "refitted": lambda: make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
}
SELECTORS = {
    "backward": (BackwardEliminationSelector, {"n_features_to_select": "auto", "validation": 3}),
    "by twos": (BackwardEliminationSelector, {"n_features_to_select": 3, "step": 2, "criterion": "margin"}),
    "directed": (DirectedSearchSelector, {"n_features_to_select": 5}),
    "restarted": (DirectedSearchSelector, {"n_features_to_select": 4, "n_restarts": 2, "init": "random"}),
}


def data():
    """Return rows and labels: 12 features, of which 7 are relevant, and 3 classes."""
    X, y = make_led24(90, random_state=3, return_X_y=True)
    return X[:, :12].copy(), y % 3


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
    names = ("path_", "trace_", "credits_", "support_", "ranking_", "n_features_", "n_trainings_")
    learned = {name: getattr(fitted, name) for name in names if hasattr(fitted, name)}
    learned["predicted"] = fitted.predict(X)
    learned["decision"] = fitted.decision_function(X)
    return {name: written_out(value) for name, value in learned.items()}


def die_at(n_writes, when):
    """Kill this process with the n-th write to its journal: before it, in the middle of it, or after it."""
    append, count = Journal.append, 0

    def watch(statement):
        if statement.startswith("COMMIT"):
            os.kill(os.getpid(), signal.SIGKILL)

    def deadly(journal, records, state):
        nonlocal count
        count += 1
        if count == n_writes and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if count == n_writes and when == "inside":
            journal._connection.set_trace_callback(watch)
        append(journal, records, state)
        if count == n_writes and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)

    Journal.append = deadly


def interrupt_at(n_writes):
    """Press Ctrl-C right after the n-th write."""
    append, count = Journal.append, 0

    def pressing(journal, records, state):
        nonlocal count
        append(journal, records, state)
        count += 1
        if count == n_writes:
            os.kill(os.getpid(), signal.SIGINT)

    Journal.append = pressing


def work(job):
    """Search, and leave in the job's output file what was learned and what was said."""
    if "die" in job:
        die_at(*job["die"])
    if "interrupt" in job:
        interrupt_at(job["interrupt"])
    X, y = data()
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
        # A signal may reach the child before its first line.
        if os.getpid() == parent:
            raise
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def main():
    """Answer requests until there are no more."""
    # Whoever starts this in the background may have switched Ctrl-C off.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for kernel in ("linear", "rbf"):
        OneVsRestSVC(kernel=kernel).fit(*data())
    child = 0
    for line in sys.stdin:
        if line.strip() == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            answer = child = begun(json.loads(line))
        print(answer, flush=True)


if __name__ == "__main__":
    main()
