"""Re-run the experiments of the gradient-angle paper; see settings.toml for what is run and why."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gradient_angle2000.claims import KINDS, resampled_averages
from gradient_angle2000.drawing import draw_figure
from gradient_angle2000.protocols import STRATEGIES, Draws, run_draws
from ledger import Number
from running import run_experiment
from scipy.stats import rankdata

HERE = Path(__file__).resolve().parent


def run_part(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run one figure of the paper, draw it, and return its numbers."""
    part = {**part, "draws": min(part["draws"], run.get("most_draws", part["draws"]))}
    draws = run_draws(part, run)
    draw_figure(draws, part, output / "figures" / f"{part['name']}.png")
    numbers: dict[str, Number] = {}
    for quantities in (_ranking(part, draws), _table(part, draws), _statements(part, run, draws)):
        numbers |= quantities
    for epsilon in part.get("other_epsilons", []):
        correlations = _correlations(run_draws(part, {**run, "epsilon": epsilon}))
        row = f"importance with feature number, ε = {epsilon}"
        numbers[f"{part['name']}/correlation-{epsilon}"] = _correlation_number(part, row, correlations)
    for variant in part.get("variant", []):
        other = {**part, **variant, "machine": {**part["machine"], **variant.get("machine", {})}}
        other["draws"] = min(other["draws"], part["draws"])
        numbers |= _variant(other, run_draws(other, run))
    return numbers


def _ranking(part: Mapping[str, Any], draws: Draws) -> dict[str, Number]:
    """Importances of the features that the settings list, and how well they follow the noise."""
    place = {
        "part": part["name"],
        "table": "feature",
        "measure": "importance, % of a right angle",
        "unit": "%",
    }
    listed = (
        range(1, draws.n_features + 1) if part.get("importances") == "all" else part.get("importances", [])
    )
    numbers = {
        f"{part['name']}/importance-{k}": Number.of(
            list(100.0 * draws.importances[:, k - 1]), row=f"{k} ({draws.feature_names[k - 1]})", **place
        )
        for k in listed
    }
    if "follows" in part:
        correlations = _correlations(draws)
        row = "importance with feature number"
        numbers[f"{part['name']}/correlation"] = _correlation_number(part, row, correlations)
        place = {"part": part["name"], "table": "statement", "measure": "true", "unit": "% of draws"}
        numbers[f"{part['name']}/follows"] = Number.of(
            [100.0 * (value > part["follows"]) for value in correlations],
            row=f"importance falls as noise grows: rank correlation above {part['follows']}, draw by draw",
            **place,
        )
    return numbers


def _correlations(draws: Draws) -> list[float]:
    """Spearman's correlation of falling importances with the number of the feature, draw by draw."""
    places = np.arange(draws.n_features)
    return [-float(np.corrcoef(rankdata(values), places)[0, 1]) for values in draws.importances]


def _correlation_number(part: Mapping[str, Any], row: str, correlations: Sequence[float]) -> Number:
    place = {"part": part["name"], "table": "ranking", "measure": "rank correlation, % of a perfect one"}
    return Number.of([100.0 * value for value in correlations], row=row, unit="%", **place)


def _cells(part: Mapping[str, Any], draws: Draws) -> Iterator[tuple[str, str, Any]]:
    """Key, name and curve (n_draws, n_features) of every column of a part's table."""
    for key in part["strategies"]:
        curve = draws.test[key]
        yield key, STRATEGIES[key], curve - curve[:, -1:] if part.get("changes") else curve
    if part.get("show_training"):
        yield "training", "most important, training rows", draws.train["angles"]


def _table(part: Mapping[str, Any], draws: Draws) -> dict[str, Number]:
    """Accuracies, or their change against all features, for the sizes that the settings list."""
    numbers = {}
    for m in part.get("sizes", []):
        row = f"{m}, all" if m == draws.n_features else f"{m}"
        for key, measure, curve in _cells(part, draws):
            place = {"part": part["name"], "table": "features kept", "row": row, "unit": "%"}
            numbers[f"{part['name']}/{m}/{key}"] = Number.of(list(curve[:, m - 1]), measure=measure, **place)
    if "angles" in part["strategies"]:
        place = {"part": part["name"], "table": "features kept", "row": "all, test accuracy", "unit": "%"}
        if part.get("changes"):
            numbers[f"{part['name']}/all"] = Number.of(
                list(draws.test["angles"][:, -1]), measure=STRATEGIES["angles"], **place
            )
    if "separation" in part["strategies"]:
        ahead = (draws.test["angles"] - draws.test["separation"])[:, :-1].mean(axis=1)
        place = {"part": part["name"], "table": "comparison", "measure": "points", "unit": "%"}
        row = (
            f"most important minus largest average separation, mean over 1 to {draws.n_features - 1} features"
        )
        numbers[f"{part['name']}/advantage"] = Number.of(list(ahead), row=row, **place)
    return numbers


def _statements(part: Mapping[str, Any], run: Mapping[str, Any], draws: Draws) -> dict[str, Number]:
    """In how many resampled averages each of the paper's statements is true."""
    averages = resampled_averages(draws, run["averages"], run["seed"])
    place = {"part": part["name"], "table": "statement", "measure": "true", "unit": "% of draws"}
    return {
        f"{part['name']}/{claim['key']}": Number.of(
            list(100.0 * KINDS[claim["kind"]](averages, claim)), row=claim["row"], **place
        )
        for claim in part.get("claim", [])
    }


def _variant(part: Mapping[str, Any], draws: Draws) -> dict[str, Number]:
    """The most important features under other settings."""
    numbers = {}
    for m in part["sizes"]:
        place = {"part": part["name"], "table": "features kept", "unit": "%"}
        row = f"{m}{', all' if m == draws.n_features else ''}, {part['row']}"
        for key, measure, curve in _cells(part, draws):
            numbers[f"{part['name']}/{m}-{part['key']}/{key}"] = Number.of(
                list(curve[:, m - 1]), row=row, measure=measure, **place
            )
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    return run_experiment(HERE, run_part, arguments)


if __name__ == "__main__":
    sys.exit(main())
