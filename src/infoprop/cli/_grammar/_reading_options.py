"""Options that say how a file is written."""

import argparse
from typing import Any

from infoprop.cli._grammar._values import column_names, delimiter_value

FORMATS = ("csv", "tsv", "parquet", "arff", "svmlight", "npz", "excel", "h5ad")


def add_reading_arguments(group: argparse._ArgumentGroup) -> None:
    """How a file is written."""
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="format of DATA (default: by the ending of its name; csv for standard input)",
    )
    group.add_argument(
        "--delimiter",
        metavar="CHAR",
        type=delimiter_value,
        help="separator of cells: one character, tab or space (default: looked for)",
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first line of text holds names; without, columns are called 'column 1', "
        "'column 2', ... (default: it does, and a line that looks like data is refused)",
    )
    group.add_argument("--encoding", metavar="NAME", help="of the text, such as latin-1 (default: utf-8)")
    # Marks as choices would end the words of a shell's script for completion.
    group.add_argument("--decimal", metavar="CHAR", help="decimal point or comma (default: looked for)")
    group.add_argument(
        "--thousands",
        metavar="CHAR",
        help="what separates thousands: comma, point, blank or apostrophe (default: looked for)",
    )
    group.add_argument(
        "--transpose",
        action="store_true",
        help="a line of the file is a feature, with its name first, and a column is a row, as with genes × "
        "samples; the classes are a line named as --target says, or in --labels",
    )
    group.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file (default: the first)")
    group.add_argument("--layer", metavar="NAME", help="layer of an .h5ad file (default: X)")


def add_columns_argument(group: argparse._ArgumentGroup, option: str, helped: str) -> None:
    """An option that names columns, and may be given more than once."""
    group.add_argument(option, metavar="COLS", action="extend", type=column_names, default=[], help=helped)


def add_numeric_argument(group: argparse._ArgumentGroup) -> None:
    """Columns whose text is out of place."""
    taken_off = "currencies, percent signs and units are taken off; other text counts as missing"
    add_columns_argument(group, "--numeric", f"columns to be read as numbers: {taken_off}")


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Options about how a file is written, by their names in `DataOptions`."""
    same = ("format", "delimiter", "encoding", "sheet", "layer", "decimal", "thousands")
    renamed = {"has_header": arguments.header, "is_transposed": arguments.transpose}
    return {name: getattr(arguments, name) for name in same} | renamed
