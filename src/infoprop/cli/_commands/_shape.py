"""``infoprop shape``: values that say what they mean for the class."""

import argparse
from dataclasses import asdict, replace
from pathlib import Path

from infoprop._core._exceptions import ParameterError
from infoprop.cli._data._files import check_files
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._shape_options import ENDINGS, METHODS, POLICIES, shape_options, window_value
from infoprop.cli._grammar._values import path_value
from infoprop.workflow._options import (
    APART,
    SHAPE,
    SPLIT,
    ModelOptions,
    ShapeOptions,
)

NAME = "shape"
SUMMARY = "columns shaped for linear classifiers, and what that brings"
_OF_FILES = (
    *("data", "more", "target", "drop", "method", "positive", "window", "policy", "missing_apart", "jobs"),
    *("scheduler", "top", "output", "quiet", "json", "command", "run", "grammar", "parser"),
)
"""What may be said of several files."""

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

Several Parquet files are one table that need not fit into memory: their values are counted file by file, by
--jobs processes or the workers of --scheduler. Nothing is trained then; --output is a folder.
"""
EXAMPLES = """\
examples:
  infoprop shape vehicle.csv --target class
  infoprop shape big/*.parquet --target class --output shaped/
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
    parser.add_argument(
        "more",
        metavar="PARQUET",
        nargs="*",
        type=path_value,
        help="further Parquet files with the same columns, all numbers: rows are counted file by file",
    )
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
    if arguments.more:
        return _run_on_files(arguments, options)
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


def _run_on_files(arguments: argparse.Namespace, options: ShapeOptions) -> int:
    """Count the rows of several files, file by file, and show the columns."""
    default = arguments.parser.parse_args([str(arguments.data)])
    others = [name for name, value in vars(default).items() if name not in _OF_FILES]
    given = [name for name in others if getattr(arguments, name) != getattr(default, name)]
    if given:
        option = given[0].replace("_", "-")
        raise ParameterError(
            f"Several files are counted, and no machines are trained; leave out --{option}, or give one file."
        )
    output = _options.output_options(arguments)
    paths = [arguments.data, *arguments.more]
    _check_folder(output.output, paths)
    from infoprop.cli._display._terminal import Terminal

    terminal = Terminal(output.is_quiet)
    with terminal.remarks(), terminal.progress(2) as steps:
        steps.begin("starting")
        from infoprop.cli._display._shape_publishing import publish_blocks
        from infoprop.workflow._block_shaping import check_parquet_files, shape_blocks
        from infoprop.workflow._shaping import ShapingRequest

        request = ShapingRequest(
            **asdict(options), missing_apart=arguments.missing_apart, n_jobs=arguments.jobs
        )
        check_parquet_files(paths, arguments.target, arguments.drop)
        steps.begin(f"counting {len(paths):,} files")
        found = shape_blocks(paths, arguments.target, arguments.drop, request)
    publish_blocks(terminal, found, options.method, output)
    return DONE


def _check_folder(folder: Path | None, paths: list[Path]) -> None:
    """Refuse what is no folder, or would overwrite a file that is read."""
    if len({path.name for path in paths}) < len(paths) and folder is not None:
        raise ParameterError("Two files have the same name, and so have their shaped ones; rename one.")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise ParameterError(f"--output {folder} is a file; of several files it is a folder.")
    if folder is not None and any(path.resolve().parent == folder.resolve() for path in paths):
        raise ParameterError(f"--output {folder} holds the files that are read; name another folder.")
