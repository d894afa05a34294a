"""What `credit` and `select` have in common: read a table, do the work, show and write the finding."""

import argparse
from typing import TYPE_CHECKING

from infoprop.cli import _options
from infoprop.cli._output import REPORT_ENDINGS, TABLE_ENDINGS, check_writable
from infoprop.cli._terminal import Terminal

if TYPE_CHECKING:
    from infoprop.datasets import Table

_SPLIT_PARTS = {"train", "test", "valid", "validation"}


def run_on_table(
    arguments: argparse.Namespace, *, count: int | float | None = None, threshold: float | None = None
) -> None:
    """Credit the table's features; with `count` or `threshold`, choose among them."""
    data = _options.data_options(arguments)
    model = _options.model_options(arguments)
    output = _options.output_options(arguments)
    check_writable(output.output, "--output", TABLE_ENDINGS, data.path)
    check_writable(output.report, "--report", REPORT_ENDINGS, data.path)
    terminal = Terminal(output.is_quiet)
    is_choice = count is not None or threshold is not None
    with terminal.remarks(), terminal.progress(5 if is_choice else 4) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._analysis import Choice, analyse
        from infoprop.cli._preparation import classifier, prepare
        from infoprop.cli._publishing import announce_compilation, publish, settings

        announce_compilation(terminal)
        steps.begin(f"reading {data.path.name}")
        table = _read(data, model, terminal)
        problem = prepare(table, data)
        estimator = classifier(model, impute=data.impute, is_scaled=data.is_scaled, is_sparse=table.is_sparse)
        choice = Choice(count, threshold) if is_choice else None
        finding = analyse(problem, estimator, model, choice, steps.begin)
    publish(terminal, finding, output, data.path.name, problem, settings(model, data, choice))


def _read(data: _options.DataOptions, model: _options.ModelOptions, terminal: Terminal) -> "Table":
    from infoprop.datasets import load_table

    table = load_table(
        data.path,
        data.target,
        format=data.format,
        split=_options.SPLIT if model.validation == _options.SPLIT else None,
        nominal=data.nominal,
        drop=data.drop,
    )
    if not _holds_parts(table):
        return table
    # Which part a row belongs to is no property of what the row describes.
    terminal.say("note: the column 'split' is left out; --validation split judges by its test rows")
    return load_table(
        data.path, data.target, format=data.format, nominal=data.nominal, drop=(*data.drop, _options.SPLIT)
    )


def _holds_parts(table: "Table") -> bool:
    if table.frame is None or _options.SPLIT not in table.nominal:
        return False
    parts = table.frame[_options.SPLIT].drop_nulls().str.to_lowercase().unique().to_list()
    return set(parts) <= _SPLIT_PARTS
