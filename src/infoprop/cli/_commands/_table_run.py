"""What `credit` and `select` have in common: read a table, do the work, show and write the finding."""

import argparse
from collections import Counter
from dataclasses import replace
from warnings import WarningMessage

from infoprop.cli._data._files import check_files
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._exit_codes import DONE, INTERRUPTED
from infoprop.cli._grammar import _options
from infoprop.workflow._choice import Choice
from infoprop.workflow._nesting import check_nested, nested_validation
from infoprop.workflow._options import SPLIT


def run_on_table(arguments: argparse.Namespace, choice: Choice | None = None) -> int:
    """Credit the table's features, choose among them if `choice` says how, and return the exit code."""
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    n_outer = getattr(arguments, "nested", None)
    check_nested(n_outer, model)
    check_files(output, data.path, None if choice is None else choice.checkpoint)
    terminal = Terminal(output.is_quiet)
    with terminal.remarks() as remarks, terminal.progress(5 if choice is not None else 4) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._code._table_code import code_for
        from infoprop.cli._data._reading import read_table
        from infoprop.cli._display._publishing import publish, settings
        from infoprop.workflow._analysis import analyse, trained_model
        from infoprop.workflow._classifiers import classifier_for
        from infoprop.workflow._judging import check_folds
        from infoprop.workflow._models import SavedModel
        from infoprop.workflow._preparation import prepare

        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=model.validation == SPLIT, say=terminal.say)
        problem = prepare(table, data)
        check_folds("--nested", n_outer, Counter(problem.y.tolist()))
        estimator = classifier_for(model, data, problem.is_sparse)
        finding = analyse(problem, estimator, model, choice, steps, verbose=int(steps.is_shown))
        nested = None
        if choice is not None and n_outer is not None and not _is_interrupted(remarks):
            nested = nested_validation(problem, model, data, choice, n_outer, steps)
        if output.model is not None:
            steps.begin("training on all rows")
            trained = trained_model(problem, estimator, finding)
            SavedModel.of(problem, trained, finding.used, (*data.drop, SPLIT)).save(output.model)
    is_interrupted = _is_interrupted(remarks)
    told = settings(model, data, choice)
    if n_outer is not None:
        told["nested"] = f"{n_outer} outer folds"
    if is_interrupted:
        told["interrupted"] = "yes: the best found until then"
    code = code_for(replace(data, drop=(*data.drop, *table.left_out)), model, choice, problem)
    publish(terminal, finding, output, problem, data=data.name, settings=told, code=code, nested=nested)
    return INTERRUPTED if is_interrupted else DONE


def _is_interrupted(remarks: list[WarningMessage]) -> bool:
    from infoprop.selection import SearchInterruptedWarning

    return any(issubclass(remark.category, SearchInterruptedWarning) for remark in remarks)
