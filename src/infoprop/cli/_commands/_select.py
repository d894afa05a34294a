"""``infoprop select``: the features worth keeping, and what they deliver alone."""

import argparse

from infoprop.cli._grammar import _options
from infoprop.cli._grammar._choice_options import METHOD_HELP, add_choice_arguments, choice_of
from infoprop.cli._grammar._group_options import add_feature_groups_argument
from infoprop.cli._grammar._values import fold_count, positive_integer
from infoprop.workflow._classifier_names import CLASSIFIER_HELP

NAME = "select"
SUMMARY = "the best features of a table, and what they deliver alone"
DESCRIPTION = f"""\
Choose features of DATA, train the classifier again on those alone, and say what it delivers then. A nominal
column comes and goes as one. If neither a method nor a number is named (--method auto), several methods,
kernels and numbers of features are tried in folds, and the answer says which was taken and why.

{_options.DATA_HELP}
{METHOD_HELP}

{CLASSIFIER_HELP}"""
EXAMPLES = """\
examples:
  infoprop select iris.csv --target class
  infoprop select iris.csv --target class -k 2
  infoprop select sonar.csv --target class -k 0.2 --validation split
  infoprop select dna.csv --target class --threshold 0.005 --output chosen.csv --chosen-only --report dna.html
  infoprop select dna.csv --target class --method backward -k auto --rule one-se --report dna.html
  infoprop select leukemia.csv --target class --method backward -k 20 --step halving
  infoprop select mail.csv --text body --target folder --screen 5000 --method backward -k 50 --step halving
  infoprop select vehicle.arff --method directed -k 6 --kernel rbf --checkpoint vehicle.search
  infoprop select sonar.csv --target class --method angle -k 10
  infoprop select wine.csv --target class --classifier knn --method forward --beam 3
  infoprop select vehicle.csv --target class --classifier pairwise --member knn --method genetic
  infoprop select sonar.csv --target class --method backward -k auto --nested 5 --report sonar.html
  infoprop select iris.csv --target class -k 2 --model iris.skops
  infoprop predict iris.skops new.csv

Ctrl-C ends a search with the best found so far: that is shown and written, and the exit code is 130. With
--checkpoint the same command goes on later where it was, after Ctrl-C, a crash or a power cut.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    add_feature_groups_argument(parser)
    add_choice_arguments(parser, has_auto=True, has_checkpoint=True)
    parser.add_argument(
        "--screen",
        metavar="N",
        type=positive_integer,
        help="first cut the table to the N features that tell the most about the class by themselves "
        "(information gain on the training rows), then choose among them",
    )
    _options.add_model_arguments(parser)
    _options.add_sharing_arguments(parser)
    group = parser.add_argument_group("nested validation")
    group.add_argument(
        "--nested",
        metavar="N",
        type=fold_count,
        help="also repeat the whole selection in N outer folds and judge it on the rows left out: what it "
        "delivers on rows not seen, and how alike the features are that it chooses",
    )
    group.add_argument(
        "--consensus",
        metavar="N",
        type=positive_integer,
        help="keep the features that at least N of the outer folds chose, with --nested",
    )
    _options.add_output_arguments(
        parser,
        "all features with their credits, those chosen first (column `selected`),",
        _options.FEATURE_FORMATS,
        has_model=True,
        has_chosen=True,
    )
    _options.add_kept_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, train, credit, choose, train again, show."""
    choice = choice_of(arguments)
    from infoprop.cli._commands._table_run import run_on_table

    return run_on_table(arguments, choice)
