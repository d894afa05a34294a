"""Accuracy against the number of features, Figures 2 and 3: the wrappers against filters and projections."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from infoprop2001.run import Tally
from joblib import Parallel, delayed
from ledger import Number
from moi2004.drawing import draw_curves
from moi2004.filters import PROJECTIONS
from moi2004.problems import Parts, draw_parts
from moi2004.svm_methods import METHODS, Bench, Task, Verdict, build_machine


@dataclass(frozen=True, eq=False)
class Curves:
    """One split: what each method reaches with each number of features.

    Attributes
    ----------
    verdicts : dict of str to dict of int to Verdict
        By method and size.
    trainings : dict of int to int
        Trainings of the directed search, by size.
    n_features : int
        Of the whole data set.
    """

    verdicts: Mapping[str, Mapping[int, Verdict]]
    trainings: Mapping[int, int]
    n_features: int

    def accuracy(self, method: str, sizes: Sequence[int]) -> float:
        """Mean accuracy on the judging rows over `sizes`, in percent."""
        return 100.0 * float(np.mean([self.verdicts[method][size].judge.accuracy for size in sizes]))


def run_curves(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Measure all splits, draw the figure, return the numbers."""
    run = {**run, "draws": min(run["draws"], part.get("draws", run["draws"]))}
    drawn = draw_parts(part, run)
    sizes = [size for size in part["sizes"] if size in run.get("only_sizes", part["sizes"])]
    machine = build_machine(part["machine"], run)
    splits = Parallel(n_jobs=run["n_jobs"])(
        delayed(measure)(machine, parts, sizes, part["methods"]) for parts in drawn.parts
    )
    tally = Tally(part["name"])
    for curves in splits:
        for claim in part["claim"]:
            _add_claim(curves, claim, tally)
        for size in [size for size in part["tabled"] if size in sizes]:
            _add_size(curves, size, tally)
        _add_trainings(curves, tally)
    draw_curves(splits, part["figure"], output / "figures" / f"{part['name']}.png")
    return tally.numbers()


def measure(machine: Any, parts: Parts, sizes: Sequence[int], methods: Sequence[str]) -> Curves:
    """Let each method choose, then train and measure on what it chose."""
    bench = Bench(machine, parts)
    task = Task(machine, parts, tuple(sizes))
    verdicts, trainings = {}, {}
    for method in methods:
        if method in PROJECTIONS:
            verdicts[method] = bench.of_projection(method, sizes)
            continue
        choice = METHODS[method](task)
        verdicts[method] = {size: bench.of_columns(columns) for size, columns in choice.columns.items()}
        trainings |= choice.trainings
    return Curves(verdicts, trainings, parts.X_train.shape[1])


def _add_size(curves: Curves, size: int, tally: Tally) -> None:
    """Accuracies of all methods; with all features there is nothing to choose, so one line says it."""
    everything = size == curves.n_features
    for method, verdicts in list(curves.verdicts.items())[: 1 if everything else None]:
        if size not in verdicts:
            continue
        verdict = verdicts[size]
        key = "all" if everything else f"{size}/{method.lower().replace(' ', '-')}"
        for name, measure, value in (
            ("accuracy", "accuracy, validation", verdict.judge.accuracy),
            ("relative", "relative information, validation", verdict.judge.relative_information),
            ("accuracy-guide", "accuracy, D_test", verdict.guide.accuracy),
        ):
            row = "all features" if everything else method
            place = {"table": f"K = {size}", "row": row, "measure": measure, "unit": "%"}
            tally.add(f"{key}/{name}", 100.0 * value, **place)


def _add_trainings(curves: Curves, tally: Tally) -> None:
    """How the directed search compares with the paper's 2(N - K + 1), over all sizes."""
    if not curves.trainings:
        return
    shares = [count / (curves.n_features - size + 1) for size, count in curves.trainings.items()]
    place = {"table": "directed search", "measure": "trainings"}
    tally.add("trainings", 100.0 * float(np.mean(shares)), row="mean over K, of N − K + 1", unit="%", **place)
    usual = 100.0 * bool(np.mean(np.array(shares) < 2.0) > 0.5)
    row = "fewer than 2(N − K + 1) for most K"
    tally.add("trainings-usual", usual, row=row, unit="% of draws", **place)


def _add_claim(curves: Curves, claim: Mapping[str, Any], tally: Tally) -> None:
    value, unit = KINDS[claim["kind"]]
    place = {"table": "claims", "row": claim["row"], "measure": "splits", "unit": unit}
    if all(size in curves.verdicts[claim["methods"][0]] for size in claim["sizes"]):
        tally.add(claim["key"], value(curves, claim["methods"], claim["sizes"]), **place)


def _ahead(curves: Curves, methods: Sequence[str], sizes: Sequence[int]) -> float:
    """The first method is at least as good as all others, in the mean over `sizes`: 0 or 100 percent."""
    first, *others = (curves.accuracy(method, sizes) for method in methods)
    return 100.0 * (first >= max(others))


def _behind(curves: Curves, methods: Sequence[str], sizes: Sequence[int]) -> float:
    """The first method is worse than the best of the others, in the mean over `sizes`: 0 or 100 percent."""
    return 100.0 - _ahead(curves, methods, sizes)


def _apart(curves: Curves, methods: Sequence[str], sizes: Sequence[int]) -> float:
    """Mean over `sizes` of the distance between the best and the worst of the methods, in points."""
    points = [[curves.accuracy(method, [size]) for method in methods] for size in sizes]
    return float(np.mean([max(each) - min(each) for each in points]))


KINDS: Mapping[str, tuple[Callable[[Curves, Sequence[str], Sequence[int]], float], str]] = {
    "ahead": (_ahead, "% of draws"),
    "behind": (_behind, "% of draws"),
    "apart": (_apart, "%"),
}
"""Function and unit of each kind of claim."""
