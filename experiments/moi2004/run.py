"""Re-run the experiments of the MOI paper; see settings.toml for what is run and why."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from infoprop2001.problems import DataNotHereError
from ledger import Number, read_expected, read_results, read_settings, unexplained, write_results
from moi2004 import mlp_corral, svm_corral
from moi2004.curves import run_curves
from moi2004.mlp_parity import run_parity
from moi2004.tables import run_table
from pages import render_experiment

HERE = Path(__file__).resolve().parent

PROTOCOLS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any], Path], dict[str, Number]]] = {
    "corral, SVM": svm_corral.run_corral,
    "corral, MLP": mlp_corral.run_corral,
    "parity, MLP": run_parity,
    "curves": run_curves,
    "table": run_table,
}
"""What the ``protocol`` of a part of the settings stands for."""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="moi2004.run", description="Re-run the MOI paper.")
    parser.add_argument("--quick", action="store_true", help="few repetitions on few rows")
    parser.add_argument("--part", help="one data set only; numbers of the others are kept")
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    options = parse(arguments)
    settings, expected = read_settings(HERE), read_expected(HERE)
    parts = {part["name"]: part for part in settings["part"]}
    if options.part is not None and options.part not in parts:
        print(f"There is no part {options.part!r}. There are: {', '.join(parts)}.", file=sys.stderr)
        return 2
    run = settings["run"] | (settings["quick"] if options.quick else {})
    options.output.mkdir(parents=True, exist_ok=True)
    results = read_results(options.output)
    for name in [options.part] if options.part else parts:
        print(f"moi2004: {parts[name]['title']} ...", file=sys.stderr, flush=True)
        try:
            numbers = PROTOCOLS[parts[name]["protocol"]](parts[name], run, options.output)
            results = _replaced(results, name, numbers, list(parts))
        except DataNotHereError as error:
            print(f"Skipped {parts[name]['title']}: {error}. What was known of it is kept.", file=sys.stderr)
        write_results(options.output, results)
    page = render_experiment(HERE.name, settings, expected, results)
    (options.output / "README.md").write_text(page, encoding="utf-8")
    missing = [] if options.quick else unexplained(expected, results, settings)
    if missing:
        print(f"settings.toml has no sentence on why these differ: {', '.join(missing)}.", file=sys.stderr)
    return 1 if missing else 0


def _replaced(
    results: Mapping[str, Number], name: str, numbers: Mapping[str, Number], parts: Sequence[str]
) -> dict[str, Number]:
    """The numbers of one part replaced, all in the order of the parts; what left the settings is dropped."""
    by_part = {part: {k: n for k, n in results.items() if n.part == part} for part in parts}
    by_part[name] = dict(numbers)
    return {key: number for part in parts for key, number in by_part[part].items()}


if __name__ == "__main__":
    sys.exit(main())
