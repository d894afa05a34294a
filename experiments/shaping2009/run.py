"""Re-run the study of the feature shaping paper; see settings.toml for what is run and why."""

import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from infoprop2001.run import Tally
from ledger import Number
from running import run_experiment
from shaping2009.drawing import draw_curves, draw_lesions, draw_tasks
from shaping2009.study import Study
from shaping2009.summary import MEASURES, Outcomes
from shaping2009.tables import (
    add_claim,
    add_comparison,
    add_curve,
    add_data,
    add_difference,
    add_folds,
    add_losses,
    add_rankings,
    add_search,
    add_sets,
    add_variants,
)

HERE = Path(__file__).resolve().parent
PAPER = ("baseline", "scaling", "shaping")
WHOLE = 90
"""Training rows of a fold without subsampling, in percent of all rows."""


class Desk:
    """What a part has at hand: its settings, its bundles, finished, and where numbers and figure go."""

    def __init__(self, part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> None:
        self.part, self.run, self.output = part, run, output
        self.tally = Tally(part["name"])
        self.path = output / "figures" / f"{part['name']}.png"
        self.study = Study(run, output)
        self.study.complete(part.get("bundles", []))

    def title(self, outcomes: Outcomes) -> str:
        """Title of the figure, with the number of tasks and folds that are drawn."""
        found = {"tasks": len(outcomes.tasks), "folds": outcomes.n_folds}
        return str(self.part["figure"]["title"]).format(**found)

    def outcomes(self) -> Outcomes:
        """Results of the part's bundles."""
        return Outcomes(self.study, self.part["bundles"])


def run_part(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Do what has not been done yet for this part, draw its figure, and return its numbers."""
    desk = Desk(part, run, output)
    PROTOCOLS[part["protocol"]](desk)
    return desk.tally.numbers()


def _data(desk: Desk) -> None:
    add_data(desk.tally, desk.run)
    add_folds(desk.tally, desk.study, desk.part["folds"])


def _curve(desk: Desk) -> None:
    """One of the learning curves."""
    outcomes, measure = desk.outcomes(), desk.part["measure"]
    add_curve(desk.tally, outcomes, measure)
    _claims(desk, outcomes)
    if measure == "auc":
        easy = int((outcomes.of_tasks("baseline", WHOLE, "auc") > 99.0).sum())
        place = {"table": "tasks without headroom", "measure": "number", "unit": "rows"}
        desk.tally.add("easy", easy, row="baseline above 99 %, 90 % of the rows", **place)
    if measure in desk.part.get("ranked", []):
        add_rankings(desk.tally, outcomes, measure)
    for size in outcomes.sizes if desk.part.get("calibrated") else []:
        for variant in desk.part["calibrated"]:
            place = {"table": "ways to calibrate", "row": f"{outcomes.rows[variant]}, {size} %", "unit": "%"}
            for own in ("accuracy", "f"):
                value = outcomes.mean(variant, size, own)
                desk.tally.add(f"{size}/{_id(variant)}/{own}", value, measure=MEASURES[own], **place)
    draw_curves(outcomes, PAPER, [measure], desk.title(outcomes), desk.path)


def _id(variant: str) -> str:
    """A variant's name in ids, in which a colon means something else."""
    return variant.replace(":", "-")


def _claims(desk: Desk, outcomes: Outcomes) -> None:
    for claim in desk.part.get("claim", []):
        add_claim(desk.tally, outcomes, claim, desk.part.get("measure", "auc"))


def _tasks(desk: Desk) -> None:
    """Every task for itself, and the table of tasks."""
    outcomes = desk.outcomes()
    shown = {variant: outcomes.of_tasks(variant, WHOLE, "auc") for variant in desk.part["drawn"]}
    for rival in desk.part["drawn"][1:]:
        add_difference(desk.tally, outcomes, rival, "baseline", WHOLE, "auc", "tasks")
    for measure in ("auc", "accuracy"):
        add_sets(desk.tally, outcomes, desk.part["tabled"], WHOLE, measure)
    draw_tasks(shown, desk.title(outcomes), desk.path)
    write_tasks(desk, outcomes)


def write_tasks(desk: Desk, outcomes: Outcomes) -> None:
    """Write the measures of every task to a table of its own."""
    with (desk.output / desk.part["table"]).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "class", "training %", "method", *MEASURES.values()])
        for size in outcomes.sizes:
            for variant in desk.part["tabled"]:
                values = [outcomes.of_tasks(variant, size, measure) for measure in MEASURES]
                for t, task in enumerate(outcomes.tasks):
                    own = (f"{column[t]:.2f}" for column in values)
                    writer.writerow([task.name, task.label, size, variant, *own])


def _lesions(desk: Desk) -> None:
    """The whole method, and the method with one part taken away."""
    outcomes = desk.outcomes()
    told = {entry["key"]: entry["row"] for entry in desk.part["lesion"]}
    values = {key: {m: outcomes.mean(key, WHOLE, m) for m in MEASURES} for key in told}
    for key, row in told.items():
        for measure, name in MEASURES.items():
            place = {"table": "variant", "row": row, "measure": name, "unit": "%"}
            desk.tally.add(f"{_id(key)}/{measure}", values[key][measure], **place)
    for key in told:
        if key != "shaping":
            for measure in MEASURES:
                found = outcomes.difference(key, "shaping", WHOLE, measure)
                place = {"table": "minus the whole method, p of the paired t-test", "row": told[key]}
                desk.tally.add(
                    f"{_id(key)}/{measure}/p", found.p, measure=MEASURES[measure], unit="p", **place
                )
    _claims(desk, outcomes)
    order = sorted(told, key=lambda key: values[key]["auc"])
    drawn = {told[key].replace(" ", "\n"): values[key] for key in order}
    draw_lesions(drawn, desk.title(outcomes), desk.path)


def _cures(desk: Desk) -> None:
    """What goes beyond the paper, against the baseline and against the paper's method."""
    outcomes = desk.outcomes()
    sizes = [size for size in outcomes.sizes if size in desk.part["tabled"]]
    for size in sizes:
        add_variants(desk.tally, outcomes, [*PAPER, *desk.part["cures"]], size)
    for rival in ("baseline", "shaping"):
        for cure in desk.part["cures"]:
            for size in sizes:
                add_comparison(desk.tally, outcomes, cure, rival, size)
    shown = [*PAPER, *desk.part["drawn"]]
    draw_curves(outcomes, shown, ["accuracy", "auc", "f"], desk.title(outcomes), desk.path)


def _losses(desk: Desk) -> None:
    """Whether a squared hinge could stand in for the hinge."""
    squared, hinge = desk.outcomes(), Outcomes(desk.study, ["uci", "squared"])
    for size in squared.sizes:
        add_losses(desk.tally, hinge, squared, desk.part["methods"], size)
    for name, outcomes in (("hinge", hinge), ("squared hinge", squared)):
        names = [task.name for task in outcomes.tasks]
        if "letter" in names:
            rows = [place for place, own in enumerate(names) if own == "letter"]
            for variant in PAPER:
                value = float(outcomes.of_tasks(variant, WHOLE, "auc")[rows].mean())
                place = {"table": "letter, AUC, 90 % of the rows", "row": variant, "unit": "%"}
                key = f"letter/{variant}/{name.replace(' ', '-')}"
                desk.tally.add(key, value, measure=name, **place)


def _search(desk: Desk) -> None:
    """Whether the quick search for C chooses as the full one."""
    add_search(desk.tally, desk.study, *desk.part["bundles"])


PROTOCOLS: Mapping[str, Callable[[Desk], None]] = {
    "data": _data,
    "curve": _curve,
    "tasks": _tasks,
    "lesions": _lesions,
    "cures": _cures,
    "losses": _losses,
    "search": _search,
}
"""What is done for each kind of part."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    return run_experiment(HERE, run_part, arguments)


if __name__ == "__main__":
    sys.exit(main())
