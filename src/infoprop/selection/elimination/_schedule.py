"""Schedule: how many groups each step of an elimination drops."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._typing import IntArray

HALVING = "halving"

# One by one from here on: near the end every choice counts, and small steps are cheap.
HALVING_ENDS = 500


def check_step(step: Any, owner: str) -> None:
    """Refuse steps that are neither a number, nor a fraction, nor the name of a schedule."""
    if isinstance(step, str):
        check_choice("step", step, (HALVING,), owner)
    elif isinstance(step, Integral):
        check_integer("step", step, owner, low=1)
    else:
        check_number("step", step, owner, low=0.0, high=1.0, low_open=True, high_open=True)


@dataclass(frozen=True)
class Schedule:
    """Number of groups to drop when `n_left` stand, down to `n_target`.

    Attributes
    ----------
    step : int, float or "halving"
        A number of groups; a fraction of those left, rounded down, at least one; or half of those left as
        long as there are more than 500 and more than twice the target, and then one by one.
    n_target : int

    Examples
    --------
    >>> schedule = Schedule.from_step(0.25, n_groups=12, n_target=5)
    >>> [schedule.count(n_left) for n_left in (12, 9, 7, 6, 5)]
    [3, 2, 1, 1, 0]
    >>> schedule.n_steps(12)
    5
    """

    step: Any
    n_target: int

    @classmethod
    def from_step(cls, step: Any, n_groups: int, n_target: int) -> Self:
        """Return the schedule from `n_groups` down to `n_target`; `step` has been checked."""
        assert 1 <= n_target <= n_groups
        return cls(step, n_target)

    def count(self, n_left: int) -> int:
        """Groups to drop when `n_left` stand: at least one above the target, none at it."""
        return min(self._wanted(n_left), n_left - self.n_target)

    def counts(self, n_left: int, n_steps: int) -> IntArray:
        """Groups to drop in each of the next `n_steps` steps; the last of all, which drops none, ends them.

        Examples
        --------
        >>> Schedule.from_step(2, n_groups=6, n_target=3).counts(6, n_steps=10)
        array([2, 1, 0])
        """
        counts: list[int] = []
        while len(counts) < n_steps and (count := self.count(n_left)) > 1:
            counts.append(count)
            n_left -= count
        # No step drops more than the one before: from here on one goes at a time.
        singles = min(n_steps - len(counts), n_left - self.n_target)
        ends = [0] if len(counts) + singles < n_steps else []
        return np.array(counts + [1] * singles + ends, dtype=np.int64)

    def n_steps(self, n_groups: int) -> int:
        """Number of subsets counted on the way from `n_groups`, the first and the last included."""
        steps, n_left = 1, n_groups
        while (count := self.count(n_left)) > 1:
            n_left -= count
            steps += 1
        # No step drops more than the one before: from here on one goes at a time.
        return steps + n_left - self.n_target

    def _wanted(self, n_left: int) -> int:
        if self.step == HALVING:
            return min(n_left // 2, max(1, n_left - max(HALVING_ENDS, 2 * self.n_target)))
        if isinstance(self.step, Integral):
            return int(self.step)
        return max(1, int(self.step * n_left))
