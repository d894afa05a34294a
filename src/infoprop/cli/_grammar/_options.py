"""The grammar shared by the commands that read data."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infoprop.cli._grammar._group_options import add_identifier_argument, add_row_groups_argument
from infoprop.cli._grammar._reading_options import (
    add_columns_argument,
    add_numeric_argument,
    add_reading_arguments,
    reading_options,
)
from infoprop.cli._grammar._text_options import add_text_arguments
from infoprop.cli._grammar._values import (
    column_names,
    degree_value,
    gamma_value,
    jobs_value,
    layer_sizes,
    natural_number,
    null_count,
    number,
    path_value,
    positive_integer,
    positive_number,
    row_numbers,
    seed_value,
    validation_value,
)
from infoprop.workflow._classifier_names import CLASSIFIERS, KERNELS, MEMBERS, OPTIONS_OF, check_options
from infoprop.workflow._options import MODEL_ROWS, DataOptions, ModelOptions

SHARING = ("covariance", "margin")
IMPUTATIONS = ("mean", "median", "most_frequent")
FEATURE_FORMATS = (
    ".csv, .parquet or .json; of .h5ad data also as .h5ad, a copy with bits, ranks and q-values in var"
)

DATA_HELP = """\
What happens to the data: text columns are one-hot coded, and their credits are summed back, so a nominal
column is one feature. Columns of running text (--text) become one feature per word, weighted by --weights.
Every other column is scaled to mean 0 and standard deviation 1; sparse data (svmlight, npz, h5ad, beside
running text) is divided by each column's largest value. Scales and weights are learned from training rows
only. The confusion table comes from rows that the classifier has not seen (--validation).
"""


@dataclass(frozen=True)
class OutputOptions:
    """What is shown and written."""

    top: int = 20
    output: Path | None = None
    report: Path | None = None
    model: Path | None = None
    is_quiet: bool = False
    is_json: bool = False
    is_raw: bool = False
    model_rows: str = "all"
    chosen_only: bool = False


def add_data_arguments(parser: argparse.ArgumentParser, *, has_weights: bool = True) -> None:
    """DATA and how to read it."""
    group = parser.add_argument_group("data")
    add_path_argument(group)
    add_table_arguments(group, has_weights=has_weights)


def add_path_argument(group: argparse._ArgumentGroup) -> None:
    """DATA itself."""
    group.add_argument(
        "data",
        metavar="DATA",
        type=path_value,
        help="CSV, TSV, Parquet, ARFF, svmlight, .npz, .h5ad or Excel file, compressed or not; - is standard "
        "input",
    )


def add_drop_argument(group: argparse._ArgumentGroup) -> None:
    """Columns that are left out."""
    group.add_argument(
        "--drop",
        metavar="COLS",
        action="extend",
        type=column_names,
        default=[],
        help="columns to leave out, separated by commas; may be given again",
    )


def add_table_arguments(group: argparse._ArgumentGroup, *, has_weights: bool = True) -> None:
    """How a table is read and becomes numbers."""
    group.add_argument(
        "--target", metavar="COL", help="column that holds the classes (default: class, else the last)"
    )
    add_reading_arguments(group)
    add_drop_argument(group)
    add_columns_argument(
        group, "--nominal", "columns whose numbers are names (zip codes, say), written like --drop"
    )
    _add_kind_arguments(group)
    add_text_arguments(group, has_weights=has_weights)
    group.add_argument(
        "--impute",
        choices=IMPUTATIONS,
        help="fill missing numbers with this value of the training rows; "
        "a missing text becomes a category of its own (default: refuse missing values)",
    )
    group.add_argument("--no-scale", action="store_true", help="take the columns as they are")


def _add_kind_arguments(group: argparse._ArgumentGroup) -> None:
    """Columns that are other than they look."""
    add_numeric_argument(group)
    add_columns_argument(
        group,
        "--date",
        "columns of dates or times: each becomes its parts (year, month, day, weekday, hour, days)",
    )
    add_identifier_argument(group)
    add_row_groups_argument(group)
    group.add_argument(
        "--labels",
        metavar="FILE",
        type=path_value,
        help="a second file that holds the classes: names of the rows and classes, or classes alone in order",
    )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """The classifier and the rows that judge it."""
    _add_classifier_arguments(parser)
    add_judging_arguments(parser)


def add_judging_arguments(parser: argparse.ArgumentParser) -> None:
    """The rows that judge, chance, and threads."""
    group = parser.add_argument_group("judging")
    default = ModelOptions()
    group.add_argument(
        "--validation",
        metavar="HOW",
        type=validation_value,
        default=default.validation,
        help="rows that judge: a fraction held out, a number of folds, or 'split' for the test rows of a "
        "column named split (default: %(default)s)",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=seed_value,
        default=default.seed,
        help="of everything drawn at random (default: %(default)s)",
    )
    group.add_argument(
        "--jobs", metavar="N", type=jobs_value, help="threads or processes (default: 1; -1: all)"
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler whose workers train, such as tcp://10.0.0.1:8786",
    )


def add_sharing_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How bits are shared out, and what chance could earn."""
    group = parser.add_argument_group("credits")
    default = ModelOptions()
    group.add_argument(
        "--sharing",
        choices=SHARING,
        help="covariance: by what a feature adds to the outputs for rows not seen, as far as it goes with "
        "the class; margin: by the size of its weights, the papers' rule (default: covariance, but margin "
        "where a backward or directed search goes by credits)",
    )
    group.add_argument(
        "--null",
        metavar="N",
        type=null_count,
        default=default.n_null,
        help="shuffle the labels N times to see what chance could earn, 0 for not at all; nothing is trained "
        "for it (default: %(default)s)",
    )
    group.add_argument(
        "--explain-rows",
        metavar="N,...",
        type=row_numbers,
        default=(),
        help="rows of DATA, from 1, whose outputs --report takes apart feature by feature; a classifier is "
        "trained on all other rows for it",
    )
    return group


def _add_classifier_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("classifier")
    default = ModelOptions()
    group.add_argument(
        "--classifier",
        choices=CLASSIFIERS,
        default=default.classifier,
        help="what is trained, see above (default: %(default)s)",
    )
    _add_machine_arguments(group, default)
    group.add_argument(
        "--hidden",
        metavar="N,...",
        type=layer_sizes,
        help=f"mlp: units in each hidden layer (default: {default.hidden[0]})",
    )
    group.add_argument(
        "--neighbors",
        metavar="N",
        type=positive_integer,
        help=f"knn: how many are asked (default: {default.neighbors})",
    )
    group.add_argument(
        "--member",
        choices=MEMBERS,
        help=f"pairwise: what tells two classes apart (default: {default.member})",
    )


def _add_machine_arguments(group: argparse._ArgumentGroup, default: ModelOptions) -> None:
    # None tells an option that was not given from one that was: each belongs to some classifiers only.
    group.add_argument("--kernel", choices=KERNELS, help=f"svm (default: {default.kernel})")
    group.add_argument(
        "--C",
        metavar="X",
        type=positive_number,
        help=f"svm, logistic: cost of an error (default: {default.C:g})",
    )
    group.add_argument(
        "--gamma",
        metavar="X",
        type=gamma_value,
        help=f"kernel width: a number, scale or auto (default: {default.gamma})",
    )
    group.add_argument(
        "--degree",
        metavar="X",
        type=degree_value,
        help=f"of the kernels poly and anova (default: {default.degree})",
    )
    group.add_argument(
        "--coef0",
        metavar="X",
        type=number,
        help=f"of the kernels poly and sigmoid (default: {default.coef0:g})",
    )
    group.add_argument(
        "--class-weight",
        choices=["balanced"],
        help="svm, logistic: errors in a rare class cost as much, together, as those in a common one "
        "(default: every row costs the same)",
    )


def add_output_arguments(
    parser: argparse.ArgumentParser,
    output: str = "credits",
    formats: str = ".csv, .parquet or .json",
    *,
    has_model: bool = False,
    has_top: bool = True,
    has_chosen: bool = False,
) -> None:
    """What is shown and written; `output` says what the table of --output holds, in which `formats`."""
    group = parser.add_argument_group("output")
    if has_top:
        group.add_argument(
            "--top",
            metavar="N",
            type=natural_number,
            default=20,
            help="features printed, 0 for all (default: %(default)s)",
        )
    group.add_argument("--output", metavar="FILE", type=path_value, help=f"{output} as {formats}")
    if has_chosen:
        group.add_argument(
            "--chosen-only", action="store_true", help="--output lists the chosen features and no others"
        )
    add_raw_argument(group)
    group.add_argument(
        "--report",
        metavar="FILE",
        type=path_value,
        help="the whole run as one page: .html (and every number as .json beside it), .md or .json alone",
    )
    if has_model:
        group.add_argument(
            "--model",
            metavar="FILE",
            type=path_value,
            help="the classifier for `infoprop predict`, a .skops file",
        )
    add_speech_arguments(parser)


def add_kept_model_arguments(parser: argparse.ArgumentParser) -> None:
    """What --model keeps."""
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model-rows",
        choices=MODEL_ROWS,
        default="all",
        help="rows that --model is trained on: all, also those that judge, or the training rows alone, which "
        "is the model that was judged (default: %(default)s)",
    )
    group.add_argument(
        "--no-probabilities",
        dest="probabilities",
        action="store_false",
        help="svm: no probabilities in --model (and --output of classify), which take five more trainings",
    )


def add_raw_argument(group: argparse._ArgumentGroup) -> None:
    """Whether texts in a .csv file may be formulas."""
    group.add_argument(
        "--raw-csv",
        action="store_true",
        help="write texts to a .csv file as they are; otherwise those that a spreadsheet would run as a "
        "formula begin with an apostrophe, which is taken off when the file is read here",
    )


def add_speech_arguments(parser: argparse.ArgumentParser) -> None:
    """How much is said, and to whom."""
    group = parser.add_argument_group("messages")
    group.add_argument("--quiet", action="store_true", help="no progress, results only")
    group.add_argument("--json", action="store_true", help="one JSON object on standard output, not words")


def data_options(arguments: argparse.Namespace) -> DataOptions:
    """Typed options out of the parsed words."""
    words = vars(arguments)
    told: dict[str, Any] = {name: tuple(words[name]) for name in ("drop", "nominal", "text", "numeric")}
    same = ("target", "impute", "min_df", "ngrams", "weights", "row_groups", "groups", "labels")
    return DataOptions(
        path=arguments.data,
        is_scaled=not arguments.no_scale,
        identifier=arguments.id,
        dates=tuple(arguments.date),
        **(told | {name: words.get(name) for name in same}),
        **reading_options(arguments),
    )


def model_options(arguments: argparse.Namespace) -> ModelOptions:
    """Typed options out of the parsed words; those that do not belong to the classifier are refused."""
    names = dict.fromkeys(name for options in OPTIONS_OF.values() for name in options)
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    model = ModelOptions(
        classifier=arguments.classifier,
        **given,
        sharing=getattr(arguments, "sharing", ModelOptions.sharing),
        n_null=getattr(arguments, "null", 0),
        validation=arguments.validation,
        seed=arguments.seed,
        jobs=arguments.jobs,
    )
    check_options(given, model.classifier, model.member, model.kernel)
    return model


def output_options(arguments: argparse.Namespace) -> OutputOptions:
    """Typed options out of the parsed words."""
    return OutputOptions(
        top=getattr(arguments, "top", 0),
        output=arguments.output,
        report=arguments.report,
        # Only commands that train have a model to save.
        model=getattr(arguments, "model", None),
        model_rows=getattr(arguments, "model_rows", "all"),
        is_quiet=arguments.quiet,
        is_json=arguments.json,
        is_raw=arguments.raw_csv,
        chosen_only=getattr(arguments, "chosen_only", False),
    )
