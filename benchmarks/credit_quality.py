"""Is it a better credit? What every rule of sharing, and importances of others, give to noise.

Real data have a shuffled copy of every column beside it (noise that keeps its distribution); generated data
have known relevant columns. Linear one-vs-rest machines (C = 0.1) or rbf machines (C = 1), standardised, five
stratified folds; every rule sees the same machines and the rows that they have not seen.

"noise" is the part of all, in percent, that noise gets; "area" that of real columns ranked before noise (1 is
perfect); "bits" what the machines deliver on unseen rows; "clean" the part of real columns among the 20 best
(or as many as there are); "left" the part of the information left, on average, when the best 5, 10, 20 and
50 % of the columns are set to their means (less is better; of draws with at least 0.005 bits); "stability"
the rank correlation of what the two halves of the rows give; "s" processor seconds for the credits of five
folds, without training (for the forest: with it). "noise above" is the part of the draws, in percent, in
which any column of noise is above the noise floor (null="shuffled"), "real above" that of the real columns.

Fifteen draws of copies or data: five to choose the rule by ("noise, choosing"), ten for all other columns.
The nominal data and the ring of ten columns have forty further draws for credits by covariance, as they are
about single features. Slow peers take fewer: the forest and Shapley values of rbf machines two, permutation
importance five, or one on colon, srbct and leukemia, with 4,000 to 14,258 columns. Shapley values of linear
machines are the closed form that shap.LinearExplainer returns; those of rbf machines are what shapiq's
product-kernel explainer returns, computed by credit_rows, which is faster. "noise of all bits" adds up the
bits of all draws before noise's part of them is taken, so that a draw in which next to nothing was learned
counts for little; "area to permutation" is the area less that of permutation importance on the same draws.

What every rule did in every job is kept in .bench-credit, so that a run that was stopped goes on;
``python benchmarks/credit_quality.py --forget RULE`` measures a rule anew in the next run.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _credit_problems import GENERATORS, KERNEL_SETS, SETS, Credited, problem
from _credit_rules import KERNEL_ONLY, LINEAR_ONLY, RULES, SLOW, Trained, above_floor, timed, trained
from _elimination_data import is_there
from _problems import ROOT
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from infoprop.metrics import InformationFlow

CACHE = ROOT / ".bench-credit"
CHOOSING, REPORTING = range(5), range(5, 15)
FURTHER = {"nominal and a leak": range(200, 240), "ring, 2 of 10": range(200, 240)}
TWO_DRAWS = ("forest importance", "Shapley values, rbf")
TOO_WIDE = ("colon", "srbct", "leukemia")
DELETED, LEAST_BITS = (0.05, 0.1, 0.2, 0.5), 0.005
SCORES = ("noise", "area", "clean", "left", "s", "bits")
OURS = "covariance"

Job = tuple[str, str, int]


def jobs() -> Iterator[Job]:
    """Data, kernel and draw of everything to be done."""
    for draw in (*REPORTING, *CHOOSING):
        for name, (kernel, _) in GENERATORS.items():
            yield name, kernel, draw
        for name in SETS:
            yield name, "linear", draw
        for name in KERNEL_SETS:
            yield name, "rbf", draw
    for name, draws in FURTHER.items():
        for draw in draws:
            yield name, GENERATORS[name][0], draw


def rules_for(data: str, kernel: str, draw: int) -> Iterator[str]:
    """Slow rules take some of the draws that are reported, further draws are for our own."""
    for rule in RULES:
        if rule in (KERNEL_ONLY if kernel == "linear" else LINEAR_ONLY):
            continue
        if rule in TWO_DRAWS and draw not in REPORTING[:2]:
            continue
        if rule == SLOW and draw not in REPORTING[: 1 if data in TOO_WIDE else 5]:
            continue
        if draw > REPORTING[-1] and rule != OURS:
            continue
        yield rule


def scores(values: Any, order: Any, found: Trained, is_reported: bool) -> dict[str, float]:
    """What one rule did on one draw."""
    real = found.problem.is_real
    n_best = min(20, int(real.sum()))
    best = np.argsort(-order, kind="stable")
    return {
        "noise": float(values[~real].sum() / max(values.sum(), 1e-300)),
        "area": float(roc_auc_score(real, order)),
        "clean": float(real[best[:n_best]].mean()),
        "left": left_after_deletion(best, found) if is_reported else 0.0,
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


def job(data: str, kernel: str, draw: int, chosen: Callable[[str], bool]) -> None:
    """Do what chosen rules have not done yet on one draw."""
    paths = {rule: CACHE / f"{data} {kernel} {draw} {rule}.json" for rule in rules_for(data, kernel, draw)}
    missing = [rule for rule, path in paths.items() if chosen(rule) and not path.exists()]
    if not missing:
        return
    rows = problem(data, draw)
    found = trained(rows, kernel)
    has_halves = draw == REPORTING[0]
    same = stability(rows, kernel, [rule for rule in missing if rule != SLOW]) if has_halves else {}
    for rule in missing:
        known = {"stability": same[rule]} if rule in same else {}
        _keep(paths[rule], {**_one(rule, found, draw), **known})
    print(f"  {data}, {kernel}, draw {draw}", flush=True)


def kept(data: str, kernel: str, draw: int) -> dict[str, Any]:
    """What the rules did in a job, by rule, as far as it is done."""
    paths = {rule: CACHE / f"{data} {kernel} {draw} {rule}.json" for rule in rules_for(data, kernel, draw)}
    return {rule: json.loads(path.read_text()) for rule, path in paths.items() if path.exists()}


def _one(rule: str, found: Trained, draw: int) -> dict[str, Any]:
    values, order, seconds = timed(rule, found)
    result = {**scores(values, order, found, draw not in CHOOSING), "s": seconds}
    if rule == OURS and draw not in CHOOSING:
        real, is_above = found.problem.is_real, above_floor(found)
        result |= {"noise above": float(is_above[~real].any()), "real above": float(is_above[real].mean())}
    return result


def _keep(path: Path, result: dict[str, Any]) -> None:
    CACHE.mkdir(exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(result))
    temporary.replace(path)


def table(done: dict[Job, dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each data set, kernel and rule."""
    rows = []
    for data, kernel in dict.fromkeys((data, kernel) for data, kernel, _ in done):
        own = {draw: result for (name, kind, draw), result in done.items() if (name, kind) == (data, kernel)}
        for rule in RULES:
            known = {draw: result[rule] for draw, result in own.items() if rule in result}
            reported = [entry for draw, entry in known.items() if draw not in CHOOSING]
            if reported:
                chosen = [entry["noise"] for draw, entry in known.items() if draw in CHOOSING]
                row = {"data": data, "kernel": kernel, "rule": rule, **_means(reported, chosen)}
                shared = [draw for draw in known if SLOW in own[draw]]
                gains = [known[draw]["area"] - own[draw][SLOW]["area"] for draw in shared]
                row["area to permutation"] = round(float(np.mean(gains)), 3) if gains else ""
                rows.append(row)
    _add_ratios(rows)
    return rows


def _means(reported: list[dict[str, Any]], chosen: list[float]) -> dict[str, Any]:
    row: dict[str, Any] = {"noise, choosing": round(100 * float(np.mean(chosen)), 1) if chosen else ""}
    for score in SCORES:
        # Of next to nothing, no part can be told.
        told = [entry[score] for entry in reported if score != "left" or entry["bits"] >= LEAST_BITS]
        mean = float(np.mean(told)) if told else float("nan")
        row[score] = round(100 * mean, 1) if score == "noise" else float(f"{mean:.3g}") if told else ""
    bits = np.array([entry["bits"] for entry in reported])
    of_all = bits @ [entry["noise"] for entry in reported] / max(bits.sum(), 1e-300)
    row["noise of all bits"] = round(100 * float(of_all), 1)
    row["stability"] = round(reported[0]["stability"], 2) if "stability" in reported[0] else ""
    row["all real first"] = f"{sum(e['real first'] for e in reported):.0f} of {len(reported)}"
    for score in ("noise above", "real above"):
        known = [entry[score] for entry in reported if score in entry]
        row[score] = round(100 * float(np.mean(known)), 1) if known else ""
    row["draws"] = len(reported)
    return row


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
        for chosen in (SLOW.__ne__, SLOW.__eq__):
            for key in jobs():
                job(*key, chosen)
    return table({key: kept(*key) for key in jobs()})


def forget(rule: str) -> None:
    """Let the next run measure a rule anew."""
    for path in CACHE.glob(f"* {rule}.json"):
        path.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Forget what rules did, so that the next run measures them.")
    parser.add_argument("--forget", required=True, nargs="+", choices=RULES, metavar="RULE")
    for name in parser.parse_args().forget:
        forget(name)
