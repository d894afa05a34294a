"""Which columns every pair of classes gets: chosen for each by itself, or for all of them together."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from infoprop._core._cluster import SharedData
from infoprop._core._deadline import in_parts
from infoprop._core._exceptions import ParameterError, UnsupportedEstimatorError
from infoprop._core._row_folds import row_group_parameters
from infoprop._core._tasks import run_tasks
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit._groups import ColumnGroups
from infoprop.pairwise._pair_records import PairRecords
from infoprop.pairwise._pair_votes import PairVotes
from infoprop.pairwise._voters import PairRows
from infoprop.selection import Generation, GeneticSelector, GeneticTrace
from infoprop.selection._containers import take_rows
from infoprop.selection.running._interruption import interruptions_pass
from infoprop.selection.running._work import Work
from infoprop.selection.searches._evolution import Evolution
from infoprop.selection.searches._genetics import population_around, random_population


def local_masks(rows: PairRows, selector: Any, work: Work, *, shares_splits: bool = False) -> BoolArray:
    """Let a clone of `selector` choose columns for each pair, from its rows: (n_pairs, n_columns).

    If the selector has a `random_state` and it is None, the seed of `work` takes its place. With
    `shares_splits`, what the splits of `rows` have of each pair takes the place of its `validation`. Ctrl-C
    ends the choice once a pair has its columns; those that have none then keep all. With a checkpoint, pairs
    that have their columns are not asked again, and a search under way goes on where it was.
    """
    selector = clone(selector)
    if "random_state" in selector.get_params(deep=False) and selector.random_state is None:
        selector.set_params(random_state=work.seed)
    n_columns = len(rows.evaluator.feature_names)
    records = PairRecords(work, n_columns)
    found = records.masks()
    work.progress.advance(len(found))
    missing = [pair for pair in range(rows.n_pairs) if pair not in found]
    tasks = [(pair, records.selector(selector, pair), shares_splits) for pair in missing]
    with work.until_stopped(lambda: bool(found)):
        for number, mask in run_tasks(_chosen, SharedData(rows), tasks, rows.evaluator.n_jobs):
            found[missing[number]] = mask
            records.append(missing[number], mask)
            work.progress.step()
    masks = np.ones((rows.n_pairs, n_columns), dtype=bool)
    for pair, mask in found.items():
        masks[pair] = mask
    return masks


def forward_start(rows: PairRows, selector: Any, work: Work, *, shares_splits: bool) -> BoolArray:
    """Choose as :func:`local_masks` does, for a search that follows; Ctrl-C ends both."""
    with interruptions_pass():
        return local_masks(rows, selector, work, shares_splits=shares_splits)


def _chosen(rows: PairRows, task: tuple[int, Any, bool]) -> BoolArray:
    """Columns that a selector chooses for a pair: shape (n_columns,)."""
    pair, selector, shares_splits = task
    own = rows.of_pair(pair)
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
    row_groups = rows.evaluator.row_groups
    told = row_group_parameters(selector, None if row_groups is None else row_groups[own])
    if training.sample_weight is not None:
        if not has_fit_parameter(selector, "sample_weight"):
            raise UnsupportedEstimatorError(
                f"PairwiseClassifier was given sample_weight, but fit of {type(selector).__name__} does not "
                "take it. Use a selector that does."
            )
        told["sample_weight"] = training.sample_weight[own]
    # Set here as well, for this may be another process.
    with interruptions_pass():
        fitted = clone(selector).fit(take_rows(training.X, own), training.y[own], **told)
    support = np.asarray(fitted.get_support(), dtype=bool)
    if support.shape != (n_columns,):
        raise ParameterError(
            f"The 'selector' of a PairwiseClassifier must say of {n_columns} columns whether it takes them. "
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
    pair_votes: PairVotes,
    groups: ColumnGroups,
    selector: GeneticSelector,
    start: BoolArray | None,
    work: Work,
    learned: Callable[[GeneticTrace], dict[str, Any]],
) -> GeneticTrace:
    """Search the columns of all pairs together: a genome has a string for every pair, a bit for every group.

    Parameters
    ----------
    rows : PairRows
    pair_votes : PairVotes
        Says how fit a genome is.
    groups : ColumnGroups
        Columns that a bit of a genome stands for.
    selector : GeneticSelector
        How populations follow one another, and which groups every pair has.
    start : ndarray of shape (n_pairs, n_columns) or None
        Columns, whole groups of them, that the first population stands around; None for one at random.
    work : Work
    learned : callable
        From what there is of the search to what fit would learn if it ended there.
    """
    size = selector.population_size
    fixed = np.zeros(groups.n_groups, dtype=bool)
    fixed[groups.numbers_of([] if selector.keep is None else selector.keep, "keep")] = True
    first_columns = np.unique(groups.labels, return_index=True)[1]

    def fitness(genomes: BoolArray) -> FloatArray:
        masks = genomes[:, :, groups.labels]
        return in_parts(len(masks), lambda part: pair_votes.fitness(masks[part]))

    def first(random: np.random.Generator) -> BoolArray:
        if start is None:
            return random_population(random, size, rows.n_pairs, groups.n_groups)
        return population_around(random, start[:, first_columns], size)

    evolution = Evolution(fitness, selector.settings, work.seed, work.journal, fixed)
    generations: list[Generation] = []

    def trace() -> GeneticTrace:
        return GeneticTrace(tuple(generations), groups.names, evolution.end or work.early_end)

    with work.until_stopped(lambda: bool(generations)):
        coming = evolution.generations(first)
        while evolution.end is None:
            work.begin_step()
            generations.append(next(coming))
            work.progress.step()
            work.end_step(lambda: learned(trace()))
    found = trace()
    work.deadline.lift()
    return found
