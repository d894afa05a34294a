"""Rows of a Gram matrix, computed when asked for and kept within a memory budget."""

from typing import Protocol

import numpy as np

from infoprop._core._matrices import row_norms_squared
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.kernels._gram import gram_rows
from infoprop.svm._workers import ALONE, Workers
from infoprop.svm.solvers._smo_fast import add_rows

# Rows whose products are summed at a time, where they are not kept.
_BLOCK = 256
# Rows that are computed at once: enough for a product of matrices to read X seldom, few enough for a block of
# them to be shared out among threads.
_PIECE = 64


def numbers_in(megabytes: float) -> float:
    """How many numbers of double precision so many megabytes hold."""
    return megabytes * 2**20 / 8


class GramRows(Protocol):
    """What the solver asks of a Gram matrix; see :class:`RowStore` for the attributes."""

    spec: KernelSpec
    rows: FloatArray
    slot_of: IntArray
    capacity: int

    def load(self, wanted: IntArray) -> None:
        """Make rows available."""

    def product(self, beta: FloatArray) -> FloatArray:
        """Return ``K beta``."""


class RowStore:
    """Rows of the Gram matrix of X, shared by all machines with the same kernel.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
    spec : KernelSpec
    megabytes : float
        Budget for kept rows.
    at_least : int
        Number of rows that must fit whatever the budget: a block of each machine that runs at once.
    workers : Workers
        Who computes rows, some at a time.

    Attributes
    ----------
    rows : array of shape (capacity, n)
    slot_of : array of shape (n,)
        Where each row lies; -1 if it is not kept.
    """

    def __init__(
        self, X: Matrix, spec: KernelSpec, megabytes: float, at_least: int, workers: Workers = ALONE
    ) -> None:
        n = X.shape[0]
        self.X = X
        self._workers = workers
        self.spec = spec
        self.capacity = int(min(n, max(numbers_in(megabytes) / n, at_least)))
        self.rows = np.empty((self.capacity, n))
        self.slot_of = np.full(n, -1, dtype=np.int64)
        self._owner = np.full(self.capacity, -1, dtype=np.int64)
        self._last_use = np.zeros(self.capacity, dtype=np.int64)
        self._clock = 0
        self._filled = 0
        self._norms = row_norms_squared(X) if spec.base == "distance" else None

    def load(self, wanted: IntArray) -> None:
        """Make the `wanted` rows (distinct, ascending) available; the least recently used give way."""
        self._clock += 1
        missing = wanted[self.slot_of[wanted] < 0]
        present = wanted[self.slot_of[wanted] >= 0]
        self._last_use[self.slot_of[present]] = self._clock
        if missing.size == 0:
            return
        if self._filled + missing.size <= self.capacity:
            slots = np.arange(self._filled, self._filled + missing.size)
            self._filled += missing.size
        else:
            slots = self._freed_slots(missing.size)
        # The pieces are the same for any number of workers, and so are all bits.
        pieces = [slice(start, start + _PIECE) for start in range(0, missing.size, _PIECE)]
        self._workers.map(lambda piece: self._fill(missing[piece], slots[piece]), pieces)
        self.slot_of[missing] = slots
        self._owner[slots] = missing
        self._last_use[slots] = self._clock

    def _freed_slots(self, count: int) -> IntArray:
        empty = np.arange(self._filled, self.capacity)
        used = np.argsort(self._last_use[: self._filled], kind="stable")[: count - empty.size]
        self.slot_of[self._owner[used]] = -1
        self._filled = self.capacity
        return np.concatenate([used, empty])

    def _fill(self, rows: IntArray, slots: IntArray) -> None:
        """Compute rows into their slots, without a copy where these lie side by side."""
        if (np.diff(slots) == 1).all():
            self._compute(rows, out=self.rows[slots[0] : slots[-1] + 1])
        else:
            self.rows[slots] = self._compute(rows)

    def _compute(self, rows: IntArray, out: FloatArray | None = None) -> FloatArray:
        return gram_rows(self.X, rows, self.spec, out=out, norms=self._norms)

    def product(self, beta: FloatArray) -> FloatArray:
        """Return ``K beta``; rows that are not kept are computed in blocks and forgotten."""
        result = np.zeros(beta.size)
        support = np.flatnonzero(beta)
        kept = support[self.slot_of[support] >= 0]
        add_rows(self.rows, self.slot_of, kept, beta[kept], result, kept, beta.size)
        absent = support[self.slot_of[support] < 0]
        for start in range(0, absent.size, _BLOCK):
            chunk = absent[start : start + _BLOCK]
            result += beta[chunk] @ self._compute(chunk)
        return result
