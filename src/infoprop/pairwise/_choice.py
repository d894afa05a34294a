"""Which columns every pair of classes gets: chosen for each by itself, or for all of them together."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from infoprop._core._exceptions import ParameterError, UnsupportedEstimatorError
from infoprop._core._typing import BoolArray, IntArray
from infoprop.pairwise._electorate import Electorate
from infoprop.pairwise._voters import PairRows
from infoprop.selection import (
    Evolution,
    EvolutionSettings,
    Generation,
    GeneticTrace,
    SearchInterruptedWarning,
    Work,
    population_around,
    random_population,
    take_rows,
)


def local_masks(rows: PairRows, selector: Any, work: Work, *, shares_splits: bool = False) -> BoolArray:
    """Let a clone of `selector` choose columns for each pair, from its rows: (n_pairs, n_columns).

    If the selector has a `random_state` and it is None, the seed of `work` takes its place. With
    `shares_splits`, what the splits of `rows` have of each pair takes the place of its `validation`.
    """
    selector = clone(selector)
    if "random_state" in selector.get_params(deep=False) and selector.random_state is None:
        selector.set_params(random_state=work.seed)
    owns = [rows.of_pair(pair) for pair in range(rows.n_pairs)]
    calls = [delayed(_chosen)(rows, selector, own, shares_splits) for own in owns]
    try:
        with warnings.catch_warnings():
            # A selector ends with its best so far; the pairs after it have nothing yet to end with.
            warnings.simplefilter("error", SearchInterruptedWarning)
            answers = _parallel(rows.evaluator.n_jobs, work.progress.is_shown)(calls)
            return np.array(list(work.progress.watch(answers)), dtype=bool)
    except SearchInterruptedWarning:
        raise KeyboardInterrupt from None


def _parallel(n_jobs: int | None, is_shown: bool) -> Any:
    if is_shown:
        try:
            # Answers come back one by one, in order, so that progress can be seen.
            return Parallel(n_jobs=n_jobs, return_as="generator")
        except ValueError:
            # This backend gives all answers at the end.
            pass
    return Parallel(n_jobs=n_jobs)


def _chosen(rows: PairRows, selector: Any, own: IntArray, shares_splits: bool) -> BoolArray:
    training = rows.evaluator.training
    n_columns = len(rows.evaluator.feature_names)
    if np.unique(training.y[own], return_counts=True)[1].max() < 2:
        # With one row of each class there is none to hold out: nothing speaks against any column.
        return np.ones(n_columns, dtype=bool)
    if shares_splits:
        splits = _splits_of(rows, own)
        if not splits:
            return np.ones(n_columns, dtype=bool)
        selector = clone(selector).set_params(validation=splits)
    weights = {}
    if training.sample_weight is not None:
        if not has_fit_parameter(selector, "sample_weight"):
            raise UnsupportedEstimatorError(
                f"PairwiseClassifier was given sample_weight, but fit of {type(selector).__name__} does not "
                "take it. Use a selector that does."
            )
        weights["sample_weight"] = training.sample_weight[own]
    fitted = clone(selector).fit(take_rows(training.X, own), training.y[own], **weights)
    support = np.asarray(fitted.get_support(), dtype=bool)
    if support.shape != (n_columns,):
        raise ParameterError(
            f"The 'selection' of a PairwiseClassifier must say of {n_columns} columns whether it takes them. "
            f"get_support() of {type(selector).__name__} has shape {support.shape}."
        )
    # A classifier needs something to stand on; a filter may find nothing worth having.
    return np.asarray(support | ~support.any())


def _splits_of(rows: PairRows, own: IntArray) -> list[tuple[IntArray, IntArray]]:
    """What every split has of some rows, numbered among them; only splits that teach all their classes."""
    place = np.full(len(rows.codes), -1, dtype=np.intp)
    place[own] = np.arange(len(own))
    n_classes = len(np.unique(rows.codes[own]))
    splits = []
    for split in rows.evaluator.plan.splits:
        train, test = (side[side >= 0] for side in (place[split.train], place[split.test]))
        if len(test) and len(np.unique(rows.codes[own[train]])) == n_classes:
            splits.append((train, test))
    return splits


def global_search(
    rows: PairRows,
    electorate: Electorate,
    settings: EvolutionSettings,
    start: BoolArray | None,
    work: Work,
    learned: Callable[[GeneticTrace], dict[str, Any]],
) -> GeneticTrace:
    """Search the columns of all pairs together: a genome has a string for every pair.

    Parameters
    ----------
    rows : PairRows
    electorate : Electorate
        Says how fit a genome is.
    settings : EvolutionSettings
    start : ndarray of shape (n_pairs, n_columns) or None
        Genome that the first population stands around; None for one at random.
    work : Work
    learned : callable
        From what there is of the search to what fit would learn if it ended there.
    """
    names, size = rows.evaluator.feature_names, settings.population_size

    def first(random: np.random.Generator) -> BoolArray:
        if start is None:
            return random_population(random, size, rows.n_pairs, len(names))
        return population_around(random, start, size)

    evolution = Evolution(electorate.fitness, settings, work.seed, work.journal)
    generations: list[Generation] = []

    def trace() -> GeneticTrace:
        return GeneticTrace(tuple(generations), names, evolution.end or "interrupted")

    with work.until_stopped(lambda: bool(generations)):
        coming = evolution.generations(first)
        while evolution.end is None:
            work.begin_step()
            generations.append(next(coming))
            work.progress.step()
            work.end_step(lambda: learned(trace()))
    return trace()
