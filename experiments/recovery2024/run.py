"""Which columns decide? Recall of the relevant columns at every width; see settings.toml for what is run."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from ledger import Number
from recovery2024.drawing import draw_figure
from recovery2024.problems import PROBLEMS, draw
from recovery2024.rankers import RANKERS
from running import run_experiment

HERE = Path(__file__).resolve().parent
Draws = dict[tuple[str, str, int, int], tuple[float, float]]
"""Recall and processor seconds by problem, method, width and seed."""


def run_draw(problem: str, method: str, width: int, seed: int, n_rows: int) -> tuple[float, float]:
    """Share of the relevant columns among as many best ones, and processor seconds of the ranking."""
    X, y, n_relevant = draw(problem, n_rows, width, seed)
    begin = time.process_time()
    best = RANKERS[method](X, y, seed)[:n_relevant]
    return float(np.mean(best < n_relevant)), time.process_time() - begin


def planned(part: Mapping[str, Any], run: Mapping[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    """All draws of a part: what is slow has fewer, or fewer columns, as the settings say."""
    problem = part["problem"]
    widths = [p for p in run["widths"] if p >= PROBLEMS[problem][0]]
    for method in RANKERS:
        limits = run["methods"][method]
        for width in widths:
            if width <= limits.get("widest", width):
                for seed in range(min(limits["draws"], run["most_draws"])):
                    yield problem, method, width, run["first_seed"] + seed


def run_part(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run the draws that are not there yet, and summarise."""
    kept = output / f"draws-{part['name']}.jsonl"
    draws = _read(kept)
    missing = [key for key in planned(part, run) if key not in draws]
    with kept.open("a", encoding="utf-8") as file:
        work = Parallel(n_jobs=run["n_jobs"], return_as="generator")
        results = work(delayed(run_draw)(*key, run["n_rows"]) for key in missing)
        for key, (recall, seconds) in zip(missing, results, strict=True):
            draws[key] = (recall, seconds)
            file.write(json.dumps([*key, recall, round(seconds, 3)]) + "\n")
            file.flush()
    wanted = {key: draws[key] for key in planned(part, run)}
    draw_figure(wanted, part, output / "figures" / f"{part['name']}.png")
    return _numbers(part, run, wanted)


def _read(path: Path) -> Draws:
    """Draws of an earlier run; a line that was cut off by a kill is drawn again."""
    draws: Draws = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                problem, method, width, seed, recall, seconds = json.loads(line)
            except ValueError:
                continue
            draws[problem, method, width, seed] = (recall, seconds)
    return draws


def _numbers(part: Mapping[str, Any], run: Mapping[str, Any], draws: Draws) -> dict[str, Number]:
    """Means over all widths, then the recall at each width."""
    numbers: dict[str, Number] = {}
    for method, limits in run["methods"].items():
        mine = {key: value for key, value in draws.items() if key[1] == method}
        widths = sorted({width for _, _, width, _ in mine})
        place = {"part": part["name"], "row": limits["title"], "unit": "%"}
        seeds = sorted({seed for *_, seed in mine})
        means = [100.0 * float(np.mean([v[0] for k, v in mine.items() if k[3] == seed])) for seed in seeds]
        widest = f"p = {widths[0]} … {widths[-1]}"
        numbers[f"{part['name']}/{method}"] = Number.of(
            means, table=f"mean over widths, {widest}", measure="recall", **place
        )
        for width in (width for width in widths if width in run["shown"]):
            recalls = [100.0 * v[0] for k, v in mine.items() if k[2] == width]
            numbers[f"{part['name']}/{method}/{width}"] = Number.of(
                recalls, table="recall by width", measure=f"p = {width}", **place
            )
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    return run_experiment(HERE, run_part, arguments)


if __name__ == "__main__":
    sys.exit(main())
