"""What `credit`, `select` and `classify` have in common: read a table, analyse it, publish the answer."""

import argparse

from infoprop.cli._data._files import H5AD, TABLE_ENDINGS, check_files, trained_on
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._exit_codes import DONE, INTERRUPTED
from infoprop.cli._grammar import _options
from infoprop.workflow._choice import Choice
from infoprop.workflow._options import SPLIT, is_h5ad


def run_on_table(
    arguments: argparse.Namespace, choice: Choice | None = None, *, repeats_choice: bool = False
) -> int:
    """Analyse the table, show what was found, and return the exit code."""
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    endings = (*TABLE_ENDINGS, H5AD) if is_h5ad(data) and not repeats_choice else TABLE_ENDINGS
    check_files(output, data.path, None if choice is None else choice.checkpoint, endings)
    terminal = Terminal(output.is_quiet)
    explained = getattr(arguments, "explain_rows", ())
    n_steps = 4 + (choice is not None) + (output.model is not None) + bool(explained)
    n_steps += getattr(arguments, "screen", None) is not None
    with terminal.remarks(), terminal.progress(n_steps) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._data._requests import request_for
        from infoprop.cli._display._publishing import publish, publish_judged, settings
        from infoprop.workflow._analyse import carry_out
        from infoprop.workflow._nesting import check_nested
        from infoprop.workflow._reading import read_table
        from infoprop.workflow._repeating import check_has_training_rows
        from infoprop.workflow._request import Task
        from infoprop.workflow._screening import check_screen

        more = {name: getattr(arguments, name, None) for name in ("nested", "consensus", "screen")}
        if choice is None:
            more["per_class"] = getattr(arguments, "per_class", None)
        if repeats_choice:
            more["probabilities"] = arguments.probabilities and output.output is not None
        more |= {"repeat_choice": repeats_choice, "explain_rows": explained}
        request = request_for(data, model, choice, **more)
        check_nested(Task.of(request))
        check_screen(request)
        check_has_training_rows(output.model_rows == "all" or not isinstance(model.validation, int))
        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=model.validation == SPLIT, say=terminal.say)
        analysis = carry_out(table, None, request, steps)
        is_whole = analysis.judged is None or analysis.judged.is_whole
        if output.model is not None and is_whole:
            steps.begin(f"training on {trained_on(output.model_rows)}")
            analysis.save(output.model, rows=output.model_rows, probabilities=arguments.probabilities)
    told = settings(model, data, choice)
    if output.model is not None:
        told["model"] = f"trained on {trained_on(output.model_rows)}"
    if data.text or data.weights is not None:
        told["weights of words"] = analysis.task.weights or "count"
    if request.screen is not None:
        told["screen"] = (
            f"the best {request.screen:,} of {analysis.problem.n_unscreened:,} features by information gain "
            "on the training rows"
        )
    if request.nested is not None:
        told["nested"] = f"{request.nested} outer folds"
    if analysis.is_interrupted:
        told["interrupted"] = "yes: the best found until then"
    if analysis.judged is not None and not is_whole:
        told["interrupted"] = f"yes: {analysis.judged.n_done} of {analysis.judged.n_folds} folds were judged"
    # The terminal does not show where the classes lie over the values of features.
    is_page = output.report is not None or output.is_json
    report = analysis.report(data=data.name, settings=told, **({} if is_page else {"X": None}))
    if repeats_choice:
        publish_judged(terminal, analysis, report, output)
    else:
        publish(terminal, analysis, report, output, source=data.path)
    return INTERRUPTED if analysis.is_interrupted else DONE
