"""The page and its figures, from the journals alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from boards.cells import Journal, read_journal
from boards.drawing import draw_curves, draw_ranks
from boards.methods import METHODS, OURS
from boards.problems import problems_of
from boards.ranks import Ranking, complete, data_set_scores, difference, ranked
from pages import markdown_table

from infoprop.selection import selection_stability

HERE = Path(__file__).resolve().parent
FRONT = "front door"
STABILITY_SIZE = "20"


def write_page(settings: Mapping[str, Any], output: Path) -> None:
    """Write README.md and the figures beside the journals."""
    journals = {board: read_journal(output / f"{board}.jsonl") for board in settings}
    (output / "README.md").write_text(page(settings, journals), encoding="utf-8")
    for board, journal in journals.items():
        methods, drawn = _part(board, settings[board], journal, "report")
        if drawn:
            rankings = _rankings(settings[board], journal, drawn, methods)
            draw_ranks(rankings, methods, OURS, output / "figures" / f"{board}.png")
            if board == "recovery":
                draw_curves(
                    journal, drawn, methods, settings[board]["wide"], output / "figures" / "curves.png"
                )


def page(settings: Mapping[str, Any], journals: Mapping[str, Journal]) -> str:
    """The page as it follows from the journals."""
    text = (HERE / "page.md").read_text(encoding="utf-8")
    for board, journal in journals.items():
        text = text.replace(
            f"TABLES OF {board.upper()}", "\n".join(_section(board, settings[board], journal))
        )
    return text


def _part(
    board: str, settings: Mapping[str, Any], journal: Journal, half: str
) -> tuple[list[str], list[tuple[str, int]]]:
    """Methods of a board, and the draws of one half in which all have had their turn."""
    methods = [method for method in METHODS if method not in settings["without"]]
    planned = [
        (problem.name, seed)
        for problem, seeds in problems_of(board, settings)
        if problem.half == half
        for seed in seeds
    ]
    return methods, complete(journal, planned, methods)


def _rankings(
    settings: Mapping[str, Any], journal: Journal, drawn: Sequence[tuple[str, int]], methods: Sequence[str]
) -> dict[str, Ranking]:
    found = {}
    for measure in settings["measures"]:
        scores = data_set_scores(journal, drawn, methods, measure)
        found[measure] = ranked(np.array(list(scores.values())))
    return found


def _section(board: str, settings: Mapping[str, Any], journal: Journal) -> list[str]:
    methods, drawn = _part(board, settings, journal, "report")
    if not drawn:
        return ["Not run yet."]
    rankings = _rankings(settings, journal, drawn, methods)
    n_sets = len({problem.partition("/")[0] for problem, _ in drawn})
    n_problems = len({problem for problem, _ in drawn})
    tests = "; ".join(
        f"{measure}: p = {ranking.p_value:.1g}, critical difference {ranking.critical:.1f}"
        for measure, ranking in rankings.items()
    )
    lines = [
        f"Reporting half: {n_sets} data sets, {n_problems} problems, {len(drawn)} of "
        f"{_planned(board, settings)} planned draws, {len(methods)} methods.",
        "",
        *_table(board, settings, journal, drawn, methods, rankings),
        "",
        f"Friedman's test that all rank alike, and Nemenyi's critical difference of mean ranks. {tests}.",
        "",
        f"![Mean ranks.](figures/{board}.png)",
        "",
        "The front door less each method, points, with 95 % intervals over data sets:",
        "",
        *_differences(rankings, methods),
    ]
    failures = sorted(
        {
            (method, journal[(*cell, method)].get("why", ""))
            for cell in drawn
            for method in methods
            if journal[(*cell, method)]["status"] == "failed"
        }
    )
    if failures:
        lines += ["", "Failures: " + "; ".join(f"{method}: {why}" for method, why in failures) + "."]
    return lines


def _planned(board: str, settings: Mapping[str, Any]) -> int:
    return sum(len(seeds) for problem, seeds in problems_of(board, settings) if problem.half == "report")


def _table(
    board: str,
    settings: Mapping[str, Any],
    journal: Journal,
    drawn: Sequence[tuple[str, int]],
    methods: Sequence[str],
    rankings: Mapping[str, Ranking],
) -> list[str]:
    """Mean ranks and scores of all methods, best mean rank first."""
    mean_ranks = np.mean([ranking.ranks.mean(axis=0) for ranking in rankings.values()], axis=0)
    extra = [f"stability, {STABILITY_SIZE}"] if board == "wide" else []
    header = [
        "method",
        *(f"rank: {measure}" for measure in rankings),
        *(f"%: {measure}" for measure in rankings),
        *extra,
        "seconds",
        "no result",
    ]
    rows = []
    for place in np.argsort(mean_ranks, kind="stable"):
        method = methods[place]
        lines = [journal[(*cell, method)] for cell in drawn]
        seconds = [line["seconds"] for line in lines if line["status"] == "done"]
        timeouts, failures = (
            sum(line["status"] == status for line in lines) for status in ("timeout", "failed")
        )
        without = ", ".join(
            f"{count} {word}" for count, word in ((timeouts, "too slow"), (failures, "failed")) if count
        )
        rows.append(
            [
                f"**{method}**" if method in OURS else method,
                *(f"{ranking.ranks[:, place].mean():.1f}" for ranking in rankings.values()),
                *(f"{ranking.scores[:, place].mean():.1f}" for ranking in rankings.values()),
                *([_stability(journal, drawn, method)] if extra else []),
                f"{np.median(seconds):.2f}" if seconds else "",
                f"{without} of {len(lines)}" if without else "",
            ]
        )
    return markdown_table(header, rows)


def _stability(journal: Journal, drawn: Sequence[tuple[str, int]], method: str) -> str:
    """Mean over data sets of the stability over their folds, and of the ends of its interval."""
    found = []
    for problem in dict.fromkeys(problem for problem, _ in drawn):
        lines = [journal[problem, seed, method] for name, seed in drawn if name == problem]
        chosen = [line["chosen"][STABILITY_SIZE] for line in lines if "chosen" in line]
        if len(chosen) > 1:
            masks = np.zeros((len(chosen), lines[0]["n_columns"]), dtype=bool)
            for mask, columns in zip(masks, chosen, strict=True):
                mask[columns] = True
            stability = selection_stability(masks)
            found.append([stability.value, stability.lower, stability.upper])
    if not found:
        return ""
    value, lower, upper = np.mean(found, axis=0)
    return f"{value:.2f} ({lower:.2f} to {upper:.2f})"


def _differences(rankings: Mapping[str, Ranking], methods: Sequence[str]) -> list[str]:
    front = methods.index(FRONT)
    rows = []
    for place, method in enumerate(methods):
        if method != FRONT:
            cells = (
                difference(ranking.scores[:, front], ranking.scores[:, place])
                for ranking in rankings.values()
            )
            rows.append([method, *(f"{mean:+.1f} ± {half:.1f}" for mean, half in cells)])
    return markdown_table(["method", *rankings], rows)
