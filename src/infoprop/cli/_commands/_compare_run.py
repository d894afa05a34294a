"""The work of ``infoprop compare``: read, compare, show and write."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from infoprop._core._exceptions import ParameterError
from infoprop.cli._data._files import check_files
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._exit_codes import DONE, INTERRUPTED
from infoprop.cli._grammar import _options
from infoprop.workflow._contest_names import methods_to_compare
from infoprop.workflow._options import AUTO, SPLIT, DataOptions, ModelOptions
from infoprop.workflow._steps import Steps
from infoprop.workflow._workers import quiet_workers

if TYPE_CHECKING:
    from infoprop.report import ComparisonReport
    from infoprop.selection import Comparison
    from infoprop.workflow._contenders import Contest
    from infoprop.workflow._preparation import Problem

_WITHOUT_SPLIT = "note: the column 'split' is left out; every row judges in turn"


def run_comparison(arguments: argparse.Namespace) -> int:
    """Compare methods on the table named in `arguments`, and return the exit code."""
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    _check(arguments, model)
    check_files(output, data.path, arguments.checkpoint)
    terminal = Terminal(output.is_quiet)
    with terminal.remarks() as remarks, terminal.progress(3) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._code._compare_code import code_for_comparison
        from infoprop.cli._data._reading import read_table
        from infoprop.selection import SearchInterruptedWarning
        from infoprop.workflow._judging import check_classes, check_folds
        from infoprop.workflow._preparation import prepare

        steps.begin(f"reading {data.name}")
        table = read_table(data, is_split=False, say=lambda _: terminal.say(_WITHOUT_SPLIT))
        problem = prepare(table, data)
        check_classes(problem, model)
        counts = Counter(problem.y.tolist())
        check_folds("--folds", arguments.folds, counts)
        check_folds("--inner-folds", arguments.inner_folds, counts)
        contest = _contest(problem, data, model, arguments, terminal)
        comparison = _compare(problem, contest, arguments, steps)
    is_interrupted = any(issubclass(remark.category, SearchInterruptedWarning) for remark in remarks)
    told = _settings(arguments, data, model)
    if is_interrupted:
        told["interrupted"] = f"yes: {comparison.n_folds} of {comparison.n_planned} folds"
    code = code_for_comparison(replace(data, drop=(*data.drop, *table.left_out)), problem, contest)
    _publish(terminal, comparison, output, data=data.name, target=problem.target, settings=told, code=code)
    return INTERRUPTED if is_interrupted else DONE


def _contest(
    problem: "Problem",
    data: DataOptions,
    model: ModelOptions,
    arguments: argparse.Namespace,
    terminal: Terminal,
) -> "Contest":
    from infoprop.workflow._classifiers import classifier_for
    from infoprop.workflow._contenders import Contest, contenders

    sizes, is_sparse = sizes_for(arguments.sizes, problem.n_features), problem.is_sparse
    names = methods_to_compare(arguments.methods, model.classifier, is_sparse=is_sparse, say=terminal.say)
    # Threads are shared out among methods and folds, not inside them.
    alone = replace(model, jobs=None)
    estimator = classifier_for(alone, data, is_sparse)
    methods = contenders(names, estimator, alone, data, largest=max(sizes), is_sparse=is_sparse)
    return Contest(methods, estimator, sizes, arguments.folds, arguments.inner_folds or None, model.seed)


def _compare(
    problem: "Problem", contest: "Contest", arguments: argparse.Namespace, steps: Steps
) -> "Comparison":
    from infoprop.selection import compare_selectors

    steps.begin_aside(f"comparing {len(contest.methods)} methods in {contest.n_folds} folds")
    with quiet_workers():
        return compare_selectors(
            contest.methods,
            problem.X,
            problem.y,
            estimator=contest.estimator,
            sizes=contest.sizes,
            validation=contest.n_folds,
            inner_validation=contest.n_inner_folds,
            groups=list(problem.owners),
            random_state=contest.seed,
            n_jobs=arguments.jobs,
            verbose=int(steps.is_shown),
            time_limit=arguments.time_limit,
            checkpoint=arguments.checkpoint,
        )


def _check(arguments: argparse.Namespace, model: ModelOptions) -> None:
    if model.validation == SPLIT:
        raise ParameterError(
            "--validation split does not go with compare, which judges every row in turn (--folds); there "
            "--validation says how methods judge inside the folds: a fraction, or a number of folds."
        )
    if arguments.inner_folds == 1:
        raise ParameterError("--inner-folds must be 0, or a whole number >= 2; got 1.")


def sizes_for(sizes: Sequence[int] | str, n_features: int) -> tuple[int, ...]:
    """Numbers of features to choose; ``auto`` means 1, 2, 5, ... below the number there is."""
    from infoprop.selection.comparison._nested_plan import automatic_sizes

    if isinstance(sizes, str):
        assert sizes == AUTO
        return automatic_sizes(n_features)
    if max(sizes) > n_features:
        raise ParameterError(f"--sizes {max(sizes)} asks for more features than the {n_features} there are.")
    return tuple(sizes)


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
    terminal: Terminal,
    comparison: "Comparison",
    output: _options.OutputOptions,
    *,
    data: str,
    target: str,
    settings: dict[str, object],
    code: str,
) -> None:
    """Write what was asked for, and show the table."""
    from infoprop.cli._data._files import tell_files, write_report, write_table
    from infoprop.report import Report

    report: ComparisonReport = Report.from_comparison(
        comparison, data=data, target=target, n_rows=comparison.n_rows, settings=settings, code=code
    )
    # Files first: whoever reads the terminal may stop reading in the middle.
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
