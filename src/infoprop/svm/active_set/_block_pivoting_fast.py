"""Rounds of exchanges around one Cholesky factor; `_block_pivoting` says what they are for."""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop._core._lapack_fast import factor, solve_lower, solve_symmetric
from infoprop.svm.active_set._duplicate_rows_fast import gather_half, part_twins, without_twins
from infoprop.svm.active_set._gram_store_fast import add_rows

# What rounds report.
FOUND = 0
GOES_ON = 1
CROWDED = 2
LOST = 3

# Positions in the array of numbers; OWED is what the changes have to add up to.
SHIFT = 0
MIDDLE = 1
BIAS = 2
OWED = 3
N_NUMBERS = 4

# Positions in the array of counts.
N_BORDER = 0
N_LEAVING = 1
N_WANTING = 2
N_ROUNDS = 3
N_FEWEST = 4
N_PATIENCE = 5
N_MOVED = 6
N_COUNTS = 7

# Residuals below this are rounding, and so are steps out of the box by this share of it.
TOL = 1e-9
STEP_OUT = 1e-12
# Free variables with a residual beyond this tell that the factor is not to be trusted.
MOST_OFF = 1e-7
# Pivots below this share of the largest Gram entry tell that rows of the face depend on each other.
DEPENDENT = 1e-12
MOST_ROUNDS = 20
# Where so many variables are in the wrong place, as a share of the face, the guess was none.
MOST_WRONG = 1.5
# So many rounds may pass without fewer variables in the wrong place.
PATIENCE = 4

# Rows of the system before those of the border.
HALF = 0
ONES = 1
N_FIXED = 2


class State(NamedTuple):
    """One machine on its way; every array but the last two has an entry for each variable.

    beta, f : where it began, and ``K beta - y`` there; held : where variables are that may not move;
    reached : where it is; g : residuals there; face : variables that were free at first; first : 0 for twins
    of earlier ones on the face, else 1; border : variables exchanged since; changed : those of the last
    round, the leaving before the wanting; moved, change : what moved since the beginning.
    """

    low: Any
    high: Any
    beta: Any
    f: Any
    held: Any
    reached: Any
    g: Any
    is_free: Any
    is_on_face: Any
    is_on_border: Any
    face: Any
    first: Any
    border: Any
    changed: Any
    moved: Any
    change: Any
    numbers: Any
    counts: Any


@njit
def start(state, beta, f):
    """Stand on `beta`, where f is ``K beta - y``; returns the size of the face."""
    m = 0
    for i in range(beta.shape[0]):
        state.beta[i] = beta[i]
        state.held[i] = beta[i]
        state.f[i] = f[i]
        is_free = state.low[i] < beta[i] < state.high[i]
        state.is_free[i] = is_free
        state.is_on_face[i] = is_free
        state.is_on_border[i] = False
        if is_free:
            state.face[m] = i
            m += 1
    state.numbers[OWED] = 0.0
    state.counts[:] = 0
    state.counts[N_FEWEST] = beta.shape[0]
    state.counts[N_PATIENCE] = PATIENCE
    return m


@njit
def start_anew(K, state):
    """Stand where the last round led, within the bounds, with those on the face that are free now.

    Returns the size of that face. Rows of all that have moved have to be there.
    """
    n_moved = state.counts[N_MOVED]
    for k in range(n_moved):
        i = state.moved[k]
        state.change[k] = state.reached[i] - state.beta[i]
        # A twin that joined later is there twice.
        state.beta[i] = state.reached[i]
    add_rows(K, state.moved, state.change, n_moved, 1.0, state.f)
    m = 0
    total = 0.0
    for i in range(state.beta.shape[0]):
        state.held[i] = state.reached[i]
        total += state.reached[i]
        state.is_on_face[i] = state.is_free[i]
        state.is_on_border[i] = False
        if state.is_free[i]:
            state.face[m] = i
            m += 1
    # Bounds took away from those that passed them.
    state.numbers[OWED] = -total
    state.counts[N_BORDER] = 0
    return m


@njit
def begin(K, state, L, W):
    """Factor the Gram matrix of the face and take the first step; returns how it went.

    K : (n, n_all), of which the rows of the face are there; L : (m, m), for the factor; W : (N_FIXED + what
    the border may hold, m), for columns that went through the factor.
    """
    m = L.shape[0]
    face = state.face[:m]
    shift = 0.0
    for i in face:
        shift = max(shift, K[i, i])
    # It is known what changes add up to, so a constant added to all Gram entries touches nothing but b.
    state.numbers[SHIFT] = shift
    # Of twins one is enough. The others stay where they are: their residual is that of the first.
    state.first[:m] = 1.0
    if gather_half(K, face, shift, L) > 0:
        part_twins(L, state.first)
    total = 0.0
    for a in range(m):
        if state.first[a] == 0.0:
            state.is_free[face[a]] = False
            state.is_on_face[face[a]] = False
        total += state.f[face[a]]
    if not factor(L):
        return LOST
    for a in range(m):
        if L[a, a] * L[a, a] < DEPENDENT * shift:
            return LOST
    middle = -total / m
    state.numbers[MIDDLE] = middle
    for a in range(m):
        W[HALF, a] = (-state.f[face[a]] - middle) * state.first[a]
        W[ONES, a] = state.first[a]
    solve_lower(L, W[:N_FIXED], False)
    return _round(K, state, L, W)


@njit
def go_on(K, state, L, W):
    """Put variables in the wrong place on the other side and take another step; returns how it went.

    Rows of those that want to leave their bounds have to be there.
    """
    counts = state.counts
    n_leaving = counts[N_LEAVING]
    wanting = state.changed[n_leaving : n_leaving + counts[N_WANTING]]
    n_wanting = without_twins(K, wanting, wanting)
    for i in wanting[:n_wanting]:
        state.is_free[i] = True
    n_wrong = n_leaving + n_wanting
    counts[N_PATIENCE] = PATIENCE if n_wrong < counts[N_FEWEST] else counts[N_PATIENCE] - 1
    counts[N_FEWEST] = min(counts[N_FEWEST], n_wrong)
    if counts[N_PATIENCE] == 0 or counts[N_ROUNDS] == MOST_ROUNDS or n_wrong > MOST_WRONG * L.shape[0]:
        return LOST
    if not _widen(K, state, L, W, state.changed[:n_wrong]):
        return CROWDED
    return _round(K, state, L, W)


@njit
def _widen(K, state, L, W, changed):
    """Give the border a row for each of the variables that has none; False if there is no room."""
    m = L.shape[0]
    face = state.face[:m]
    shift = state.numbers[SHIFT]
    before = N_FIXED + state.counts[N_BORDER]
    after = before
    for i in changed:
        if state.is_on_border[i]:
            continue
        if after == W.shape[0]:
            return False
        column = W[after]
        if state.is_on_face[i]:
            column[:] = 0.0
            column[np.searchsorted(face, i)] = 1.0
        else:
            row = K[i]
            for a in range(m):
                column[a] = (row[face[a]] + shift) * state.first[a]
        state.border[after - N_FIXED] = i
        state.is_on_border[i] = True
        after += 1
    if after > before:
        solve_lower(L, W[before:after], False)
    state.counts[N_BORDER] = after - N_FIXED
    return True


@njit
def _round(K, state, L, W):
    """Go where the free variables would go without bounds, and see who is in the wrong place there."""
    state.counts[N_ROUNDS] += 1
    z = _border_moves(K, state, W)
    if z.shape[0] == 0:
        return LOST
    m = L.shape[0]
    n_border = state.counts[N_BORDER]
    last = W[: N_FIXED + n_border]
    change = state.change[:m]
    change[:] = last[HALF] - np.dot(z, last[ONES:])
    for a in range(m):
        if not np.isfinite(change[a]):
            return LOST
    solve_lower(L, change.reshape(1, m), True)
    _reach(state, m, z)
    off = _residuals(K, state, z)
    _judge(state)
    if state.counts[N_LEAVING] + state.counts[N_WANTING] > 0:
        return GOES_ON
    return FOUND if off < MOST_OFF else LOST


@njit
def _border_moves(K, state, W):
    """Solve for b and the border; empty if that cannot be done."""
    n_border = state.counts[N_BORDER]
    border = state.border[:n_border]
    middle, shift = state.numbers[MIDDLE], state.numbers[SHIFT]
    V = W[ONES : N_FIXED + n_border]
    M = -np.dot(V, V.T)
    right = -np.dot(V, W[HALF])
    right[0] += state.numbers[OWED]
    for k in range(n_border):
        i = border[k]
        if not state.is_on_face[i]:
            M[0, k + 1] += 1.0
            M[k + 1, 0] += 1.0
            right[k + 1] -= state.f[i] + middle
            for other in range(n_border):
                if not state.is_on_face[border[other]]:
                    M[k + 1, other + 1] += K[i, border[other]] + shift
        else:
            right[k + 1] += state.held[i] - state.beta[i]
    # A leaver that came back has no residual; a joiner that is at a bound does not move from there.
    for k in range(n_border):
        i = border[k]
        if state.is_on_face[i] == state.is_free[i]:
            known = 0.0 if state.is_on_face[i] else state.held[i] - state.beta[i]
            for other in range(n_border + 1):
                right[other] -= M[other, k + 1] * known
                M[other, k + 1] = 0.0
                M[k + 1, other] = 0.0
            M[k + 1, k + 1] = 1.0
            right[k + 1] = known
    if not solve_symmetric(M, right):
        return right[:0]
    state.numbers[BIAS] = middle + right[0] + shift * state.numbers[OWED]
    return right


@njit
def _reach(state, m, z):
    """Write where all variables are now, and which of them moved by how much."""
    for i in range(state.beta.shape[0]):
        state.reached[i] = state.held[i]
    for a in range(m):
        i = state.face[a]
        state.moved[a] = i
        state.reached[i] = state.beta[i] + state.change[a]
    count = m
    for k in range(state.counts[N_BORDER]):
        i = state.border[k]
        if not state.is_on_face[i]:
            state.moved[count] = i
            state.change[count] = z[k + 1]
            state.reached[i] = state.beta[i] + z[k + 1]
            count += 1
        elif not state.is_free[i]:
            state.reached[i] = state.held[i]
    state.counts[N_MOVED] = count


@njit
def _residuals(K, state, z):
    """Write residuals; returns the largest that a free variable has, which ought to have none."""
    n = state.g.shape[0]
    bias = state.numbers[BIAS]
    g = state.g
    for i in range(n):
        g[i] = state.f[i] + bias
    add_rows(K, state.moved, state.change, state.counts[N_MOVED], 1.0, g)
    for k in range(state.counts[N_BORDER]):
        i = state.border[k]
        if state.is_on_face[i] and not state.is_free[i]:
            g[i] = -z[k + 1]
    off = 0.0
    for i in range(n):
        if state.is_free[i]:
            off = max(off, abs(g[i]))
    return off


@njit
def _judge(state):
    """Find who left its box and has to stay at the bound it passed, and who wants to leave its bound."""
    n = state.g.shape[0]
    n_leaving = 0
    for i in range(n):
        low, high, reached = state.low[i], state.high[i], state.reached[i]
        if state.is_free[i]:
            slack = STEP_OUT * (high - low)
            if reached < low - slack or reached > high + slack:
                state.held[i] = low if reached < low else high
                state.changed[n_leaving] = i
                n_leaving += 1
        state.reached[i] = min(max(reached, low), high)
    count = n_leaving
    for i in range(n):
        if state.is_free[i]:
            continue
        can_rise = state.held[i] < state.high[i]
        can_fall = state.held[i] > state.low[i]
        if (can_rise and state.g[i] < -TOL) or (can_fall and state.g[i] > TOL):
            state.changed[count] = i
            count += 1
    for i in state.changed[:n_leaving]:
        state.is_free[i] = False
    state.counts[N_LEAVING] = n_leaving
    state.counts[N_WANTING] = count - n_leaving
