"""What becomes of a finding: the terminal, the table on disk, the report."""

import numpy as np
import polars as pl

from infoprop._core._jit import is_compiled
from infoprop.cli._analysis import Finding
from infoprop.cli._choice import Choice
from infoprop.cli._learners import KERNEL_OPTIONS, OPTIONS_OF
from infoprop.cli._options import DataOptions, ModelOptions, OutputOptions
from infoprop.cli._output import write_report, write_table
from infoprop.cli._preparation import Problem
from infoprop.cli._terminal import Terminal
from infoprop.cli._values import SPLIT
from infoprop.report import Report


def announce_compilation(terminal: Terminal, *, is_moving: bool = False) -> None:
    """Say why the first run takes longer; `is_moving` if machines will be moved, which is more code."""
    if is_moving and not is_compiled("*_moves_fast.py"):
        terminal.say("compiling numerical code (first search only, about half a minute)")
    elif not is_compiled():
        terminal.say("compiling numerical code (first run only, about 10 s)")


def publish(
    terminal: Terminal,
    finding: Finding,
    output: OutputOptions,
    data_name: str,
    problem: Problem,
    settings: dict[str, object],
    remark: str | None = None,
) -> None:
    """Show the finding and a remark on it, and write what was asked for."""
    report = Report.from_credits(
        finding.credits,
        selected=finding.selected,
        retrained=finding.retrained,
        path=finding.path,
        trace=finding.trace,
        data=data_name,
        n_rows=len(problem.y),
        target=problem.target,
        settings=settings,
    )
    # Files first: whoever reads the terminal may stop reading in the middle.
    if output.output is not None:
        write_table(_frame(finding), output.output)
    if output.report is not None:
        write_report(report, output.report)
    terminal.show(report.summary, output.top)
    for words in (*report.summary.search_sentences, remark):
        if words is not None:
            terminal.result(words)
    for what, path in (("credits", output.output), ("report", output.report)):
        if path is not None:
            terminal.say(f"{what} written to {path}")


def _frame(finding: Finding) -> pl.DataFrame:
    """Credits as a table, best first."""
    frame: pl.DataFrame = finding.credits.to_frame("polars")
    if finding.selected is not None:
        frame = frame.with_columns(pl.Series("selected", np.asarray(finding.selected)))
    if finding.places is not None:
        frame = frame.with_columns(pl.Series("place", np.asarray(finding.places)))
    return frame.sort("rank")


def settings(model: ModelOptions, data: DataOptions | None, choice: Choice | None) -> dict[str, object]:
    """What the run was told, in the words of the command line."""
    told: dict[str, object] = {"classifier": model.classifier}
    if model.learner != model.classifier:
        told["member"] = model.member
    for name in OPTIONS_OF[model.learner]:
        if name not in KERNEL_OPTIONS or model.kernel in KERNEL_OPTIONS[name]:
            told[name] = _value_words(getattr(model, name))
    told["validation"] = _validation_words(model.validation)
    if model.validation != SPLIT:
        told["seed"] = model.seed
    told["scaling"] = "yes" if data is None or data.is_scaled else "no"
    if data is not None and data.impute is not None:
        told["imputation"] = data.impute
    if data is not None and data.drop:
        told["left out"] = ", ".join(data.drop)
    if choice is not None:
        told["chosen"] = choice
    return told


def _value_words(value: object) -> object:
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else value


def _validation_words(validation: float | int | str) -> str:
    if validation == SPLIT:
        return "the test rows of the split column"
    if isinstance(validation, int):
        return f"{validation} folds"
    return f"{validation:.3g} of the rows held out"
