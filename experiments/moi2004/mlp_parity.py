"""Parity, where the paper says that its search fails: how often, and what other starts change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from infoprop2001.run import Tally
from joblib import Parallel, delayed
from ledger import Number
from moi2004.bench import Bench, quiet
from moi2004.drawing import draw_points
from moi2004.filters import FILTERS, ranked
from moi2004.methods import build_machine
from moi2004.problems import Parts, draw_parity, with_draws
from sklearn.base import clone

from infoprop.selection import DirectedSearchSelector

N_RELEVANT = 5
N_FEATURES = 15
NEAR_CHANCE = 60.0
"""Percent. Accuracies on a thousand rows hardly lie between this and that of a network that has the bits."""


@dataclass(frozen=True)
class Found:
    """Where a search ended: whether it has every bit or its copy, its accuracy in percent, its trainings."""

    is_complete: bool
    accuracy: float
    trainings: int


def _from_random(parts: Parts, part: Mapping[str, Any]) -> dict[str, Any]:
    return {"init": "random"}


def _with_restarts(parts: Parts, part: Mapping[str, Any]) -> dict[str, Any]:
    return {"init": "random", "n_starts": part["n_starts"]}


def _from_credits(parts: Parts, part: Mapping[str, Any]) -> dict[str, Any]:
    return {"init": "credits"}


def _from_filter(name: str) -> Callable[[Parts, Mapping[str, Any]], dict[str, Any]]:
    return lambda parts, part: {"init": ranked(FILTERS[name](parts.X_train, parts.y_train)).tolist()}


def _copies_last(parts: Parts, part: Mapping[str, Any]) -> dict[str, Any]:
    order = ranked(FILTERS["relief-F"](parts.X_train, parts.y_train))
    _, firsts = np.unique(parts.X_train[:, order], axis=1, return_index=True)
    copies = [place for place in range(len(order)) if place not in set(firsts)]
    return {"init": order[[*sorted(firsts), *copies]].tolist()}


STARTS: Mapping[str, Callable[[Parts, Mapping[str, Any]], dict[str, Any]]] = {
    "random": _from_random,
    "random, restarts": _with_restarts,
    "credits": _from_credits,
    "information gain": _from_filter("information gain"),
    "relief-F": _from_filter("relief-F"),
    "relief-F, copies last": _copies_last,
}
"""How the first set of a search comes about; what the search is given."""


def run_parity(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Search from all starts on all draws, draw the figure, return the numbers."""
    draws = with_draws(run, part)["draws"]
    n_rows = min(part["n_rows"], run.get("most_rows", part["n_rows"]))
    part = {**part, "n_rows": n_rows, "sizes": part["sizes"][: run.get("most_sizes")]}
    outcomes = Parallel(n_jobs=run["n_jobs"])(
        delayed(measure)(part, run, seed) for seed in range(run["seed"], run["seed"] + draws)
    )
    tally = Tally(part["name"])
    points: dict[str, dict[str, list[float]]] = {}
    for outcome in outcomes:
        for (size, start), found in outcome.items():
            _add_found(size, start, found, tally)
            points.setdefault(f"K = {size}", {}).setdefault(start, []).append(found.accuracy)
    for size in part["sizes"]:
        _add_chance(size, [outcome[size, "random"] for outcome in outcomes], tally)
    draw_points(points, part["figure"], output / "figures" / f"{part['name']}.png")
    return tally.numbers()


def measure(part: Mapping[str, Any], run: Mapping[str, Any], seed: int) -> dict[tuple[int, str], Found]:
    """Search from all starts on one draw."""
    parts = draw_parity(part["n_rows"], seed)
    machine = build_machine(part["machine"], run, seed)
    bench = Bench(machine, parts)
    found = {}
    with quiet():
        for size in part["sizes"]:
            for start, options in STARTS.items():
                selector = DirectedSearchSelector(
                    clone(machine), n_features_to_select=size, random_state=seed, **options(parts, part)
                ).fit(parts.X_train, parts.y_train, X_val=parts.X_guide, y_val=parts.y_guide)
                columns = np.flatnonzero(selector.support_)
                accuracy = 100.0 * bench.of_columns(columns).judge.accuracy
                found[size, start] = Found(is_complete(columns), accuracy, selector.n_trainings_)
    return found


def is_complete(columns: Any) -> bool:
    """Whether every bit that the parity is taken of is there, itself or its copy."""
    held = {int(column) % N_RELEVANT for column in columns if column < 2 * N_RELEVANT}
    return len(held) == N_RELEVANT


def density(size: int) -> float:
    """Share of the sets of a size that are complete."""
    return float(np.mean([is_complete(columns) for columns in combinations(range(N_FEATURES), size)]))


def _add_found(size: int, start: str, found: Found, tally: Tally) -> None:
    key = f"{size}/{start.replace(', ', '-').replace(' ', '-').lower()}"
    place = {"table": f"K = {size}", "row": f"start: {start}"}
    tally.add(f"{key}/accuracy", found.accuracy, measure="accuracy, validation", unit="%", **place)
    for name, measure, holds in (
        ("complete", "all five bits", found.is_complete),
        ("chance", "accuracy near chance", found.accuracy < NEAR_CHANCE),
    ):
        tally.add(f"{key}/{name}", 100.0 * holds, measure=measure, unit="% of draws", **place)
    tally.add(f"{key}/trainings", found.trainings, measure="trainings", unit="trainings", **place)


def _add_chance(size: int, found: list[Found], tally: Tally) -> None:
    """What as many sets drawn at random would have found."""
    share = density(size)
    place = {"table": "complete sets", "row": f"K = {size}", "unit": "%"}
    tally.add(f"{size}/density", 100.0 * share, measure="of all sets", **place)
    for each in found:
        blind = 100.0 * (1.0 - (1.0 - share) ** each.trainings)
        tally.add(f"{size}/blind", blind, measure="found by as many random sets", **place)
        reached = 100.0 * each.is_complete
        tally.add(f"{size}/reached", reached, measure="found by the search", **place)
    clearly_both = {each.accuracy < NEAR_CHANCE for each in found} == {True, False}
    row = f"K = {size}: some initial sets lead to the solution, others to chance"
    claim = {"table": "claims", "row": row, "measure": "holds", "unit": "% of draws"}
    tally.add(f"{size}/large-variance", 100.0 * clearly_both, **claim)
