"""Mean ranks over data sets, whether they differ, and by how much scores do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEVEL = 0.95
Journal = Mapping[tuple[str, int, str], Mapping[str, Any]]


@dataclass(frozen=True)
class Ranking:
    """Methods ranked on data sets by one measure.

    Attributes
    ----------
    scores, ranks : ndarray of shape (n_data_sets, n_methods)
        Mean scores in percent; 1 is best, equal scores share a rank.
    p_value : float
        That of Friedman's test, whether all methods rank alike; NaN with fewer than two data sets
        or three methods.
    critical : float
        Nemenyi's critical difference of two mean ranks at the level of 5 %.
    """

    scores: NDArray[np.float64]
    ranks: NDArray[np.float64]
    p_value: float
    critical: float


def ranked(scores: NDArray[np.float64]) -> Ranking:
    """Rank the methods on every data set.

    With N data sets, k methods and q the quantile of the studentized range for k groups and infinitely many
    degrees of freedom, mean ranks differ at the level of 5 % if by more than q sqrt(k (k + 1) / (12 N)) (J.
    Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7, 2006, who divides q by
    sqrt(2)).
    """
    n_sets, n_methods = scores.shape
    ranks = stats.rankdata(-scores, axis=1)
    p_value = float("nan")
    if n_sets > 1 and n_methods > 2:
        p_value = float(stats.friedmanchisquare(*ranks.T).pvalue)
    quantile = stats.studentized_range.ppf(LEVEL, n_methods, np.inf)
    return Ranking(
        scores, ranks, p_value, float(quantile * np.sqrt(n_methods * (n_methods + 1) / (12 * n_sets)))
    )


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean over data sets, and half the width of its 95 % interval (Student's t)."""
    if len(values) < 2:
        return float(values.mean()), float("nan")
    error = values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(stats.t.ppf((1.0 + LEVEL) / 2.0, len(values) - 1) * error)


Draw = tuple[str, int]
"""A problem and a seed."""


def draws_of(journal: Journal, planned: Iterable[Draw], methods: Sequence[str]) -> list[Draw]:
    """Draws that are done, of problems in which every method has had its turn at least once."""
    done: dict[str, dict[str, list[int]]] = {}
    for problem, seed in planned:
        for method in methods:
            if (problem, seed, method) in journal:
                done.setdefault(problem, {}).setdefault(method, []).append(seed)
    return [
        (problem, seed)
        for problem, seeds in done.items()
        if len(seeds) == len(methods)
        for seed in sorted(set().union(*seeds.values()))
    ]


def score_tables(
    journal: Journal, drawn: Sequence[Draw], methods: Sequence[str], measure: str
) -> dict[str, NDArray[np.float64]]:
    """Scores on every problem, of shape (n_draws, n_methods); NaN where a method has no such draw.

    A method without a result (too slow, or failed) has the mean that it had with fewer columns, where the
    problem has several widths: recall falls with the width, so that this favours it. Otherwise, it has the
    worst score of the draw.
    """
    tables: dict[str, NDArray[np.float64]] = {}
    for problem in sorted(dict.fromkeys(problem for problem, _ in drawn), key=_width):
        seeds = [seed for name, seed in drawn if name == problem]
        lines = [[journal.get((problem, seed, method)) for method in methods] for seed in seeds]
        scores = np.array([[_score(line, measure) for line in row] for row in lines])
        has_no_result = np.array([[line is not None for line in row] for row in lines]) & np.isnan(scores)
        narrower = [
            name for name in tables if _width(problem) and name.split("/")[0] == problem.split("/")[0]
        ]
        instead = np.repeat(np.nanmin(scores, axis=1, keepdims=True), len(methods), axis=1)
        if narrower:
            instead = np.broadcast_to(np.nanmean(tables[narrower[-1]], axis=0), scores.shape)
        tables[problem] = np.where(has_no_result, instead, scores)
    return tables


def _data_set(problem: str) -> str:
    return problem.partition("/")[0]


def _width(problem: str) -> int:
    width = problem.partition("/")[2]
    return int(width) if width.isdigit() else 0


def _score(line: Mapping[str, Any] | None, measure: str) -> float:
    return np.nan if line is None else line.get("scores", {}).get(measure, np.nan)


def data_set_scores(
    tables: Mapping[str, NDArray[np.float64]], *, is_paired: bool = False
) -> dict[str, NDArray[np.float64]]:
    """Mean score of every method on every data set, over its draws of each problem, then over problems.

    With `is_paired` (folds of one table, some harder than others), a method that has only some of the draws
    is compared on those: its mean is moved by what the methods that have all draws had more on all of them.
    """
    means: dict[str, list[NDArray[np.float64]]] = {}
    for problem, table in tables.items():
        mean = np.nanmean(table, axis=0)
        whole = ~np.isnan(table).any(axis=0)
        if is_paired and whole.any():
            level = np.broadcast_to(table[:, whole].mean(axis=1, keepdims=True), table.shape)
            mean = mean + level.mean() - np.nanmean(np.where(np.isnan(table), np.nan, level), axis=0)
        means.setdefault(_data_set(problem), []).append(mean)
    return {name: np.mean(values, axis=0) for name, values in means.items()}


def data_set_differences(
    tables: Mapping[str, NDArray[np.float64]], first: int, second: int
) -> NDArray[np.float64]:
    """Differences of two methods on every data set, over the draws that both have."""
    means: dict[str, list[float]] = {}
    for problem, table in tables.items():
        difference = float(np.nanmean(table[:, first] - table[:, second]))
        means.setdefault(_data_set(problem), []).append(difference)
    return np.array([np.mean(values) for values in means.values()])
