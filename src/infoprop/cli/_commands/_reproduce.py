"""``infoprop reproduce``: the experiments of the papers, run again."""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infoprop._core._exceptions import ParameterError
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._values import path_value

if TYPE_CHECKING:
    from infoprop.cli._display._terminal import Terminal

NAME = "reproduce"
SUMMARY = "the experiments of the papers, run again (in a clone of the project)"
DESCRIPTION = """\
Run the experiments of the papers again and write their pages: every number beside the published one, and why
it differs where it does. The experiments are part of the project's source, not of the installed package, so
this works in a clone of it (--folder, default: the folder where you are or one above it).

Real data is looked for in the folder that the variable INFOPROP_DATA names; an experiment whose data is not
there is passed over, and says so. All of them take hours; --quick shows in minutes that they run.
"""
EXAMPLES = """\
examples:
  infoprop reproduce --list
  infoprop reproduce --quick
  infoprop reproduce gradient_angle2000
  infoprop reproduce infoprop2001/table-5 --output elsewhere

The exit code is that of the experiments: 0 if every number agrees or says why not, 1 if one does not.
"""

_SCRIPT = Path("experiments") / "reproduce.py"
_STANDARD_ERROR = 2


@dataclass(frozen=True)
class Experiment:
    """A paper that can be run again.

    Attributes
    ----------
    name : str
        Its folder.
    title : str
        What it is called.
    parts : tuple of str
        What can be run by itself.
    """

    name: str
    title: str
    parts: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument(
        "names", metavar="NAME[/PART]", nargs="*", help="experiments, or parts of them (default: all)"
    )
    parser.add_argument("--list", action="store_true", help="say which there are, and run none")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few repetitions on few rows, to see that they run; written below build/experiments",
    )
    parser.add_argument(
        "--folder", metavar="DIR", type=path_value, help="the clone (default: looked for upward)"
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=path_value,
        help="where pages and numbers go (default: beside the experiments)",
    )
    _options.add_speech_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the experiments, or run them one after the other."""
    from infoprop.cli._display._terminal import Terminal

    terminal = Terminal(arguments.quiet)
    clone = find_clone(arguments.folder)
    known = experiments_of(clone)
    _refuse_unknown(arguments.names, known)
    if arguments.list:
        _list(terminal, known, arguments.json)
        return DONE
    for name in arguments.names or [None]:
        code = _run_one(clone, name, arguments)
        if code:
            return code
    output = _output(clone, arguments)
    if arguments.json:
        ran = arguments.names or [experiment.name for experiment in known]
        terminal.show_json(json.dumps({"ran": ran, "output": str(output)}))
    else:
        terminal.result(f"{output / 'README.md'} compares every number with the published one.")
    return DONE


def find_clone(folder: Path | None) -> Path:
    """Return the clone of the project in `folder`; without one, the one around the current folder."""
    start = Path.cwd() if folder is None else folder
    places = [start.absolute(), *(start.absolute().parents if folder is None else ())]
    for place in places:
        if (place / _SCRIPT).is_file():
            return place
    where = "neither here nor in a folder above" if folder is None else f"not in {folder}"
    raise ParameterError(
        f"The experiments come with the project's source, which is {where}; clone the project and run this "
        "inside it, or name the clone by --folder."
    )


def experiments_of(clone: Path) -> list[Experiment]:
    """The experiments of a clone, by name."""
    found = []
    for script in sorted((clone / _SCRIPT.parent).glob("*/run.py")):
        settings = tomllib.loads((script.parent / "settings.toml").read_text(encoding="utf-8"))
        parts = tuple(part["name"] for part in settings.get("part", ()))
        found.append(Experiment(script.parent.name, settings.get("title", script.parent.name), parts))
    return found


def _refuse_unknown(names: Sequence[str], known: Sequence[Experiment]) -> None:
    by_name = {experiment.name: experiment for experiment in known}
    for wanted in names:
        name, _, part = wanted.partition("/")
        if name not in by_name:
            raise ParameterError(f"There is no experiment {name!r}; there are {', '.join(by_name)}.")
        parts = by_name[name].parts
        if part and part not in parts:
            raise ParameterError(f"{name} has no part {part!r}; its parts are {', '.join(parts)}.")


def _list(terminal: "Terminal", known: Sequence[Experiment], is_json: bool) -> None:
    if is_json:
        terminal.show_json(json.dumps({"experiments": [asdict(experiment) for experiment in known]}))
        return
    for experiment in known:
        terminal.result(f"{experiment.name}  {experiment.title}", style="bold")
        if experiment.parts:
            terminal.result(f"    {', '.join(experiment.parts)}")


def _run_one(clone: Path, name: str | None, arguments: argparse.Namespace) -> int:
    command = [sys.executable, str(clone / _SCRIPT)]
    command += ["--quick"] * arguments.quick + (["--only", name] if name else [])
    if arguments.output is not None:
        command += ["--output", str(arguments.output.absolute())]
    # Whatever an experiment says is about its progress; its results are pages.
    told = subprocess.DEVNULL if arguments.quiet else _STANDARD_ERROR
    return subprocess.run(command, cwd=clone, stdout=told, stderr=told, check=False).returncode


def _output(clone: Path, arguments: argparse.Namespace) -> Path:
    if arguments.output is not None:
        place: Path = arguments.output
        return place.absolute()
    return clone / "build" / "experiments" if arguments.quick else clone / _SCRIPT.parent
