import io
import re
import warnings

import numpy as np
import pytest

from infoprop.cli._display import _terminal
from infoprop.cli._display._terminal import Terminal
from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report import ReportSummary


@pytest.fixture
def summary_of():
    def make(names, labels=("red wine", "white wine"), selected=None):
        flow = InformationFlow.from_confusion(np.eye(len(labels)) * 20 + 1, labels=list(labels))
        shares = np.linspace(1.0, 0.1, len(names))
        credits = FeatureCredits.from_shares(flow, np.tile(shares / shares.sum(), (len(labels), 1)), names)
        return ReportSummary.from_credits(credits, selected=selected)

    return make


def table_rows(lines):
    """The lines that begin with a rank."""
    return [line for line in lines if re.match(r" *[0-9]+   ", line)]


def test_table_lists_features_best_first(summary_of, capsys):
    Terminal(is_quiet=False).show(summary_of(["[bold]a[/bold]", "b :smile:", "c"]), top=2)
    lines = capsys.readouterr().out.splitlines()
    assert "3 features" in lines[1]
    rows = [line.split() for line in table_rows(lines)]
    assert [row[1] for row in rows] == ["[bold]a[/bold]", "b"]
    assert rows[1][2] == ":smile:"
    header = next(line for line in lines if "feature" in line and "bits" in line and "share" in line)
    assert "red wine" in header
    assert "white wine" in header
    assert "and 1 more, worth" in lines[-1]


def test_top_zero_shows_all(summary_of, capsys):
    Terminal(is_quiet=False).show(summary_of([f"x{number}" for number in range(30)]), top=0)
    out = capsys.readouterr().out
    assert "x29" in out
    assert "more, worth" not in out


def test_tiny_credits_keep_two_digits(summary_of, capsys):
    names = [f"x{number}" for number in range(20_000)]
    Terminal(is_quiet=False).show(summary_of(names), top=1)
    row = table_rows(capsys.readouterr().out.splitlines())[0].split()
    assert re.fullmatch(r"0\.0000[0-9]{2}", row[2])
    assert row[3] == "0.0091%"


def test_many_classes_get_no_columns(summary_of, capsys):
    Terminal(is_quiet=False).show(summary_of(["a"], labels=[f"kind{number}" for number in range(7)]), top=0)
    assert "kind3" not in capsys.readouterr().out


def test_choice_is_marked(summary_of, capsys):
    Terminal(is_quiet=False).show(summary_of(["a", "b"], selected=np.array([True, False])), top=0)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] == "yes" for line in table_rows(lines)] == [True, False]


@pytest.mark.parametrize("width", [50, 80, 100, 140])
def test_numbers_are_whole_on_every_width(summary_of, monkeypatch, width):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    screen = Screen()
    monkeypatch.setattr(_terminal.sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb" if width == 80 else "xterm")
    names = ["a very long name that goes on and on and on", "short"]
    summary = summary_of(names, labels=["first", "second", "third"], selected=np.array([True, False]))
    Terminal(is_quiet=False).show(summary, top=0)
    rows = table_rows(re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines())
    assert len(rows) == 2
    for row, feature in zip(rows, summary.features, strict=True):
        assert f"{feature.credit:.4f}" in row
        assert f"{feature.share:.1%}" in row
        assert len(row) <= width
    assert "yes" in rows[0]


def test_stream_without_the_letters_gets_plain_ones(summary_of, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(_terminal.sys, "stdout", stream)
    Terminal(is_quiet=False).show(summary_of(["größe", "b"]), top=0)
    stream.flush()
    shown = stream.buffer.getvalue().decode("ascii")
    assert "gr??e" in shown
    assert "######" in shown


def test_remarks_go_to_standard_error_once(capsys):
    terminal = Terminal(is_quiet=False)
    with terminal.remarks():
        for _ in range(2):
            warnings.warn("not converged\n  yet", stacklevel=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "note: not converged yet\n"


def test_quiet_says_nothing_but_results(capsys):
    terminal = Terminal(is_quiet=True)
    with terminal.remarks(), terminal.progress(2) as steps:
        steps.begin("one")
        warnings.warn("psst", stacklevel=1)
    terminal.say("hello")
    terminal.result("42")
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out == "42\n"


def test_progress_is_silent_without_a_terminal(capsys):
    with Terminal(is_quiet=False).progress(2) as steps:
        steps.begin("one")
        steps.begin("two")
    assert capsys.readouterr().err == ""


class Screen(io.StringIO):
    def isatty(self):
        return True


def put_screen(monkeypatch):
    """Let standard error be a terminal; not a fixture, after which pytest puts its own in place again."""
    screen = Screen()
    monkeypatch.setattr(_terminal.sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_progress_shows_steps_on_a_terminal(monkeypatch):
    screen = put_screen(monkeypatch)
    with Terminal(is_quiet=False).progress(2) as steps:
        steps.begin("reading [data]")
        steps.begin("training")
    assert "training" in screen.getvalue()
    assert "1/2" in screen.getvalue()


def test_items_are_counted_with_the_time_left(monkeypatch):
    screen = put_screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "120")
    with Terminal(is_quiet=False).progress(1) as steps:
        steps.begin("training")
        for number in steps.watch(iter([1, 2]), 2, "folds"):
            if number == 2:
                steps._progress.refresh()
        assert list(steps.watch(iter("a"), 1, "folds")) == ["a"]
    assert "folds" in screen.getvalue()
    assert "2/2" in screen.getvalue()
    assert "left" in screen.getvalue()


def test_a_step_after_one_with_its_own_bar_is_shown_again(monkeypatch):
    screen = put_screen(monkeypatch)
    with Terminal(is_quiet=False).progress(2) as steps:
        steps.begin_aside("searching")
        steps.begin("training again")
    assert "searching" in screen.getvalue()
    assert "training again" in screen.getvalue()
    assert "1/2" in screen.getvalue()


def test_json_is_printed_as_it_is(capsys):
    Terminal(is_quiet=True).show_json('{"name": "[bold]"}')
    assert capsys.readouterr().out == '{"name": "[bold]"}\n'
