import os
import re
import select
import shutil
import subprocess
import time

import pytest

from reference.command_line import COMMANDS, choices

SHELLS = choices("completion", "shell")
# How each shell is started without the user's settings, and what loads the script.
SESSIONS = {
    "bash": (("bash", "--norc", "--noprofile", "-i"), "PS1='ready''> '; source infoprop.bash"),
    "zsh": (
        ("zsh", "-f", "-i"),
        "PS1='ready''> '; autoload -U compinit; compinit -u -D; eval \"$(cat infoprop.zsh)\"",
    ),
    "tcsh": (("tcsh", "-f", "-i"), "set prompt='ready''> '; set edit; bindkey -e; source infoprop.tcsh"),
}
PATIENCE = 300.0


@pytest.mark.parametrize("shell", SHELLS)
def test_script_knows_all_commands(run, shell):
    outcome = run("completion", shell)
    assert outcome.code == 0
    assert outcome.err == ""
    for command in ("demo", "credit", "select", "classify", "predict", "completion"):
        assert command in outcome.out
    assert "classifier" in outcome.out


class Session:
    """A shell at a terminal, in which a person could press the Tab key."""

    def __init__(self, words, folder):
        pty = pytest.importorskip("pty")
        self.master, self.terminal = pty.openpty()
        # The first terminal that the leader of a session opens is the one it is controlled by.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" <>"$0" >&0 2>&1', os.ttyname(self.terminal), *words],
            start_new_session=True,
            cwd=folder,
            env={"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder), "TERM": "vt100"},
        )

    def type(self, keys):
        os.write(self.master, keys.encode())

    def read_until(self, pattern):
        seen, end = "", time.monotonic() + PATIENCE
        while not (found := re.search(pattern, seen)):
            assert time.monotonic() < end, f"{pattern} is not in {seen!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                seen += os.read(self.master, 65536).decode()
        return found

    def completed(self, words):
        """What is run when Tab and Enter are pressed behind `words`."""
        self.type(f"{words}\t\r")
        line = self.read_until(r"<([^<>]*)>\r\n[^<]*ready> ").group(1)
        return line.strip()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)
        os.close(self.master)


@pytest.fixture(params=SHELLS)
def session(request, run, write, tmp_path):
    """A shell that has loaded the script, in a folder with a table."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    write(f"infoprop.{shell}", run("completion", shell).out)
    write("flowers.csv", "a,b\n")
    write("infoprop", '#!/bin/sh\necho "<$*>"\n').chmod(0o755)
    words, loading = SESSIONS[shell]
    session = Session(words, tmp_path)
    try:
        session.type(f"{loading}\r")
        session.read_until("ready> ")
        yield session
    finally:
        session.close()


def test_shells_complete_commands_options_values_and_files(session):
    assert session.completed("infoprop cl") == "classify"
    assert session.completed("infoprop select --crit") == "select --criterion"
    assert session.completed("infoprop select --method ba") == "select --method backward"
    assert session.completed("infoprop shape x.csv --method bn") == "shape x.csv --method bns"
    assert session.completed("infoprop credit flow") == "credit flowers.csv"
    assert session.completed("infoprop select --target b flow") == "select --target b flowers.csv"
    assert session.completed("infoprop select x --report flow") == "select x --report flowers.csv"
    assert session.completed("infoprop completion tc") == "completion tcsh"


def test_zsh_is_told_what_commands_do_in_whole_phrases(run):
    assert "credit:'what every feature of a table is worth, in bits'" in run("completion", "zsh").out


def test_unknown_shell_is_refused(refused):
    assert "invalid choice: 'cmd'" in refused("completion", "cmd")


def test_every_command_has_its_words():
    for command in COMMANDS.values():
        assert command.description
        assert "infoprop" in command.epilog
