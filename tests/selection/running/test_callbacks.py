import numpy as np
import pytest
from sklearn.base import BaseEstimator

from infoprop.selection.running._callbacks import (
    CallbackSupportMixin,
    SearchTasks,
    with_callbacks,
)

X, Y = np.zeros((3, 2)), np.array([0, 1, 0])


class Searcher(CallbackSupportMixin, BaseEstimator):
    @with_callbacks
    def fit(self, X, y):
        tasks = SearchTasks(self, X, y, max_steps=5)
        self.n_steps_ = 0
        for _ in range(5):
            tasks.begin_step()
            self.n_steps_ += 1
            if tasks.end_step(lambda: {"n_steps_": self.n_steps_}):
                break
        tasks.end()
        return self


class Recorder:
    """A callback that notes what it is told, and stops after some steps."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X, y):
        assert X.shape == (3, 2)
        assert len(y) == 3
        self.events.append(f"begin {context.task_name} {context.task_id} of {context.max_subtasks}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        self.events.append(f"end {context.task_name} {fitted_estimator.n_steps_}")
        return fitted_estimator.n_steps_ == self.stop_after


def test_a_search_without_callbacks_runs_through():
    assert Searcher().fit(X, Y).n_steps_ == 5


def test_a_selector_that_cannot_have_callbacks_is_left_alone():
    tasks = SearchTasks(object(), X, Y, max_steps=1)
    assert not tasks.is_watched
    tasks.begin_step()
    assert tasks.end_step(lambda: pytest.fail("nobody asks for it")) is False
    tasks.end()


def test_callbacks_see_every_step_and_can_stop_the_search():
    recorder = Recorder(stop_after=2)
    selector = Searcher().set_callbacks(recorder).fit(X, Y)
    assert selector.n_steps_ == 2
    assert recorder.events == [
        "setup",
        "begin search 0 of 5",
        "begin step 0 of 0",
        "end step 1",
        "begin step 1 of 0",
        "end step 2",
        "end search 2",
        "teardown",
    ]


def test_a_fitted_selector_is_made_only_for_callbacks_that_ask_for_one():
    class Watcher(Recorder):
        def on_fit_task_end(self, estimator, context):
            self.events.append("end")

    class Eager(Searcher):
        @with_callbacks
        def fit(self, X, y):
            tasks = SearchTasks(self, X, y, max_steps=None)
            tasks.begin_step()
            tasks.end_step(lambda: pytest.fail("nobody asks for it"))
            tasks.end()

    watcher = Watcher()
    Eager().set_callbacks(watcher).fit(X, Y)
    assert watcher.events.count("end") == 2


def test_nothing_of_the_callbacks_stays_on_the_fitted_selector():
    selector = Searcher().set_callbacks(Recorder()).fit(X, Y)
    assert set(vars(selector)) == {"n_steps_", "_skl_callbacks"}
