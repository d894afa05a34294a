"""What `credit` and `select` have in common: read a table, do the work, show and write the finding."""

import argparse
from pathlib import Path

from infoprop._core._exceptions import ParameterError
from infoprop.cli import _options
from infoprop.cli._choice import Choice
from infoprop.cli._classifiers import classifier_for
from infoprop.cli._exit_codes import DONE, INTERRUPTED
from infoprop.cli._output import REPORT_ENDINGS, TABLE_ENDINGS, check_writable
from infoprop.cli._terminal import Terminal
from infoprop.cli._values import SPLIT


def run_on_table(arguments: argparse.Namespace, choice: Choice | None = None) -> int:
    """Credit the table's features, choose among them if `choice` says how, and return the exit code."""
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    _check_files(data, output, choice)
    terminal = Terminal(output.is_quiet)
    with terminal.remarks() as remarks, terminal.progress(5 if choice is not None else 4) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._analysis import analyse
        from infoprop.cli._preparation import prepare
        from infoprop.cli._publishing import announce_compilation, publish, settings
        from infoprop.cli._reading import read_table
        from infoprop.selection import SearchInterruptedWarning

        is_search = choice is not None and choice.is_search
        announce_compilation(terminal, is_moving=is_search and model.kernel == "linear")
        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=model.validation == SPLIT, say=terminal.say)
        problem = prepare(table, data)
        estimator = classifier_for(model, data, problem.is_sparse)
        begin, verbose = (steps.begin_aside, int(steps.is_shown)) if is_search else (steps.begin, 0)
        finding = analyse(problem, estimator, model, choice, begin, verbose=verbose)
    is_interrupted = any(issubclass(remark.category, SearchInterruptedWarning) for remark in remarks)
    told = settings(model, data, choice)
    if is_interrupted:
        told["interrupted"] = "yes: the best found until then"
    publish(terminal, finding, output, data.name, problem, told)
    return INTERRUPTED if is_interrupted else DONE


def _check_files(data: _options.DataOptions, output: _options.OutputOptions, choice: Choice | None) -> None:
    """Refuse files that could not be written, or that would overwrite each other, before any work."""
    check_writable(output.output, "--output", TABLE_ENDINGS, data.path)
    check_writable(output.report, "--report", REPORT_ENDINGS, data.path)
    checkpoint = None if choice is None else choice.checkpoint
    check_writable(checkpoint, "--checkpoint", None, data.path)
    files = {"--output": output.output, "--report": output.report, "--checkpoint": checkpoint}
    seen: dict[Path, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        other = seen.setdefault(path.absolute(), option)
        if other != option:
            raise ParameterError(f"{other} and {option} name the same file, {path}.")
