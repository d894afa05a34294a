"""The parser, the commands, and what a process says to its caller: the exit code."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from infoprop import __version__
from infoprop._core._exceptions import InfopropError
from infoprop.cli._commands import (
    _classify,
    _compare,
    _completion,
    _credit,
    _datasets,
    _demo,
    _predict,
    _reproduce,
    _select,
    _shape,
)
from infoprop.cli._exit_codes import BAD_INPUT, DONE, INTERRUPTED

COMMANDS = (
    _demo,
    _credit,
    _select,
    _shape,
    _classify,
    _compare,
    _predict,
    _datasets,
    _reproduce,
    _completion,
)
"""In the order of the help."""

_DESCRIPTION = """\
infoprop tells what every feature is worth to a classifier, in bits, and picks features by it.

A classifier delivers I(Y;Yf) bits about the class. They are credited to its class indicators, and each
indicator's bits are shared out among the features. Credits add up exactly; nothing is lost.
"""

_EPILOG = """\
examples:
  infoprop demo                                       see what it does, on built-in data, in seconds
  infoprop credit iris.csv --target class             bits per feature
  infoprop select iris.csv --target class -k 2        the two best features, and what they deliver alone
  infoprop select iris.csv --method backward -k auto  as many as it takes, eliminated one by one
  infoprop compare iris.csv --target class            several methods, on rows that took no part in the choice
  infoprop classify iris.csv --model iris.skops       a classifier, judged and kept
  infoprop predict iris.skops new.csv                 the classes of other rows
  infoprop credit --help                              all options, with examples

Results go to standard output (--json: as one JSON object), progress to standard error.
Exit code 0: done. 2: something is wrong with the input, said in one sentence. 130: interrupted; a search
then ends with the best found so far.
"""


class _Parser(argparse.ArgumentParser):
    """argparse with one sentence for an error, as for every other error of the command line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"infoprop: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the whole grammar of the command line."""
    parser = _Parser(
        prog="infoprop",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"infoprop {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.SUMMARY,
            description=module.DESCRIPTION,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        # Completion is about all commands, and so has to be told of them.
        command.set_defaults(run=module.run, grammar=parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Words after the program's name; those of the process if not given.

    Returns
    -------
    int
        0 when done, 2 when something is wrong with the input (one sentence on standard error), 130 when
        interrupted; a search then has shown and written the best found so far. A bug in infoprop itself is
        not caught: its traceback is what a bug report needs.

    Examples
    --------
    >>> from infoprop.cli import main
    >>> main(["--version"])  # doctest: +ELLIPSIS
    infoprop ...
    0
    """
    try:
        arguments = build_parser().parse_args(argv)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except SystemExit as stop:  # argparse ends --help, --version and usage errors this way
        return int(stop.code or 0)
    except InfopropError as error:
        print(f"infoprop: {_one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("infoprop: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (say, `head`) has seen enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return code


def _one_line(error: InfopropError) -> str:
    """The error's words on one line, without control characters that data may have brought in."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in str(error)).split())
