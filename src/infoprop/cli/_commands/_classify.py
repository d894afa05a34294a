"""``infoprop classify``: train a classifier, judge it on rows it has not seen, keep it."""

import argparse

from infoprop._core._exceptions import ParameterError
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._choice_options import METHOD_HELP, add_choice_arguments, choice_of
from infoprop.cli._grammar._group_options import add_feature_groups_argument
from infoprop.workflow._choice import METHODS_OF, Choice
from infoprop.workflow._classifier_names import CLASSIFIER_HELP

NAME = "classify"
SUMMARY = "a classifier trained, judged on rows it has not seen, and kept"
DESCRIPTION = f"""\
Train a classifier on DATA and judge it on rows that it has not seen: bits delivered, accuracy, confusion, and
what the bits allow the error to be. With --method features are chosen anew inside every training part, so
that the rows that judge take no part in the choice: an honest figure for choice and classifier together.

{_options.DATA_HELP}
{CLASSIFIER_HELP}

{METHOD_HELP}
  Inside a training part, the choice is judged on a quarter of it (forward and genetic: on folds of it)."""
EXAMPLES = """\
examples:
  infoprop classify iris.csv --target class --validation 10
  infoprop classify sonar.csv --target class --classifier mlp --hidden 8 --report sonar.html
  infoprop classify dna.csv --target class --validation split --output predictions.csv
  infoprop classify leukemia.csv --target class --method backward -k 20 --step halving --validation 5
  infoprop classify wine.csv --target class --classifier knn --method forward --validation 10
  infoprop classify credit-g.csv --target class --classifier shaped --model credit.skops
  infoprop predict credit.skops new.csv

Ctrl-C ends the work after the folds that are judged: what they say is shown and written, but no model, and
the exit code is 130.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    add_feature_groups_argument(parser)
    _options.add_model_arguments(parser)
    add_choice_arguments(parser, has_auto=False, has_checkpoint=False)
    _options.add_output_arguments(parser, "predictions of the judged rows", has_model=True)
    _options.add_kept_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, train, judge, show."""
    choice = _choice(arguments)
    from infoprop.cli._commands._table_run import run_on_table

    return run_on_table(arguments, choice, repeats_choice=True)


def _choice(arguments: argparse.Namespace) -> Choice | None:
    if arguments.method is not None:
        return choice_of(arguments)
    for name in ("k", *METHODS_OF):
        if getattr(arguments, name, None) is not None:
            option = "-k" if name == "k" else f"--{name.replace('_', '-')}"
            raise ParameterError(f"{option} is about a choice of features; say which by --method.")
    return None
