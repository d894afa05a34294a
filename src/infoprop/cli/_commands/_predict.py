"""``infoprop predict``: classes of new rows by a model on disk."""

import argparse

from infoprop.cli._data._files import TABLE_ENDINGS, check_writable
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar import _options, _reading_options
from infoprop.cli._grammar._group_options import add_identifier_argument
from infoprop.cli._grammar._values import natural_number, path_value
from infoprop.workflow._options import DataOptions

NAME = "predict"
SUMMARY = "classes of new rows, by a model on disk"
DESCRIPTION = """\
Name the class of every row of DATA by a MODEL that --model of `infoprop select`, `classify` or `shape` wrote.

Columns are found by their names, in any order. A column that the model needs and DATA lacks is an error, and
so is one that the model was never shown (--drop, --ignore-extra) or whose kind has changed. Columns that were
left out in training, or not chosen, may be there or not. A category that a nominal column did not have in
training is ignored, with a note; unknown words of running text are ignored.
Missing numbers are filled as in training (--impute), or refused if nothing was said then.

Every class has a probability, unless the model was kept with --no-probabilities. Those of an svm are
calibrated; its class is the one with the largest output, as it was judged, and another may be more probable.

If the column of the classes is there, accuracy, information and confusion are shown too.

A model file holds data and names of types, never code. It is opened only if its types are those of infoprop,
scikit-learn, numpy and scipy that models are made of; anything else is refused unopened.
"""
EXAMPLES = """\
examples:
  infoprop predict iris.skops new.csv
  infoprop predict iris.skops new.csv --output classes.csv
  infoprop predict iris.skops new.csv --explain 5
  infoprop predict credit.skops june.parquet --drop id --json
  cat new.csv | infoprop predict iris.skops -
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument("saved", metavar="MODEL", type=path_value, help="file that --model wrote (.skops)")
    group = parser.add_argument_group("data")
    _options.add_path_argument(group)
    _reading_options.add_reading_arguments(group)
    _options.add_drop_argument(group)
    _reading_options.add_numeric_argument(group)
    add_identifier_argument(group)
    group.add_argument(
        "--ignore-extra", action="store_true", help="pass over columns that the model was not trained on"
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "--top",
        metavar="N",
        type=natural_number,
        default=20,
        help="rows printed if there is no --output, 0 for all (default: %(default)s)",
    )
    group.add_argument(
        "--explain",
        metavar="N",
        type=natural_number,
        default=0,
        help="say for the first N rows which features count for the class named, and which against it "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--scores",
        action="store_true",
        help="also give a score for each class: the classifier's outputs, or votes of pairs",
    )
    group.add_argument(
        "--output",
        metavar="FILE",
        type=path_value,
        help="row, identifier, class, probabilities and scores as .csv, .parquet or .json",
    )
    _options.add_raw_argument(group)
    _options.add_speech_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the model and the rows, name the classes, show."""
    from infoprop.cli._display._terminal import Terminal

    data = DataOptions(
        path=arguments.data,
        target=None,
        drop=tuple(arguments.drop),
        nominal=(),
        numeric=tuple(arguments.numeric),
        impute=None,
        is_scaled=True,
        identifier=arguments.id,
        **_reading_options.reading_options(arguments),
    )
    check_writable(arguments.output, "--output", TABLE_ENDINGS, data.path)
    check_writable(arguments.output, "--output", TABLE_ENDINGS, arguments.saved)
    terminal = Terminal(arguments.quiet)
    with terminal.remarks(), terminal.progress(3) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._display._prediction_publishing import publish_predictions
        from infoprop.workflow._models import SavedModel
        from infoprop.workflow._predicting import predict_table

        model = SavedModel.load(arguments.saved)
        steps.begin(f"reading {data.name}")
        predictions = predict_table(
            model,
            data,
            arguments.ignore_extra,
            steps,
            terminal.say,
            n_explained=arguments.explain,
            with_scores=arguments.scores,
        )
    output = _options.OutputOptions(
        top=arguments.top, output=arguments.output, is_json=arguments.json, is_raw=arguments.raw_csv
    )
    publish_predictions(terminal, predictions, output)
    return DONE
