"""``infoprop classify``: train a classifier, judge it on rows it has not seen, keep it."""

import argparse
from dataclasses import replace

from infoprop._core._exceptions import ParameterError
from infoprop.cli._data._files import check_files
from infoprop.cli._exit_codes import DONE, INTERRUPTED
from infoprop.cli._grammar import _options
from infoprop.cli._grammar._choice_options import METHOD_HELP, add_choice_arguments, choice_of
from infoprop.workflow._choice import Choice
from infoprop.workflow._classifier_names import CLASSIFIER_HELP
from infoprop.workflow._options import SPLIT

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

_CHOICE_OPTIONS = (
    "k",
    "threshold",
    "rule",
    "tolerance",
    "step",
    "criterion",
    "init",
    "max_trainings",
    "beam",
    "population",
    "generations",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    _options.add_data_arguments(parser)
    _options.add_model_arguments(parser)
    add_choice_arguments(parser, default=None, has_checkpoint=False)
    _options.add_output_arguments(parser, "predictions of the judged rows", has_model=True)


def run(arguments: argparse.Namespace) -> int:
    """Read, train, judge, show."""
    from infoprop.cli._display._terminal import Terminal

    choice = _choice(arguments)
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    check_files(output, data.path)
    terminal = Terminal(output.is_quiet)
    with (
        terminal.remarks() as remarks,
        terminal.progress(4 + (choice is not None) + (output.model is not None)) as steps,
    ):
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._code._table_code import code_for
        from infoprop.cli._commands._classify_run import classified, publish_judged, save_model
        from infoprop.cli._data._reading import read_table
        from infoprop.cli._display._publishing import report_of, settings
        from infoprop.selection import SearchInterruptedWarning
        from infoprop.workflow._preparation import prepare

        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=model.validation == SPLIT, say=terminal.say)
        problem = prepare(table, data)
        judged, finding = classified(problem, data, model, choice, steps)
        if output.model is not None and judged.is_whole:
            save_model(output.model, problem, finding, data, model, steps)
    told = settings(model, data, choice)
    is_interrupted = any(issubclass(remark.category, SearchInterruptedWarning) for remark in remarks)
    if is_interrupted:
        told["interrupted"] = "yes: the best found until then"
    if not judged.is_whole:
        told["interrupted"] = f"yes: {judged.n_done} of {judged.n_folds} folds were judged"
    read = replace(data, drop=(*data.drop, *table.left_out))
    code = code_for(read, model, choice, problem, is_classified=True)
    report = report_of(finding, problem, data=data.name, settings=told, code=code)
    publish_judged(terminal, judged, finding, report, output)
    return DONE if judged.is_whole and not is_interrupted else INTERRUPTED


def _choice(arguments: argparse.Namespace) -> Choice | None:
    if arguments.method is not None:
        return choice_of(arguments)
    for name in _CHOICE_OPTIONS:
        if getattr(arguments, name) is not None:
            option = "-k" if name == "k" else f"--{name.replace('_', '-')}"
            raise ParameterError(f"{option} is about a choice of features; say which by --method.")
    return None
