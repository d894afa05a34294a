"""Re-run the experiment of the n² classifier's paper; see settings.toml for what is run and why."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ledger import Number
from pairwise2002.drawing import draw_pairs
from pairwise2002.problems import Problem, load
from pairwise2002.protocols import Outcome, classifier, run_method
from running import run_experiment

HERE = Path(__file__).resolve().parent


def run_part(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run one data set with all classifiers, and draw which features the pairs use."""
    problem = load(part["name"])
    outcomes = {
        method["key"]: (method["row"], run_method(problem, method, part, run))
        for method in run["methods"]
        if method["key"] in part.get("only", [method["key"]]) and method["key"] not in run.get("left_out", [])
    }
    _draw(problem, part, run, output)
    return _facts(part, problem) | _table(part, outcomes) | _gains(part, outcomes)


def _draw(problem: Problem, part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> None:
    drawn = next(method for method in run["methods"] if method["key"] == run["drawn"])
    model = classifier(drawn, part, run["seed"]).fit(problem.X, problem.y)
    draw_pairs(model[-1].pairs_, problem, part["figure"]["title"], output / "figures" / f"{part['name']}.png")


def _facts(part: Mapping[str, Any], problem: Problem) -> dict[str, Number]:
    """Rows and features, which the paper's Table 1 has too."""
    place = {"part": part["name"], "table": "data", "measure": "number"}
    n, d = problem.X.shape
    return {
        f"{part['name']}/rows": Number.of([n], row="examples", unit="rows", **place),
        f"{part['name']}/features": Number.of([d], row="attributes", unit="features", **place),
    }


def _table(part: Mapping[str, Any], outcomes: Mapping[str, tuple[str, Outcome]]) -> dict[str, Number]:
    numbers = {}
    for key, (row, outcome) in outcomes.items():
        place = {"part": part["name"], "table": "classifier", "row": row}
        numbers[f"{part['name']}/{key}/accuracy"] = Number.of(
            outcome.accuracies, measure="accuracy", unit="%", **place
        )
        numbers[f"{part['name']}/{key}/width"] = Number.of(
            outcome.widths, measure="features per pair", unit="features", **place
        )
    return numbers


def _gains(part: Mapping[str, Any], outcomes: Mapping[str, tuple[str, Outcome]]) -> dict[str, Number]:
    """By how much feature selection improves on the single classifier, repetition by repetition."""
    numbers = {}
    single = outcomes["single"][1].accuracies
    for key in ("forward", "genetic"):
        if key in outcomes:
            row, outcome = outcomes[key]
            gains = [own - other for own, other in zip(outcome.accuracies, single, strict=True)]
            place = {"part": part["name"], "table": "comparison", "measure": "points", "unit": "%"}
            numbers[f"{part['name']}/{key}/gain"] = Number.of(
                gains, row=f"{row}, minus the single classifier", **place
            )
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    return run_experiment(HERE, run_part, arguments)


if __name__ == "__main__":
    sys.exit(main())
