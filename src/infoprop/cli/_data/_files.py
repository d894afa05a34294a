"""Files that a command writes: checked before the work, written after it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from infoprop._core._exceptions import ParameterError
from infoprop._core._formulas import without_formulas
from infoprop._core._writing import not_written, whole_file
from infoprop.cli._grammar._options import OutputOptions

if TYPE_CHECKING:
    import polars

    from infoprop.report import ComparisonReport, Report

TABLE_ENDINGS = (".csv", ".parquet", ".json")
H5AD = ".h5ad"
REPORT_ENDINGS = (".html", ".md", ".json")
MODEL_ENDINGS = (".skops",)

_BEGINNING_OF_NUMBERS = b'{\n  "schema": '
"""How the JSON of every report begins."""


def check_files(
    output: OutputOptions,
    source: Path,
    checkpoint: Path | None = None,
    endings: tuple[str, ...] = TABLE_ENDINGS,
) -> None:
    """Refuse files that could not be written, or that would overwrite each other, before any work."""
    check_writable(output.output, "--output", endings, source)
    if output.chosen_only and (output.output is None or output.output.suffix.lower() == H5AD):
        raise ParameterError("--chosen-only cuts the table of --output; name a .csv, .parquet or .json file.")
    check_report(output.report, source)
    check_writable(output.model, "--model", MODEL_ENDINGS, source)
    check_writable(checkpoint, "--checkpoint", None, source)
    files = {
        "--output": (output.output,),
        "--report": report_files(output.report),
        "--model": (output.model,),
        "--checkpoint": (checkpoint,),
    }
    seen: dict[Path, str] = {}
    for option, path in ((option, path) for option, paths in files.items() for path in paths if path):
        other = seen.setdefault(path.absolute(), option)
        if other != option:
            raise ParameterError(f"{other} and {option} would both write {path}; name another file.")


def report_files(report: Path | None) -> tuple[Path, ...]:
    """Files that a report is written to: a page has its numbers beside it.

    >>> [file.name for file in report_files(Path("wine.html"))]
    ['wine.html', 'wine.json']
    """
    if report is None:
        return ()
    return (report, report.with_suffix(".json")) if report.suffix.lower() == ".html" else (report,)


def check_report(report: Path | None, source: Path | None = None) -> None:
    """Refuse a report that could not be written, or whose numbers would overwrite what is no report."""
    check_writable(report, "--report", REPORT_ENDINGS, source)
    for numbers in report_files(report)[1:]:
        # Nobody named this file, so nothing else may be lost in its place.
        words = "--report writes JSON beside its page, but"
        check_writable(numbers, words, None, source)
        if numbers.exists() and not _holds_numbers(numbers):
            raise ParameterError(f"{words} {numbers} is not a report; give the page another name.")


def _holds_numbers(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_BEGINNING_OF_NUMBERS)) == _BEGINNING_OF_NUMBERS
    except OSError:
        return False


def check_writable(
    path: Path | None, option: str, endings: tuple[str, ...] | None, source: Path | None = None
) -> None:
    """Refuse a file that could not be written at the end of the work, or that is its own input.

    `endings` are those its name may have; None allows any.
    """
    if path is None:
        return
    if endings is not None and path.suffix.lower() not in endings:
        words = " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))
        raise ParameterError(f"{option} {path} must end in {words}.")
    if path.is_dir():
        raise ParameterError(f"{option} {path} is a folder; give the name of a file.")
    folder = path.parent
    if not folder.is_dir():
        raise ParameterError(f"{option} {path} cannot be written: there is no folder {folder}.")
    # A file is replaced by another one in its folder; a device or a pipe is written to.
    target = Path(os.path.realpath(path))
    places = ([target] if target.exists() else []) + ([] if _is_device(target) else [target.parent])
    if not all(os.access(place, os.W_OK) for place in places):
        raise ParameterError(f"{option} {path} cannot be written: permission denied.")
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise ParameterError(f"{option} {path} would overwrite the data.")


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def write_table(frame: "polars.DataFrame", path: Path, *, is_raw: bool = False) -> None:
    """Write `frame` in the format that the ending of `path` names; `is_raw` lets a .csv hold formulas."""
    from polars.exceptions import ComputeError  # what a full disk is called by its writer of Parquet

    ending = path.suffix.lower()
    if ending == ".csv" and not is_raw:
        frame = without_formulas(frame)
    try:
        with whole_file(path) as file:
            if ending == ".csv":
                frame.write_csv(file)
            elif ending == ".parquet":
                frame.write_parquet(file)
            else:
                frame.write_json(file)
    except (OSError, ComputeError) as error:
        raise not_written(path, error) from error


def write_report(report: "Report | ComparisonReport", path: Path) -> None:
    """Write `report` in the format that the ending of `path` names, a page with its numbers beside it."""
    writers = {".html": report.write_html, ".md": report.write_markdown, ".json": report.write_json}
    for file in report_files(path):
        try:
            writers[file.suffix.lower()](file)
        except OSError as error:
            raise not_written(file, error) from error


def tell_files(say: Callable[[str], None], files: Mapping[str, Path | None], model_rows: str = "all") -> None:
    """Say where each of `files` lies, by what it is; None was not asked for.

    >>> tell_files(print, {"credits": None, "report": Path("wine.html"), "model": Path("wine.skops")})
    report written to wine.html and wine.json
    model, trained on all rows, written to wine.skops
    """
    for what, path in files.items():
        if path is not None:
            written = report_files(path) if what == "report" else (path,)
            how = f", trained on {trained_on(model_rows)}," if what == "model" else ""
            say(f"{what}{how} written to {' and '.join(map(str, written))}")


def trained_on(model_rows: str) -> str:
    """The rows that a model is trained on, in words."""
    return "the training rows" if model_rows == "train" else "all rows"
