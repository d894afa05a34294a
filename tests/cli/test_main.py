import errno
import io
import os
import shlex
import subprocess
import sys

import pytest

import infoprop
from infoprop._core._compiling import WORDS
from infoprop.cli import main
from infoprop.cli._commands import _credit

HEAVY = ("numpy", "scipy", "sklearn", "numba", "polars", "rich", "jinja2", "narwhals")
CLOSED = "standard output is closed; send it to a file, or to the null device."
FULL = "standard output could not be written: No space left on device."


def process(*words, **more):
    return subprocess.run(
        [sys.executable, "-m", "infoprop", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        **more,
    )


def test_import_and_help_bring_in_nothing_heavy():
    script = f"""
import sys
from infoprop.cli import main
assert main(["--help"]) == 0
assert main(["credit", "--help"]) == 0
assert main(["select", "x.csv", "--method", "credit"]) == 2
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=900, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_process_prints_results_and_nothing_else(iris):
    done = process("credit", iris, "--target", "class", env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 0
    assert done.stderr in ("", f"{WORDS}\n")
    assert "4 features" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if "petal width" in line]
    assert len(rows) == 1
    assert 0 < float(rows[0][3]) < 1.6
    assert "\x1b" not in done.stdout


def test_process_refuses_without_traceback():
    done = process("credit")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "DATA" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_reader_that_has_seen_enough_is_no_error(iris, tmp_path, monkeypatch, capsys):
    report = tmp_path / "report.html"
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["credit", str(iris), "--report", str(report)]) == 0
    assert "Error" not in capsys.readouterr().err
    assert report.is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_process_whose_reader_is_gone_ends_without_a_word():
    worker = subprocess.Popen(
        [sys.executable, "-m", "infoprop", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    worker.stdout.close()
    with worker.stderr:
        assert worker.stderr.read() == b""
    assert worker.wait(900) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize(
    ("words", "streams", "code", "sentence"),
    [
        ("--version", ">&-", 2, "standard output is closed; send it to a file, or to the null device."),
        ("--help", ">/dev/full", 1, "standard output could not be written: No space left on device."),
        (
            "completion bash",
            ">/dev/full",
            1,
            "standard output could not be written: No space left on device.",
        ),
        ("nonsense", ">&- <&-", 2, "standard output is closed; send it to a file, or to the null device."),
        ("nonsense", "2>&-", 2, None),
        ("nonsense", "2>/dev/full", 2, None),
        ("--version", "<&- 2>&-", 0, None),
    ],
)
def test_closed_and_full_streams_are_one_sentence(words, streams, code, sentence):
    command = f"exec {shlex.quote(sys.executable)} -m infoprop {words} {streams}"
    # Buffered, as it is unless somebody has said otherwise: then the last bytes fail when all is done.
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, env=plain, timeout=60, check=False
    )
    assert done.returncode == code
    assert done.stderr == ("" if sentence is None else f"infoprop: {sentence}\n")


class Full(io.StringIO):
    """A stream on a disk that is full."""

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    "words",
    [("--version",), ("credit", "--help"), ("completion", "zsh"), ("datasets",), ("datasets", "--json")],
)
def test_full_disk_behind_standard_output_is_one_sentence(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "stdout", Full())
    assert main(words) == 1
    assert capsys.readouterr().err == f"infoprop: {FULL}\n"


def test_error_that_cannot_be_told_is_still_an_exit_code(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Full())
    assert main(["nonsense"]) == 2


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError("The checkpoint x cannot be written."), "The checkpoint x cannot be written."),
        (PermissionError(errno.EACCES, "Permission denied", "a\nb.csv"), "a b.csv: Permission denied."),
        (MemoryError(), "there is not enough memory for this; give it less data, or work of a smaller size."),
    ],
)
def test_what_the_machine_refuses_is_one_sentence(run, iris, monkeypatch, error, sentence):
    def fail(*_):
        raise error

    monkeypatch.setattr(_credit, "run", fail)
    outcome = run("credit", iris)
    assert (outcome.code, outcome.out, outcome.err) == (1, "", f"infoprop: {sentence}\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_interrupted_process_ends_with_130(iris):
    script = f"""
import os, signal, threading
from infoprop.cli import main
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
raise SystemExit(main(["credit", {str(iris)!r}, "--validation", "10", "--kernel", "rbf"]))
"""
    worker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, said = worker.communicate(timeout=900)
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
        (
            ["select", "x.csv", "--method", "credit"],
            "--method credit must be told how many: give -k N, --threshold BITS or --per-class N.",
        ),
        (["select", "x.csv", "-k", "2", "--threshold", "0.1"], "not allowed with argument"),
        (["credit", "x.csv", "--targ", "y"], "unrecognized arguments: --targ y"),
    ],
)
def test_usage_errors_are_one_sentence(refused, words, sentence):
    assert sentence in refused(*words)


def test_error_with_control_characters_stays_on_one_line(refused, write):
    path = write("x.csv", "a,b\n1,2\n")
    assert "\x1b" not in refused("credit", path, "--target", "evil\x1b[2J\nname")
