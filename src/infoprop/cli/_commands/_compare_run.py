"""The work of ``infoprop compare``: read, compare, show and write."""

import argparse
from typing import TYPE_CHECKING

from infoprop._core._exceptions import ParameterError
from infoprop.cli._data._files import check_files
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._exit_codes import DONE, INTERRUPTED
from infoprop.cli._grammar import _options
from infoprop.workflow._options import SPLIT, DataOptions, ModelOptions

if TYPE_CHECKING:
    from infoprop.report import ComparisonReport
    from infoprop.selection import Comparison

_WITHOUT_SPLIT = "note: the column 'split' is left out; every row judges in turn"


def run_comparison(arguments: argparse.Namespace) -> int:
    """Compare methods on the table named in `arguments`, and return the exit code."""
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    _check(arguments, model)
    check_files(output, data.path, arguments.checkpoint)
    terminal = Terminal(output.is_quiet)
    with terminal.remarks(), terminal.progress(3) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._data._requests import classifier_of
        from infoprop.workflow._comparing import ComparisonRequest, carry_out_comparison
        from infoprop.workflow._feature_groups import read_feature_groups
        from infoprop.workflow._reading import read_table

        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=False, say=lambda _: terminal.say(_WITHOUT_SPLIT))
        request = ComparisonRequest(
            methods=arguments.methods,
            sizes=arguments.sizes,
            classifier=classifier_of(model),
            validation=arguments.folds,
            inner_validation=arguments.inner_folds or None,
            method_validation=model.validation,
            impute=data.impute,
            scale=data.is_scaled,
            min_df=data.min_df,
            ngrams=data.ngrams,
            weights=data.weights,
            groups=None if data.groups is None else read_feature_groups(data.groups),
            random_state=model.seed,
            n_jobs=model.jobs,
            time_limit=arguments.time_limit,
            checkpoint=arguments.checkpoint,
        )
        found = carry_out_comparison(table, None, request, steps, terminal.say)
    told = _settings(arguments, data, model)
    comparison = found.comparison
    if found.is_interrupted:
        told["interrupted"] = f"yes: {comparison.n_folds} of {comparison.n_planned} folds"
    _publish(terminal, comparison, found.report(data=data.name, settings=told), output)
    return INTERRUPTED if found.is_interrupted else DONE


def _check(arguments: argparse.Namespace, model: ModelOptions) -> None:
    if model.validation == SPLIT:
        raise ParameterError(
            "--validation split does not go with compare, which judges every row in turn (--folds); there "
            "--validation says how methods judge inside the folds: a fraction, or a number of folds."
        )
    if arguments.inner_folds == 1:
        raise ParameterError("--inner-folds must be 0, or a whole number >= 2; got 1.")


def _settings(arguments: argparse.Namespace, data: DataOptions, model: ModelOptions) -> dict[str, object]:
    from infoprop.cli._display._publishing import settings

    told = settings(model, data, None)
    inner = told.pop("validation")
    return {
        **told,
        "outer folds": arguments.folds,
        "methods judge by": inner,
        "promised by": f"{arguments.inner_folds} folds" if arguments.inner_folds else "nothing",
    }


def _publish(
    terminal: Terminal, comparison: "Comparison", report: "ComparisonReport", output: _options.OutputOptions
) -> None:
    """Write what was asked for, and show the table."""
    from infoprop.cli._data._files import tell_files, write_report, write_table

    # Files first: the reader of the terminal may stop in the middle.
    if output.output is not None:
        write_table(comparison.to_frame("polars"), output.output, is_raw=output.is_raw)
    if output.report is not None:
        write_report(report, output.report)
    if output.is_json:
        terminal.show_json(report.json())
    else:
        _show(terminal, report)
    tell_files(terminal.say, {"table": output.output, "report": output.report})


def _show(terminal: Terminal, report: "ComparisonReport") -> None:
    from infoprop.cli._display._comparison_table import comparison_table

    found = report.summary.comparison
    terminal.result("")
    terminal.result(report.summary.headline, style="bold")
    terminal.result(found.how)
    terminal.show_table(comparison_table(found, terminal.width))
    terminal.result(
        "*: the best. Bold: within one standard error of it. Promised: what the rows that chose would say.",
        style="dim",
    )
    for sentence in found.sentences:
        terminal.result(sentence)
