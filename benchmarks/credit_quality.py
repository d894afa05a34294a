"""Is it a better credit? What every rule of sharing, and importances of others, give to noise.

Real data have a shuffled copy of every column beside it (noise that keeps its distribution); generated data
have known relevant columns. Linear one-vs-rest machines (C = 0.1) or rbf machines (C = 1), standardised, five
stratified folds; every rule sees the same machines and the rows that they have not seen.

"noise" is the part of all, in percent, that noise gets; "area" that of real columns ranked before noise (1 is
perfect); "bits" what the machines deliver on unseen rows; "clean" the part of real columns among the 20 best
(or as many as there are); "left" the part of the
information left, on average, when the best 5, 10, 20 and 50 % of the columns are set to their means (less is
better); "stability" the rank correlation of what the two halves of the rows give; "s" processor seconds for
the credits of five folds, without training (for the forest: with it). Ten draws of copies or data: five to
choose the rule by ("noise, choosing"), five for all other columns. Permutation importance and the forest take
one draw, and permutation importance is left out on srbct and leukemia (4,616 and 14,258 columns). The shap
values of linear machines are the closed form that shap.LinearExplainer returns.

Results of single jobs are kept in .bench-credit, so that a run that was stopped goes on.
``python benchmarks/credit_quality.py RULE ... --data NAME`` measures rules again on the reporting draws, and
puts them in the place of their rows; permutation importance has to be among them for a ratio.
"""

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from _credit_problems import GENERATORS, KERNEL_SETS, SETS, Credited, problem
from _credit_rules import LINEAR_ONLY, RULES, SLOW, Trained, timed, trained
from _elimination_data import is_there
from _problems import ROOT
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from infoprop.metrics import InformationFlow

CACHE = ROOT / ".bench-credit"
CHOOSING, REPORTING = range(5), range(5, 10)
DELETED = (0.05, 0.1, 0.2, 0.5)
SCORES = ("noise", "area", "clean", "left", "s", "bits")


def jobs() -> Iterator[tuple[str, str, int]]:
    """Data, kernel and draw of everything to be done."""
    for draw in (*REPORTING, *CHOOSING):
        for name, (kernel, _) in GENERATORS.items():
            yield name, kernel, draw
        for name in SETS:
            yield name, "linear", draw
        for name in KERNEL_SETS:
            yield name, "rbf", draw


def rules_for(data: str, kernel: str, draw: int) -> Iterator[str]:
    """Slow rules take one draw of those reported."""
    for rule in RULES:
        if rule in LINEAR_ONLY and kernel != "linear":
            continue
        if rule in (SLOW, "forest importance") and draw != REPORTING[0]:
            continue
        if rule == SLOW and data in ("srbct", "leukemia"):
            continue
        yield rule


def scores(values: Any, order: Any, found: Trained) -> dict[str, float]:
    """What one rule did on one draw."""
    real = found.problem.is_real
    n_best = min(20, int(real.sum()))
    best = np.argsort(-order, kind="stable")
    return {
        "noise": float(values[~real].sum() / max(values.sum(), 1e-300)),
        "area": float(roc_auc_score(real, order)),
        "clean": float(real[best[:n_best]].mean()),
        "left": left_after_deletion(best, found),
        "bits": float(found.flow.information),
        "real first": float(real[best[0]] and order[real].min() > order[~real].max()),
    }


def left_after_deletion(best: Any, found: Trained) -> float:
    """Mean part of the information left when the best columns of unseen rows are set to their means."""
    left = []
    for part in DELETED:
        gone = best[: max(1, round(part * len(best)))]
        columns = gone if found.groups is None else found.groups.members(gone)
        true, named = [], []
        for fold in found.folds:
            X = fold.X.copy()
            X[:, columns] = 0.0 if found.groups is None else X[:, columns].mean(axis=0)
            true.append(fold.y)
            named.append(fold.machine.predict(X))
        flow = InformationFlow.from_predictions(np.concatenate(true), np.concatenate(named))
        left.append(flow.information / max(found.flow.information, 1e-12))
    return float(np.mean(left))


def stability(data: Credited, kernel: str, rules: list[str]) -> dict[str, float]:
    """Rank correlation of what every rule gives on two halves of the rows."""
    split = StratifiedShuffleSplit(1, test_size=0.5, random_state=0)
    first, second = next(split.split(data.X, data.y))
    halves = [
        trained(Credited(data.X[rows], data.y[rows], data.is_real, data.owners), kernel, 4)
        for rows in (first, second)
    ]
    return {rule: float(spearmanr(*(timed(rule, half)[1] for half in halves)).statistic) for rule in rules}


def job(data: str, kernel: str, draw: int, chosen: tuple[str, ...] = ()) -> dict[str, Any]:
    """Scores of all rules on one draw, or of those chosen, from the cache if they are there."""
    path = CACHE / " ".join([data, kernel, str(draw), *(rule.replace("/", " ") for rule in chosen)])
    path = path.with_name(f"{path.name}.json")
    if path.exists():
        return dict(json.loads(path.read_text()))
    rules = [rule for rule in rules_for(data, kernel, draw) if rule in (chosen or RULES)]
    if not rules:
        return {}
    rows = problem(data, draw)
    found = trained(rows, kernel)
    result: dict[str, Any] = {}
    for rule in rules:
        values, order, seconds = timed(rule, found)
        result[rule] = {**scores(values, order, found), "s": seconds}
    if draw == REPORTING[0]:
        for rule, value in stability(rows, kernel, [rule for rule in rules if rule != SLOW]).items():
            result[rule]["stability"] = value
    CACHE.mkdir(exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(result))
    temporary.replace(path)
    print(f"  {data}, {kernel}, draw {draw}", flush=True)
    return result


def table(done: dict[tuple[str, str, int], dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each data set, kernel and rule."""
    rows = []
    for data, kernel in dict.fromkeys((data, kernel) for data, kernel, _ in done):
        for rule in RULES:
            reported = [
                done[data, kernel, draw][rule]
                for draw in REPORTING
                if rule in done.get((data, kernel, draw), {})
            ]
            if not reported:
                continue
            chosen = [
                done[data, kernel, draw][rule]["noise"]
                for draw in CHOOSING
                if rule in done.get((data, kernel, draw), {})
            ]
            row: dict[str, Any] = {"data": data, "kernel": kernel, "rule": rule}
            row["noise, choosing"] = round(100 * float(np.mean(chosen)), 1) if chosen else ""
            for score in SCORES:
                mean = float(np.mean([entry[score] for entry in reported]))
                row[score] = round(100 * mean, 1) if score == "noise" else float(f"{mean:.3g}")
            row["stability"] = round(reported[0]["stability"], 2) if "stability" in reported[0] else ""
            row["all real first"] = f"{sum(e['real first'] for e in reported):.0f} of {len(reported)}"
            row["draws"] = len(reported)
            rows.append(row)
    _add_ratios(rows)
    return rows


def _add_ratios(rows: list[dict[str, Any]]) -> None:
    """How many times as long permutation importance takes, and noise against that of the papers' rule."""
    seconds = {(row["data"], row["kernel"]): row["s"] for row in rows if row["rule"] == SLOW}
    papers = {(row["data"], row["kernel"]): row["noise"] for row in rows if row["rule"] == "margin (papers)"}
    for row in rows:
        key = row["data"], row["kernel"]
        slow = seconds.get(key)
        row["ratio to permutation"] = float(f"{slow / max(row['s'], 1e-6):.3g}") if slow else ""
        row["noise to papers"] = float(f"{row['noise'] / papers[key]:.2g}") if papers.get(key) else ""


def run() -> list[dict[str, Any]]:
    """Return one row for each data set, kernel and rule."""
    if not is_there():
        return []
    with threadpool_limits(1):
        return table({key: job(*key) for key in jobs()})


def again(chosen: tuple[str, ...], names: list[str]) -> None:
    """Measure rules again on the reporting draws of some data; all other rows stay as they are."""
    path = ROOT / "benchmarks" / "results" / "credit_quality.json"
    result = json.loads(path.read_text())
    with threadpool_limits(1):
        done = {key: job(*key, chosen) for key in jobs() if key[2] in REPORTING and key[0] in names}
    fresh = {(row["data"], row["kernel"], row["rule"]): row for row in table(done)}
    rows = []
    for old in result["rows"]:
        new = fresh.pop((old["data"], old["kernel"], old["rule"]), None)
        kept = ("noise, choosing", "noise to papers")
        told = old if new is None else {**new, **{name: old[name] for name in kept}}
        rows.append({**told, "bits": told.get("bits", "")})
    result["rows"], result["about"] = rows + list(fresh.values()), __doc__
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure rules again, on the reporting draws.")
    parser.add_argument("rules", nargs="*", choices=[*RULES, []], help="all by default")
    parser.add_argument("--data", action="append", choices=(*GENERATORS, *SETS), help="all by default")
    told = parser.parse_args()
    again(tuple(told.rules or RULES), told.data or [*GENERATORS, *SETS])
