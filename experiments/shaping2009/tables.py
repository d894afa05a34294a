"""Numbers of the page: means over tasks, paired t-tests, and what the paper says, tried on every fold."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from infoprop2001.run import Tally
from shaping2009.problems import load
from shaping2009.scores import summarised
from shaping2009.study import Study
from shaping2009.summary import MEASURES, Outcomes

PAIRS = (("shaping", "baseline"), ("scaling", "baseline"), ("shaping", "scaling"))
"""Methods of the paper that are compared."""


def add_data(tally: Tally, run: Mapping[str, Any]) -> None:
    """Sizes of the data sets, which the paper's Table 1 has too, and how many tasks they give."""
    for group, told in (("text", "text"), ("uci", "UCI")):
        counts = [len(load(name).tasks) for name in run[group]]
        place = {"table": "tasks", "measure": "number", "unit": "rows"}
        tally.add(f"{group}/tasks", sum(counts), row=f"binary {told} tasks", **place)
    for name in (*run["text"], *run["uci"]):
        problem = load(name)
        shares = 100.0 * np.bincount(problem.codes) / len(problem.codes)
        for what, measure, value, unit in (
            ("cases", "cases", len(problem.codes), "rows"),
            ("classes", "classes", problem.n_classes, "rows"),
            ("least", "smallest class", shares.min(), "%"),
            ("most", "largest class", shares.max(), "%"),
            ("features", "features", problem.n_features, "rows"),
        ):
            tally.add(f"{name}/{what}", value, table="data set", row=name, measure=measure, unit=unit)


def add_folds(tally: Tally, study: Study, told: Mapping[str, str]) -> None:
    """How many folds the figures are of."""
    for bundle, row in told.items():
        place = {"table": "folds", "row": row, "measure": "number", "unit": "rows"}
        tally.add(f"{bundle}/folds", study.n_folds(bundle), **place)


def add_curve(tally: Tally, outcomes: Outcomes, measure: str) -> None:
    """Means over tasks of the paper's three methods at every size, and their differences."""
    rows = {key: outcomes.rows[key] for key in ("baseline", "scaling", "shaping")}
    n = len(outcomes.tasks)
    for size in outcomes.sizes:
        for key, row in rows.items():
            place = {"table": f"{MEASURES[measure]}, mean over {n} tasks", "row": _share(size), "unit": "%"}
            tally.add(f"{size}/{key}", outcomes.mean(key, size, measure), measure=row, **place)
    for first, second in PAIRS:
        for size in outcomes.sizes:
            add_difference(tally, outcomes, first, second, size, measure, "paired t-test over tasks")


def add_difference(
    tally: Tally, outcomes: Outcomes, first: str, second: str, size: int, measure: str, table: str
) -> None:
    """Mean difference over tasks, in how many it is one, and p of the paired t-test."""
    found = outcomes.difference(first, second, size, measure)
    place = {"table": table, "row": f"{first} − {second}, {_share(size)}"}
    key = f"{size}/{first}-{second}"
    tally.add(f"{key}/points", found.mean, measure=f"{MEASURES[measure]}, points", unit="%", **place)
    if measure == "f":
        relative = 100.0 * found.mean / outcomes.mean(second, size, measure)
        tally.add(f"{key}/relative", relative, measure="relative", unit="%", **place)
    if second == "baseline":
        tally.add(f"{key}/better", found.n_better, measure="tasks that gain", unit="rows", **place)
    tally.add(f"{key}/p", found.p, measure="p", unit="p", **place)


def add_claim(tally: Tally, outcomes: Outcomes, claim: Mapping[str, Any], measure: str) -> None:
    """Count the folds in which a statement of the paper is so."""
    measure = claim.get("measure", measure)

    def curve(variant: str) -> Any:
        """Mean over tasks, shape (n_sizes, n_folds)."""
        return np.array([outcomes.of_folds(variant, size, measure) for size in claim["sizes"]])

    if not set(claim["sizes"]) <= set(outcomes.sizes):
        return
    holds = KINDS[claim["kind"]](*(curve(variant) for variant in claim["methods"]))
    for is_so in holds:
        place = {"table": "what the paper says", "row": claim["row"], "measure": "so in"}
        tally.add(claim["key"], 100.0 * bool(is_so), unit="% of folds", **place)


def _ahead(first: Any, second: Any) -> Any:
    """Better in the mean over the sizes."""
    return first.mean(axis=0) > second.mean(axis=0)


def _everywhere(first: Any, second: Any) -> Any:
    """Better at every size."""
    return (first > second).all(axis=0)


def _widens(first: Any, second: Any) -> Any:
    """Further ahead at the first of two sizes than at the last."""
    gap = first - second
    return gap[0] > gap[-1]


def _by_a_twentieth(first: Any, second: Any) -> Any:
    """Better by more than 5 %, relatively."""
    return first.mean(axis=0) > 1.05 * second.mean(axis=0)


def _between(low: Any, middle: Any, high: Any) -> Any:
    """The second lies between the others."""
    low, middle, high = (values.mean(axis=0) for values in (low, middle, high))
    return (low < middle) & (middle < high)


def _alike(first: Any, second: Any) -> Any:
    """Less than a point apart at every size."""
    return (np.abs(first - second) < 1.0).all(axis=0)


KINDS: Mapping[str, Callable[..., Any]] = {
    "ahead": _ahead,
    "everywhere": _everywhere,
    "widens": _widens,
    "by a twentieth": _by_a_twentieth,
    "between": _between,
    "alike": _alike,
}
"""Statements about curves: from means over tasks, (n_sizes, n_folds) a method, to an answer for each fold."""


def add_sets(tally: Tally, outcomes: Outcomes, variants: Sequence[str], size: int, measure: str) -> None:
    """Means over the tasks of each data set alone."""
    names = np.array([task.name for task in outcomes.tasks])
    table = f"{MEASURES[measure]} by data set, {_share(size)}"
    for variant in variants:
        values = outcomes.of_tasks(variant, size, measure)
        for name in dict.fromkeys(names.tolist()):
            n_tasks = int((names == name).sum())
            row = f"{name}, {n_tasks} task" + "s" * (n_tasks > 1)
            place = {"table": table, "row": row, "measure": outcomes.rows[variant], "unit": "%"}
            tally.add(f"{measure}/{name}/{variant}", float(values[names == name].mean()), **place)


def add_variants(tally: Tally, outcomes: Outcomes, variants: Sequence[str], size: int) -> None:
    """All four measures of some methods at one size."""
    for variant in variants:
        for measure, told in MEASURES.items():
            place = {"table": _share(size), "row": outcomes.rows[variant], "measure": told, "unit": "%"}
            tally.add(f"{size}/{variant}/{measure}", outcomes.mean(variant, size, measure), **place)


def add_comparison(tally: Tally, outcomes: Outcomes, first: str, rival: str, size: int) -> None:
    """A method against a rival in accuracy and AUC, with p of the paired t-test."""
    table = f"minus {rival}, paired t-test over tasks"
    place = {"table": table, "row": f"{outcomes.rows[first]}, {_share(size)}"}
    for measure in ("accuracy", "auc"):
        found = outcomes.difference(first, rival, size, measure)
        key = f"{size}/{first}-{rival}/{measure}"
        tally.add(f"{key}/points", found.mean, measure=f"{MEASURES[measure]}, points", unit="%", **place)
        tally.add(f"{key}/p", found.p, measure=f"p ({MEASURES[measure]})", unit="p", **place)


def add_losses(tally: Tally, hinge: Outcomes, squared: Outcomes, variants: Sequence[str], size: int) -> None:
    """The same methods with the hinge and with its square."""
    for variant in variants:
        for measure in ("auc", "accuracy", "f"):
            for told, outcomes in (("hinge", hinge), ("squared hinge", squared)):
                row = outcomes.rows[variant]
                place = {"table": _share(size), "row": row, "measure": f"{MEASURES[measure]}, {told}"}
                key = f"{size}/{variant}/{measure}/{told.replace(' ', '-')}"
                tally.add(key, outcomes.mean(variant, size, measure), unit="%", **place)


def add_search(tally: Tally, study: Study, full: str, quick: str) -> None:
    """How often the quick search for C chooses another one, and what that changes."""
    for size in study.sizes(full):
        pairs: dict[str, list[tuple[Sequence[float], Sequence[float]]]] = {}
        for unit in study.units(full):
            if unit.size != size:
                continue
            twin = next(own for own in study.units(quick) if own[1:4] == unit[1:4])
            for variant, answers in study.results(unit).items():
                quickly = study.results(twin)[variant]
                pairs.setdefault(variant, []).extend((answers[code], quickly[code]) for code in answers)
        for variant, found in pairs.items():
            slow, fast = (np.array([[pair[side]] for pair in found]) for side in (0, 1))
            place = {"table": _share(size), "row": variant}
            tally.add(f"{size}/{variant}/n", len(found), measure="machines", unit="rows", **place)
            changed = int((slow[:, 0, -1] != fast[:, 0, -1]).sum())
            tally.add(f"{size}/{variant}/changed", changed, measure="another C", unit="rows", **place)
            for measure in ("auc", "accuracy"):
                means = [np.mean([summarised(own)[measure] for own in side]) for side in (slow, fast)]
                told = f"{MEASURES[measure]}, quick minus full"
                tally.add(f"{size}/{variant}/{measure}", means[1] - means[0], measure=told, unit="%", **place)


def add_rankings(tally: Tally, outcomes: Outcomes, measure: str) -> None:
    """The paper's methods ranked by outputs in the place of log odds, and how many machines say nothing."""
    for size in outcomes.sizes:
        for variant in ("baseline", "scaling", "shaping"):
            row, told = _share(size), outcomes.rows[variant]
            value = outcomes.mean(variant, size, f"{measure}-outputs")
            table = f"{MEASURES[measure]} of outputs, before calibration"
            tally.add(f"{size}/{variant}/outputs", value, table=table, row=row, measure=told, unit="%")
            silent = outcomes.share_without_answer(variant, size)
            table = "machines with the same output for all test rows"
            tally.add(f"{size}/{variant}/silent", silent, table=table, row=row, measure=told, unit="%")


def _share(size: int) -> str:
    return f"{size} % of the rows"
