"""The parser, the commands, and what a process says to its caller: the exit code."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from difflib import get_close_matches
from typing import IO, TYPE_CHECKING, Any, NoReturn

from infoprop import __version__
from infoprop._core._exceptions import ClusterError, InfopropError
from infoprop._core._optional import require
from infoprop.cli._commands import (
    _check,
    _classify,
    _compare,
    _completion,
    _credit,
    _datasets,
    _demo,
    _predict,
    _select,
    _serve,
    _shape,
)
from infoprop.cli._exit_codes import BAD_INPUT, DONE, FAILED, INTERRUPTED
from infoprop.cli._grammar._wording import option_words

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = (
    _demo,
    _check,
    _credit,
    _select,
    _shape,
    _classify,
    _compare,
    _predict,
    _datasets,
    _serve,
    _completion,
)
"""In the order of the help."""

NEEDED = ("jinja2", "polars", "rich", "shtab", "skops")
"""What ``infoprop[cli]`` brings, by the names to import. Help is given without."""

_DESCRIPTION = """\
infoprop finds the few columns of a table that tell its classes apart: which they are, how much each is worth,
and how often a classifier is right with those alone.

It measures how much a classifier's predictions reveal about the class, I(Y;Yf) bits, and divides that among
the features. The parts add up exactly to the whole.
"""

_EPILOG = """\
examples:
  infoprop demo                                       see what it does, on built-in data, in seconds
  infoprop check iris.csv --target class              what is wrong with a file, all at once
  infoprop credit iris.csv --target class             bits per feature
  infoprop select iris.csv --target class -k 2        the two best features, and what they deliver alone
  infoprop select iris.csv --method backward -k auto  as many as it takes, eliminated one by one
  infoprop compare iris.csv --target class            several methods, on rows that took no part in the choice
  infoprop classify iris.csv --model iris.skops       a classifier, judged and kept
  infoprop predict iris.skops new.csv                 the classes of other rows
  infoprop credit --help                              all options, with examples

Results go to standard output (--json: as one JSON object), progress to standard error.
Exit code 0: done. 1: something failed on the way, such as a full disk. 2: something is wrong with the input.
Both are said in one sentence. 130: interrupted; a search then ends with the best found so far.
"""


class _Parser(argparse.ArgumentParser):
    """argparse with one sentence for an error, as for every other error of the command line."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message}{_suggestion(message)} (see {self.prog} --help)")
        self.exit(BAD_INPUT)

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        # argparse itself passes over a stream that cannot be written.
        (sys.stdout if file is None else file).write(message)


def _suggestion(message: str) -> str:
    """The choice that a word was probably meant to be, if argparse complains about it and lists them."""
    refused = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
    return _nearest(refused[1], re.findall(r"[\w.-]+", refused[2])) if refused else ""


def _nearest(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the words, and name the option that an unknown one is closest to."""
    arguments, unknown = build_parser().parse_known_args(argv)
    if unknown:
        known = arguments.parser._option_string_actions
        options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
        hint = _nearest(options[0], known) if options else ""
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return arguments


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
        command.set_defaults(run=module.run, grammar=parser, parser=command)
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
        0 when done, 1 when the machine failed on the way (a full disk, no memory), 2 when something is wrong
        with the input; both are one sentence on standard error. 130 when interrupted; a search then has shown
        and written the best found so far. A bug in infoprop itself is not caught: its traceback is what a bug
        report needs.

    Examples
    --------
    >>> from infoprop.cli import main
    >>> main(["--version"])  # doctest: +ELLIPSIS
    infoprop ...
    0
    """
    if not _opened_streams():
        _complain("standard output is closed; send it to a file, or to the null device.")
        return BAD_INPUT
    code = _code_of(_run, argv)
    # Whatever happened, some of the result may still be on its way.
    return _code_of(sys.stdout.flush) or code


def _run(argv: Sequence[str] | None) -> int:
    try:
        arguments = _parsed(argv)
        require(NEEDED, "cli", f"infoprop {arguments.command}")
        with _workers(getattr(arguments, "scheduler", None)):
            code: int = arguments.run(arguments)
    except SystemExit as stop:  # argparse ends --help, --version and usage errors this way
        return int(stop.code or 0)
    return code


def _workers(scheduler: str | None) -> AbstractContextManager[None]:
    if scheduler is None:
        return nullcontext()
    # Only those who ask for a cluster wait for what it takes.
    from infoprop.workflow._workers import on_cluster

    return on_cluster(scheduler)


def _code_of(work: Callable[..., int | None], *given: Any) -> int:
    """Do some work and return its exit code; say in one sentence what prevented it."""
    try:
        return work(*given) or DONE
    except InfopropError as error:
        _complain(option_words(error))
        return FAILED if isinstance(error, ClusterError) else BAD_INPUT
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _abandon(sys.stdout)  # the reader (say, `head`) has seen enough
        return DONE
    except OSError as error:
        _complain(_failure(error))
        return FAILED
    except MemoryError:
        _complain("there is not enough memory for this; give it less data, or work of a smaller size.")
        return FAILED


def _opened_streams() -> bool:
    """Whether somebody may read the result. Streams that the caller has closed lead nowhere from now on.

    Otherwise the next file that is opened would get their number, and whatever is printed would go there.
    """
    is_read = sys.stdout is not None
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "w" if number else "r"))
    return is_read


def _complain(words: str) -> None:
    """Say on standard error what went wrong, on one line, if it can still be said."""
    # Data may have brought in control characters.
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())
    try:
        print(f"infoprop: {line}", file=sys.stderr, flush=True)
    except OSError:
        _abandon(sys.stderr)


def _failure(error: OSError) -> str:
    """What the system has refused, in words."""
    if error.errno is None:
        return str(error)
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    # Every file has a name, so it is a stream.
    try:
        sys.stdout.flush()
    except OSError:
        _abandon(sys.stdout)
    return f"standard output could not be written: {error.strerror}."


def _abandon(stream: IO[str]) -> None:
    """Let a stream lead nowhere; Python would fail once more when it closes it."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
