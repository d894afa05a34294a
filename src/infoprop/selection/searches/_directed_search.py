"""The directed search of MOI (2004, Algorithm 3), free of classifiers: a score of subsets is all it sees.

The steps as printed leave some things open. They are read so that the search ends:

- untested features come in a fixed order, given up front; the first K of it are the start;
- the credit of an unused feature is the one it got when it was last used;
- credits that are equal to twelve decimals rank by that order, so the later one is replaced first;
- a subset is a new best only if it delivers strictly more (step 7);
- equal credits in step 9 are no reason to swap;
- after a swap the search goes on with step 3, not 2: RESET is zeroed at the start and by a new best only;
- the best subset is what every exit returns.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection.searches._trace import TIE_DECIMALS, SearchStep

MAX_RESETS = 2
ROUNDS = 4


@dataclass(frozen=True)
class SubsetScore:
    """What a subset earns: credits of its groups, in the order asked, and their information, in bits."""

    credits: FloatArray
    information: float
    relative_information: float


Score = Callable[[IntArray], SubsetScore]
"""Scores a subset, given as ascending numbers of groups."""


def most_steps(n_groups: int, n_select: int) -> int:
    """Return ``4 (N - K + 1)``, the number of subsets that a run asks about at most."""
    return ROUNDS * (n_groups - n_select + 1)


def directed_steps(
    score: Score,
    orders: Sequence[IntArray],
    n_select: int,
    *,
    keep: IntArray,
    satisfied: float | None = None,
    max_trainings: int | None = None,
) -> Iterator[SearchStep]:
    """Yield the steps of a search for the `n_select` groups that deliver the most information.

    Parameters
    ----------
    score : callable
        From ascending numbers of groups, shape (n_select,), to their :class:`SubsetScore`. Called once at
        most for each subset.
    orders : sequence of ndarray of shape (n_groups,)
        For each run the order in which groups are tested; the first `n_select` are the start.
    n_select : int
        K, from 1 to n_groups.
    keep : ndarray
        Groups in every subset, at most `n_select`.
    satisfied : float, default=None
        Relative information that ends the search.
    max_trainings : int, default=None
        Largest number of subsets to score, over all runs.

    Examples
    --------
    >>> worth = np.array([0.1, 0.3, 0.0, 0.2])
    >>> def score(groups):
    ...     return SubsetScore(worth[groups], worth[groups].sum(), worth[groups].sum())
    >>> steps = list(directed_steps(score, [np.arange(4)], 2, keep=np.array([], dtype=int)))
    >>> [step.groups.tolist() for step in steps], steps[-1].end
    ([[0, 1], [1, 2], [1, 3]], 'converged')
    """
    remembered: dict[bytes, SubsetScore] = {}

    def is_affordable(in_use: BoolArray) -> bool:
        return _key(in_use) in remembered or len(remembered) != max_trainings

    for number, order in enumerate(orders):
        run = _Run(order, n_select, keep)
        move = "start"
        end = None if is_affordable(run.in_use) else "max_trainings"
        while end is None:
            key, groups, arrived = _key(run.in_use), np.flatnonzero(run.in_use), move
            is_new = key not in remembered
            if is_new:
                remembered[key] = score(groups)
            found = remembered[key]
            is_best = run.learn(groups, found)
            if satisfied is not None and round(found.relative_information, TIE_DECIMALS) >= satisfied:
                end = "satisfied"
            else:
                move, end = run.move_on()
                if end is None and not is_affordable(run.in_use):
                    end = "max_trainings"
            measured = (groups, found.credits, found.information, found.relative_information)
            yield SearchStep(number, arrived, *measured, is_new, is_best, end)
        if end in ("satisfied", "max_trainings"):
            return


def _key(in_use: BoolArray) -> bytes:
    return np.packbits(in_use).tobytes()


class _Run:
    """Where one run stands; the numbers of steps are those of the paper."""

    def __init__(self, order: IntArray, n_select: int, keep: IntArray) -> None:
        is_kept = np.isin(order, keep)
        order = np.concatenate([order[is_kept], order[~is_kept]])
        self.is_kept = np.zeros(len(order), dtype=bool)
        self.is_kept[keep] = True
        self.position = np.argsort(order)
        self.in_use = np.zeros(len(order), dtype=bool)
        self.in_use[order[:n_select]] = True
        self.untested = iter(order[n_select:].tolist())
        self.credits = np.zeros(len(order))
        self.best = self.in_use
        self.best_information = -np.inf
        self.n_resets = 0
        self.n_left = most_steps(len(order), n_select)

    def learn(self, groups: IntArray, found: SubsetScore) -> bool:
        """Take in the credits (step 6); say whether the subset is the best so far (step 7)."""
        self.n_left -= 1
        self.credits[groups] = found.credits.round(TIE_DECIMALS)
        information = round(found.information, TIE_DECIMALS)
        if information <= self.best_information:
            return False
        self.best, self.best_information, self.n_resets = self.in_use, information, 0
        return True

    def move_on(self) -> tuple[str, str | None]:
        """Go to the next subset (steps 8 to 10); say by which move, and why not if the run ends."""
        move, end = self._moved()
        return move, "bound" if end is None and self.n_left == 0 else end

    def _moved(self) -> tuple[str, str | None]:
        replaceable = np.flatnonzero(self.in_use & ~self.is_kept)
        unused = np.flatnonzero(~self.in_use)
        if not len(replaceable) or not len(unused):
            return "", "converged"
        worst = self._worst(replaceable)
        untested = next(self.untested, None)
        if untested is not None:
            self._replace(worst, untested)
            return "untested", None
        candidate = self._best(unused)
        if self.credits[candidate] > self.credits[worst]:
            self._replace(worst, candidate)
            return "swap", None
        if np.array_equal(self.in_use, self.best):
            return "", "converged"
        self.in_use = self.best
        self.n_resets += 1
        return "back", "returned" if self.n_resets == MAX_RESETS else None

    def _best(self, groups: IntArray) -> int:
        credits = self.credits[groups]
        equal = groups[credits == credits.max()]
        return int(equal[np.argmin(self.position[equal])])

    def _worst(self, groups: IntArray) -> int:
        credits = self.credits[groups]
        equal = groups[credits == credits.min()]
        return int(equal[np.argmax(self.position[equal])])

    def _replace(self, old: int, new: int) -> None:
        self.in_use = self.in_use.copy()
        self.in_use[old], self.in_use[new] = False, True
