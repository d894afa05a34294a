"""Re-run the experiments of the SVM-Infoprop paper; see settings.toml for what is run and why."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infoprop2001.claims import KINDS
from infoprop2001.drawing import draw_credits
from infoprop2001.problems import DataNotHereError, Problem, Split, load_problem
from infoprop2001.protocols import (
    PaperOutcome,
    build_machine,
    run_held_out,
    run_mutual_information,
    run_paper,
)
from ledger import (
    Number,
    read_expected,
    read_results,
    read_settings,
    unexplained,
    write_results,
)
from pages import render_experiment

from infoprop.metrics import InformationFlow

HERE = Path(__file__).resolve().parent
COMPARISON = "table-5"
"""Part that is made of all the others: full features, across data sets."""


@dataclass
class Tally:
    """Values of the quantities of one part, draw by draw, in the order in which they first came up."""

    part: str
    values: dict[str, list[float]] = field(default_factory=dict)
    places: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, key: str, value: float, *, table: str, row: str, measure: str, unit: str) -> None:
        """Add one draw's value of the quantity ``part/key``."""
        self.values.setdefault(key, []).append(value)
        self.places[key] = {"table": table, "row": row, "measure": measure, "unit": unit}

    def add_flow(self, key: str, flow: InformationFlow, row: str) -> None:
        """Add accuracy and relative information of one draw."""
        place = {"table": "features", "row": row, "unit": "%"}
        self.add(f"{key}/accuracy", 100.0 * flow.accuracy, measure="accuracy", **place)
        self.add(
            f"{key}/relative", 100.0 * flow.relative_information, measure="relative information", **place
        )

    def numbers(self) -> dict[str, Number]:
        """Mean and spread of everything added."""
        return {
            f"{self.part}/{key}": Number.of(values, part=self.part, **self.places[key])
            for key, values in self.values.items()
        }


def run_part(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run one data set, draw its figure, and return its numbers and its line of Table 5."""
    run = {**run, "draws": min(run["draws"], part.get("draws", run["draws"]))}
    problem = load_problem(part["source"], run.get("most_rows"))
    tally = Tally(part["name"])
    comparison = Tally(COMPARISON)
    for what, count in problem.facts.items():
        tally.add(what, count, table="data", row=f"{what} kept", measure="count", unit="rows")
    credits = []
    for number, split in enumerate(problem.splits(run["draws"], run["seed"])):
        outcome = _run_draw(part, run, problem, split, run["seed"] + number, tally)
        credits.append(outcome.credits)
        _compare(part, outcome.full, comparison)
    if problem.official is not None:
        _run_fixed(part, run, problem, problem.official, tally)
    for trained_on, split in problem.in_time.items():
        _run_in_time(part, run, problem, split, trained_on, tally)
    for variant in part.get("variant", []):
        _run_variant(part, variant, run, problem, tally)
    draw_credits(credits, part["figure"], output / "figures" / f"{part['name']}.png")
    return tally.numbers() | comparison.numbers()


def _run_draw(
    part: Mapping[str, Any], run: Mapping[str, Any], problem: Problem, split: Split, seed: int, tally: Tally
) -> PaperOutcome:
    """One split: all features, the paper's subsets, and their rivals."""
    machine = build_machine(part["machine"], run, scaled=part.get("scaled", False))
    subsets = part.get("subsets", [])
    outcome = run_paper(machine, split, subsets, problem.feature_names)
    tally.add_flow("all", outcome.full, "all")
    for size, flow in outcome.best.items():
        tally.add_flow(f"{size}", flow, f"best {size}, credited on the test rows")
    if part.get("mutual_information"):
        for size, flow in run_mutual_information(machine, split, subsets).items():
            tally.add_flow(f"{size}-mutual-information", flow, f"best {size} by mutual information")
    if problem.official is None:
        _add_held_out(machine, part, run, split, seed, tally)
    if part.get("count_support"):
        place = {"table": "machines", "row": "support vectors of a machine", "measure": "mean"}
        tally.add("support", outcome.support_vectors, unit="vectors", **place)
    for claim in part.get("claim", []):
        holds, unit = KINDS[claim["kind"]]
        place = {"table": "credits", "row": claim["row"], "measure": "count", "unit": unit}
        tally.add(claim["key"], holds(outcome.credits, claim), **place)
    return outcome


def _add_held_out(
    machine: Any, part: Mapping[str, Any], run: Mapping[str, Any], split: Split, seed: int, tally: Tally
) -> None:
    flows = run_held_out(machine, split, part.get("subsets", []), validation=run["validation"], seed=seed)
    for size, flow in flows.items():
        tally.add_flow(f"{size}-held-out", flow, f"best {size}, credited on held-out training rows")


def _run_fixed(
    part: Mapping[str, Any], run: Mapping[str, Any], problem: Problem, official: Split, tally: Tally
) -> None:
    """What a published split cannot tell: the luck in the held-out rows, and in the split."""
    machine = build_machine(part["machine"], run, scaled=part.get("scaled", False))
    for seed in range(run["seed"], run["seed"] + run["draws"]):
        _add_held_out(machine, part, run, official, seed, tally)
    for split in problem.resplits(run["draws"], run["seed"]):
        outcome = run_paper(machine, split, part["subsets"], problem.feature_names)
        tally.add_flow("all-resplit", outcome.full, "all, random splits")
        for size, flow in outcome.best.items():
            row = f"best {size}, credited on the test rows, random splits"
            tally.add_flow(f"{size}-resplit", flow, row)


def _run_in_time(
    part: Mapping[str, Any],
    run: Mapping[str, Any],
    problem: Problem,
    split: Split,
    trained_on: str,
    tally: Tally,
) -> None:
    """The paper's comparison on a split by date instead of at random."""
    machine = build_machine(part["machine"], run, scaled=part.get("scaled", False))
    outcome = run_paper(machine, split, part["subsets"], problem.feature_names)
    tally.add_flow(f"all-{trained_on}", outcome.full, f"all, trained on the {trained_on} articles")
    for size, flow in outcome.best.items():
        row = f"best {size}, credited on the test rows, trained on the {trained_on} articles"
        tally.add_flow(f"{size}-{trained_on}", flow, row)
    for size, flow in run_mutual_information(machine, split, part["subsets"]).items():
        row = f"best {size} by mutual information, trained on the {trained_on} articles"
        tally.add_flow(f"{size}-mutual-information-{trained_on}", flow, row)


def _run_variant(
    part: Mapping[str, Any],
    variant: Mapping[str, Any],
    run: Mapping[str, Any],
    problem: Problem,
    tally: Tally,
) -> None:
    """The paper's protocol with another machine."""
    scaled = variant.get("scaled", part.get("scaled", False))
    subsets = variant.get("subsets", part.get("subsets", []))
    machine = build_machine({**part["machine"], **variant["machine"]}, run, scaled=scaled)
    for split in problem.splits(run["draws"], run["seed"]):
        outcome = run_paper(machine, split, subsets, problem.feature_names)
        tally.add_flow(f"all-{variant['key']}", outcome.full, f"all, {variant['row']}")
        for size, flow in outcome.best.items():
            tally.add_flow(f"{size}-{variant['key']}", flow, f"best {size}, {variant['row']}")


def _compare(part: Mapping[str, Any], flow: InformationFlow, comparison: Tally) -> None:
    """Add one draw to the data set's line of Table 5."""
    place = {"table": "data", "row": part["title"]}
    major = 100.0 * float(flow.counts.sum(axis=1).max() / flow.counts.sum())
    for key, measure, value, unit in (
        ("major", "major class", major, "%"),
        ("entropy", "class entropy H_d", flow.class_entropy, "bits"),
        ("information", "information H_svm", flow.information, "bits"),
        ("accuracy", "accuracy", 100.0 * flow.accuracy, "%"),
    ):
        comparison.add(f"{part['name']}/{key}", value, measure=measure, unit=unit, **place)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="infoprop2001.run", description="Re-run the SVM-Infoprop paper.")
    parser.add_argument("--quick", action="store_true", help="few repetitions on few rows")
    parser.add_argument("--part", help="one data set only; numbers of the others are kept")
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    options = parse(arguments)
    settings, expected = read_settings(HERE), read_expected(HERE)
    parts = {part["name"]: part for part in settings["part"] if part["name"] != COMPARISON}
    if options.part is not None and options.part not in parts:
        print(f"There is no part {options.part!r}. There are: {', '.join(parts)}.", file=sys.stderr)
        return 2
    run = settings["run"] | (settings["quick"] if options.quick else {})
    options.output.mkdir(parents=True, exist_ok=True)
    results = read_results(options.output)
    for name in [options.part] if options.part else parts:
        print(f"infoprop2001: {parts[name]['title']} ...", file=sys.stderr, flush=True)
        try:
            results = _ordered(results | run_part(parts[name], run, options.output), settings)
        except DataNotHereError as error:
            print(f"Skipped {parts[name]['title']}: {error}. What was known of it is kept.", file=sys.stderr)
        write_results(options.output, results)
    page = render_experiment(HERE.name, settings, expected, results)
    (options.output / "README.md").write_text(page, encoding="utf-8")
    missing = [] if options.quick else unexplained(expected, results, settings)
    if missing:
        print(f"settings.toml has no sentence on why these differ: {', '.join(missing)}.", file=sys.stderr)
    return 1 if missing else 0


def _ordered(results: Mapping[str, Number], settings: Mapping[str, Any]) -> dict[str, Number]:
    """Numbers in the order of the parts, whichever was run last; what left the settings is dropped."""
    names = [part["name"] for part in settings["part"]]

    def place(key: str) -> tuple[int, int]:
        part, second, *_ = key.split("/")
        return names.index(part), names.index(second) if part == COMPARISON else 0

    return {key: results[key] for key in sorted((k for k in results if k.split("/")[0] in names), key=place)}


if __name__ == "__main__":
    sys.exit(main())
