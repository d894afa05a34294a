"""One training set of the study: every method on every class, C chosen inside, asked about the test fold."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from shaping2009.machines import Machine, train
from shaping2009.problems import Problem, load
from shaping2009.scores import Score
from shaping2009.splits import deal, generator, outer_split
from shaping2009.variants import Part, Variant

from infoprop.svm._calibration import Sigmoid


class Unit(NamedTuple):
    """A piece of work that is done as a whole and kept in the journal as a line."""

    bundle: str
    name: str
    fold: int
    size: int
    loss: str
    search: str

    @property
    def key(self) -> str:
        return "/".join(str(part) for part in self)


class Bench(NamedTuple):
    """The training rows as a whole and in the parts of both inner splits."""

    whole: Part
    inner: Sequence[Part]
    halves: Sequence[Part]
    half_of: Any


def run_unit(unit: Unit, variants: Sequence[Variant], run: Mapping[str, Any]) -> dict[str, Any]:
    """Train and ask; returns the line of the journal.

    ``results[variant][class]`` holds the numbers of :class:`Score` and the number of the chosen cost.
    """
    started = time.process_time()
    problem = load(unit.name)
    bench = _bench(problem, unit, run)
    results: dict[str, dict[str, list[float]]] = {}
    for positive in problem.tasks:
        known: dict[Variant, tuple[int, list[tuple[Any, Sigmoid]]]] = {}
        for variant in variants:
            same = _resolved(variant, bench)
            if same not in known:
                known[same] = _answers(bench, variant, positive, unit, run)
            chosen, answers = known[same]
            # One that stands for another may have been calibrated in more ways, of which the first is common.
            for name, (outputs, sigmoid) in zip(variant.names(), answers, strict=False):
                score = Score.of(outputs, sigmoid.slope, sigmoid.offset, bench.whole.asked_codes == positive)
                results.setdefault(name, {})[str(positive)] = [*score, chosen]
    seconds = round(time.process_time() - started, 2)
    return {"key": unit.key, "seconds": seconds, "results": results}


def _bench(problem: Problem, unit: Unit, run: Mapping[str, Any]) -> Bench:
    """Training rows of the unit, cut for both inner splits, and the test rows."""
    codes, n = problem.codes, len(problem.codes)
    split = outer_split(codes, unit.name, unit.fold, run["n_folds"], run["seed"])
    rows = split.train[: min(len(split.train), round(unit.size * n / 100.0))]
    X, own = problem.X[rows], codes[rows]
    random = generator(run["seed"], unit.name, unit.fold, unit.size)

    def cut(folds: Any) -> Iterator[Part]:
        for number in range(folds.max() + 1):
            is_asked = folds == number
            asked = (X[is_asked], own[is_asked])
            yield Part(X[~is_asked], own[~is_asked], *asked, problem.n_classes)

    inner_folds, half_of = deal(own, run["n_inner_folds"], random), deal(own, 2, random)
    whole = Part(X, own, problem.X[split.test], codes[split.test], problem.n_classes)
    return Bench(whole, list(cut(inner_folds)), list(cut(half_of)), half_of)


def _resolved(variant: Variant, bench: Bench) -> Variant:
    """The variant without names and calibrations, and with the usual window where "auto" is the same.

    "auto" takes an eighth of the rows, at most 15; in sparse columns the rows that can be neighbours differ
    from column to column.
    """
    fewest = min(len(part.codes) for part in (*bench.inner, *bench.halves))
    usual = Variant("", "").window
    is_same = variant.window == "auto" and not bench.whole.is_text and fewest >= 8.0 * usual
    return replace(variant, key="", row="", calibrations=(), window=usual if is_same else variant.window)


def _answers(
    bench: Bench, variant: Variant, positive: int, unit: Unit, run: Mapping[str, Any]
) -> tuple[int, list[tuple[Any, Sigmoid]]]:
    """Number of the chosen cost; outputs for the test rows with the sigmoid of each calibration."""
    signs = bench.whole.signs(positive)
    costs = np.array(run["costs"], dtype=np.float64)
    chosen = _chosen(bench, variant, positive, unit, run)
    # Whence a machine is approached does not matter to it; a middling cost is the quickest start.
    path = costs[chosen if unit.loss != "hinge" else min(chosen, run["start"]) : chosen + 1]
    seen, asked = bench.whole.represented(variant, positive)

    def machine_of(X: Any, own_signs: Any) -> Machine:
        *_, machine = train(X, own_signs, path, unit.loss, run["tol"])
        return machine

    machine = machine_of(seen, signs)
    answers = []
    for calibration in variant.calibrations:
        outputs = machine.outputs(seen)
        for number, part in enumerate(bench.halves if calibration != "train" else []):
            is_asked = bench.half_of == number
            own, other = seen[~is_asked], seen[is_asked]
            if calibration == "folds":
                own, other = part.represented(variant, positive)
            outputs[is_asked] = machine_of(own, signs[~is_asked]).outputs(other)
        sigmoid = Sigmoid.fit(outputs, signs > 0.0, np.ones(len(signs)))
        answers.append((machine.outputs(asked), sigmoid))
    return chosen, answers


def _chosen(bench: Bench, variant: Variant, positive: int, unit: Unit, run: Mapping[str, Any]) -> int:
    """Number of the cost that names most rows right in the inner folds; of equals the lowest.

    A "quick" search looks at the lowest cost only if the second lowest is not behind any higher one: machines
    of the lowest take longest where there are many words, and hardly ever tell anything apart.
    """
    costs = np.array(run["costs"], dtype=np.float64)
    is_quick = unit.search == "quick"
    parts = [
        (part.signs(positive), *part.represented(variant, positive), part.asked_codes == positive)
        for part in bench.inner
    ]

    def right(path: Any) -> Any:
        found = np.zeros(len(path))
        for signs, seen, asked, is_positive in parts:
            for c, machine in enumerate(
                train(seen, signs, path, unit.loss, run["inner_tol" if is_quick else "tol"])
            ):
                found[c] += ((machine.outputs(asked) > 0.0) == is_positive).sum()
        return found

    if not is_quick:
        return int(np.argmax(right(costs)))
    of_upper = right(costs[1:])
    best = int(np.argmax(of_upper))
    if best == 0 and right(costs[:1])[0] >= of_upper[0]:
        return 0
    return best + 1
