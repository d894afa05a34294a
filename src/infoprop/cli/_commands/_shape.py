"""``infoprop shape``: values that say what they mean for the class."""

import argparse
from dataclasses import asdict, replace

from infoprop.cli._data._files import check_files
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._shape_options import ENDINGS, METHODS, POLICIES, shape_options, window_value
from infoprop.workflow._options import (
    APART,
    SHAPE,
    SPLIT,
    ModelOptions,
    ShapeOptions,
)

NAME = "shape"
SUMMARY = "columns shaped for linear classifiers, and what that brings"
DESCRIPTION = """\
A linear classifier can only say: the more, the likelier. Shaping replaces every value by what it says about
the class, and stretches every column to a length that it is worth. With several classes that is done for
each of them against the rest. See which columns gain, and what linear machines deliver on raw and on shaped
columns, on rows that took no part in it (--validation).

Text columns are one-hot coded, columns of running text (--text) become word counts. Raw columns are scaled to
mean 0 and standard deviation 1 before their machines are trained, sparse ones divided by their largest value.
Both machines choose their C among 0.01, 0.1, 1, 10, 100 by five inner folds of the training rows.

Methods (--method):
  shape        The probability of the class around a value, stretched to the bi-normal separation (BNS) of the
               column; then every row is divided by its length.
  probability  The probability alone.
  bns          The value alone, stretched to the bi-normal separation of the column.
"""
EXAMPLES = """\
examples:
  infoprop shape vehicle.csv --target class
  infoprop shape vehicle.csv --target class --positive opel --top 5 --report opel.html
  infoprop shape mail.csv --text body --target folder --output shaped.npz
  infoprop shape vote.csv --missing-apart --validation 10 --model vote.skops

The shaped table (--output) has the classes and, if rows were set apart to judge, a column split that names
them: the shapes were learned from the others. With folds they were learned from all rows, and then nothing
can be judged by the shaped table.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser, has_weights=False)
    group = parser.add_argument_group("shaping")
    group.add_argument(
        "--method", choices=METHODS, default=SHAPE, help="what becomes of a value (default: %(default)s)"
    )
    group.add_argument(
        "--positive", metavar="LABEL", help="the class to tell from all others (default: each of them)"
    )
    group.add_argument(
        "--window",
        metavar="X",
        type=window_value,
        help="shape, probability: rows on each side that a probability is estimated from, or auto: fewer "
        f"where there are few rows (default: {ShapeOptions.window})",
    )
    group.add_argument(
        "--policy",
        choices=POLICIES,
        help="shape: shape all columns, or auto: only those where it predicts better than a straight line "
        f"(default: {ShapeOptions.policy})",
    )
    group.add_argument(
        "--missing-apart",
        action="store_true",
        help="shape, probability: a missing number is a value of its own (instead of --impute); the machines "
        "on raw columns get the mean there",
    )
    _options.add_judging_arguments(parser)
    _options.add_output_arguments(
        parser, "the shaped table", ".csv, .parquet or, for sparse data, .npz", has_model=True
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, train on raw and on shaped columns, show."""
    options = shape_options(arguments)
    data = _options.data_options(arguments)
    model = ModelOptions(
        classifier="shaped", validation=arguments.validation, seed=arguments.seed, jobs=arguments.jobs
    )
    output = _options.output_options(arguments)
    check_files(output, data.path, endings=ENDINGS)
    from infoprop.cli._display._terminal import Terminal

    terminal = Terminal(output.is_quiet)
    with terminal.remarks(), terminal.progress(6 if output.model is None else 7) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._display._shape_publishing import check_output, publish_shapes
        from infoprop.workflow._calls import repeating
        from infoprop.workflow._models import SavedModel
        from infoprop.workflow._problems import problem_of
        from infoprop.workflow._reading import read_table
        from infoprop.workflow._shaping import ShapingRequest, one_against_the_rest, shape_problem

        request = ShapingRequest(
            **asdict(options),
            validation=model.validation,
            impute=data.impute,
            missing_apart=arguments.missing_apart,
            scale=data.is_scaled,
            min_df=data.min_df,
            ngrams=data.ngrams,
            random_state=model.seed,
            n_jobs=model.jobs,
        )
        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=model.validation == SPLIT, say=terminal.say)
        whole, _ = problem_of(table, None, request.coding)
        check_output(whole, output.output)
        problem = one_against_the_rest(whole, options.positive)
        finding = shape_problem(problem, request, steps, with_model=output.model is not None)
        if output.model is not None and finding.model is not None:
            left_out = (*data.drop, SPLIT, whole.target)
            SavedModel.of(problem, finding.model, None, left_out).save(output.model)
    told = replace(data, impute=APART) if arguments.missing_apart else data
    code = repeating("shape_table", table, None, request) + "print(found.shaped.flow.information)\n"
    publish_shapes(terminal, finding, problem, told, model, options, output, code)
    return DONE
