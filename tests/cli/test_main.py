import os
import subprocess
import sys

import pytest

import infoprop
from infoprop.cli import main
from infoprop.cli._commands import _credit

HEAVY = ("numpy", "scipy", "sklearn", "numba", "polars", "rich", "jinja2", "narwhals")


def process(*words, **more):
    return subprocess.run(
        [sys.executable, "-m", "infoprop", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **more,
    )


def test_import_and_help_bring_in_nothing_heavy():
    script = f"""
import sys
from infoprop.cli import main
assert main(["--help"]) == 0
assert main(["credit", "--help"]) == 0
assert main(["select", "x.csv"]) == 2
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_process_prints_results_and_nothing_else(iris):
    done = process("credit", iris, "--target", "class", env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 0
    assert done.stderr in ("", "compiling numerical code (first run with svm only, about 10 s)\n")
    assert "4 features deliver" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if "petal width" in line]
    assert len(rows) == 1
    assert 0 < float(rows[0][3]) < 1.6
    assert "\x1b" not in done.stdout


def test_process_refuses_without_traceback(tmp_path):
    done = process("credit", tmp_path / "absent.csv", "--target", "class")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "There is no file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_reader_that_has_seen_enough_is_no_error(iris, tmp_path):
    report = tmp_path / "report.html"
    worker = subprocess.Popen(
        [sys.executable, "-m", "infoprop", "credit", str(iris), "--report", str(report)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    worker.stdout.close()
    with worker.stderr:
        said = worker.stderr.read()
    assert worker.wait(120) == 0
    assert b"Error" not in said
    assert report.is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_interrupted_process_ends_with_130(iris):
    script = f"""
import os, signal, threading
from infoprop.cli import main
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
raise SystemExit(main(["credit", {str(iris)!r}, "--validation", "10", "--kernel", "rbf"]))
"""
    worker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, said = worker.communicate(timeout=120)
    assert worker.returncode == 130
    assert said.splitlines()[-1] == b"infoprop: interrupted"


def test_interruption_in_the_middle_of_the_work_ends_with_130(run, iris, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_credit, "run", interrupt)
    outcome = run("credit", iris)
    assert outcome.code == 130
    assert outcome.err == "infoprop: interrupted\n"


def test_a_bug_keeps_its_traceback(iris, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(_credit, "run", fail)
    with pytest.raises(ZeroDivisionError):
        main(["credit", str(iris)])


def test_version(run):
    outcome = run("--version")
    assert outcome.code == 0
    assert outcome.out == f"infoprop {infoprop.__version__}\n"


def test_help_teaches_by_example(run):
    outcome = run("--help")
    assert outcome.code == 0
    for word in ("infoprop demo", "infoprop credit", "infoprop select", "examples:", "bits"):
        assert word in outcome.out
    for command in ("demo", "credit", "select"):
        assert f"infoprop {command}" in run(command, "--help").out.partition("examples:")[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["nonsense"], "invalid choice: 'nonsense'"),
        (["credit"], "the following arguments are required: DATA"),
        (["credit", "x.csv", "--kernel", "cubic"], "invalid choice: 'cubic'"),
        (["select", "x.csv"], "--method credit must be told how many: give -k N or --threshold BITS."),
        (["select", "x.csv", "-k", "2", "--threshold", "0.1"], "not allowed with argument"),
        (["credit", "x.csv", "--targ", "y"], "unrecognized arguments: --targ y"),
    ],
)
def test_usage_errors_are_one_sentence(refused, words, sentence):
    assert sentence in refused(*words)


def test_error_with_control_characters_stays_on_one_line(refused, write):
    path = write("x.csv", "a,b\n1,2\n")
    assert "\x1b" not in refused("credit", path, "--target", "evil\x1b[2J\nname")
