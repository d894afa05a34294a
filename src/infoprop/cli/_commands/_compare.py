"""``infoprop compare``: several ways to choose features, on rows that took no part in the choice."""

import argparse

from infoprop.cli._grammar import _options
from infoprop.cli._grammar._group_options import add_feature_groups_argument
from infoprop.cli._grammar._values import (
    column_names,
    fold_count,
    natural_number,
    path_value,
    positive_integer,
    positive_number,
    shown,
)
from infoprop.workflow._classifier_names import CLASSIFIER_HELP
from infoprop.workflow._contest_names import DEFAULT_METHODS, METHODS
from infoprop.workflow._options import AUTO

NAME = "compare"
SUMMARY = "several ways to choose features, judged on rows that took no part in the choice"
DESCRIPTION = f"""\
Split the rows of DATA into folds. In each, let every method choose features from the other folds alone, for
several numbers of features; train the same classifier on what it chose; count the rows of the fold. Beside it
is the optimistic (inner) estimate: the same features cross-validated on the very rows that chose them.

{_options.DATA_HELP}
Methods (--methods, separated by commas; all for every one):
  credit              Bits earned in one training (as `infoprop select` does).
  backward            Elimination by credit; also at the size that delivers the most. Half of the features go
                      at a time while there are more than 500.
  directed            Directed search by credit, once for every size.
  angle               Gradient angles of one training.
  forward             Beam search by validated accuracy; at most as many as the size says.
  genetic             Genetic search by validated accuracy; finds the number itself.
  auto                infoprop.select: several of ours, the best by folds; once for every size. Slow.
  screen              Shapes of every column and products of every pair.
  rfe                 scikit-learn's RFE around linear machines, one feature at a time.
  mutual-information  scikit-learn's mutual information of each feature and the class.
  anova-f             scikit-learn's ratio of variances (F).
  l1                  scikit-learn's LinearSVC with an L1 penalty: who enters first as it is relaxed.
  forest              scikit-learn's random forest: importances.
  relieff             ReliefF, if skrebate is installed.
  mrmr                Relevance over redundancy, if mrmr-selection is installed.
  boruta              Boruta with random forests, if boruta is installed; finds the number itself. Slow.
  all-features        No choice at all.
Methods that count rows count those of the other folds, in 5 folds of them (--validation).
If no methods are named: {", ".join(DEFAULT_METHODS[:4])},
{", ".join(DEFAULT_METHODS[4:])}.

{CLASSIFIER_HELP}"""
EXAMPLES = """\
examples:
  infoprop compare sonar.csv --target class --report sonar.html
  infoprop compare sonar.csv --methods backward,rfe,all-features --sizes 5,10,20 --folds 10
  infoprop compare colon.csv --methods credit,anova-f,relieff --checkpoint colon.compare --jobs 2
  infoprop compare vehicle.csv --classifier knn --methods forward,mutual-information --output table.csv

Seconds are medians over the folds; with --jobs methods get in each other's way. Ctrl-C keeps the folds in
which all methods are done, shows and writes them, and the exit code is 130. With --checkpoint the same
command goes on later where it was.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    add_feature_groups_argument(parser)
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--methods", metavar="NAMES", type=method_names, help="methods to compare, see above (default: some)"
    )
    group.add_argument(
        "-k",
        "--sizes",
        metavar="N,...",
        type=size_values,
        default=AUTO,
        help="numbers of features to choose, separated by commas; auto: 1, 2, 5, 10, 20, 50 and 100, as far "
        "as there are more (default: %(default)s)",
    )
    group.add_argument(
        "--folds",
        metavar="N",
        type=fold_count,
        default=5,
        help="outer folds, whose rows only judge (default: %(default)s)",
    )
    group.add_argument(
        "--inner-folds",
        metavar="N",
        type=natural_number,
        default=5,
        help="folds for the optimistic (inner) estimate; 0 saves its time (default: %(default)s)",
    )
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_number,
        help="end after this many seconds, with the folds in which all methods are done",
    )
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        type=path_value,
        help="write what is done to FILE; the same command goes on from there",
    )
    _options.add_model_arguments(parser)
    # Peers learn from all rows of the other folds, so our own methods are judged on all of them in turn.
    parser.set_defaults(validation=5)
    _options.add_output_arguments(parser, "the table of methods and sizes", has_top=False)


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, show."""
    from infoprop.cli._commands._compare_run import run_comparison

    return run_comparison(arguments)


def method_names(text: str) -> tuple[str, ...]:
    """Names of methods, separated by commas, each once; or the word all."""
    if (names := column_names(text)) == ["all"]:
        return METHODS
    unknown = [name for name in names if name not in METHODS]
    if unknown or not names:
        wrong, known = [*unknown, text][0], ", ".join(METHODS)
        raise argparse.ArgumentTypeError(f"invalid choice: {wrong!r} (choose from all, {known})")
    return tuple(dict.fromkeys(names))


def size_values(text: str) -> tuple[int, ...] | str:
    """Whole numbers >= 1 separated by commas, or the word auto."""
    if text == AUTO:
        return text
    try:
        return tuple(positive_integer(part.strip()) for part in text.split(","))
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"must be whole numbers >= 1 separated by commas, or auto, got {shown(text)}"
        ) from None
