"""Corral: credits with all and with single features, and which sets are chosen in between."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infoprop2001.drawing import draw_credits
from infoprop2001.run import Tally
from ledger import Number
from moi2004.bench import Bench, credited
from moi2004.methods import METHODS, Task, build_machine
from moi2004.problems import Parts, draw_corral

from infoprop.credit import FeatureCredits

WRAPPERS = ("MOI-P", "MOI-BE", "MOI-SVM")
N_FEATURES = 6


def run_corral(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run all draws, draw the credits, return the numbers."""
    tally = Tally(part["name"])
    credits = []
    machine = build_machine(part["machine"], run)
    for seed in range(run["seed"], run["seed"] + run["draws"]):
        parts = draw_corral(seed)
        credits.append(credited(machine, parts, range(N_FEATURES)))
        _add_credits(credits[-1], parts, machine, tally)
        _add_choices(part, machine, parts, "", tally)
    for variant in part.get("variant", []):
        machine = build_machine({**part["machine"], **variant["machine"]}, run)
        for seed in range(run["seed"], run["seed"] + run["draws"]):
            parts = draw_corral(seed)
            _add_choices({**part, **variant}, machine, parts, f"-{variant['key']}", tally)
    draw_credits(credits, part["figure"], output / "figures" / f"{part['name']}.png")
    return tally.numbers()


def _add_credits(credits: FeatureCredits, parts: Parts, machine: Any, tally: Tally) -> None:
    """Credits for K = 6, and for K = 1 what each feature delivers alone."""
    for column in range(N_FEATURES):
        place = {"table": "credits", "row": f"feature {column + 1}", "unit": "bits"}
        alone = credited(machine, parts, [column]).values[0]
        tally.add(f"6/credit-{column + 1}", credits.values[column], measure="K = 6", **place)
        tally.add(f"1/credit-{column + 1}", alone, measure="K = 1", **place)
    relevant_first = 100.0 * bool(set(credits.ranking[:4]) == {0, 1, 2, 3})
    place = {"table": "claims", "row": "K = 6: features 1 to 4 are credited more than 5 and 6"}
    tally.add("6/relevant-first", relevant_first, measure="draws", unit="% of draws", **place)


def _add_choices(part: Mapping[str, Any], machine: Any, parts: Parts, suffix: str, tally: Tally) -> None:
    """Accuracies of the sets chosen by each wrapper for each K, and the claims about the sets."""
    bench = Bench(machine, parts)
    chosen = {}
    told = f", {part['row']}" if suffix else ""
    for name in WRAPPERS:
        choice = METHODS[name](Task(machine, parts, tuple(part["sizes"])))
        for size, columns in choice.columns.items():
            chosen[name, size] = set(columns + 1)
            verdict = bench.of_columns(columns)
            key = f"{size}/{name.lower()}{suffix}"
            place = {"table": "accuracy", "row": f"K = {size}, {name}{told}", "unit": "%"}
            tally.add(f"{key}/accuracy", 100.0 * verdict.judge.accuracy, measure="all 128 cases", **place)
            tally.add(f"{key}/accuracy-guide", 100.0 * verdict.guide.accuracy, measure="D_test", **place)
    for claim in part["claim"]:
        found = chosen[claim["method"], claim["size"]]
        holds = any(found == set(wanted) for wanted in claim["sets"]) != claim.get("negated", False)
        row = f"K = {claim['size']}: {claim['method']} chooses {claim['row']}{told}"
        place = {"table": "claims", "row": row, "measure": "draws", "unit": "% of draws"}
        tally.add(f"{claim['key']}{suffix}", 100.0 * holds, **place)
