"""Accuracy against the number of features, Figures 1 to 3: the wrappers against filters and projections."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from infoprop2001.run import Tally
from joblib import Parallel, delayed
from ledger import Number
from moi2004.bench import Bench, Verdict, measured
from moi2004.drawing import draw_curves
from moi2004.methods import Task, build_machines
from moi2004.problems import Parts, draw_parts, with_draws


@dataclass(frozen=True, eq=False)
class Curves:
    """One split: what each method reaches with each number of features.

    Attributes
    ----------
    verdicts : dict of str to dict of int to Verdict
        By method and size.
    trainings : dict of int to int
        Trainings of the last directed search, by size.
    n_features : int
        Of the whole data set.
    """

    verdicts: Mapping[str, Mapping[int, Verdict]]
    trainings: Mapping[int, int]
    n_features: int

    def accuracy(self, method: str, sizes: Sequence[int], rows: str = "judge") -> float:
        """Mean accuracy on the judging or on the guiding rows over `sizes`, in percent."""
        flows = [getattr(self.verdicts[method][size], rows) for size in sizes]
        return 100.0 * float(np.mean([flow.accuracy for flow in flows]))


def run_curves(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Measure all splits, draw the figure, return the numbers."""
    run = with_draws(run, part)
    drawn = draw_parts(part, run)
    sizes = [size for size in part["sizes"] if size in run.get("only_sizes", part["sizes"])]
    crossed = part["source"]["cut"] == "both"
    splits = Parallel(n_jobs=run["n_jobs"])(
        delayed(measure)(build_machines(part, run, seed), parts, sizes, seed=seed, crossed=crossed)
        for seed, parts in enumerate(drawn.parts, start=run["seed"])
    )
    tally = Tally(part["name"])
    told = "untouched" if crossed else "validation"
    for curves in splits:
        for claim in part["claim"]:
            _add_claim(curves, claim, tally)
        for size in [size for size in part["tabled"] if size in sizes]:
            _add_size(curves, size, told, tally)
        _add_trainings(curves, tally)
    draw_curves(splits, part["figure"], told, output / "figures" / f"{part['name']}.png")
    return tally.numbers()


def measure(
    machines: Mapping[str, Any], parts: Parts, sizes: Sequence[int], *, seed: int = 0, crossed: bool = False
) -> Curves:
    """Let each method choose, then train and measure on what it chose."""
    verdicts, trainings = {}, {}
    benches = {id(machine): Bench(machine, parts) for machine in machines.values()}
    for method, machine in machines.items():
        task = Task(machine, parts, tuple(sizes), seed=seed)
        found = measured(method, task, benches[id(machine)], crossed=crossed)
        verdicts[method] = found.verdicts
        trainings |= {size: search.trainings for size, search in found.searches.items()}
    return Curves(verdicts, trainings, parts.X_train.shape[1])


def _add_size(curves: Curves, size: int, told: str, tally: Tally) -> None:
    """Accuracies of all methods; with all features there is nothing to choose, so one line says it."""
    everything = size == curves.n_features
    for method, verdicts in list(curves.verdicts.items())[: 1 if everything else None]:
        if size not in verdicts:
            continue
        verdict = verdicts[size]
        key = "all" if everything else f"{size}/{method.lower().replace(' ', '-')}"
        for name, measure, value in (
            ("accuracy", f"accuracy, {told}", verdict.judge.accuracy),
            ("relative", f"relative information, {told}", verdict.judge.relative_information),
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
        holds = value(curves, claim["methods"], claim["sizes"], claim.get("rows", "judge"))
        tally.add(claim["key"], holds, **place)


def _ahead(curves: Curves, methods: Sequence[str], sizes: Sequence[int], rows: str = "judge") -> float:
    """The first method is at least as good as all others, in the mean over `sizes`: 0 or 100 percent."""
    first, *others = (
        curves.accuracy(method, sizes, rows)
        for method in methods
        if all(size in curves.verdicts[method] for size in sizes)
    )
    return 100.0 * (first >= max(others))


def _behind(curves: Curves, methods: Sequence[str], sizes: Sequence[int], rows: str = "judge") -> float:
    """The first method is worse than the best of the others, in the mean over `sizes`: 0 or 100 percent."""
    return 100.0 - _ahead(curves, methods, sizes, rows)


def _apart(curves: Curves, methods: Sequence[str], sizes: Sequence[int], rows: str = "judge") -> float:
    """Mean over `sizes` of the distance between the best and the worst of the methods, in points."""
    points = [[curves.accuracy(method, [size], rows) for method in methods] for size in sizes]
    return float(np.mean([max(each) - min(each) for each in points]))


def _gains(curves: Curves, methods: Sequence[str], sizes: Sequence[int], rows: str = "judge") -> float:
    """The method is better with the first of two sizes than with the second: 0 or 100 percent."""
    fewer, more = (curves.accuracy(methods[0], [size], rows) for size in sizes)
    return 100.0 * (fewer > more)


KINDS: Mapping[str, tuple[Callable[[Curves, Sequence[str], Sequence[int], str], float], str]] = {
    "ahead": (_ahead, "% of draws"),
    "behind": (_behind, "% of draws"),
    "apart": (_apart, "%"),
    "gains": (_gains, "% of draws"),
}
"""Function and unit of each kind of claim."""
