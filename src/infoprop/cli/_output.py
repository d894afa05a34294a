"""Files that a command writes: checked before the work, written after it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from infoprop._core._exceptions import DataError, ParameterError
from infoprop.cli._options import OutputOptions

if TYPE_CHECKING:
    import polars

    from infoprop.report import ComparisonReport, Report

TABLE_ENDINGS = (".csv", ".parquet", ".json")
REPORT_ENDINGS = (".html", ".md", ".json")
MODEL_ENDINGS = (".skops",)


def check_files(
    output: OutputOptions,
    source: Path,
    checkpoint: Path | None = None,
    endings: tuple[str, ...] = TABLE_ENDINGS,
) -> None:
    """Refuse files that could not be written, or that would overwrite each other, before any work."""
    check_writable(output.output, "--output", endings, source)
    check_writable(output.report, "--report", REPORT_ENDINGS, source)
    check_writable(output.model, "--model", MODEL_ENDINGS, source)
    check_writable(checkpoint, "--checkpoint", None, source)
    files = {
        "--output": output.output,
        "--report": output.report,
        "--model": output.model,
        "--checkpoint": checkpoint,
    }
    seen: dict[Path, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        other = seen.setdefault(path.absolute(), option)
        if other != option:
            raise ParameterError(f"{other} and {option} name the same file, {path}.")


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
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ParameterError(f"{option} {path} cannot be written: permission denied.")
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise ParameterError(f"{option} {path} would overwrite the data.")


def write_table(frame: "polars.DataFrame", path: Path) -> None:
    """Write `frame` in the format that the ending of `path` names."""
    ending = path.suffix.lower()
    try:
        if ending == ".csv":
            frame.write_csv(path)
        elif ending == ".parquet":
            frame.write_parquet(path)
        else:
            frame.write_json(path)
    except OSError as error:
        raise not_written(path, error) from error


def write_report(report: "Report | ComparisonReport", path: Path) -> None:
    """Write `report` in the format that the ending of `path` names."""
    ending = path.suffix.lower()
    write = {".html": report.write_html, ".md": report.write_markdown, ".json": report.write_json}[ending]
    try:
        write(path)
    except OSError as error:
        raise not_written(path, error) from error


def not_written(path: Path, error: OSError) -> DataError:
    """Say why a file could not be written after all."""
    return DataError(f"{path} could not be written: {error.strerror or error}.")
