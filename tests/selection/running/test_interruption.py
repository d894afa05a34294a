import warnings

import pytest

from infoprop.selection import SearchInterruptedWarning
from infoprop.selection.running._interruption import SearchStopped, best_so_far


def search(steps):
    with best_so_far(lambda: bool(steps), "Searcher"):
        steps.append(0)
        raise KeyboardInterrupt


def test_an_interrupt_after_a_step_ends_the_search_with_a_warning():
    steps = []
    message = "Searcher was interrupted; it ends with the best subset found so far.*give it a checkpoint"
    with pytest.warns(SearchInterruptedWarning, match=message):
        search(steps)
    assert steps == [0]


def test_the_warning_points_at_the_code_of_the_user():
    with pytest.warns(SearchInterruptedWarning) as caught:
        search([])
    assert caught[0].filename == __file__


def test_the_warning_names_the_checkpoint_to_go_on_from():
    with (
        pytest.warns(SearchInterruptedWarning, match=r"same call goes on from the checkpoint run\.journal"),
        best_so_far(lambda: True, "Searcher", "run.journal"),
    ):
        raise KeyboardInterrupt


def test_an_interrupt_before_the_first_step_is_an_interrupt():
    with pytest.raises(KeyboardInterrupt), best_so_far(lambda: False, "Searcher"):
        raise KeyboardInterrupt


def test_a_callback_stops_the_search_without_a_warning():
    with warnings.catch_warnings(action="error"), best_so_far(lambda: True, "Searcher"):
        raise SearchStopped


def test_other_errors_go_their_way():
    with pytest.raises(ZeroDivisionError), best_so_far(lambda: True, "Searcher"):
        raise ZeroDivisionError


def test_a_search_that_ends_by_itself_is_left_alone():
    with warnings.catch_warnings(action="error"), best_so_far(lambda: True, "Searcher"):
        pass
