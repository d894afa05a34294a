"""From an old optimum to a new one by exchanges: for machines with many free variables, of which few change.

Guess which variables are free, and solve for them as if they had no bounds. Those that leave their box go to
the bound they passed, those at a bound that want to leave it become free, and again: if the guess was good,
two or three rounds are enough. They are not sure to end, so they are counted.

One Cholesky factor serves all rounds. Variables that came or went since it was made are a border around it:

    A  G   change      residual
    G' D   z       =   wanted

A is the Gram matrix of the first guess (the face). The first column of the border is b, which makes the
changes add up to zero. A variable that leaves the face brings a column of the identity, whose z takes the
place of the residual it may have now; one that joins brings its Gram entries, and z is its change.
"""

import numpy as np
from scipy.linalg import blas, lapack

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._kernel_rows import MovingRows
from infoprop.svm._kernel_rows_fast import gather, part_twins, without_twins
from infoprop.svm._machine import DualProblem
from infoprop.svm._smo_fast import add_rows

# Residuals below this are rounding, and so are steps out of the box by this share of it.
_TOL = 1e-9
_STEP_OUT = 1e-12
# Free variables with a residual beyond this tell that the factor is not to be trusted.
_MOST_OFF = 1e-7
# Pivots below this share of the largest Gram entry tell that rows of the face depend on each other.
_DEPENDENT = 1e-12
_MOST_ROUNDS = 20
# So many rounds may pass without fewer variables in the wrong place.
_PATIENCE = 4
# Where so many variables were exchanged, as a share of the face, the guess was none.
_LARGEST_BORDER = 0.5


class Exchange:
    """One machine on its way to the optimum.

    Parameters
    ----------
    store : MovingRows
        Rows of the Gram matrix; those of the support of beta have to be there.
    problem : DualProblem
    beta : array of shape (n,)
        An old solution: in the box, with sum zero.
    f : array of shape (n,)
        ``K beta - y``.
    """

    def __init__(self, store: MovingRows, problem: DualProblem, beta: FloatArray, f: FloatArray) -> None:
        self._store = store
        self._diagonal = store.diagonal
        self._low, self._high = problem.low, problem.high
        self._beta, self._f = beta, f
        self._is_free = (self._low < beta) & (beta < self._high)
        self._face: IntArray = np.flatnonzero(self._is_free)
        self._held = beta.copy()

    def solve(self) -> tuple[FloatArray, float] | None:
        """Return beta and b of the optimum, or None if it is not found."""
        if len(self._face) < 2 or not self._factor():
            return None
        fewest, patience = len(self._beta), _PATIENCE
        for _ in range(_MOST_ROUNDS):
            if not self._step():
                return None
            n_wrong = self._exchange()
            if n_wrong == 0:
                return (self._reached, self._bias) if self._off < _MOST_OFF else None
            patience = _PATIENCE if n_wrong < fewest else patience - 1
            fewest = min(fewest, n_wrong)
            if patience == 0 or len(self._border) > 8 + _LARGEST_BORDER * len(self._face):
                return None
        return None

    def _factor(self) -> bool:
        """Factor the Gram matrix of the face; False if its rows depend on each other."""
        face, m = self._face, len(self._face)
        # Changes add up to zero, so a constant added to all Gram entries does not touch them.
        self._shift = float(self._diagonal[face].max())
        A = np.empty((m, m))
        gather(self._store.rows, face, face, self._shift, A)
        # Of twins one is enough. The others stay where they are: their residual is that of the first.
        is_twin = np.empty(m, dtype=bool)
        part_twins(A, is_twin)
        self._is_free[face[is_twin]] = False
        self._is_on_face = self._is_free.copy()
        self._is_first = np.where(is_twin, 0.0, 1.0)
        self._L, info = lapack.dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
        if info != 0 or self._L.diagonal().min() ** 2 < _DEPENDENT * self._shift:
            return False
        self._middle = -float(self._f[face].mean())
        self._half = self._solved((-self._f[face] - self._middle) * self._is_first)
        self._border: IntArray = np.zeros(0, dtype=np.int64)
        self._has_column = np.zeros(len(self._beta), dtype=bool)
        self._W = self._solved(self._is_first[:, None])
        self._D = np.zeros((1, 1))
        return True

    def _solved(self, columns: FloatArray) -> FloatArray:
        """``L^-1 columns``."""
        solved = blas.dtrsm(1.0, self._L, columns if columns.ndim == 2 else columns[:, None], lower=1)
        return np.asarray(solved.reshape(columns.shape, order="F"))

    def _step(self) -> bool:
        """Go where the free variables would go without bounds; False if that cannot be told."""
        border = self._border
        is_free, is_leaver = self._is_free[border], self._is_on_face[border]
        bound = self._held[border] - self._beta[border]
        M = self._D - self._W.T @ self._W
        right = -(self._W.T @ self._half)
        right[1:] += np.where(is_leaver, bound, -self._f[border] - self._middle)
        # A leaver that came back has no residual; a joiner that is at a bound does not move from there.
        settled = 1 + np.flatnonzero(is_leaver == is_free)
        M[settled] = 0.0
        M[settled, settled] = 1.0
        right[settled] = np.where(is_leaver, 0.0, bound)[settled - 1]
        try:
            z = np.linalg.solve(M, right)
        except np.linalg.LinAlgError:
            return False
        half = self._half - self._W @ z
        self._change = np.asarray(blas.dtrsv(self._L, half, lower=1, trans=1))
        self._z = z[1:]
        self._bias = self._middle + float(z[0])
        joiners = ~is_leaver
        self._reached = self._held.copy()
        self._reached[self._face] = self._beta[self._face] + self._change
        self._reached[border[joiners]] = self._beta[border[joiners]] + self._z[joiners]
        leavers = border[is_leaver & ~is_free]
        self._reached[leavers] = self._held[leavers]
        return bool(np.isfinite(half).all())

    def _exchange(self) -> int:
        """Put variables in the wrong place on the other side; returns how many there were."""
        reached = self._reached
        slack = _STEP_OUT * (self._high - self._low)
        under = self._is_free & (reached < self._low - slack)
        over = self._is_free & (reached > self._high + slack)
        leaving = np.flatnonzero(under | over)
        wanting = self._wanting()
        self._held[under] = self._low[under]
        self._held[over] = self._high[over]
        self._is_free[leaving] = False
        self._is_free[wanting] = True
        np.clip(reached, self._low, self._high, out=reached)
        changed = np.concatenate([leaving, wanting])
        new = changed[~self._has_column[changed]]
        if len(new):
            self._widen(new)
        return len(changed)

    def _wanting(self) -> IntArray:
        """Variables at a bound that want to leave it."""
        border = self._border
        joiners = ~self._is_on_face[border]
        moved = np.concatenate([self._face, border[joiners]])
        change = np.concatenate([self._change, self._z[joiners]])
        g = self._f + self._bias
        add_rows(self._store.rows, self._store.slot_of, moved, change, g, moved, len(g))
        is_left = self._is_on_face[border] & ~self._is_free[border]
        g[border[is_left]] = -self._z[is_left]
        self._off = float(np.abs(g[self._is_free]).max(initial=0.0))
        g[self._is_free] = 0.0
        can_rise, can_fall = self._held < self._high, self._held > self._low
        wanting = np.flatnonzero((can_rise & (g < -_TOL)) | (can_fall & (g > _TOL)))
        self._store.load(wanting)
        kept = np.empty_like(wanting)
        return kept[: without_twins(self._store.rows, wanting, kept)]

    def _widen(self, new: IntArray) -> None:
        """Give the border a column for each of some variables."""
        K, face = self._store.rows, self._face
        is_leaver = self._is_on_face[new]
        joiners = new[~is_leaver]
        columns = np.zeros((len(face), len(new)), order="F")
        columns[np.searchsorted(face, new[is_leaver]), np.flatnonzero(is_leaver)] = 1.0
        own = np.empty((len(joiners), len(face)))
        gather(K, joiners, face, self._shift, own)
        columns[:, ~is_leaver] = (own * self._is_first).T
        border = np.concatenate([self._border, new])
        D = np.zeros((1 + len(border), 1 + len(border)))
        is_joiner = np.concatenate([[False], ~self._is_on_face[border]])
        others = border[is_joiner[1:]]
        among = np.empty((len(others), len(others)))
        gather(K, others, others, self._shift, among)
        D[np.ix_(is_joiner, is_joiner)] = among
        D[0, is_joiner] = D[is_joiner, 0] = 1.0
        self._border, self._D = border, D
        self._has_column[new] = True
        self._W = np.concatenate([self._W, self._solved(columns)], axis=1)
