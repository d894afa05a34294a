"""Forward search with a beam (2002, FBFS), free of classifiers: the accuracy of subsets is all it sees.

The paper leaves some things open. They are read so:

- the first feature is always taken, as a classifier needs something to stand on;
- a level that is not strictly better than all before it ends the search, and so does a perfect one;
- accuracies are compared to twelve decimals; of equally good subsets the one tried first comes first: subsets
  grow in the order of the beam, by features in ascending order.
"""

from collections.abc import Callable, Iterator

import numpy as np

from infoprop._core._deadline import OutOfTime
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection.searches._beam_trace import BeamLevel, BeamTrace
from infoprop.selection.searches._trace import TIE_DECIMALS

Grow = Callable[[IntArray, IntArray], FloatArray]
"""From a subset and candidates, numbers of groups, to the accuracy of the subset with each of them added.

NaN for those that there was no time for: the level is made of the others, and is the last.
"""


def most_growths(n_groups: int, *, beam_width: int, n_features_to_select: int, n_kept: int) -> int:
    """Return how many subsets are grown at most: one at first, then as many as the beam is wide."""
    return 1 + beam_width * (min(n_groups, n_features_to_select) - max(1, n_kept))


def beam_search(
    grow: Grow, n_groups: int, *, beam_width: int = 5, n_features_to_select: int | None = None, keep: IntArray
) -> BeamTrace:
    """Search forward for the subset of highest accuracy.

    Parameters
    ----------
    grow : callable
        From ascending numbers of groups, and others to add to them one by one, to the accuracies of the
        subsets so made: (n_candidates,). Asked once at most about each subset.
    n_groups : int
    beam_width : int, default=5
        How many subsets of a size are grown further.
    n_features_to_select : int, default=None
        Largest size; None for no bound.
    keep : ndarray
        Groups in every subset; the search starts from them.

    Examples
    --------
    >>> worth = np.array([0.1, 0.3, 0.0, 0.2])
    >>> def grow(groups, candidates):
    ...     return worth[groups].sum() + worth[candidates]
    >>> trace = beam_search(grow, 4, beam_width=1, keep=np.array([], dtype=int))
    >>> trace.groups.tolist(), trace.n_trainings, trace.end
    ([0, 1, 3], 10, 'converged')
    """
    levels: list[BeamLevel] = []
    end = ""
    for level, end in beam_levels(  # noqa: B007
        grow, n_groups, beam_width=beam_width, n_features_to_select=n_features_to_select, keep=keep
    ):
        levels.append(level)
    return BeamTrace(tuple(levels), tuple(str(group) for group in range(n_groups)), end)


def beam_levels(
    grow: Grow, n_groups: int, *, beam_width: int = 5, n_features_to_select: int | None = None, keep: IntArray
) -> Iterator[tuple[BeamLevel, str]]:
    """Yield the levels of :func:`beam_search` as they are made, and why it ends ("" while it goes on)."""
    largest = n_groups if n_features_to_select is None else min(n_groups, n_features_to_select)
    keep = np.sort(keep)
    # What is kept is the first level: it grows from all but one of its groups.
    beam, candidates = keep[None, :-1], keep[-1:]
    if not len(keep):
        candidates = np.arange(n_groups)
    best, end = -np.inf, ""
    while not end:
        parents, added, accuracy = _grown(grow, beam, candidates)
        is_judged = ~np.isnan(accuracy)
        if not is_judged.any():
            raise OutOfTime
        parents, added, accuracy = parents[is_judged], added[is_judged], accuracy[is_judged]
        kept = np.argsort(-accuracy.round(TIE_DECIMALS), kind="stable")[:beam_width]
        highest = float(accuracy[kept[0]].round(TIE_DECIMALS))
        level = BeamLevel(parents, added, accuracy, kept, highest > best)
        if highest <= best and is_judged.all():
            end = "converged"
        elif highest >= 1.0:
            end = "perfect"
        elif level.size >= largest and is_judged.all():
            end = "exhausted" if level.size >= n_groups else "n_features_to_select"
        best = max(best, highest)
        beam, candidates = level.beam, np.arange(n_groups)
        yield level, end


def _grown(grow: Grow, beam: IntArray, candidates: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Grow every subset of the beam by every candidate, each result once: parents, added, accuracy."""
    parents, added, accuracy = [], [], []
    for number, subset in enumerate(beam):
        taken = set(subset.tolist())
        # An earlier subset that has one group which this one has not grew into this one with that group.
        strangers = [set(other.tolist()) - taken for other in beam[:number]]
        taken.update(*(stranger for stranger in strangers if len(stranger) == 1))
        fresh = np.array([group for group in candidates.tolist() if group not in taken], dtype=np.intp)
        if len(fresh):
            accuracy.append(grow(subset, fresh))
            parents.append(np.tile(subset, (len(fresh), 1)))
            added.append(fresh)
    return np.concatenate(parents), np.concatenate(added), np.concatenate(accuracy)
