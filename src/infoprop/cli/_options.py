"""The grammar shared by the commands that read data. New options are added here, and nowhere else."""

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

KERNELS = ("linear", "poly", "rbf", "sigmoid", "anova")
IMPUTATIONS = ("mean", "median", "most_frequent")
FORMATS = ("csv", "tsv", "parquet", "arff", "svmlight", "npz")
SPLIT: Literal["split"] = "split"

DATA_HELP = """\
What happens to the data: text columns are one-hot coded, and their credits are summed back, so a nominal
column is one feature. Every column is then scaled to mean 0 and standard deviation 1, learned on training
rows only; sparse data (svmlight, npz) is divided by each column's largest value instead. The confusion
table comes from rows that the classifier has not seen (--validation).
"""


@dataclass(frozen=True)
class DataOptions:
    """Where the data lies and how it becomes numbers."""

    path: Path
    target: str | None
    format: str | None
    drop: tuple[str, ...]
    nominal: tuple[str, ...]
    impute: str | None
    is_scaled: bool


@dataclass(frozen=True)
class ModelOptions:
    """The classifier, and which rows judge it."""

    kernel: str = "linear"
    C: float = 1.0
    gamma: float | str = "scale"
    degree: float = 3
    coef0: float = 0.0
    validation: float | int | str = 0.25
    seed: int = 0
    jobs: int | None = None


@dataclass(frozen=True)
class OutputOptions:
    """What is shown and written."""

    top: int = 20
    output: Path | None = None
    report: Path | None = None
    is_quiet: bool = False


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """DATA and how to read it."""
    group = parser.add_argument_group("data")
    group.add_argument(
        "data", metavar="DATA", type=Path, help="CSV, TSV, Parquet, ARFF, svmlight or .npz file (also .gz)"
    )
    group.add_argument(
        "--target", metavar="COL", help="column that holds the classes (default: class, else the last)"
    )
    group.add_argument(
        "--format", choices=FORMATS, help="format of DATA (default: by the ending of its name)"
    )
    group.add_argument(
        "--drop",
        metavar="COLS",
        action="extend",
        type=column_names,
        default=[],
        help="columns to leave out, separated by commas; may be given again",
    )
    group.add_argument(
        "--nominal",
        metavar="COLS",
        action="extend",
        type=column_names,
        default=[],
        help="columns whose numbers are names (zip codes, say), written like --drop",
    )
    group.add_argument(
        "--impute",
        choices=IMPUTATIONS,
        help="fill missing numbers with this value of the training rows; "
        "a missing text becomes a category of its own (default: refuse missing values)",
    )
    group.add_argument("--no-scale", action="store_true", help="take the columns as they are")


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """The classifier and the rows that judge it."""
    group = parser.add_argument_group("classifier (one support vector machine per class)")
    default = ModelOptions()
    group.add_argument("--kernel", choices=KERNELS, default=default.kernel, help="default: %(default)s")
    group.add_argument(
        "--C",
        metavar="X",
        type=positive_number,
        default=default.C,
        help="cost of an error (default: %(default)s)",
    )
    group.add_argument(
        "--gamma",
        metavar="X",
        type=gamma_value,
        default=default.gamma,
        help="kernel width: a number, scale or auto (default: %(default)s)",
    )
    group.add_argument(
        "--degree",
        metavar="X",
        type=degree_value,
        default=default.degree,
        help="of poly and anova (default: %(default)s)",
    )
    group.add_argument(
        "--coef0",
        metavar="X",
        type=number,
        default=default.coef0,
        help="of poly and sigmoid (default: %(default)s)",
    )
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
        type=natural_number,
        default=default.seed,
        help="of the random splits (default: %(default)s)",
    )
    group.add_argument("--jobs", metavar="N", type=jobs_value, help="threads (default: 1; -1: all)")


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """What is shown and written."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--top",
        metavar="N",
        type=natural_number,
        default=20,
        help="features printed, 0 for all (default: %(default)s)",
    )
    group.add_argument("--output", metavar="FILE", type=Path, help="credits as .csv, .parquet or .json")
    group.add_argument(
        "--report", metavar="FILE", type=Path, help="the whole run as one page: .html, .md or .json"
    )
    group.add_argument("--quiet", action="store_true", help="no progress, results only")


def data_options(arguments: argparse.Namespace) -> DataOptions:
    """Typed options out of the parsed words."""
    return DataOptions(
        path=arguments.data,
        target=arguments.target,
        format=arguments.format,
        drop=tuple(arguments.drop),
        nominal=tuple(arguments.nominal),
        impute=arguments.impute,
        is_scaled=not arguments.no_scale,
    )


def model_options(arguments: argparse.Namespace) -> ModelOptions:
    """Typed options out of the parsed words."""
    return ModelOptions(
        kernel=arguments.kernel,
        C=arguments.C,
        gamma=arguments.gamma,
        degree=arguments.degree,
        coef0=arguments.coef0,
        validation=arguments.validation,
        seed=arguments.seed,
        jobs=arguments.jobs,
    )


def output_options(arguments: argparse.Namespace) -> OutputOptions:
    """Typed options out of the parsed words."""
    return OutputOptions(
        top=arguments.top, output=arguments.output, report=arguments.report, is_quiet=arguments.quiet
    )


def column_names(text: str) -> list[str]:
    """Names separated by commas; a name with a comma in it stands in double quotes."""
    return [name for row in csv.reader([text], skipinitialspace=True) for name in row if name]


def number(text: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not abs(value) < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a finite number, got {text!r}")
    return value


def positive_number(text: str) -> float:
    """A number > 0."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be a number > 0, got {text!r}")
    return value


def natural_number(text: str) -> int:
    """A whole number >= 0."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 0, got {text!r}")
    return value


def gamma_value(text: str) -> float | str:
    """A number > 0, scale or auto."""
    if text in ("scale", "auto"):
        return text
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"must be a number > 0, 'scale' or 'auto', got {text!r}") from None


def degree_value(text: str) -> float:
    """A number > 0, whole where it can be: a polynomial kernel takes no other."""
    value = positive_number(text)
    return int(value) if value.is_integer() else value


def validation_value(text: str) -> float | int | str:
    """A fraction, a number of folds, or the word split."""
    if text == SPLIT:
        return text
    if text.isdecimal() and int(text) >= 2:
        return int(text)
    try:
        fraction = float(text)
    except ValueError:
        fraction = 0.0
    if not 0 < fraction < 1:
        raise argparse.ArgumentTypeError(
            f"must be a fraction between 0 and 1, a number of folds >= 2, or 'split', got {text!r}"
        )
    return fraction


def jobs_value(text: str) -> int:
    """A number of threads, or -1 for all."""
    if text != "-1" and (not text.isdecimal() or int(text) < 1):
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, or -1 for all, got {text!r}")
    return int(text)


def count_or_fraction(text: str) -> int | float:
    """How many features: a whole number >= 1, or a fraction of them."""
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    try:
        fraction = float(text)
    except ValueError:
        fraction = 0.0
    if text.isdecimal() or not 0 < fraction <= 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number >= 1 or a fraction between 0 and 1, got {text!r}"
        )
    return fraction
