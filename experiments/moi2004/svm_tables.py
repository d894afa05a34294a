"""Accuracies with fewer features, Tables VIII and IX, where the paper's test rows both guide and judge.

The honest twin cuts them in two: one half guides the search and the other judges it, then the other way
round, so that every row is judged once by a search that has not seen it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infoprop2001.run import Tally
from joblib import Parallel, delayed
from ledger import Number
from moi2004.drawing import draw_points
from moi2004.problems import Parts, draw_parts
from moi2004.svm_methods import METHODS, Bench, Task, build_machine

from infoprop.metrics import InformationFlow

GUIDED = frozenset({"MOI-P", "MOI-BE", "MOI-SVM"})


@dataclass(frozen=True, eq=False)
class Outcome:
    """One split.

    Attributes
    ----------
    full : dict of str to InformationFlow
        All features, on D_test, by method: methods may have machines of their own.
    chosen : dict of (int, str) to InformationFlow
        By size and method, on D_test, which guided the wrappers as well.
    untouched : dict of (int, str) to InformationFlow
        The same on rows that no search has seen; of wrappers only.
    """

    full: Mapping[str, InformationFlow]
    chosen: Mapping[tuple[int, str], InformationFlow]
    untouched: Mapping[tuple[int, str], InformationFlow]


def run_table(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Measure all splits, draw the figure, return the numbers."""
    run = {**run, "draws": min(run["draws"], part.get("draws", run["draws"]))}
    part = {**part, "sizes": part["sizes"][: run.get("most_sizes")]}
    drawn = draw_parts(part, run)
    own = part.get("own_machine", {})
    machines = {name: build_machine(own.get(name, part["machine"]), run) for name in part["methods"]}
    outcomes = Parallel(n_jobs=run["n_jobs"])(
        delayed(measure)(machines, parts, part, run["seed"] + number)
        for number, parts in enumerate(drawn.parts)
    )
    tally = Tally(part["name"])
    for what, count in drawn.facts.items():
        tally.add(what, count, table="data", row=f"{what} kept", measure="count", unit="rows")
    for outcome in outcomes:
        _add_outcome(outcome, part, tally)
    path = output / "figures" / f"{part['name']}.png"
    draw_points(_points(outcomes), part["figure"], path)
    return tally.numbers()


def measure(machines: Mapping[str, Any], parts: Parts, part: Mapping[str, Any], seed: int) -> Outcome:
    """The paper's protocol and its honest twin on one split."""
    full, chosen = {}, {}
    for method, machine in machines.items():
        bench = Bench(machine, parts)
        full[method] = bench.of_columns(range(parts.X_train.shape[1])).guide
        for size, columns in _choice(method, machine, parts, part).items():
            chosen[size, method] = bench.of_columns(columns).guide
    untouched: dict[tuple[int, str], Any] = {}
    for method in [name for name in machines if name in GUIDED]:
        for half in parts.crossed(seed):
            bench = Bench(machines[method], half)
            for size, columns in _choice(method, machines[method], half, part).items():
                counts = bench.of_columns(columns).judge.counts
                untouched[size, method] = untouched.get((size, method), 0.0) + counts
    return Outcome(
        full, chosen, {key: InformationFlow.from_confusion(each) for key, each in untouched.items()}
    )


def _choice(method: str, machine: Any, parts: Parts, part: Mapping[str, Any]) -> Mapping[int, Any]:
    task = Task(machine, parts, tuple(part["sizes"]), part.get("step", 1))
    return METHODS[method](task).columns


def _add_outcome(outcome: Outcome, part: Mapping[str, Any], tally: Tally) -> None:
    for method in [part["methods"][0], *part.get("own_machine", {})]:
        key = "all" if method == part["methods"][0] else f"all-{_slug(method)}"
        row = "all" if key == "all" else f"all, the machine of {method}"
        _add_flow(key, outcome.full[method], {"table": "features", "row": row}, "D_test", tally)
    for (size, method), flow in outcome.chosen.items():
        key, row = f"{size}/{_slug(method)}", f"{size} by {method}"
        _add_flow(key, flow, {"table": "features", "row": row}, "D_test", tally)
        untouched = outcome.untouched.get((size, method))
        if untouched is not None:
            _add_flow(f"{key}-untouched", untouched, {"table": "features", "row": row}, "untouched", tally)
        if part.get("relative"):
            _add_ratios(key, row, outcome.full[method], flow, untouched, tally)


def _add_ratios(
    key: str, row: str, full: InformationFlow, flow: InformationFlow, untouched: Any, tally: Tally
) -> None:
    """Accuracies in percent of that with all features."""
    place = {"table": "accuracy, of that with all features", "row": row, "unit": "%"}
    tally.add(f"{key}/ratio", 100.0 * flow.accuracy / full.accuracy, measure="D_test", **place)
    if untouched is not None:
        ratio = 100.0 * untouched.accuracy / full.accuracy
        tally.add(f"{key}-untouched/ratio", ratio, measure="untouched", **place)


def _slug(method: str) -> str:
    return method.lower().replace(" ", "-")


def _add_flow(key: str, flow: InformationFlow, place: Mapping[str, str], rows: str, tally: Tally) -> None:
    for name, measure, value in (
        ("accuracy", "accuracy", flow.accuracy),
        ("relative", "relative information", flow.relative_information),
    ):
        tally.add(f"{key}/{name}", 100.0 * value, measure=f"{measure}, {rows}", unit="%", **place)


def _points(outcomes: Sequence[Outcome]) -> dict[str, dict[str, list[float]]]:
    """Accuracies by size and method, on D_test and on untouched rows; only wrappers have seen D_test."""
    points: dict[str, dict[str, list[float]]] = {}
    for size, method in outcomes[0].chosen:
        for rows in ("D_test", "untouched"):
            flows = [(each.untouched if rows == "untouched" else {}) for each in outcomes]
            points.setdefault(f"{size}, {rows}", {})[method] = [
                100.0 * flow.get((size, method), each.chosen[size, method]).accuracy
                for flow, each in zip(flows, outcomes, strict=True)
            ]
    return points
