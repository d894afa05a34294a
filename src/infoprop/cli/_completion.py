"""``infoprop completion``: what a shell needs to complete commands, options, values and files."""

import argparse
from pathlib import Path
from typing import Any

from infoprop.cli._exit_codes import DONE

NAME = "completion"
SUMMARY = "a script that lets the shell complete commands, options and files"
DESCRIPTION = """\
Print a script for the shell. Once it is loaded, the Tab key completes commands, options, their values and
the names of files.
"""
EXAMPLES = """\
examples:
  infoprop completion bash > ~/.local/share/bash-completion/completions/infoprop
  infoprop completion zsh > ~/.zfunc/_infoprop       (a folder of $fpath, before compinit)
  infoprop completion tcsh > ~/.infoprop.csh         (then: source ~/.infoprop.csh)
  eval "$(infoprop completion bash)"                 (this session only)
"""

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or tcsh")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    _complete_files(arguments.grammar, shtab.FILE)
    print(shtab.complete(arguments.grammar, shell=arguments.shell))
    return DONE


def _complete_files(parser: argparse.ArgumentParser, how: dict[str, Any]) -> None:
    """Let every word that names a file be completed as one."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_files(command, how)
        elif action.type is Path:
            action.complete = how  # type: ignore[attr-defined]
