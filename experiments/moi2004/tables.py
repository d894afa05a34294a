"""Accuracies with fewer features, Tables III to IX.

Where the paper's test rows both guide and judge, wrappers have an honest twin on rows that they have not
seen; where the paper has validation rows, these judge and D_test is shown beside them.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infoprop2001.run import Tally
from joblib import Parallel, delayed
from ledger import Number
from moi2004.bench import Bench, Verdict, measured, quiet
from moi2004.drawing import draw_points
from moi2004.methods import WRAPPERS, Search, Task, build_machines
from moi2004.problems import Parts, draw_parts, with_draws

from infoprop.metrics import InformationFlow


@dataclass(frozen=True, eq=False)
class Outcome:
    """One split.

    Attributes
    ----------
    full : dict of str to Verdict
        All features, by method: methods may have machines of their own.
    chosen : dict of (int, str) to Verdict
        By size and method.
    searches : dict of (int, str) to Search
        With all features as well where these are among the sizes.
    """

    full: Mapping[str, Verdict]
    chosen: Mapping[tuple[int, str], Verdict]
    searches: Mapping[tuple[int, str], Search]


def run_table(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Measure all splits, draw the figure, return the numbers."""
    run = with_draws(run, part)
    part = {**part, "sizes": part["sizes"][: run.get("most_sizes")]}
    drawn = draw_parts(part, run)
    outcomes = Parallel(n_jobs=run["n_jobs"])(
        delayed(measure)(build_machines(part, run, seed), parts, part, seed)
        for seed, parts in enumerate(drawn.parts, start=run["seed"])
    )
    tally = Tally(part["name"])
    for what, count in drawn.facts.items():
        tally.add(what, count, table="data", row=f"{what} kept", measure="count", unit="rows")
    for outcome in outcomes:
        _add_outcome(outcome, part, tally)
    if part.get("spread"):
        _add_spreads(tally)
    path = output / "figures" / f"{part['name']}.png"
    draw_points(_points(outcomes, part), part["figure"], path)
    return tally.numbers()


def measure(machines: Mapping[str, Any], parts: Parts, part: Mapping[str, Any], seed: int) -> Outcome:
    """The paper's protocol, judged on untouched rows as well, on one split."""
    full, chosen, searches = {}, {}, {}
    benches = {id(machine): Bench(machine, parts) for machine in machines.values()}
    for method, machine in machines.items():
        bench = benches[id(machine)]
        with quiet():
            full[method] = bench.of_columns(range(parts.X_train.shape[1]))
        task = Task(machine, parts, tuple(part["sizes"]), part.get("step", 1), seed)
        found = measured(method, task, bench, crossed=_is_crossed(part))
        # With all features there is nothing to choose.
        fewer = {size: each for size, each in found.verdicts.items() if size < parts.X_train.shape[1]}
        chosen |= {(size, method): verdict for size, verdict in fewer.items()}
        searches |= {(size, method): search for size, search in found.searches.items()}
    return Outcome(full, chosen, searches)


def _is_crossed(part: Mapping[str, Any]) -> bool:
    return bool(part["source"]["cut"] == "both")


def _add_outcome(outcome: Outcome, part: Mapping[str, Any], tally: Tally) -> None:
    for method in [part["methods"][0], *part.get("own_machine", {})]:
        key = "all" if method == part["methods"][0] else f"all-{_slug(method)}"
        row = "all" if key == "all" else f"all, the machine of {method}"
        _add_verdict(key, row, outcome.full[method], part, "", tally)
    for (size, method), verdict in outcome.chosen.items():
        key, row = f"{size}/{_slug(method)}", f"{size} by {method}"
        _add_verdict(key, row, verdict, part, method, tally)
        if part.get("relative"):
            _add_ratios(key, row, outcome.full[method], verdict, part, method, tally)
    if part.get("count_trainings"):
        for (size, method), search in outcome.searches.items():
            key, place = (
                f"{size}/{_slug(method)}",
                {"table": "directed search", "row": f"K = {size}, {method}"},
            )
            tally.add(f"{key}/trainings", search.trainings, measure="trainings", unit="trainings", **place)
            found = {"measure": "accuracy in the search", "unit": "%"}
            tally.add(f"{key}/found", 100.0 * search.accuracy, **found, **place)


def _columns(part: Mapping[str, Any], method: str) -> list[tuple[str, str, str]]:
    """Suffix of the key, rows told and attribute of the verdict, for each pair of columns of the table.

    The first has the rows that the paper judges on. Only wrappers have an honest twin; what never saw D_test
    needs none.
    """
    if not _is_crossed(part):
        return [("", "validation", "judge"), ("-guide", "D_test", "guide")]
    twin = [("-untouched", "untouched", "judge")] if method in WRAPPERS else []
    return [("", "D_test", "guide"), *twin]


def _add_verdict(
    key: str, row: str, verdict: Verdict, part: Mapping[str, Any], method: str, tally: Tally
) -> None:
    for suffix, rows, which in _columns(part, method):
        _add_flow(f"{key}{suffix}", getattr(verdict, which), {"table": "features", "row": row}, rows, tally)


def _add_flow(key: str, flow: InformationFlow, place: Mapping[str, str], rows: str, tally: Tally) -> None:
    for name, measure, value in (
        ("accuracy", "accuracy", flow.accuracy),
        ("relative", "relative information", flow.relative_information),
    ):
        tally.add(f"{key}/{name}", 100.0 * value, measure=f"{measure}, {rows}", unit="%", **place)


def _add_ratios(
    key: str,
    row: str,
    full: Verdict,
    verdict: Verdict,
    part: Mapping[str, Any],
    method: str,
    tally: Tally,
) -> None:
    """Accuracies in percent of that with all features."""
    place = {"table": "accuracy, of that with all features", "row": row, "unit": "%"}
    for suffix, rows, which in _columns(part, method):
        ratio = 100.0 * getattr(verdict, which).accuracy / getattr(full, which).accuracy
        tally.add(f"{key}{suffix}/ratio", ratio, measure=rows, **place)


def _add_spreads(tally: Tally) -> None:
    """Standard deviations as numbers of their own, where the paper printed them."""
    for key in [key for key in tally.values if key.endswith("/accuracy")]:
        if len(tally.values[key]) > 1:
            spread = statistics.stdev(tally.values[key])
            place = {**tally.places[key], "table": "spread"}
            tally.add(f"{key.removesuffix('accuracy')}spread", spread, **place)


def _slug(method: str) -> str:
    return method.lower().replace(",", "").replace(" ", "-")


def _points(outcomes: Sequence[Outcome], part: Mapping[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Accuracies by size and method, on D_test and on untouched rows."""
    untouched = "untouched" if _is_crossed(part) else "validation"
    points: dict[str, dict[str, list[float]]] = {}
    for size, method in outcomes[0].chosen:
        for rows, which in (("D_test", "guide"), (untouched, "judge")):
            points.setdefault(f"{size}, {rows}", {})[method] = [
                100.0 * getattr(each.chosen[size, method], which).accuracy for each in outcomes
            ]
    return points
