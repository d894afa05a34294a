"""Eliminations whose steps come in batches: nobody notices, except those who wait for less."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import scale

from infoprop.selection import BackwardEliminationSelector, SearchInterruptedWarning
from reference.callbacks import Watcher
from reference.evaluators import RefitSubsetModel
from reference.running import Journal, Progress

X, Y = load_wine(return_X_y=True)
X = scale(X)


class Batched(RefitSubsetModel):
    """A model that is asked for four steps at a time."""

    moves_between_snapshots = 4


def selector(**parameters):
    machine = RidgeClassifier(alpha=5.0, solver="cholesky")
    return BackwardEliminationSelector(machine, n_features_to_select=1, random_state=0, **parameters)


@pytest.fixture(scope="module")
def whole():
    """A search that goes step by step."""
    return selector().fit(X, Y)


@pytest.fixture
def batched(monkeypatch):
    monkeypatch.setattr("infoprop.selection.elimination._moved.subset_model", Batched)


def test_how_many_steps_go_at_a_time_changes_nothing(batched, whole):
    assert selector().fit(X, Y).path_ == whole.path_


@pytest.mark.parametrize("n_steps", [1, 3, 4, 6])
def test_a_callback_sees_every_step_of_a_batch_and_may_stop_at_any(batched, whole, n_steps):
    watcher = Watcher(n_steps, lambda fitted: fitted.path_)
    stopped = selector().set_callbacks(watcher).fit(X, Y)
    assert [len(path) for path in watcher.seen] == list(range(1, n_steps + 1))
    assert stopped.path_ == watcher.seen[-1]
    assert stopped.path_[:-1] == whole.path_[: n_steps - 1]
    assert stopped.path_[-1] == replace(whole.path_[n_steps - 1], dropped=(), credits=())
    np.testing.assert_array_equal(stopped.support_, whole.path_.support_at(14 - n_steps))


def test_progress_goes_by_steps_and_the_journal_by_batches(batched, whole, tmp_path, monkeypatch):
    advanced, written, append = [], [], Journal.append
    monkeypatch.setattr(Progress, "advance", lambda self, n_steps: advanced.append(n_steps))
    monkeypatch.setattr(
        Journal,
        "append",
        lambda self, records, state: written.extend(records) or append(self, records, state),
    )
    kept = selector(checkpoint=tmp_path / "journal").fit(X, Y)
    assert kept.path_ == whole.path_
    # The last one is the training on the chosen features.
    assert advanced == [1] * 14
    assert [len(record["n_columns"]) for record in written] == [4, 4, 4, 1]
    again = selector(checkpoint=tmp_path / "journal").fit(X, Y)
    assert again.path_ == whole.path_
    assert len(written) == 4
    assert advanced[14:] == [13, 1]


def test_an_interrupt_inside_a_batch_costs_no_step_but_the_one_it_hits(monkeypatch, whole, tmp_path):
    class Interrupted(Batched):
        n_left = 7

        def fit(self):
            Interrupted.n_left -= 1
            if Interrupted.n_left == 0:
                raise KeyboardInterrupt
            super().fit()

    monkeypatch.setattr("infoprop.selection.elimination._moved.subset_model", Interrupted)
    kept = selector(checkpoint=tmp_path / "journal")
    with pytest.warns(SearchInterruptedWarning):
        kept.fit(X, Y)
    assert kept.path_[:-1] == whole.path_[:5]
    assert kept.path_.n_features.tolist() == [13, 12, 11, 10, 9, 8]
    assert kept.n_features_ == 8
    assert kept.fit(X, Y).path_ == whole.path_
    # Nine of the thirteen steps had to be made: four were written down.
    assert Interrupted.n_left == -9
