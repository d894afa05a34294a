"""How the constants of the stability estimate were chosen: on designs that no result is reported on.

``python -m error_control.calibration`` from ``experiments`` goes on where it stopped; each draw is a line of
``calibration.jsonl``, and the table is printed at the end. Two estimates are compared in every draw: by the
formula, with several exponents, and by 9 sets of shuffled copies.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from error_control.designs import CALIBRATION, Problem

from infoprop.selection import StabilitySelector

HERE = Path(__file__).resolve().parent
LEVELS, EXPONENTS = (0.1, 0.2), (3, 4, 5)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the draws that are missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin no draw after so many")
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to")
    options = parser.parse_args(arguments)
    journal = options.output / "calibration.jsonl"
    lines = _read(journal)
    done = {(line["design"], line["seed"]) for line in lines}
    until = monotonic() + 60.0 * options.minutes
    for seed in range(options.draws):
        for name, design in CALIBRATION.items():
            if (name, seed) in done or monotonic() > until:
                continue
            made = [{"design": name, "seed": seed} | outcome for outcome in outcomes(design(seed), seed)]
            with journal.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in made)
            lines += made
    print(table(lines))
    return 0


def outcomes(problem: Problem, seed: int, n_pairs: int = 25) -> Iterator[dict[str, Any]]:
    """Rank once without copies and once with them, then estimate by each rule."""
    groups = None if problem.groups is None else problem.groups.tolist()
    for n_copies in (0, 9):
        selector = StabilitySelector(n_pairs=n_pairs, n_copies=n_copies, groups=groups, random_state=seed)
        known = selector.fit(problem.X, problem.y).stability_
        for exponent in EXPONENTS if n_copies == 0 else (known.exponent,):
            q_values = replace(known, exponent=exponent).q_values
            rule = "copies" if n_copies else f"exponent {exponent}"
            for level in LEVELS:
                chosen = np.flatnonzero(q_values <= level)
                hits = len(np.intersect1d(chosen, problem.real))
                yield {
                    "rule": rule,
                    "level": level,
                    "power": round(100.0 * hits / max(1, len(problem.real)), 2),
                    "false": round(100.0 * (len(chosen) - hits) / max(1, len(chosen)), 2),
                    "chosen": len(chosen),
                }


def table(lines: Sequence[dict[str, Any]]) -> str:
    """Power and share of false features by design, rule and level: mean over the draws, in percent."""
    rows = []
    for key in dict.fromkeys((line["design"], line["rule"], line["level"]) for line in lines):
        own = [line for line in lines if (line["design"], line["rule"], line["level"]) == key]
        power, false = (np.mean([line[measure] for line in own]) for measure in ("power", "false"))
        shares = f"power {power:3.0f} %, false {false:3.0f} %"
        rows.append(f"{key[0]:16} {key[1]:11} q={key[2]}: {shares}, {len(own)} draws")
    return "\n".join(rows)


def _read(journal: Path) -> list[dict[str, Any]]:
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
