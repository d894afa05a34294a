"""``infoprop credit``: what every feature of a table is worth."""

import argparse

from infoprop.cli._grammar import _options
from infoprop.cli._grammar._choice_options import add_marker_argument
from infoprop.cli._grammar._group_options import add_feature_groups_argument
from infoprop.workflow._choice import check_credited
from infoprop.workflow._classifier_names import CLASSIFIER_HELP

NAME = "credit"
SUMMARY = "what every feature of a table is worth, in bits"
DESCRIPTION = f"""\
Train a classifier on DATA, see on rows it has not seen how many bits its output delivers about the class,
and share them out among the features. Then shuffle the labels of those rows, to see how much chance could
earn.

{_options.DATA_HELP}
{CLASSIFIER_HELP}
  knn, alone or as the member of pairwise, does not tell what a feature contributes, and so has no credits."""
EXAMPLES = """\
examples:
  infoprop credit iris.csv --target class
  infoprop credit credit-g.csv --target class --validation 10 --report credit.html
  infoprop credit dna.csv --target class --validation split --output credits.parquet
  infoprop credit vehicle.arff --target class --kernel rbf --C 10
  infoprop credit sonar.csv --target class --classifier mlp --hidden 8 --json
  infoprop credit iris.csv --target class --explain-rows 71,107 --report iris.html
  infoprop credit autos.csv --target symboling --drop make,price --impute median
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    add_feature_groups_argument(parser)
    _options.add_model_arguments(parser)
    add_marker_argument(_options.add_sharing_arguments(parser))
    _options.add_output_arguments(parser, formats=_options.FEATURE_FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Read, train, credit, show."""
    check_credited(arguments.classifier, arguments.member)
    from infoprop.cli._commands._table_run import run_on_table

    return run_on_table(arguments)
