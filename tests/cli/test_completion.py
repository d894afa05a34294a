import shutil
import subprocess

import pytest

from infoprop.cli._completion import SHELLS
from infoprop.cli._main import build_parser

COMPLETE = """
source "$1"
COMP_WORDS=(infoprop {words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMP_LINE="${{COMP_WORDS[*]}}"
COMP_POINT=${{#COMP_LINE}}
_shtab_infoprop
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_script_knows_all_commands(run, shell):
    outcome = run("completion", shell)
    assert outcome.code == 0
    assert outcome.err == ""
    for command in ("demo", "credit", "select", "classify", "predict", "completion"):
        assert command in outcome.out
    assert "--classifier" in outcome.out


@pytest.fixture
def completed(run, write):
    """Ask bash what it would complete."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    script = write("infoprop.bash", run("completion", "bash").out)

    def call(*words, folder="."):
        told = COMPLETE.format(words=" ".join(f"'{word}'" for word in words))
        done = subprocess.run(
            ["bash", "-c", told, "bash", str(script)], capture_output=True, text=True, cwd=folder, timeout=60
        )
        return done.stdout.split()

    return call


def test_bash_completes_commands_options_and_values(completed):
    assert completed("cl") == ["classify"]
    assert "--classifier" in completed("select", "--cl")
    assert completed("select", "--method", "ba") == ["backward"]
    assert completed("select", "--classifier", "") == ["svm", "mlp", "knn", "logistic", "shaped", "pairwise"]


def test_bash_completes_files(completed, write, tmp_path):
    write("flowers.csv", "a,b\n")
    assert completed("credit", "flow", folder=tmp_path) == ["flowers.csv"]
    assert completed("select", "x.csv", "--report", "flow", folder=tmp_path) == ["flowers.csv"]


def test_unknown_shell_is_refused(refused):
    assert "invalid choice: 'cmd'" in refused("completion", "cmd")


def test_every_command_has_its_words():
    commands = next(action for action in build_parser()._actions if action.dest == "command").choices
    for command in commands.values():
        assert command.description
        assert "infoprop" in command.epilog
