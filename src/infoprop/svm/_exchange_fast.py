"""Rounds of exchanges around one Cholesky factor; `_exchange` says what they are for."""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit
from infoprop._core._lapack_fast import factor, solve_lower, solve_symmetric
from infoprop.svm._gram_moves_fast import add_rows
from infoprop.svm._vectors_fast import add_to, size_of, total_of

# What rounds report.
FOUND = 0
GOES_ON = 1
LOST = 2
INEXACT = 3

# Positions in the array of numbers.
SHIFT = 0
BIAS = 1
OFF = 2
N_NUMBERS = 3

# Positions in the array of counts.
N_BORDER = 0
N_LEAVING = 1
N_WANTING = 2
N_ROUNDS = 3
N_FEWEST = 4
N_PATIENCE = 5
N_COUNTS = 6

# Residuals below this are rounding, and so are steps out of the box by this share of it.
TOL = 1e-9
STEP_OUT = 1e-12
# A sum of beta that is a smaller share of its terms is as good as zero.
UNBALANCED = 1e-13
# What a round has to leave of the residuals of free variables, at most, for another one to be worth while.
SHRINKAGE = 0.5
MOST_ROUNDS = 20
# So many rounds may pass without fewer variables in the wrong place.
PATIENCE = 4

# Rows of the system before those of the border.
HALF = 0
ONES = 1
N_FIXED = 2


class State(NamedTuple):
    """One machine on its way; every array but the last two has an entry for each variable.

    beta : where it is; g : residuals there; held : where variables are that may not move; face : variables that
    were free at first; first : 0 for twins of earlier ones on the face, else 1; border : variables exchanged
    since; changed : those of the last round, the leaving before the wanting; moved, change : what moved in the
    last round.
    """

    low: Any
    high: Any
    beta: Any
    g: Any
    held: Any
    first: Any
    change: Any
    is_free: Any
    is_on_face: Any
    is_on_border: Any
    face: Any
    border: Any
    changed: Any
    moved: Any
    numbers: Any
    counts: Any


@njit
def start(state, beta, f):
    """Stand on `beta`, where f is ``K beta - y``; returns the size of the face."""
    m = 0
    for i in range(beta.shape[0]):
        state.beta[i] = beta[i]
        state.held[i] = beta[i]
        state.g[i] = f[i]
        is_free = state.low[i] < beta[i] < state.high[i]
        state.is_free[i] = is_free
        state.is_on_face[i] = is_free
        state.is_on_border[i] = False
        if is_free:
            state.face[m] = i
            m += 1
    state.counts[:] = 0
    state.counts[N_FEWEST] = beta.shape[0]
    state.counts[N_PATIENCE] = PATIENCE
    state.numbers[OFF] = np.inf
    return m


@njit
def gather_half(K, face, shift, A):
    """``A = K[face, face] + shift``, from the diagonal on to the right."""
    m = A.shape[0]
    for a in range(m):
        row = K[face[a]]
        into = A[a]
        for c in range(a, m):
            into[c] = row[face[c]] + shift


@njit
def part_twins(A, first):
    """Cut rows of a Gram matrix that are twins of earlier ones off the others, and mark them with 0.

    Rows are twins if the kernel cannot tell them apart. They keep nothing but a one on the diagonal. Of A no
    more than the half right of the diagonal is there.
    """
    m = A.shape[0]
    first[:m] = 1.0
    count = 0
    for a in range(m):
        row = A[a]
        own = row[a]
        same = 0
        for c in range(a + 1, m):
            same += row[c] == own
        if same > 0 and first[a] == 1.0:
            for c in range(a + 1, m):
                if row[c] == own and A[c, c] == own and first[c] == 1.0:
                    first[c] = 0.0
                    count += 1
    if count > 0:
        for a in range(m):
            row = A[a]
            for c in range(a, m):
                if first[a] == 0.0 or first[c] == 0.0:
                    row[c] = 1.0 if a == c else 0.0


@njit
def without_twins(K, rows, kept):
    """Write those of `rows` that no earlier one of them is the twin of; returns how many."""
    count = 0
    for i in rows:
        row = K[i]
        own = row[i]
        is_twin = False
        for c in range(count):
            j = kept[c]
            if row[j] == own and K[j, j] == own:
                is_twin = True
                break
        if not is_twin:
            kept[count] = i
            count += 1
    return count


@njit
def begin(K, state, L, W, dependent):
    """Factor the Gram matrix of the face and take the first step; returns how it went.

    K : (n, n_all), of which the rows of the face are there; L : (m, m), for the factor; W : (N_FIXED + what the
    border may hold, m), for columns that went through the factor; both of single precision, or both of double.
    Pivots below the share `dependent` of the largest entry tell that rows of the face depend on each other.
    """
    m = L.shape[0]
    face = state.face[:m]
    largest = 0.0
    for i in face:
        largest = max(largest, K[i, i])
    # Changes add up to zero, so a constant added to all Gram entries does not touch them; rows whose
    # differences are independent become independent by it.
    state.numbers[SHIFT] = largest / m
    gather_half(K, face, state.numbers[SHIFT], L)
    # Of twins one is enough. The others stay where they are: their residual is that of the first.
    part_twins(L, state.first)
    total = 0.0
    for a in range(m):
        if state.first[a] == 0.0:
            state.is_free[face[a]] = False
            state.is_on_face[face[a]] = False
        total += state.g[face[a]]
    if not factor(L):
        return INEXACT
    for a in range(m):
        if L[a, a] * L[a, a] < dependent * largest:
            return INEXACT
    state.numbers[BIAS] = -total / m
    for i in range(state.g.shape[0]):
        state.g[i] -= total / m
    for a in range(m):
        W[ONES, a] = state.first[a]
    solve_lower(L, W[ONES:N_FIXED], False)
    return _round(K, state, L, W)


@njit
def go_on(K, state, L, W):
    """Put variables in the wrong place on the other side and take another step; returns how it went.

    Rows of those that want to leave their bounds have to be there.
    """
    counts = state.counts
    if counts[N_ROUNDS] == MOST_ROUNDS:
        return LOST
    n_leaving = counts[N_LEAVING]
    wanting = state.changed[n_leaving : n_leaving + counts[N_WANTING]]
    n_wrong = n_leaving + without_twins(K, wanting, wanting)
    if n_wrong > 0:
        for i in state.changed[n_leaving:n_wrong]:
            state.is_free[i] = True
        counts[N_PATIENCE] = PATIENCE if n_wrong < counts[N_FEWEST] else counts[N_PATIENCE] - 1
        counts[N_FEWEST] = min(counts[N_FEWEST], n_wrong)
        if counts[N_PATIENCE] == 0 or not _widen(K, state, L, W, state.changed[:n_wrong]):
            return LOST
        state.numbers[OFF] = np.inf
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
    """Go where the free variables would go without bounds, and see who is in the wrong place there.

    Residuals are those of where it really went, so the next round makes up for what rounding has spoiled.
    """
    state.counts[N_ROUNDS] += 1
    m = L.shape[0]
    half = W[HALF]
    for a in range(m):
        i = state.face[a]
        # Variables at a bound may have residuals; z of theirs takes whatever is left.
        half[a] = -state.g[i] * state.first[a] if state.is_free[i] else 0.0
    solve_lower(L, W[HALF:ONES], False)
    border = W[ONES : N_FIXED + state.counts[N_BORDER]]
    z = _border_moves(K, state, border, half)
    if z.shape[0] == 0:
        return INEXACT
    for k in range(z.shape[0]):
        add_to(half, border[k], -z[k])
    solve_lower(L, W[HALF:ONES], True)
    for a in range(m):
        if not np.isfinite(half[a]):
            return INEXACT
    _move(K, state, half, z)
    before = state.numbers[OFF]
    _judge(state)
    if state.counts[N_LEAVING] + state.counts[N_WANTING] > 0:
        return GOES_ON
    is_balanced = abs(total_of(state.beta)) <= UNBALANCED * size_of(state.beta)
    if state.numbers[OFF] < TOL and is_balanced:
        return FOUND
    return GOES_ON if state.numbers[OFF] < SHRINKAGE * before else INEXACT


@njit
def _border_moves(K, state, V, half):
    """Solve for b and the border; empty if that cannot be done."""
    n_border = V.shape[0] - 1
    border = state.border[:n_border]
    shift = state.numbers[SHIFT]
    M = np.empty((n_border + 1, n_border + 1))
    M[:] = -np.dot(V, V.T)
    right = np.empty(n_border + 1)
    right[:] = -np.dot(V, half)
    right[0] -= total_of(state.beta)
    for k in range(n_border):
        i = border[k]
        if state.is_on_face[i]:
            right[k + 1] += state.held[i] - state.beta[i]
        else:
            M[0, k + 1] += 1.0
            M[k + 1, 0] += 1.0
            right[k + 1] -= state.g[i]
            for other in range(n_border):
                if not state.is_on_face[border[other]]:
                    M[k + 1, other + 1] += K[i, border[other]] + shift
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
    return right if solve_symmetric(M, right) else right[:0]


@njit
def _move(K, state, step, z):
    """Let the face take a step, and b and the border another; residuals follow."""
    count = 0
    for a in range(step.shape[0]):
        i = state.face[a]
        if state.first[a] == 1.0:
            state.moved[count] = i
            state.change[count] = step[a] if state.is_free[i] else state.held[i] - state.beta[i]
            count += 1
    for k in range(z.shape[0] - 1):
        i = state.border[k]
        if not state.is_on_face[i]:
            state.moved[count] = i
            state.change[count] = z[k + 1] if state.is_free[i] else state.held[i] - state.beta[i]
            count += 1
    for k in range(count):
        state.beta[state.moved[k]] += state.change[k]
    state.numbers[BIAS] += z[0]
    for i in range(state.g.shape[0]):
        state.g[i] += z[0]
    add_rows(K, state.moved, state.change, count, 1.0, state.g)


@njit
def _judge(state):
    """Find who left its box and has to stay at the bound it passed, and who wants to leave its bound.

    Writes the largest residual of the free variables, which ought to have none.
    """
    n = state.g.shape[0]
    n_leaving = 0
    off = 0.0
    for i in range(n):
        if state.is_free[i]:
            low, high = state.low[i], state.high[i]
            slack = STEP_OUT * (high - low)
            if state.beta[i] < low - slack or state.beta[i] > high + slack:
                state.held[i] = low if state.beta[i] < low else high
                state.changed[n_leaving] = i
                n_leaving += 1
            off = max(off, abs(state.g[i]))
    # Residuals are known no better than those of the free variables have vanished.
    known = TOL + 2.0 * off
    count = n_leaving
    for i in range(n):
        if state.is_free[i]:
            continue
        can_rise = state.held[i] < state.high[i]
        can_fall = state.held[i] > state.low[i]
        if (can_rise and state.g[i] < -known) or (can_fall and state.g[i] > known):
            state.changed[count] = i
            count += 1
    for i in state.changed[:n_leaving]:
        state.is_free[i] = False
    state.counts[N_LEAVING] = n_leaving
    state.counts[N_WANTING] = count - n_leaving
    state.numbers[OFF] = off
