"""The page and its figures, from the journals alone."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from boards.cells import STABILITY_SIZE, Journal, read_journal
from boards.drawing import draw_curves, draw_ranks
from boards.methods import OURS, methods_of
from boards.problems import problems_of
from boards.ranks import (
    Draw,
    Ranking,
    data_set_differences,
    data_set_scores,
    draws_of,
    interval,
    ranked,
    score_tables,
)
from numpy.typing import NDArray
from pages import markdown_table

from infoprop.selection import selection_stability

HERE = Path(__file__).resolve().parent
FRONT = "front door"
PUBLISHED = "published"
FEWEST_DATA_SETS = 5
"""That a board needs to be summed up."""


@dataclass(frozen=True)
class Board:
    """What was run of the reporting half of a board, and how methods rank there.

    Attributes
    ----------
    name : str
    settings : mapping
    journal : Journal
    methods : tuple of str
    drawn : list of (problem, seed)
    tables : dict of measure, then of problem
        Scores, see `score_tables`.
    rankings : dict of measure
    """

    name: str
    settings: Mapping[str, Any]
    journal: Journal
    methods: tuple[str, ...]
    drawn: list[Draw]
    tables: dict[str, dict[str, NDArray[np.float64]]]
    rankings: dict[str, Ranking]

    @property
    def data_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(problem.partition("/")[0] for problem in self.problems))

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(next(iter(self.tables.values())))

    @property
    def aims(self) -> list[Ranking]:
        """Rankings by the measures that count: how many columns are original ones is no aim in itself."""
        return [ranking for measure, ranking in self.rankings.items() if measure != "real"]

    def lines(self, method: str) -> list[Mapping[str, Any]]:
        """Lines of a method, of the draws it has."""
        found = (self.journal.get((*cell, method)) for cell in self.drawn)
        return [line for line in found if line is not None]


def read_board(name: str, settings: Mapping[str, Any], journal: Journal) -> Board | None:
    """A board as far as it was run; None if no problem was done by all methods."""
    methods = methods_of(settings)
    planned = [
        (problem.name, seed)
        for problem, seeds in problems_of(name, settings)
        if problem.half == "report"
        for seed in seeds
    ]
    drawn = draws_of(journal, planned, methods)
    if not drawn:
        return None
    tables = {measure: score_tables(journal, drawn, methods, measure) for measure in settings["measures"]}
    rankings = {}
    for measure, table in tables.items():
        scores = data_set_scores(table, is_paired=settings.get("paired", False))
        rankings[measure] = ranked(np.array(list(scores.values())))
    return Board(name, settings, journal, methods, drawn, tables, rankings)


def write_page(settings: Mapping[str, Any], output: Path) -> None:
    """Write README.md and the figures beside the journals."""
    journals = {name: read_journal(output / f"{name}.jsonl") for name in settings}
    (output / "README.md").write_text(page(settings, journals), encoding="utf-8")
    for name, journal in journals.items():
        board = read_board(name, settings[name], journal)
        if board is not None and name != PUBLISHED:
            draw_ranks(board.rankings, board.methods, OURS, output / "figures" / f"{name}.png")
            if name == "recovery":
                names = settings[name]["wide"]
                draw_curves(board.tables["recall"], board.methods, names, output / "figures" / "curves.png")


def page(settings: Mapping[str, Any], journals: Mapping[str, Journal]) -> str:
    """The page as it follows from the journals."""
    text = (HERE / "page.md").read_text(encoding="utf-8")
    for name, journal in journals.items():
        board = read_board(name, settings[name], journal)
        if board is None:
            n_sets = len({problem for problem, _, _ in journal})
            lines = [f"Not run by all methods yet: {len(journal)} choices, {n_sets} problems."]
        else:
            lines = _published(board) if name == PUBLISHED else _section(board)
        text = text.replace(f"TABLES OF {name.upper()}", "\n".join(lines))
    return text


def summary(settings: Mapping[str, Any], journals: Mapping[str, Journal]) -> list[str]:
    """Mean ranks on each board, of the front door, of the best of ours and of others: for the README."""
    rows = []
    for name, journal in journals.items():
        board = read_board(name, settings[name], journal)
        if board is None or name == PUBLISHED or len(board.data_sets) < FEWEST_DATA_SETS:
            continue
        ranks = _mean_ranks(board)
        best = {
            is_ours: min(
                (rank, method)
                for rank, method in zip(ranks, board.methods, strict=True)
                if (method in OURS) is is_ours and method != FRONT
            )
            for is_ours in (True, False)
        }
        rows.append(
            [
                settings[name]["title"],
                f"{len(board.data_sets)} / {len(board.methods)}",
                f"{ranks[board.methods.index(FRONT)]:.1f}",
                *(f"{method}, {rank:.1f}" for rank, method in best.values()),
                f"{board.aims[0].critical:.1f}",
            ]
        )
    header = ["board", "data sets / methods", "`infoprop.select`", "best other of ours", "best peer"]
    return markdown_table([*header, "critical difference"], rows)


def _section(board: Board) -> list[str]:
    is_alone = len(board.data_sets) == 1
    lines = [
        f"Reporting half: {len(board.data_sets)} data sets, {len(board.problems)} problems, "
        f"{len(board.drawn)} draws of them, {len(board.methods)} methods, "
        f"{sum(len(board.lines(method)) for method in board.methods):,} choices.",
        "",
        *_table(board),
        "",
        *(["One data set: no test, and no intervals."] if is_alone else _tests(board)),
        "",
        "By data set, %, recall:" if board.name == "recovery" else "By data set, %, mean of the accuracies:",
        "",
        *_by_data_set(board),
    ]
    failures = sorted(
        {
            (method, line.get("why", ""))
            for method in board.methods
            for line in board.lines(method)
            if line["status"] == "failed"
        }
    )
    if failures:
        lines += ["", "Failures: " + "; ".join(f"{method}: {why}" for method, why in failures) + "."]
    return lines


def _tests(board: Board) -> list[str]:
    tests = "; ".join(
        f"{measure}: p = {ranking.p_value:.1g}, critical difference {ranking.critical:.1f}"
        for measure, ranking in board.rankings.items()
    )
    return [
        f"Friedman's test that all rank alike, and Nemenyi's critical difference of mean ranks. {tests}.",
        "",
        f"![Mean ranks.](figures/{board.name}.png)",
        "",
        "The front door less each method, points, over the draws that both have, with 95 % intervals over "
        "data sets:",
        "",
        *_differences(board),
    ]


def _published(board: Board) -> list[str]:
    """Mean recall over all widths of a published benchmark's own methods, beside what it printed."""
    printed = json.loads((HERE.parent / "recovery2024" / "expected.json").read_text(encoding="utf-8"))[
        "numbers"
    ]
    scores = data_set_scores(board.tables["recall"])
    names = {"forest, published": "forest", "Relief, published": "relief"}
    rows = []
    for place, method in enumerate(board.methods):
        cells = [
            f"{printed[f'{problem}/{names[method]}']['printed']} / {found[place]:.0f}"
            for problem, found in scores.items()
        ]
        rows.append([method.partition(",")[0], *cells, str(len(board.lines(method)))])
    return markdown_table(["recall, %, published / ours", *scores, "draws"], rows)


def _mean_ranks(board: Board) -> NDArray[np.float64]:
    """Mean rank of every method over data sets and measures."""
    return np.mean([ranking.ranks.mean(axis=0) for ranking in board.aims], axis=0)


def _order(board: Board) -> NDArray[np.intp]:
    """Methods by their mean rank, best first."""
    return np.argsort(_mean_ranks(board), kind="stable")


def _name(method: str) -> str:
    return f"**{method}**" if method in OURS else method


def _table(board: Board) -> list[str]:
    """Mean ranks and scores of all methods, best mean rank first."""
    extra = [f"stability, {STABILITY_SIZE}"] if board.name == "wide" else []
    header = [
        "method",
        *(f"rank: {measure}" for measure in board.rankings),
        *(f"%: {measure}" for measure in board.rankings),
        *extra,
        "seconds",
        "draws",
        "no result",
    ]
    rows = []
    for place in _order(board):
        method = board.methods[place]
        lines = board.lines(method)
        timeouts, failures = (
            sum(line["status"] == status for line in lines) for status in ("timeout", "failed")
        )
        without = ", ".join(
            f"{count} {word}" for count, word in ((timeouts, "too slow"), (failures, "failed")) if count
        )
        rows.append(
            [
                _name(method),
                *(f"{ranking.ranks[:, place].mean():.1f}" for ranking in board.rankings.values()),
                *(f"{ranking.scores[:, place].mean():.1f}" for ranking in board.rankings.values()),
                *([_stability(board, method)] if extra else []),
                _seconds(lines),
                str(len(lines)),
                without,
            ]
        )
    return markdown_table(header, rows)


def _seconds(lines: Sequence[Mapping[str, Any]]) -> str:
    """Median over problems of the mean processor seconds."""
    seconds: dict[str, list[float]] = {}
    for line in lines:
        if line["status"] == "done":
            seconds.setdefault(line["problem"], []).append(line["seconds"])
    return f"{np.median([np.mean(values) for values in seconds.values()]):.2f}" if seconds else ""


def _stability(board: Board, method: str) -> str:
    """Mean over data sets of the stability over their folds, and of the ends of its interval."""
    found = []
    for problem in board.problems:
        lines = [line for line in board.lines(method) if line["problem"] == problem and "chosen" in line]
        if len(lines) > 1:
            masks = np.zeros((len(lines), lines[0]["n_columns"]), dtype=bool)
            for mask, line in zip(masks, lines, strict=True):
                mask[line["chosen"][STABILITY_SIZE]] = True
            stability = selection_stability(masks)
            found.append([stability.value, stability.lower, stability.upper])
    if not found:
        return ""
    value, lower, upper = np.mean(found, axis=0)
    return f"{value:.2f} ({lower:.2f} to {upper:.2f})"


def _differences(board: Board) -> list[str]:
    front = board.methods.index(FRONT)
    rows = []
    for place in _order(board):
        if place != front:
            cells = (
                interval(data_set_differences(tables, front, int(place))) for tables in board.tables.values()
            )
            rows.append([_name(board.methods[place]), *(f"{mean:+.1f} ± {half:.1f}" for mean, half in cells)])
    return markdown_table(["method", *board.rankings], rows)


def _by_data_set(board: Board) -> list[str]:
    """Scores on every data set: recall, or the mean of the accuracies."""
    scores = np.mean([r.scores for r in board.aims[: 1 if board.name == "recovery" else None]], axis=0)
    rows = [[_name(board.methods[k]), *(f"{value:.0f}" for value in scores[:, k])] for k in _order(board)]
    return markdown_table(["method", *board.data_sets], rows)
