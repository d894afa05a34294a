"""Corral with networks: credits for K = 6, 4 and 1, and what a search finds from every initial set."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from infoprop2001.drawing import draw_credits
from infoprop2001.run import Tally
from joblib import Parallel, delayed
from ledger import Number
from moi2004.bench import Bench, credited, quiet
from moi2004.methods import build_machine
from moi2004.problems import Parts, draw_corral
from sklearn.base import clone

from infoprop.credit import FeatureCredits
from infoprop.selection import DirectedSearchSelector

N_FEATURES = 6


@dataclass(frozen=True, eq=False)
class Found:
    """Where a search ended.

    Attributes
    ----------
    columns : frozenset of int
        Bits chosen, counted from 1.
    accuracy : float
        On all cases, in percent.
    credits : array of shape (6,)
        Of each bit when it was last used, in bits of information.
    """

    columns: frozenset[int]
    accuracy: float
    credits: Any


@dataclass(frozen=True, eq=False)
class Outcome:
    """One draw: credits with all bits, of each bit alone, and where the searches of each size ended."""

    all_bits: FeatureCredits
    alone: tuple[float, ...]
    found: Mapping[int, list[Found]]


def run_corral(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run all draws, draw the credits, return the numbers."""
    seeds = range(run["seed"], run["seed"] + run["draws"])
    outcomes = Parallel(n_jobs=run["n_jobs"])(delayed(measure)(part, run, seed) for seed in seeds)
    tally = Tally(part["name"])
    for outcome in outcomes:
        _add_credits(outcome, tally)
        _add_choices(outcome, part, "", tally)
    for variant in part.get("variant", [])[: run.get("most_variants")]:
        changed = {**part, **variant, "machine": {**part["machine"], **variant.get("machine", {})}}
        others = Parallel(n_jobs=run["n_jobs"])(delayed(measure)(changed, run, seed) for seed in seeds)
        for outcome in others:
            _add_choices(outcome, {**part, "told": f", {variant['row']}"}, f"-{variant['key']}", tally)
    credits = [outcome.all_bits for outcome in outcomes]
    draw_credits(credits, part["figure"], output / "figures" / f"{part['name']}.png")
    return tally.numbers()


def measure(part: Mapping[str, Any], run: Mapping[str, Any], seed: int) -> Outcome:
    """Credit and search on one draw; every search has networks with initial weights of its own."""
    parts = draw_corral(seed)
    with quiet():
        machine = build_machine(part["machine"], run, seed)
        alone = (credited(machine, parts, [column]).values[0] for column in range(N_FEATURES))
        return Outcome(
            credited(machine, parts, range(N_FEATURES)),
            tuple(alone),
            {size: _found_from_all(part, run, parts, size, seed) for size in part["sizes"]},
        )


def _found_from_all(
    part: Mapping[str, Any], run: Mapping[str, Any], parts: Parts, size: int, seed: int
) -> list[Found]:
    found = []
    for number, start in enumerate(combinations(range(N_FEATURES), size)):
        own_seed = 1000 * seed + number
        others = [column for column in range(N_FEATURES) if column not in start]
        order = [*start, *np.random.RandomState(own_seed).permutation(others)]
        machine = build_machine(part["machine"], run, own_seed)
        selector = DirectedSearchSelector(
            clone(machine),
            n_features_to_select=size,
            init=order,
            n_starts=part.get("n_starts", 1),
            random_state=own_seed,
        ).fit(parts.X_train, parts.y_train, X_val=parts.X_guide, y_val=parts.y_guide)
        columns = np.flatnonzero(selector.support_)
        accuracy = 100.0 * Bench(machine, parts).of_columns(columns).judge.accuracy
        chosen = frozenset((columns + 1).tolist())
        found.append(Found(chosen, accuracy, selector.trace_.last_credits))
    return found


def _add_credits(outcome: Outcome, tally: Tally) -> None:
    """Credits for K = 6; for K = 4 as the searches left them; for K = 1 what each feature delivers alone."""
    in_fours = np.mean([found.credits for found in outcome.found[4]], axis=0)
    for column in range(N_FEATURES):
        place = {"table": "credits", "row": f"feature {column + 1}", "unit": "bits"}
        for size, value in (
            (6, outcome.all_bits.values[column]),
            (4, in_fours[column]),
            (1, outcome.alone[column]),
        ):
            tally.add(f"{size}/credit-{column + 1}", float(value), measure=f"K = {size}", **place)
    for size, credits in ((6, outcome.all_bits.values), (4, in_fours)):
        holds = 100.0 * bool(credits[:4].min() > credits[4:].max())
        row = f"K = {size}: features 1 to 4 are credited more than 5 and 6"
        place = {"table": "claims", "row": row, "measure": "draws", "unit": "% of draws"}
        tally.add(f"{size}/relevant-first", holds, **place)


def _add_choices(outcome: Outcome, part: Mapping[str, Any], suffix: str, tally: Tally) -> None:
    """How many of the initial sets lead to the sets of a claim, and how accurate these are."""
    for claim in part["claim"]:
        wanted = [frozenset(columns) for columns in claim["sets"]]
        found = outcome.found[claim["size"]]
        reached = [each for each in found if each.columns in wanted]
        row = f"K = {claim['size']}: {claim['row']}{part.get('told', '')}"
        place = {"table": "chosen sets", "row": row, "unit": "%"}
        share = 100.0 * len(reached) / len(found)
        tally.add(f"{claim['key']}{suffix}", share, measure="of all initial sets", **place)
        for each in reached:
            tally.add(f"{claim['key']}{suffix}/accuracy", each.accuracy, measure="accuracy", **place)
