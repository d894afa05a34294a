"""``infoprop select``: the features worth keeping, and what they deliver alone."""

import argparse

from infoprop.cli import _options

NAME = "select"
SUMMARY = "the best features of a table, and what they deliver alone"
DESCRIPTION = f"""\
Credit the features of DATA as `infoprop credit` does, keep the best, train the classifier again on those
alone, and say what it delivers then. A nominal column comes and goes as one.

{_options.DATA_HELP}"""
EXAMPLES = """\
examples:
  infoprop select iris.csv --target class -k 2
  infoprop select sonar.csv --target class -k 0.2 --validation split
  infoprop select dna.csv --target class --threshold 0.005 --output chosen.csv --report dna.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    group = parser.add_argument_group("choice (one of the two)")
    choice = group.add_mutually_exclusive_group(required=True)
    choice.add_argument(
        "-k",
        metavar="N",
        type=_options.count_or_fraction,
        help="keep the N best: a whole number, or a fraction of all",
    )
    choice.add_argument(
        "--threshold",
        metavar="BITS",
        type=_options.positive_number,
        help="keep features worth at least this much",
    )
    _options.add_model_arguments(parser)
    _options.add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    """Read, train, credit, choose, train again, show."""
    from infoprop.cli._table_run import run_on_table

    run_on_table(arguments, count=arguments.k, threshold=arguments.threshold)
