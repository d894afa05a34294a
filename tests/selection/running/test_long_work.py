"""Searches that are killed, interrupted and refused: on the real selectors."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from infoprop.exceptions import ParameterError
from infoprop.selection import SearchInterruptedWarning
from reference.long_work import data, result, selector, steps_of

# Every search, every kind of model.
SHORT = [
    ("backward", "sparse"),
    ("by covariance", "linear"),
    ("by twos", "tall"),
    ("directed", "rbf"),
    ("forward", "refitted"),
    ("genetic", "linear"),
    ("stability", "squared"),
    ("knockoffs", "linear"),
]
LONG = [
    ("by covariance", "rbf"),
    ("by covariance", "refitted"),
    ("backward", "linear"),
    ("backward", "squared"),
    ("restarted", "drifting"),
    ("backward", "tall"),
    ("backward", "rbf"),
    ("backward", "refitted"),
    ("by twos", "linear"),
    ("directed", "linear"),
    ("directed", "tall"),
    ("backward", "drifting"),
    ("by twos", "drifting"),
    ("directed", "drifting"),
    ("restarted", "refitted"),
    ("forward", "linear"),
    ("forward", "rbf"),
    ("genetic", "refitted"),
]
SEARCHES = [*SHORT, *(pytest.param(*search, marks=pytest.mark.soak) for search in LONG)]
KILLINGS = [
    ("killed before a write", 1),
    ("killed inside a write", 1),
    ("killed after a write", 1),
    ("killed inside the write after", 1),
    ("killed in training", 2),
    ("killed after a write", 2),
]
needs_processes = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


class Processes:
    """Searches in processes of their own."""

    def __init__(self, folder):
        program = Path(sys.modules["reference.long_work"].__file__)
        self.folder = folder
        self.errors = folder / "errors"
        self.output = folder / "output"
        with self.errors.open("a") as errors:
            self.parent = subprocess.Popen(
                [sys.executable, program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def ask(self, line):
        self.parent.stdin.write(line + "\n")
        self.parent.stdin.flush()
        return int(self.parent.stdout.readline())

    def begin(self, **job):
        """Start a search; return its process number."""
        self.output.unlink(missing_ok=True)
        self.errors.write_text("")
        return self.ask(json.dumps(job | {"output": str(self.output)}))

    def end(self):
        """Wait for the search; return its exit code and what it left."""
        code = self.ask("wait")
        return code, json.loads(self.output.read_text()) if code == 0 else None

    def run(self, **job):
        self.begin(**job)
        return self.end()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    started = Processes(tmp_path_factory.mktemp("processes"))
    yield started
    started.parent.communicate()
    assert started.parent.returncode == 0


@pytest.fixture(scope="module")
def undisturbed(processes):
    """Results of searches that nobody disturbed, without a checkpoint."""
    known = {}

    def run(search, estimator):
        if (search, estimator) not in known:
            code, answer = processes.run(search=search, estimator=estimator)
            assert code == 0, processes.errors.read_text()
            assert answer["warnings"] == []
            known[search, estimator] = answer["result"]
        return known[search, estimator]

    return run


class Interrupting(LinearSVC):
    """A classifier during whose n-th training somebody presses Ctrl-C."""

    n_left = 0

    def fit(self, X, y, sample_weight=None):
        Interrupting.n_left -= 1
        if Interrupting.n_left == 0:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def content(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


@needs_processes
@pytest.mark.parametrize(("search", "estimator"), SEARCHES)
def test_a_search_killed_again_and_again_ends_with_the_same_bits(
    processes, undisturbed, tmp_path, search, estimator
):
    job = {"search": search, "estimator": estimator, "checkpoint": str(tmp_path / "journal")}
    expected = undisturbed(search, estimator)
    for disturb in KILLINGS:
        code, _ = processes.run(**job, disturb=disturb)
        assert code in (0, -signal.SIGKILL), processes.errors.read_text()
    code, answer = processes.run(**job)
    assert code == 0, processes.errors.read_text()
    assert answer == {"result": expected, "warnings": []}
    assert list(content(tmp_path)) == ["journal"]


@needs_processes
@pytest.mark.parametrize(("search", "estimator"), [("backward", "refitted"), ("directed", "linear")])
def test_a_search_killed_from_outside_at_any_time_ends_with_the_same_bits(
    processes, undisturbed, tmp_path, search, estimator
):
    job = {"search": search, "estimator": estimator, "checkpoint": str(tmp_path / "journal")}
    expected = undisturbed(search, estimator)
    codes = []
    for milliseconds in (1, 5, 10, 20, 40, 80, 120):
        child = processes.begin(**job)
        time.sleep(milliseconds / 1000.0)
        os.kill(child, signal.SIGKILL)
        codes.append(processes.end()[0])
    assert set(codes) <= {0, -signal.SIGKILL}
    code, answer = processes.run(**job)
    assert code == 0, processes.errors.read_text()
    assert answer["result"] == expected


@needs_processes
def test_a_killed_search_without_a_random_state_goes_on_with_its_own(processes, tmp_path):
    job = {"search": "backward", "estimator": "linear", "checkpoint": str(tmp_path / "journal")}
    job["parameters"] = {"random_state": None}
    assert processes.run(**job, disturb=("killed after a write", 1))[0] == -signal.SIGKILL
    first, second = (processes.run(**job) for _ in range(2))
    assert first[0] == 0, processes.errors.read_text()
    assert first == second


@needs_processes
@pytest.mark.parametrize(("search", "estimator"), SEARCHES)
def test_a_finished_search_is_not_searched_again(processes, undisturbed, tmp_path, search, estimator):
    checkpoint = tmp_path / "journal"
    job = {"search": search, "estimator": estimator, "checkpoint": str(checkpoint)}
    first = processes.run(**job)
    assert first == (0, {"result": undisturbed(search, estimator), "warnings": []})
    before = len(content(tmp_path)["journal"])
    assert processes.run(**job, disturb=("killed in training", 1)) == first
    assert len(content(tmp_path)["journal"]) == before


@needs_processes
@pytest.mark.parametrize("estimator", ["linear", "tall", "sparse", "rbf", "refitted", "drifting"])
@pytest.mark.parametrize(
    ("search", "disturb"),
    [
        ("backward", ("Ctrl-C after a write", 3)),
        ("directed", ("Ctrl-C in training", 4)),
        pytest.param("backward", ("Ctrl-C in training", 4), marks=pytest.mark.soak),
        pytest.param("directed", ("Ctrl-C after a write", 3), marks=pytest.mark.soak),
    ],
    ids=str,
)
def test_ctrl_c_gives_a_fitted_selector_and_the_same_call_goes_on(
    processes, undisturbed, tmp_path, search, estimator, disturb
):
    checkpoint = str(tmp_path / "journal")
    job = {"search": search, "estimator": estimator, "checkpoint": checkpoint}
    code, answer = processes.run(**job, disturb=disturb)
    assert code == 0, processes.errors.read_text()
    assert [message.split(":")[0] for message in answer["warnings"]] == ["SearchInterruptedWarning"]
    assert checkpoint in answer["warnings"][0]
    assert answer["result"]["predicted"] != ""
    assert answer["result"] != undisturbed(search, estimator)
    assert processes.run(**job) == (0, {"result": undisturbed(search, estimator), "warnings": []})


@needs_processes
@pytest.mark.parametrize(
    ("search", "estimator", "n_calls"),
    [
        ("backward", "linear", 2),
        ("backward", "tall", 20),
        pytest.param("backward", "squared", 4, marks=pytest.mark.soak),
        pytest.param("backward", "rbf", 20, marks=pytest.mark.soak),
        ("directed", "rbf", 5),
    ],
)
def test_machines_that_are_stopped_halfway_leave_the_steps_before(
    processes, undisturbed, search, estimator, n_calls
):
    job = {"search": search, "estimator": estimator}
    code, answer = processes.run(**job, disturb=("Ctrl-C inside a training", n_calls))
    assert code == 0, processes.errors.read_text()
    assert [message.split(":")[0] for message in answer["warnings"]] == ["SearchInterruptedWarning"]
    assert answer["result"] != undisturbed(search, estimator)
    assert processes.run(**job) == (0, {"result": undisturbed(search, estimator), "warnings": []})


@needs_processes
@pytest.mark.parametrize("estimator", ["linear", "rbf", "refitted"])
@pytest.mark.parametrize("search", ["backward", "directed"])
def test_ctrl_c_before_the_first_step_is_an_interrupt(processes, undisturbed, tmp_path, search, estimator):
    job = {"search": search, "estimator": estimator, "checkpoint": str(tmp_path / "journal")}
    waiting = processes.folder / f"{search} {estimator}"
    child = processes.begin(**job, waiting=str(waiting))
    # A signal may get lost in a process that has hardly begun.
    deadline = time.monotonic() + 900.0
    while not waiting.exists():
        assert time.monotonic() < deadline, processes.errors.read_text()
        time.sleep(0.005)
    os.kill(child, signal.SIGINT)
    code, answer = processes.end()
    assert code == 1
    assert answer is None
    assert processes.errors.read_text() == "KeyboardInterrupt: \n"
    assert processes.run(**job) == (0, {"result": undisturbed(search, estimator), "warnings": []})


@pytest.mark.parametrize("search", ["backward", "directed"])
@pytest.mark.parametrize("n_trainings", [7, 11, 12])
def test_an_interrupt_during_a_training_gives_the_best_so_far(search, n_trainings):
    X, y = data()
    searching = selector({"search": search, "estimator": "refitted", "parameters": {"validation": 3}})
    searching.set_params(estimator=make_pipeline(StandardScaler(), Interrupting(random_state=0)))
    Interrupting.n_left = n_trainings
    with pytest.warns(SearchInterruptedWarning, match="best subset found so far"):
        searching.fit(X, y)
    assert Interrupting.n_left < 0
    assert 1 <= steps_of(searching) <= n_trainings // 3
    assert searching.predict(X).shape == y.shape
    assert searching.transform(X).shape[1] == searching.n_features_
    with warnings.catch_warnings(action="error"):
        undisturbed = searching.fit(X, y)
    assert steps_of(undisturbed) > n_trainings // 3


@pytest.mark.parametrize("search", ["backward", "directed"])
def test_an_interrupt_during_the_first_training_goes_its_way(search):
    X, y = data()
    searching = selector({"search": search, "estimator": "refitted"})
    searching.set_params(estimator=Interrupting(random_state=0))
    Interrupting.n_left = 1
    with pytest.raises(KeyboardInterrupt):
        searching.fit(X, y)
    assert not hasattr(searching, "support_")


@pytest.mark.parametrize("search", ["backward", "directed"])
@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"validation": 0.3}, "selector.validation"),
        ({"random_state": 1}, "selector.random_state"),
        ({"keep": [0]}, "selector.keep"),
        ({"estimator__C": 2.0}, "selector.estimator"),
        ({"X": 1.0}, "rows.X"),
        ({"y": 1}, "rows.y"),
        ({"sample_weight": 2.0}, "rows.sample_weight"),
        ({"columns": 11}, "rows.X"),
    ],
)
def test_a_checkpoint_of_other_data_or_settings_is_refused_before_any_work(tmp_path, search, change, parts):
    X, y = data()
    searching = selector({"search": search, "estimator": "linear", "checkpoint": str(tmp_path / "journal")})
    searching.set_params(validation=0.25, n_features_to_select=10).fit(X, y)
    before = content(tmp_path)
    change, rows, labels, given = dict(change), X.copy(), y.copy(), {}
    rows[7, 3] += change.pop("X", 0.0)
    labels[7] = (labels[7] + change.pop("y", 0)) % 3
    rows = rows[:, : change.pop("columns", None)]
    if "sample_weight" in change:
        given["sample_weight"] = np.full(len(y), change.pop("sample_weight"))
    other = selector({"search": search, "estimator": "linear", "checkpoint": str(tmp_path / "journal")})
    other.set_params(validation=0.25, n_features_to_select=10).set_params(**change)
    with pytest.raises(ParameterError, match=rf"other data or settings \(.*{parts}.*left as it is"):
        other.fit(rows, labels, **given)
    assert not hasattr(other, "support_")
    assert content(tmp_path) == before


def test_a_checkpoint_of_another_selector_is_refused(tmp_path):
    X, y = data()
    common = {"estimator": "linear", "checkpoint": str(tmp_path / "journal")}
    selector({"search": "directed"} | common).set_params(n_features_to_select=10).fit(X, y)
    before = content(tmp_path)
    with pytest.raises(ParameterError, match="made by DirectedSearchSelector"):
        selector({"search": "backward"} | common).fit(X, y)
    assert content(tmp_path) == before


def test_settings_that_change_nothing_do_not_matter(tmp_path, capsys):
    X, y = data()
    job = {"search": "directed", "estimator": "linear", "checkpoint": str(tmp_path / "journal")}
    first = selector(job).fit(X, y)
    second = selector(job).set_params(n_jobs=2, verbose=1).fit(X, y)
    assert result(first, X) == result(second, X)
    assert "DirectedSearchSelector" in capsys.readouterr().err


@pytest.mark.parametrize("search", ["backward", "directed"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing/journal", "folder of the checkpoint of .* does not exist"),
        ("notes.txt", "is not a checkpoint of infoprop"),
        ("", "must be a file"),
    ],
)
def test_places_where_no_checkpoint_can_be_are_refused_and_left_untouched(tmp_path, search, name, message):
    (tmp_path / "notes.txt").write_text("mine")
    X, y = data()
    searching = selector({"search": search, "estimator": "refitted", "checkpoint": tmp_path / name})
    Interrupting.n_left = 1
    searching.set_params(estimator=Interrupting(random_state=0))
    with pytest.raises(ParameterError, match=message):
        searching.fit(X, y)
    assert content(tmp_path) == {"notes.txt": b"mine"}


@pytest.mark.parametrize("search", ["backward", "directed"])
def test_a_place_that_cannot_be_written_to_is_refused(powerless, search):
    powerless.chmod(0o500)
    X, y = data()
    searching = selector({"search": search, "estimator": "refitted", "checkpoint": powerless / "journal"})
    Interrupting.n_left = 1
    searching.set_params(estimator=Interrupting(random_state=0))
    with pytest.raises(ParameterError, match=r"cannot be read and written at .*Permission denied"):
        searching.fit(X, y)
