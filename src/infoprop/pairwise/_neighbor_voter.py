"""NeighborVoter: nearest neighbours decide between all pairs of classes, on many subsets at a time."""

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from infoprop._core._threads import native_threads
from infoprop._core._typing import BoolArray, IntArray
from infoprop.pairwise._voters import PairRows, PairVoter, TrainedVoter
from infoprop.selection.searches._neighbor_votes import neighbor_votes

# Votes that are held at a time, before they become bits.
BLOCK_VOTES = 1 << 22


def fastest_voter(rows: PairRows) -> PairVoter:
    """Return the fastest voter that gives the answers of the classifier."""
    votes = neighbor_votes(rows.evaluator, [rows.of_pair(pair) for pair in range(rows.n_pairs)])
    return TrainedVoter(rows) if votes is None else NeighborVoter(rows, votes)


class NeighborVoter:
    """Answers as :class:`TrainedVoter` does with k nearest neighbours, except for ties of distances.

    Nothing is trained: squared differences between a row that is asked about and those that vote are
    computed once, column by column, and added up for all subsets.

    Parameters
    ----------
    rows : PairRows
    votes : list of callable
        What the rows of each pair vote, see :func:`infoprop.selection.neighbor_votes`.
    """

    def __init__(self, rows: PairRows, votes: list[Callable[[BoolArray], IntArray]]) -> None:
        self._rows = rows
        self._votes = votes

    def decide(self, asked: Sequence[tuple[int, BoolArray]]) -> list[BoolArray]:
        """Ask the neighbours; see :class:`PairVoter`."""
        calls = (delayed(self._decisions)(pair, masks) for pair, masks in asked)
        # Threads, also inside of a cluster's block: with every call all rows would have to travel there.
        n_threads = native_threads(self._rows.evaluator.n_jobs)
        return list(Parallel(n_jobs=n_threads, backend="threading")(calls))

    def _decisions(self, pair: int, masks: BoolArray) -> BoolArray:
        size = max(1, BLOCK_VOTES // max(1, len(self._rows.tested)))
        blocks = [self._votes[pair](masks[start : start + size]) for start in range(0, len(masks), size)]
        return np.concatenate([block == self._rows.first[pair] for block in blocks])
