"""``infoprop datasets``: problems whose answer is known, and what a file holds."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from infoprop._core._exceptions import ParameterError
from infoprop._core._formulas import without_formulas
from infoprop.cli._data._files import TABLE_ENDINGS, check_writable, write_table
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._values import natural_number, path_value, positive_integer, seed_value
from infoprop.workflow._options import STANDARD_INPUT

if TYPE_CHECKING:
    from rich.table import Table

    from infoprop.cli._data._description import Description
    from infoprop.cli._display._terminal import Terminal

NAME = "datasets"
SUMMARY = "problems whose answer is known, and what a file holds"
DESCRIPTION = """\
Without an argument: list the problems that can be made, whose relevant features are known.
With the name of one: make it, as CSV on standard output or as a file (--output).
With a file: say what it holds (rows, classes, kinds of columns, missing values) and what `infoprop credit`
would do with it.
"""
EXAMPLES = """\
examples:
  infoprop datasets
  infoprop datasets corral --rows 200 --seed 0 --output corral.csv
  infoprop datasets parity | infoprop select - -k 5
  infoprop datasets credit-g.csv --target class
  infoprop datasets mail.csv --text body --target folder
"""

_MOST_CLASSES = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument(
        "data",
        metavar="NAME|FILE",
        nargs="?",
        type=path_value,
        help="a problem to be made, or a file to be described; - is standard input",
    )
    making = parser.add_argument_group("making a problem")
    making.add_argument("--rows", metavar="N", type=positive_integer, help="how many (default: see the list)")
    making.add_argument("--seed", metavar="N", type=seed_value, help="of the random numbers (default: 0)")
    making.add_argument(
        "--output",
        metavar="FILE",
        type=path_value,
        help=".csv, .parquet or .json (default: CSV on standard output)",
    )
    _options.add_raw_argument(making)
    _options.add_table_arguments(parser.add_argument_group("describing a file"), has_weights=False)
    parser.add_argument(
        "--top",
        metavar="N",
        type=natural_number,
        default=20,
        help="columns described, 0 for all (default: %(default)s)",
    )
    _options.add_speech_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """List, make or describe."""
    from infoprop.cli._data._generators import GENERATORS
    from infoprop.cli._display._terminal import Terminal

    terminal = Terminal(arguments.quiet)
    if arguments.data is None:
        _list(terminal, arguments.json)
    elif str(arguments.data) in GENERATORS:
        _make(terminal, str(arguments.data), arguments)
    else:
        _describe(terminal, arguments)
    return DONE


def _list(terminal: "Terminal", is_json: bool) -> None:
    from infoprop.cli._data._generators import GENERATORS

    if is_json:
        found = [
            {"name": name, "rows": generator.n_rows, "summary": generator.summary}
            for name, generator in GENERATORS.items()
        ]
        terminal.show_json(json.dumps({"generators": found}))
        return
    table = _table(("name", max(len(name) for name in GENERATORS)), ("rows", -5), ("what it is", 0))
    table.columns[-1].no_wrap = False
    for name, generator in GENERATORS.items():
        table.add_row(name, f"{generator.n_rows:,}", generator.summary)
    terminal.show_table(table)
    terminal.result("infoprop datasets NAME makes one; infoprop datasets FILE says what a file holds.")


def _make(terminal: "Terminal", name: str, arguments: argparse.Namespace) -> None:
    check_writable(arguments.output, "--output", TABLE_ENDINGS)
    from infoprop.cli._data._generators import GENERATORS, frame_of

    generator = GENERATORS[name]
    n_rows, seed = arguments.rows or generator.n_rows, arguments.seed or 0
    generator.check_rows(n_rows)
    data = generator.make(n_rows, random_state=seed)
    frame = frame_of(data)
    relevant = [data.feature_names[number] for number in data.relevant]
    if arguments.output is not None:
        write_table(frame, arguments.output, is_raw=arguments.raw_csv)
    if arguments.json:
        told = {"name": name, "rows": n_rows, "seed": seed, "features": list(data.feature_names)}
        more = {"relevant": relevant, "target": "class", "description": " ".join(data.description.split())}
        terminal.show_json(json.dumps(told | more))
    elif arguments.output is None:
        sys.stdout.write((frame if arguments.raw_csv else without_formulas(frame)).write_csv())
    terminal.say(f"{name}: {_counted(n_rows, 'row')}, {len(data.feature_names)} features, target 'class'")
    terminal.say(f"relevant: {', '.join(relevant)}")
    if arguments.output is not None:
        terminal.say(f"written to {arguments.output}")


def _describe(terminal: "Terminal", arguments: argparse.Namespace) -> None:
    _refuse_what_is_no_file(arguments)
    data = _options.data_options(arguments)
    with terminal.remarks(), terminal.progress(2) as steps:
        steps.begin(f"reading {data.name}")
        from infoprop.cli._data._description import describe

        found = describe(data, arguments.top)
    if arguments.json:
        terminal.show_json(json.dumps(found.to_dict()))
    else:
        _show(terminal, found)


def _refuse_what_is_no_file(arguments: argparse.Namespace) -> None:
    """Say what the problems are called to who seems to want one."""
    from infoprop.cli._data._generators import GENERATORS

    path, names = arguments.data, ", ".join(GENERATORS)
    for option in ("rows", "seed", "output"):
        if getattr(arguments, option) is not None:
            raise ParameterError(
                f"--{option} goes with the name of a problem, and {path} is none; there are {names}."
            )
    if path != STANDARD_INPUT and path.name == str(path) and not path.suffix and not path.exists():
        raise ParameterError(f"There is neither a file nor a problem called {path}; problems are {names}.")


def _show(terminal: "Terminal", found: "Description") -> None:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds.items())
    features = f"{_counted(found.n_features, 'feature')} ({kinds})"
    classes = _counted(len(found.classes), "class")
    terminal.result("")
    terminal.result(f"{found.source}: {_counted(found.n_rows, 'row')}, {features}, {classes}", style="bold")
    are = "is" if found.n_missing == 1 else "are"
    missing = (
        f"{_counted(found.n_missing, 'cell')} {are} missing" if found.n_missing else "No cell is missing"
    )
    terminal.result(f"Knowing the class of a row takes {found.bits:.2f} bits. {missing}.")
    terminal.show_table(_class_table(found))
    _say_left(terminal, len(found.classes) - _MOST_CLASSES, "")
    terminal.show_table(_column_table(found, terminal.width))
    _say_left(terminal, found.n_features - len(found.columns), " (--top 0 shows all)")
    for hint in found.hints:
        terminal.result(f"note: {hint}")
    would = f"refuse it: {found.outcome}" if found.is_refused else f"{found.outcome}."
    terminal.result(f"infoprop credit would {would}")


def _counted(count: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural}"


def _say_left(terminal: "Terminal", n_left: int, how: str) -> None:
    if n_left > 0:
        terminal.result(f"and {n_left:,} more{how}", style="dim")


def _class_table(found: "Description") -> "Table":
    from rich.text import Text

    table = _table((found.target, 0), ("rows", -4), ("share", -5))
    for label, count in list(found.classes.items())[:_MOST_CLASSES]:
        table.add_row(Text(label[:60]), f"{count:,}", f"{count / found.n_rows:.1%}")
    return table


def _column_table(found: "Description", width: int) -> "Table":
    from rich.text import Text

    table = _table(("feature", 0), ("kind", 7), ("distinct", -8), ("missing", -7), ("values", 0))
    table.columns[0].max_width = max(12, width // 3)
    for column in found.columns:
        distinct = "" if column.n_distinct is None else f"{column.n_distinct:,}"
        missing = f"{column.n_missing:,}" if column.n_missing else ""
        table.add_row(Text(column.name), column.kind, distinct, missing, Text(column.values))
    return table


def _table(*columns: tuple[str, int]) -> "Table":
    """An empty table; each column is at least so many letters wide, and right-aligned if negative."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    for name, width in columns:
        table.add_column(
            Text(name),
            justify="right" if width < 0 else "left",
            min_width=abs(width) or None,
            overflow="ellipsis",
            no_wrap=True,
        )
    return table
