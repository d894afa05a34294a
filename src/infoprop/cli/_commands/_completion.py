"""``infoprop completion``: what a shell needs to complete commands, options, values and files."""

import argparse
from typing import Any

from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar._values import path_value

NAME = "completion"
SUMMARY = "a script that lets the shell complete commands, options and files"
DESCRIPTION = """\
Print a script for the shell. Once it is loaded, the Tab key completes commands, options, their values and
the names of files.
"""
EXAMPLES = """\
examples:
  infoprop completion bash > ~/.local/share/bash-completion/completions/infoprop
  infoprop completion zsh > ~/.zfunc/_infoprop   (in ~/.zshrc: fpath=(~/.zfunc $fpath), before compinit)
  infoprop completion tcsh > ~/.infoprop.csh     (in ~/.tcshrc: source ~/.infoprop.csh)
  eval "$(infoprop completion bash)"             (this session only; zsh: after compinit)

The folder must exist. The file for bash is found by the bash-completion package.
"""

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or tcsh")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    commands = _commands(arguments.grammar)
    for command in commands:
        _complete_files(command, shtab.FILE)
        # Shells then show what the help of all commands says, instead of the first line of a description.
        command.description = None
    if arguments.shell == "tcsh":
        _unite_choices(commands)
    script = shtab.complete(arguments.grammar, shell=arguments.shell)
    # Tcsh counts options among the words, so that DATA may stand anywhere, not only behind the command.
    print(script.replace("'p/*/()/'", "'p/*/f/'"))
    return DONE


def _commands(grammar: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    return [
        command
        for action in grammar._actions
        if isinstance(action, argparse._SubParsersAction)
        for command in action.choices.values()
    ]


def _complete_files(command: argparse.ArgumentParser, how: dict[str, Any]) -> None:
    """Let every word that names a file be completed as one."""
    for action in command._actions:
        if action.type is path_value:
            action.complete = how  # type: ignore[attr-defined]


def _unite_choices(commands: list[argparse.ArgumentParser]) -> None:
    """Give an option that several commands have the values of all of them.

    A rule of tcsh for the word behind an option does not know which command it is in.
    """
    values: dict[str, dict[str, None]] = {}
    choosing = [action for command in commands for action in command._actions if action.choices]
    for action in choosing:
        values.setdefault(action.dest, {}).update(dict.fromkeys(action.choices or ()))
    for action in choosing:
        action.choices = tuple(values[action.dest])
