"""From an old optimum to a new one by exchanges: for machines with many free variables, of which few change.

Guess which variables are free, and solve for them as if they had no bounds. Those that leave their box go to
the bound they passed, those at a bound that want to leave it become free, and again: if the guess was good,
two or three rounds are enough. They are not sure to end, so they are counted.

One Cholesky factor serves all rounds. Variables that came or went since it was made are a border around it:

    A  G   change      residual
    G' D   z       =   wanted

A is the Gram matrix of the first guess (the face). The first column of the border is b, which makes the
changes add up to zero. A variable that leaves the face brings a column of the identity, whose z takes the
place of the residual it may have now; one that joins brings its Gram entries, and z is its change. Where the
border has no room for more, the variables that are free by then become the face, and it all begins anew.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm._workers import Rooms, Workers
from infoprop.svm.active_set import _block_pivoting_fast as fast
from infoprop.svm.active_set._kernel_store import MovingRows

# Where more variables were exchanged, as a share of the face, it takes less time to begin anew.
_LARGEST_BORDER = 0.2
_SMALL_BORDER = 8


class Exchange:
    """One machine on its way to the optimum; again and again, in the same memory.

    Parameters
    ----------
    problem : DualProblem
    rooms : Rooms
        Where its matrices find memory, and those of others.
    """

    def __init__(self, problem: DualProblem, rooms: Rooms) -> None:
        n = problem.y.size

        def array(kind: Any) -> Any:
            return np.zeros(n, dtype=kind)

        self._state = fast.State(
            low=problem.low,
            high=problem.high,
            beta=array(float),
            f=array(float),
            held=array(float),
            reached=array(float),
            g=array(float),
            is_free=array(bool),
            is_on_face=array(bool),
            is_on_border=array(bool),
            face=array(np.int64),
            first=array(float),
            border=array(np.int64),
            changed=array(np.int64),
            moved=array(np.int64),
            change=array(float),
            numbers=np.zeros(fast.N_NUMBERS),
            counts=np.zeros(fast.N_COUNTS, dtype=np.int64),
        )
        self._rooms = rooms

    def solve(self, store: MovingRows, beta: FloatArray, f: FloatArray) -> DualSolution | None:
        """Return the optimum, or None if it is not found.

        From an old solution, where f is ``K beta - y``; rows of the support of beta have to be there.
        """
        state = self._state
        m = fast.start(state, beta, f)
        status = self._rounds(store, m)
        while status == fast.CROWDED:
            status = self._rounds(store, fast.start_anew(store.rows, state))
        if status == fast.LOST:
            return None
        f = state.g - state.numbers[fast.BIAS]
        return DualSolution(state.reached.copy(), f, int(state.counts[fast.N_ROUNDS]), True)

    def _rounds(self, store: MovingRows, m: int) -> int:
        """Make exchanges around the factor of a face of m variables; returns how they went."""
        if m < 2:
            return fast.LOST
        width = fast.N_FIXED + _SMALL_BORDER + int(_LARGEST_BORDER * m)
        with self._rooms.taken((m + width) * m) as room:
            # The factor of a face, and its border.
            L, W = room[: m * m].reshape(m, m), room[m * m : (m + width) * m].reshape(width, m)
            status = fast.begin(store.rows, self._state, L, W)
            while status == fast.GOES_ON:
                store.load_within(self._wanting)
                status = fast.go_on(store.rows, self._state, L, W)
        return int(status)

    @property
    def _wanting(self) -> IntArray:
        """Variables that want to leave their bounds."""
        n_leaving = int(self._state.counts[fast.N_LEAVING])
        return self._state.changed[n_leaving : n_leaving + int(self._state.counts[fast.N_WANTING])]


def exchange_all(
    store: MovingRows,
    exchanges: Sequence[Exchange],
    beta: FloatArray,
    f: FloatArray,
    workers: Workers,
    then: Callable[[int, DualSolution | None], None],
) -> list[DualSolution | None]:
    """Take machines from old solutions to their optima; None for those that are not found.

    Rows of the support of beta have to be there; beta and f, ``K beta - y``, are (n_machines, n). What is to
    be done `then`, given the number of a machine and its optimum, may overlap with other machines' exchanges.
    """
    sizes = [int(np.count_nonzero(own)) for own in beta]

    def exchange(q: int) -> DualSolution | None:
        return exchanges[q].solve(store, beta[q], f[q])

    return workers.chain_largest_first(exchange, then, range(len(exchanges)), sizes)
