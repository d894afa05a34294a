"""Rows of a Gram matrix whose columns come and go, computed when they are asked for."""

from itertools import repeat
from typing import Any

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.kernels import KernelSpec
from infoprop.kernels._exponential_fast import exponentials
from infoprop.kernels._gram import apply_link
from infoprop.svm._workers import ALONE, Workers
from infoprop.svm.active_set import _kernel_store_fast as fast

# Rows that are computed at once go in so many pieces, whatever the number of threads: sums are the same then.
_PIECES = 4
# Fewer entries are computed in less time than it takes to wake threads.
_ENTRIES_FOR_THREADS = 2e5
# Entries of a block that stays in the cache while it goes through several operations.
_BLOCK_ENTRIES = 2**16
# Quanta are powers of 2**4, so that they change seldom.
_BITS_BETWEEN_QUANTA = 4
_LONGEST_HISTORY = 1024
# What a row knows that has missed more moves than there can be columns.
_NOTHING = -(2**40)
_HIGHEST_LEVEL = 2**15 - 1
# So many rows that know nothing of the columns are worth a product of matrices.
_MANY_FAR_ROWS = 16
_KINDS = {"dot": fast.DOT, "distance": fast.DISTANCE, "sum": fast.SUM}


class MovingRows:
    """Kernel values between training rows and all rows of a split, on columns that come and go.

    A base (inner products, squared distances, sums of Gaussians) is a sum over the columns. Each row of it
    is brought up to date when it is asked for; then the link is applied. Sums are exact (see
    `_kernel_store_fast`), so values depend on the columns alone, not on how they were reached.

    Parameters
    ----------
    XT : array of shape (n_columns, n_all)
        All columns, each in one piece: training rows first.
    n : int
        Number of training rows.
    key : KernelSpec
        Tells the base, and gamma of the Gaussians summed up in it.
    workers : Workers
        Threads that compute rows.

    Attributes
    ----------
    rows : array of shape (n, n_all)
        Kernel values.
    slot_of : array of shape (n,)
        Each row's own number; -1 if it has not been computed on these columns with this kernel.
    spec : KernelSpec
        The kernel in use.
    is_complete : bool
        Whether all rows are known to be there.
    """

    def __init__(self, XT: FloatArray, n: int, key: KernelSpec, workers: Workers) -> None:
        self._XT = XT
        self._workers = workers
        self._key = key
        self._kind = _KINDS[key.base]
        self._base = self._new_base(n, XT.shape[1])
        self.rows = np.empty((n, XT.shape[1]))
        self.slot_of = np.full(n, -1, dtype=np.int64)
        self.capacity = n
        self._all = np.arange(n)
        self._largest = _largest_terms(XT, key.base)
        self._exponent: int | None = None
        self._begin(np.full(n, _NOTHING), np.zeros(0, dtype=np.int64))

    def _new_base(self, n: int, n_all: int) -> Any:
        return np.zeros((n, n_all))

    def _begin(self, known: IntArray, columns: IntArray) -> None:
        """Begin a new history on `columns`, of which each row knows so much."""
        self._known = known
        self._moved = np.zeros(0, dtype=np.int64)
        self._signs = np.zeros(0)
        self._columns = columns

    def set_columns(self, columns: IntArray) -> None:
        """Go to other columns."""
        exponent = _exponent(float(self._largest[columns].sum()))
        if exponent != self._exponent:
            self._exponent = exponent
            self._rounding = np.ldexp(1.5, exponent)
            self._begin(np.full(len(self.slot_of), _NOTHING), columns)
        elif len(self._moved) > _LONGEST_HISTORY:
            is_there = self._known == len(self._moved)
            self._begin(np.where(is_there, 0, _NOTHING), self._columns)
        gone, come = _missing(self._columns, columns), _missing(columns, self._columns)
        self._moved = np.concatenate([self._moved, gone, come])
        self._signs = np.concatenate([self._signs, np.full(len(gone), -1.0), np.ones(len(come))])
        self._columns = columns

    def use(self, spec: KernelSpec) -> None:
        """Take another kernel over the same base, or the same anew: no row is there then."""
        self.spec = spec
        self.slot_of[:] = -1
        self.is_complete = False

    def base(self, wanted: IntArray) -> FloatArray:
        """Base of some rows."""
        self.load(wanted)
        return self._base[wanted]

    def load(self, wanted: IntArray) -> None:
        """Compute those of the `wanted` rows that are not there."""
        missing = wanted[self.slot_of[wanted] < 0]
        if missing.size:
            self._fill(missing, np.zeros((0, len(self.slot_of))), np.zeros((0, self.rows.shape[1])))

    def load_all(self) -> None:
        """Compute all rows that are not there."""
        self.load(self._all)

    def product(self, beta: FloatArray) -> FloatArray:
        """Return ``K beta`` for the training rows."""
        return self.products(beta[None])[0, : beta.size]

    def products(self, beta: FloatArray) -> FloatArray:
        """``beta K``, (n_machines, n_all); computes the rows it takes."""
        f = np.zeros((len(beta), self.rows.shape[1]))
        wanted = np.flatnonzero(beta.any(axis=0))
        is_there = self.slot_of[wanted] >= 0
        if not is_there.all():
            self._fill(wanted[~is_there], beta, f)
        fast.accumulate(self.rows, wanted[is_there], beta, f)
        return f

    def add_products(self, beta: FloatArray, f: FloatArray, start: int) -> None:
        """Add ``beta K`` to f, (n_machines, n_all), from column `start` on; rows have to be there."""
        if start < f.shape[1]:
            fast.accumulate(self.rows[:, start:], np.flatnonzero(beta.any(axis=0)), beta, f[:, start:])

    def _fill(self, wanted: IntArray, beta: FloatArray, f: FloatArray) -> None:
        """Compute rows and add their products with beta to f."""
        parts = np.zeros((_PIECES, *f.shape))
        pieces = zip(np.array_split(wanted, _PIECES), repeat(beta), parts, strict=False)
        workers = self._workers if len(wanted) * self.rows.shape[1] >= _ENTRIES_FOR_THREADS else ALONE
        workers.map(lambda piece: self._compute(*piece), pieces)
        f += parts.sum(axis=0)
        self._note(wanted)

    def _note(self, computed: IntArray) -> None:
        """Rows are there."""
        self._known[computed] = len(self._moved)
        self.slot_of[computed] = computed

    def _compute(self, wanted: IntArray, beta: FloatArray, f: FloatArray) -> None:
        """Bring rows of the base up to date, apply the link, and add their products with beta to f."""
        moves = self._known, self._XT, self._moved, self._signs, self._columns
        size = max(1, _BLOCK_ENTRIES // self.rows.shape[1])
        for start in range(0, len(wanted), size):
            block = wanted[start : start + size]
            fast.follow(self._base, block, *moves, self._kind, self._key.gamma, self._rounding)
            if self.spec.kind == "rbf":
                exponentials(self._base, block, self.spec.gamma, self.rows)
            else:
                self.rows[block] = apply_link(self._base[block], self.spec)
            fast.accumulate(self.rows, block, beta, f)


class WholeRows(MovingRows):
    """The same for few rows with an rbf kernel: all of them are computed at once, and only half of each."""

    def _new_base(self, n: int, n_all: int) -> FloatArray:
        # Row i from column i on, one row after another.
        return np.zeros(n * n_all - n * (n - 1) // 2)

    def _fill(self, wanted: IntArray, beta: FloatArray, f: FloatArray) -> None:
        self._compute(wanted, beta, f)
        self._note(wanted)

    def _note(self, computed: IntArray) -> None:
        super()._note(self._all)
        self.is_complete = True

    def _compute(self, wanted: IntArray, beta: FloatArray, f: FloatArray) -> None:
        if self._known[0] < 0:
            self._base[:] = 0.0
            self._known[:] = 0
            self._moved, self._signs = self._columns, np.ones(len(self._columns))
        missed = self._known[0]
        moves = self._moved[missed:], self._signs[missed:], self._rounding, self.spec.gamma
        fast.all_exponentials(self._base, self._XT, *moves, self.rows)
        if len(beta):
            fast.accumulate(self.rows, self._all, beta, f)


class LevelRows(MovingRows):
    """The same for squared distances that are small whole numbers: a table has all exponentials there are."""

    def __init__(self, XT: FloatArray, n: int, key: KernelSpec, workers: Workers) -> None:
        super().__init__(XT, n, key, workers)
        # From zero on, so that products are as small as distances.
        self._whole = np.empty(XT.shape, dtype=np.int16)
        np.subtract(XT, XT.min(axis=1, keepdims=True), out=self._whole, casting="unsafe")

    def _new_base(self, n: int, n_all: int) -> Any:
        return np.zeros((n, n_all), dtype=np.uint16)

    @staticmethod
    def suit(XT: FloatArray, key: KernelSpec) -> bool:
        """Whether the base of a kernel is made of small whole numbers."""
        is_small = bool(key.base == "distance" and _largest_terms(XT, key.base).sum() <= _HIGHEST_LEVEL)
        return is_small and all((np.rint(x) == x).all() for x in XT)

    def _compute(self, wanted: IntArray, beta: FloatArray, f: FloatArray) -> None:
        far = wanted[len(self._moved) - self._known[wanted] > len(self._columns)]
        if len(far) >= _MANY_FAR_ROWS:
            self._measure(far)
        moves = self._known, self._whole, self._moved, self._signs.astype(np.int16), self._columns
        fast.fill_levels(self._base, wanted, *moves, self._table, self.rows, beta, f)

    def set_columns(self, columns: IntArray) -> None:
        """Go to other columns."""
        super().set_columns(columns)
        self._measured: tuple[Any, Any] | None = None

    def _measure(self, far: IntArray) -> None:
        """Bring rows up to date by a product of matrices, of numbers that single precision holds exactly."""
        if self._measured is None:
            X = self._whole[self._columns].astype(np.float32)
            self._measured = X, np.einsum("ka,ka->a", X, X)
        X, squares = self._measured
        size = max(1, _BLOCK_ENTRIES // X.shape[1])
        for start in range(0, len(far), size):
            block = far[start : start + size]
            self._base[block] = squares[block, None] + squares - 2.0 * (X[:, block].T @ X)
        self._known[far] = len(self._moved)

    def use(self, spec: KernelSpec) -> None:
        """Take another kernel over the same base, or the same anew: no row is there then."""
        super().use(spec)
        self._table = apply_link(np.arange(self._largest[self._columns].sum() + 1.0), spec)


def _largest_terms(XT: FloatArray, base: str) -> FloatArray:
    """The most that each column can add to a base."""
    if base == "sum":
        return np.ones(len(XT))
    size = np.ptp(XT, axis=1) if base == "distance" else np.abs(XT).max(axis=1)
    return np.asarray(size * size)


def _exponent(largest: float) -> int:
    """Exponent e with ``2 * largest <= 2**e``: terms rounded to ``2**(e - 52)`` have exact sums."""
    bits = int(np.ceil(np.log2(largest))) + 1 if largest > 0.0 else 0
    return -_BITS_BETWEEN_QUANTA * (-bits // _BITS_BETWEEN_QUANTA)


def _missing(columns: IntArray, others: IntArray) -> IntArray:
    """Those of `columns` that are not among `others`; both ascending."""
    is_there = np.searchsorted(others, columns, "left") < np.searchsorted(others, columns, "right")
    missing: IntArray = columns[~is_there]
    return missing
