"""Does error control hold? Every row of the table, draw by draw; what is done is kept, and not done again.

``python -m error_control.study`` from ``experiments`` goes on with the full run, ``--quick`` sees that it
runs (below ``build``). Draws are done in turn for all rows, so that a run that is stopped has some of each;
``--minutes`` stops it. Each draw is a line of ``draws.jsonl``, with its seed.
"""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from error_control.rows import Row, all_rows
from infoprop2001.problems import DataNotHereError
from pages import markdown_table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
QUICK_OUTPUT = ROOT / "build" / "experiments" / HERE.name
WORDS = {
    "power": "power",
    "false": "false discovery rate",
    "some": "something chosen",
    "seconds": "seconds",
    "chosen": "features chosen",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the draws that are missing, then write the page."""
    options = _parse(arguments)
    output = options.output or (QUICK_OUTPUT if options.quick else HERE)
    output.mkdir(parents=True, exist_ok=True)
    journal = output / "draws.jsonl"
    rows = all_rows(Path(os.environ.get("INFOPROP_DATA", ROOT.parent / "shared" / "data")))
    rows = [row for row in rows if options.row is None or row.key in options.row]
    done = _read(journal)
    until = monotonic() + 60.0 * options.minutes
    tasks = sorted(
        (seed, place)
        for place, row in enumerate(rows)
        for seed in range(row.n_quick if options.quick else row.n_draws)
        if (row.key, seed) not in done
    )
    for seed, place in tasks:
        if monotonic() > until:
            print("Out of time; the same command goes on.", file=sys.stderr)
            break
        _do(rows[place], seed, journal)
    (output / "README.md").write_text(page(all_rows(Path()), _read(journal)), encoding="utf-8")
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="error_control.study", description="Does error control hold?")
    parser.add_argument("--quick", action="store_true", help="a draw of most rows, to see that it runs")
    parser.add_argument("--row", action="append", help="this row only; may be repeated")
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin no draw after so many")
    parser.add_argument("--output", type=Path, help="folder to write to")
    return parser.parse_args(arguments)


def _do(row: Row, seed: int, journal: Path) -> None:
    print(f"{row.key}, seed {seed} ...", file=sys.stderr, flush=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = row.draw(seed)
    except DataNotHereError as error:
        print(f"Skipped {row.key}: {error}.", file=sys.stderr)
        return
    line = {"row": row.key, "seed": seed} | {name: round(float(value), 3) for name, value in outcome.items()}
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _read(journal: Path) -> dict[tuple[str, int], dict[str, Any]]:
    if not journal.exists():
        return {}
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    return {(line["row"], line["seed"]): line for line in lines}


def page(rows: Sequence[Row], done: Mapping[tuple[str, int], Mapping[str, Any]]) -> str:
    """Write the page from the draws alone."""
    cells = []
    for row in rows:
        draws = [line for (key, _), line in done.items() if key == row.key]
        known: tuple[str, ...] = ()
        if draws and "chosen" in draws[0]:
            known = ("false", "power") if "power" in draws[0] else ("chosen",)
        measures = [*row.wanted, *known] or ["seconds"] * bool(draws)
        for measure in dict.fromkeys(measures):
            sign, bound = row.wanted.get(measure, ("", np.nan))
            got, verdict = _got(draws, measure, sign, bound)
            if verdict and len(draws) < row.n_draws:
                verdict = f"so far {verdict}"
            wanted = f"{sign} {bound:g}{_unit(measure)}".replace("<=", "≤").replace(">=", "≥") if sign else ""
            cells.append([row.title, WORDS[measure], wanted, got, f"{len(draws)} of {row.n_draws}", verdict])
    table = markdown_table(["test", "measure", "wanted", "got", "draws", "met"], cells)
    return (HERE / "page.md").read_text(encoding="utf-8").replace("TABLE", "\n".join(table))


def _got(draws: Sequence[Mapping[str, Any]], measure: str, sign: str, bound: float) -> tuple[str, str]:
    if not draws:
        return "not run", ""
    values = np.array([line[measure] for line in draws])
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    spread = "" if np.isnan(error) else f" ± {error:.1f}"
    text = f"{values.mean():.1f}{spread}{_unit(measure)}"
    # A rate is met if it is within two standard errors of what is wanted, as few draws cannot say more.
    slack = 0.0 if np.isnan(error) or measure != "false" else 2.0 * error
    if not sign:
        return text, ""
    met = values.mean() <= bound + slack if sign == "<=" else values.mean() >= bound
    return text, "yes" if met else "no"


def _unit(measure: str) -> str:
    return {"seconds": " s", "chosen": ""}.get(measure, " %")


if __name__ == "__main__":
    sys.exit(main())
