import io
import sys
import time

import pytest
from rich.console import Console
from rich.progress import Progress

from infoprop._core import _compiling
from infoprop._core._compiling import WORDS, announced, count_function, said_by, shown_on
from infoprop._core._jit import njit


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(_compiling, "_notice", _compiling._Notice())


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(_compiling, "SECONDS_IN_SILENCE", 0.0)


@njit
def inner(x):
    return x + 1


@njit
def outer(x):
    return inner(inner(x))


def compile_something():
    with announced(outer.py_func):
        time.sleep(0.05)


def test_what_is_compiled_soon_is_not_announced(capsys):
    said = []
    with said_by(said.append):
        compile_something()
    assert said == []
    assert capsys.readouterr().err == ""


def test_compiling_is_said_once_however_many_functions(at_once):
    said = []
    with said_by(said.append):
        compile_something()
        compile_something()
    assert said == [WORDS]


def test_seconds_of_many_short_compilations_add_up(monkeypatch):
    monkeypatch.setattr(_compiling, "SECONDS_IN_SILENCE", 0.08)
    said = []
    with said_by(said.append):
        compile_something()
        assert said == []
        compile_something()
    assert said == [WORDS]


def test_code_that_is_compiled_already_is_not_announced(at_once):
    said = []
    with said_by(said.append):
        outer(1)
        assert said == [WORDS] or said == []  # loaded from the cache, or compiled in no time
        said.clear()
        outer(2)
    assert said == []


def test_a_bar_on_the_screen_gets_a_task_of_its_own(at_once):
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with Progress(console=console) as bar, shown_on(bar), said_by(pytest.fail):
        with announced(outer.py_func):
            count_function()
            until = time.monotonic() + 5.0
            while not bar.tasks and time.monotonic() < until:
                time.sleep(0.01)
            (task,) = bar.tasks
            assert task.total == 2
            assert WORDS in task.description
        assert not bar.tasks


def test_nothing_is_written_where_standard_error_is_no_terminal(at_once, capsys):
    compile_something()
    assert capsys.readouterr().err == ""


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_bar_from_python_too(at_once, monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    compile_something()
    assert "compiling numerical code" in screen.getvalue()


def test_a_terminal_without_rich_gets_a_line(at_once, monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    compile_something()
    compile_something()
    assert screen.getvalue() == f"infoprop: {WORDS}\n"


def test_all_functions_that_are_called_are_counted():
    assert _compiling._count_reached(inner.py_func) == 1
    assert _compiling._count_reached(outer.py_func) == 2
