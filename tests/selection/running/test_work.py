import pytest

from infoprop.selection import SearchInterruptedWarning
from infoprop.selection.running._work import Work


class Tasks:
    """Callbacks that want to stop after some steps."""

    is_watched = True

    def __init__(self, n_steps):
        self.n_left = n_steps
        self.begun = 0

    def begin_step(self):
        self.begun += 1

    def end_step(self, attributes):
        self.n_left -= 1
        return self.n_left == 0


def walked(work, n_steps):
    steps = []
    with work.until_stopped(lambda: bool(steps)):
        for step in range(n_steps):
            work.begin_step()
            steps.append(step)
            work.end_step(dict)
    return steps


def test_a_search_without_callbacks_goes_to_its_end():
    assert walked(Work(), 5) == [0, 1, 2, 3, 4]


def test_a_callback_ends_the_block_after_its_step():
    tasks = Tasks(3)
    assert walked(Work(tasks=tasks), 5) == [0, 1, 2]
    assert tasks.begun == 3
    assert Work(tasks=tasks).is_watched


def test_an_interrupt_ends_the_block_with_a_warning_that_names_the_selector():
    steps = [1]
    with (
        pytest.warns(SearchInterruptedWarning, match="SomeSelector was interrupted"),
        Work(owner="SomeSelector").until_stopped(lambda: bool(steps)),
    ):
        raise KeyboardInterrupt


def test_an_interrupt_before_there_is_a_result_goes_its_way():
    with pytest.raises(KeyboardInterrupt), Work().until_stopped(lambda: False):
        raise KeyboardInterrupt


def test_by_default_nothing_is_kept_or_shown():
    work = Work()
    assert work.journal.records() == []
    assert not work.journal.is_kept
    assert not work.progress.is_shown
    assert not work.is_watched
