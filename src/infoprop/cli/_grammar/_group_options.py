"""Options that say what identifies rows, and what belongs together: rows, and features."""

import argparse

from infoprop.cli._grammar._values import path_value


def add_identifier_argument(group: argparse._ArgumentGroup) -> None:
    """The column that identifies the rows."""
    group.add_argument(
        "--id",
        metavar="COL",
        help="column that identifies the rows: carried along to predictions, never learned from (default: a "
        "first column without a name)",
    )


def add_row_groups_argument(group: argparse._ArgumentGroup) -> None:
    """The column that says which rows belong together."""
    group.add_argument(
        "--row-groups",
        metavar="COL",
        help="column that says which rows belong together (subjects, donors): no split parts them, and the "
        "column is not learned from",
    )


def add_feature_groups_argument(parser: argparse.ArgumentParser) -> None:
    """The file that says which features belong together."""
    parser.add_argument(
        "--groups",
        metavar="FILE",
        type=path_value,
        help="CSV file with the columns feature,group: features of one group are credited, chosen and left "
        "out together, as one; those not listed stay by themselves",
    )
