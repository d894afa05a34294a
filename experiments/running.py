"""How an experiment is run: its command line, its parts one after the other, its numbers and its page."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from infoprop2001.problems import DataNotHereError
from ledger import Number, read_expected, read_results, read_settings, unexplained, write_results
from pages import render_experiment

RunPart = Callable[[Mapping[str, Any], Mapping[str, Any], Path], dict[str, Number]]
"""Runs a part, given its settings, those of the run, and the folder to write figures to."""


def run_experiment(folder: Path, run_part: RunPart, arguments: Sequence[str] | None) -> int:
    """Run what the command line asks for, keep the numbers, write the page.

    Returns 0; 1 if a number differs from the published one and no sentence says why; 2 for a part that is
    not there.
    """
    name = folder.name
    options = _parse(name, folder, arguments)
    settings, expected = read_settings(folder), read_expected(folder)
    parts = {part["name"]: part for part in settings["part"]}
    if options.part is not None and options.part not in parts:
        print(f"There is no part {options.part!r}. There are: {', '.join(parts)}.", file=sys.stderr)
        return 2
    run = settings["run"] | (settings["quick"] if options.quick else {})
    options.output.mkdir(parents=True, exist_ok=True)
    results = read_results(options.output)
    for part in [parts[options.part]] if options.part else parts.values():
        print(f"{name}: {part['title']} ...", file=sys.stderr, flush=True)
        try:
            results = _replaced(results, part["name"], run_part(part, run, options.output), list(parts))
        except DataNotHereError as error:
            print(f"Skipped {part['title']}: {error}. What was known of it is kept.", file=sys.stderr)
        write_results(options.output, results)
    page = render_experiment(name, settings, expected, results)
    (options.output / "README.md").write_text(page, encoding="utf-8")
    missing = [] if options.quick else unexplained(expected, results, settings)
    if missing:
        print(f"settings.toml has no sentence on why these differ: {', '.join(missing)}.", file=sys.stderr)
    return 1 if missing else 0


def _parse(name: str, folder: Path, arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"{name}.run", description="Re-run the paper.")
    parser.add_argument("--quick", action="store_true", help="few repetitions on few rows")
    parser.add_argument("--part", help="one part only; numbers of the others are kept")
    parser.add_argument("--output", type=Path, default=folder, help="folder to write to")
    return parser.parse_args(arguments)


def _replaced(
    results: Mapping[str, Number], name: str, numbers: Mapping[str, Number], parts: Sequence[str]
) -> dict[str, Number]:
    """The numbers of one part replaced, all in the order of the parts; what left the settings is dropped."""
    by_part = {part: {k: n for k, n in results.items() if n.part == part} for part in parts}
    by_part[name] = dict(numbers)
    return {key: number for part in parts for key, number in by_part[part].items()}
