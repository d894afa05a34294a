"""``infoprop check``: everything that is wrong or suspicious in a file, at once."""

import argparse
import json
from typing import TYPE_CHECKING

from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._reading_options import add_reading_arguments, reading_options

if TYPE_CHECKING:
    from rich.table import Table

    from infoprop.workflow import TableCheck

NAME = "check"
SUMMARY = "everything that is wrong or suspicious in a file, and the command that goes on"
DESCRIPTION = """\
Look at DATA as it is, also where other commands would refuse it, and list everything at once: columns that
identify rows, constants, dates, numbers written as text, spellings that differ in case, missing cells, copies
of rows, text among numbers, columns that give the class away, rare classes. Then print the command that
deals with it.

error: other commands refuse it. warning: they go on, and may be misled. note: for your information.
"""
EXAMPLES = """\
examples:
  infoprop check customers.csv --target churned
  infoprop check customers.csv --target churned --json
"""

_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    group = parser.add_argument_group("data")
    _options.add_path_argument(group)
    group.add_argument(
        "--target", metavar="COL", help="column that holds the classes (default: class, else the last)"
    )
    add_reading_arguments(group)
    _options.add_speech_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, look, list."""
    from infoprop.cli._display._terminal import Terminal
    from infoprop.workflow import check_table
    from infoprop.workflow._options import DataOptions
    from infoprop.workflow._reading import text_format

    told = reading_options(arguments)
    data = DataOptions(
        arguments.data, arguments.target, drop=(), nominal=(), impute=None, is_scaled=True, **told
    )
    terminal = Terminal(arguments.quiet)
    check = check_table(data.path, data.target, format=text_format(data), sheet=data.sheet)
    if arguments.json:
        terminal.show_json(json.dumps(check.to_dict(), ensure_ascii=False, indent=2))
        return DONE
    classes = ", ".join(f"{count:,} {label}" for label, count in list(check.classes.items())[:6])
    more = len(check.classes) - 6
    terminal.result(
        f"{check.n_rows:,} rows, {check.n_columns:,} columns, target {check.target!r}", style="bold"
    )
    terminal.result(f"classes: {classes}{f' and {more:,} more' if more > 0 else ''}")
    if not check.findings:
        terminal.result("Nothing is suspicious.")
    else:
        terminal.show_table(_table(check))
    terminal.result(f"{'Go on with' if check.settings else 'Go on'}: {check.command}")
    return DONE


def _table(check: "TableCheck") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    for name in ("", "what", "columns", "seen", "what to do", "rows"):
        table.add_column(name, overflow="fold")
    for finding in check.findings:
        rows = ", ".join(map(str, finding.rows))
        cells = (finding.kind, finding.column_words, finding.seen, finding.advice, rows)
        table.add_row(Text(finding.severity, _STYLES[finding.severity]), *map(Text, cells))
    return table
