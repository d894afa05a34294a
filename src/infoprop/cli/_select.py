"""``infoprop select``: the features worth keeping, and what they deliver alone."""

import argparse
from pathlib import Path

from infoprop.cli import _choice, _options
from infoprop.cli._values import (
    init_value,
    part_value,
    positive_integer,
    positive_number,
    size_value,
    step_value,
)

NAME = "select"
SUMMARY = "the best features of a table, and what they deliver alone"
DESCRIPTION = f"""\
Choose features of DATA, train the classifier again on those alone, and say what it delivers then. A nominal
column comes and goes as one.

{_options.DATA_HELP}
How features are chosen (--method):
  credit    One training with all features, credited as `infoprop credit` does; the best are kept. Fastest.
  backward  Drop the feature that earns the least, train again, credit anew, and so on. Knows what every
            size delivers on the way, so it can pick the size itself (-k auto). The usual second step.
  directed  Hold the number of features, and replace the one that earns the least by others until no swap
            promises more. Tries many subsets of one size: the most thorough, and the slowest.
  angle     One training; keep the features along whose axes the decision turns near the margin. Counts no
            errors, so no judging rows take part in the choice."""
EXAMPLES = """\
examples:
  infoprop select iris.csv --target class -k 2
  infoprop select sonar.csv --target class -k 0.2 --validation split
  infoprop select dna.csv --target class --threshold 0.005 --output chosen.csv --report dna.html
  infoprop select dna.csv --target class --method backward -k auto --rule one-se --report dna.html
  infoprop select leukemia.csv --target class --method backward -k 20 --step halving
  infoprop select vehicle.arff --method directed -k 6 --kernel rbf --checkpoint vehicle.search
  infoprop select sonar.csv --target class --method angle -k 10

Ctrl-C ends a search with the best found so far: that is shown and written, and the exit code is 130. With
--checkpoint the same command goes on later where it was, after Ctrl-C, a crash or a power cut.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    _add_choice_arguments(parser)
    _add_search_arguments(parser)
    _options.add_model_arguments(parser)
    _options.add_output_arguments(parser)


def _add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("choice (a method, and one of -k and --threshold)")
    group.add_argument(
        "--method",
        choices=_choice.METHODS,
        default=_choice.CREDIT,
        help="how features are chosen, see above (default: %(default)s)",
    )
    choice = group.add_mutually_exclusive_group(required=True)
    choice.add_argument(
        "-k",
        "--k",
        metavar="N",
        type=size_value,
        help="keep the N best: a whole number, or a fraction of all; with --method backward also auto: as "
        "many as --rule says",
    )
    choice.add_argument(
        "--threshold",
        metavar="BITS",
        type=positive_number,
        help="keep features worth at least this much (--method credit)",
    )


def _add_search_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("search")
    group.add_argument(
        "--rule",
        choices=_choice.RULES,
        help="backward with -k auto: the smallest size that delivers the most; the smallest within one "
        "standard error of that; the smallest within --tolerance of it (default: best)",
    )
    group.add_argument(
        "--tolerance",
        metavar="X",
        type=part_value,
        help="part of the most that may be given up for fewer features, with --rule tolerance "
        "(default: 0.01)",
    )
    group.add_argument(
        "--step",
        metavar="N",
        type=step_value,
        help="backward: features dropped at a time: a number, a fraction of those left, or halving, which "
        "drops half while there are many and then one by one (default: 1)",
    )
    group.add_argument(
        "--criterion",
        choices=[word for words in _choice.CRITERIA.values() for word in words],
        help="backward: information (bits earned) or margin (plain SVM-RFE, every class alike); angle: angle "
        "or separation (distance between classes along the feature) (default: the first)",
    )
    group.add_argument(
        "--init",
        metavar="HOW",
        type=init_value,
        help="directed: order in which features are tried, the first N being the start: credits (of one "
        "training), random, or names separated by commas (default: credits)",
    )
    group.add_argument(
        "--max-trainings",
        metavar="N",
        type=positive_integer,
        help="directed: end after so many subsets (default: 4 (features - N + 1))",
    )
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        type=Path,
        help="backward, directed: write the search to FILE as it goes; the same command goes on from there",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, train, credit, choose, train again, show."""
    choice = _choice.Choice(
        count=arguments.k,
        threshold=arguments.threshold,
        method=arguments.method,
        rule=arguments.rule,
        tolerance=arguments.tolerance,
        step=arguments.step,
        criterion=arguments.criterion,
        init=arguments.init,
        max_trainings=arguments.max_trainings,
        checkpoint=arguments.checkpoint,
    )
    choice.check()
    from infoprop.cli._table_run import run_on_table

    return run_on_table(arguments, choice)
