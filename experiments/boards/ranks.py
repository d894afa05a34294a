"""Mean ranks over data sets, whether they differ, and by how much scores do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True)
class Ranking:
    """Methods ranked on data sets by one measure.

    Attributes
    ----------
    scores, ranks : ndarray of shape (n_data_sets, n_methods)
        Mean scores in percent; 1 is best, equal scores share a rank.
    p_value : float
        That of Friedman's test, whether all methods rank alike; NaN with fewer than two data sets.
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
    p_value = float(stats.friedmanchisquare(*ranks.T).pvalue) if n_sets > 1 else float("nan")
    quantile = stats.studentized_range.ppf(LEVEL, n_methods, np.inf)
    return Ranking(
        scores, ranks, p_value, float(quantile * np.sqrt(n_methods * (n_methods + 1) / (12 * n_sets)))
    )


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[float, float]:
    """Mean over data sets of first - second, and half the width of its 95 % interval (Student's t)."""
    values = np.subtract(first, second)
    if len(values) < 2:
        return float(values.mean()), float("nan")
    error = values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(stats.t.ppf((1.0 + LEVEL) / 2.0, len(values) - 1) * error)


def complete(
    journal: Mapping[tuple[str, int, str], Mapping[str, Any]],
    drawn: Iterable[tuple[str, int]],
    methods: Sequence[str],
) -> list[tuple[str, int]]:
    """Draws (problem, seed) in which every method has had its turn."""
    return [cell for cell in drawn if all((*cell, method) in journal for method in methods)]


def data_set_scores(
    journal: Mapping[tuple[str, int, str], Mapping[str, Any]],
    drawn: Sequence[tuple[str, int]],
    methods: Sequence[str],
    measure: str,
) -> dict[str, NDArray[np.float64]]:
    """Mean score of every method on every data set; one without a result counts as the worst of the draw."""
    rows: dict[str, list[NDArray[np.float64]]] = {}
    for problem, seed in drawn:
        lines = [journal[problem, seed, method] for method in methods]
        found = np.array([line.get("scores", {}).get(measure, np.nan) for line in lines])
        found = np.where(np.isnan(found), np.nanmin(found), found)
        rows.setdefault(problem.partition("/")[0], []).append(found)
    return {name: np.mean(values, axis=0) for name, values in rows.items()}
