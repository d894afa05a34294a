"""What becomes of shaped columns: the terminal, the table on disk, the report."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich import box
from rich.table import Table
from rich.text import Text
from scipy import sparse

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._numbers import aligned
from infoprop._core._typing import FloatArray, IntArray
from infoprop._core._writing import not_written, whole_file
from infoprop.cli._data._files import tell_files, write_report, write_table
from infoprop.cli._display._credit_table import MOST_CLASSES, bar
from infoprop.cli._display._publishing import settings
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._grammar._options import OutputOptions
from infoprop.report import Report
from infoprop.workflow._block_shaping import BlockShapes
from infoprop.workflow._judging import Judged
from infoprop.workflow._options import APART, BNS, SHAPE, SPLIT, DataOptions, ModelOptions, ShapeOptions
from infoprop.workflow._preparation import Problem
from infoprop.workflow._shaping import ShapingFinding

_BAR_WIDTH = 24
_NAMES_OF_A_CLASS = 5
_METHOD_WORDS = {
    SHAPE: "probability, stretched to its bi-normal separation, rows of length one",
    BNS: "values stretched to their bi-normal separation",
}


def check_output(problem: Problem, path: Path | None) -> None:
    """Refuse to write sparse columns as a dense table."""
    if path is not None and problem.is_sparse and path.suffix.lower() != ".npz":
        raise ParameterError(
            f"--output {path} must end in .npz: the shaped table has {problem.X.shape[1]:,} sparse columns."
        )


def publish_shapes(
    terminal: Terminal,
    finding: ShapingFinding,
    problem: Problem,
    data: DataOptions,
    model: ModelOptions,
    options: ShapeOptions,
    output: OutputOptions,
    code: str,
) -> None:
    """Show what shaping brings, and write what was asked for; `code` repeats the run."""
    report = _report(finding, problem, data, model, options, code)
    # Files first: the reader of the terminal may stop in the middle.
    if output.output is not None:
        write_shaped(finding, problem, output.output, is_raw=output.is_raw)
    if output.report is not None:
        write_report(report, output.report)
    if output.is_json:
        terminal.show_json(json.dumps(plain(finding, problem, options, report), ensure_ascii=False))
    else:
        _show(terminal, finding, output.top)
    if output.output is not None and finding.is_test is None:
        terminal.say("note: the shapes were learned from all rows, so the shaped table cannot judge anything")
    tell_files(
        terminal.say,
        {"shaped table": output.output, "report": output.report, "model": output.model},
    )


def _report(
    finding: ShapingFinding,
    problem: Problem,
    data: DataOptions,
    model: ModelOptions,
    options: ShapeOptions,
    code: str,
) -> Report:
    told = settings(model, data, None)
    told["classifier"] = "linear machines on shaped columns, C chosen by inner folds"
    told["shaping"] = _METHOD_WORDS.get(options.method, "probability of the class")
    if options.method != BNS:
        told["window"] = options.window
    if data.impute == APART:
        told["missing numbers"] = told.pop("imputation")
    return Report.from_flow(
        finding.raw.flow,
        feature_names=tuple(dict.fromkeys(problem.owners)),
        retrained=finding.shaped.flow,
        auc=finding.shaped.area,
        stages=("raw columns", "shaped columns"),
        judged_on="unseen",
        shapes=finding.shaper,
        owners=finding.names,
        data=data.name,
        n_rows=len(problem.y),
        target=problem.target,
        settings=told,
        code=code,
    )


def write_shaped(finding: ShapingFinding, problem: Problem, path: Path, *, is_raw: bool = False) -> None:
    """Write the shaped rows with their classes and, if some rows judge, with their part."""
    names = [*finding.X_names, problem.target, *([SPLIT] if finding.is_test is not None else [])]
    twice = next((name for number, name in enumerate(names) if name in set(names[:number])), None)
    if twice is not None:
        raise DataError(f"Two columns of the shaped table would be called {twice!r}; rename one in the data.")
    parts = None if finding.is_test is None else np.where(finding.is_test, "test", "train")
    if path.suffix.lower() == ".npz":
        _write_counts(finding, problem, parts, path)
        return
    columns = [pl.Series(name, column) for name, column in zip(finding.X_names, finding.X.T, strict=True)]
    columns.append(pl.Series(problem.target, problem.y.tolist()))
    if parts is not None:
        columns.append(pl.Series(SPLIT, parts.tolist()))
    write_table(pl.DataFrame(columns), path, is_raw=is_raw)


def _write_counts(finding: ShapingFinding, problem: Problem, parts: Any, path: Path) -> None:
    X = sparse.csr_matrix(finding.X)
    classes, codes = np.unique(problem.y, return_inverse=True)
    arrays = {
        "data": X.data,
        "indices": X.indices,
        "indptr": X.indptr,
        "shape": np.array(X.shape),
        "y": codes,
        "classes": classes,
        "vocabulary": np.array(finding.X_names),
    }
    try:
        with whole_file(path) as file:
            np.savez_compressed(file, **arrays, **({} if parts is None else {SPLIT: parts}))
    except OSError as error:
        raise not_written(path, error) from error


def plain(finding: ShapingFinding, problem: Problem, options: ShapeOptions, report: Report) -> dict[str, Any]:
    """All numbers as plain values: both machines, the scores of every column, and the report."""
    return {
        "method": options.method,
        "target": problem.target,
        "shaped_for": list(finding.labels),
        "n_judged": len(finding.raw.rows),
        "class_entropy": float(finding.raw.flow.class_entropy),
        "raw": _delivered(finding.raw),
        "shaped": _delivered(finding.shaped),
        "columns": _plain_scores(finding),
        "report": json.loads(report.json()),
    }


def _plain_scores(finding: ShapingFinding | BlockShapes) -> list[dict[str, Any]]:
    def numbers(scores: FloatArray) -> list[float | None]:
        return [None if np.isnan(score) else score for score in scores.tolist()]

    return [
        {
            "name": name,
            "bns_raw": numbers(finding.raw_scores[:, number]),
            "bns_shaped": numbers(finding.shaped_scores[:, number]),
        }
        for number, name in enumerate(finding.names)
    ]


def publish_blocks(terminal: Terminal, found: BlockShapes, method: str, output: OutputOptions) -> None:
    """Write the files as they are shaped, one after the other, and show the columns."""
    if output.output is not None:
        output.output.mkdir(parents=True, exist_ok=True)
        for name, frame in found.shaped_files():
            write_table(frame, output.output / name)
    n_files = len(found.blocks)
    if output.is_json:
        told = {
            "method": method,
            "target": found.target,
            "shaped_for": list(found.labels),
            "n_files": n_files,
            "n_rows": found.n_rows,
            "columns": _plain_scores(found),
        }
        terminal.show_json(json.dumps(told, ensure_ascii=False))
    else:
        terminal.result("")
        terminal.result(f"Shapes of {found.n_rows:,} rows in {n_files:,} files", style="bold")
        terminal.result("They were counted file by file; no machines were trained, and nothing is judged.")
        _show_scores(terminal, found, output.top)
    if output.output is not None:
        terminal.say(f"shaped files: {output.output}{os.sep}")


def _delivered(judged: Judged) -> dict[str, float]:
    return {"information": float(judged.flow.information), "accuracy": float(judged.flow.accuracy)}


def _show(terminal: Terminal, finding: ShapingFinding, top: int) -> None:
    raw, shaped = finding.raw.flow, finding.shaped.flow
    terminal.result("")
    terminal.result(
        f"Shaped columns deliver {shaped.information:.2f} of {shaped.class_entropy:.2f} bits, raw ones "
        f"{raw.information:.2f}",
        style="bold",
    )
    is_raw_right = finding.raw.predicted == finding.raw.true
    is_shaped_right = finding.shaped.predicted == finding.shaped.true
    terminal.result(
        f"Linear machines on {len(finding.raw.rows):,} rows that they had not seen: accuracy "
        f"{shaped.accuracy:.1%} on shaped columns, {raw.accuracy:.1%} on raw ones. "
        f"{int((is_shaped_right & ~is_raw_right).sum()):,} rows are right only when shaped, "
        f"{int((is_raw_right & ~is_shaped_right).sum()):,} only when raw."
    )
    _show_scores(terminal, finding, top)


def _show_scores(terminal: Terminal, finding: ShapingFinding | BlockShapes, top: int) -> None:
    order = np.argsort(-finding.ranking.max(axis=0), kind="stable")
    shown = order[:top] if top else order
    if len(finding.labels) == 1:
        terminal.result(f"Class {finding.labels[0]} against the rest, by bi-normal separation (BNS):")
        terminal.show_table(_score_table(finding, shown, terminal))
    elif len(finding.labels) <= MOST_CLASSES:
        terminal.result("Bi-normal separation (BNS) of every class from the rest:")
        terminal.show_table(_class_score_table(finding, shown))
    else:
        terminal.result("The columns that separate each class best from the rest, with their BNS:")
        terminal.show_table(_best_table(finding))
        return
    if len(shown) < len(order):
        terminal.result(f"and {len(order) - len(shown):,} more (--top 0 shows all)", style="dim")


def _empty_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))


def _score_table(finding: ShapingFinding | BlockShapes, shown: IntArray, terminal: Terminal) -> Table:
    """The best columns for one class: their scores as they are and shaped."""
    table = _empty_table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("column", overflow="ellipsis", no_wrap=True, max_width=max(12, terminal.width - 60))
    table.add_column("raw", justify="right")
    table.add_column("shaped", justify="right")
    table.add_column("", no_wrap=True, style="blue")
    ranking = finding.ranking[0]
    largest = float(ranking.max())
    for rank, number in enumerate(shown.tolist(), start=1):
        table.add_row(
            str(rank),
            Text(finding.names[number]),
            aligned(finding.raw_scores[0, number], 3),
            aligned(finding.shaped_scores[0, number], 3),
            bar(float(ranking[number]), largest, _BAR_WIDTH, is_ascii=terminal.is_ascii),
        )
    return table


def _class_score_table(finding: ShapingFinding | BlockShapes, shown: IntArray) -> Table:
    """The best columns, with their scores for each of a few classes."""
    table = _empty_table()
    table.add_column("#", justify="right", style="dim")
    table.add_column("column", overflow="ellipsis", no_wrap=True)
    for label in finding.labels:
        table.add_column(Text(label), justify="right", overflow="ellipsis", no_wrap=True)
    for rank, number in enumerate(shown.tolist(), start=1):
        scores: FloatArray = finding.ranking[:, number]
        cells = [
            Text(aligned(score, 3), style="bold" if score == scores.max() else "")
            for score in scores.tolist()
        ]
        table.add_row(str(rank), Text(finding.names[number]), *cells)
    return table


def _best_table(finding: ShapingFinding | BlockShapes) -> Table:
    """For each of many classes the columns that separate it best."""
    table = _empty_table()
    table.add_column("class", overflow="ellipsis", no_wrap=True)
    table.add_column("columns")
    for label, scores in zip(finding.labels, finding.ranking, strict=True):
        best = np.argsort(-scores, kind="stable")[:_NAMES_OF_A_CLASS].tolist()
        words = ", ".join(f"{finding.names[number]} ({aligned(scores[number], 2)})" for number in best)
        table.add_row(Text(label), Text(words))
    return table
