"""Block SMO in signed dual variables, with exact steps on the face of the free variables.

The problem is ``min 1/2 beta' K beta - beta' y`` subject to ``low <= beta <= high`` and ``sum beta = 0``,
where ``beta = alpha * y``, so that one Gram matrix serves every machine. The state is `beta` and
``f = K beta - y``. A variable can rise if ``beta < high`` and fall if ``beta > low``; at the optimum no
variable that can fall has a larger f than one that can rise.
"""

import numpy as np

from infoprop._core._jit import njit

# What `advance` reports.
CONVERGED = 0
NEEDS_ROWS = 1
SHRUNK = 2
STOPPED = 3
STALLED = 4

# Positions in the array of counters.
N_ACTIVE = 0
N_BLOCK = 1
N_OUTER = 2
N_STEPS = 3
N_POLISH = 4
N_IDLE = 5
N_COUNTERS = 6

# Below this the two rows of a pair coincide in feature space.
SMALLEST_CURVATURE = 1e-12
# Outer steps that may be spent after `tol` is reached to land on the exact optimum of the final face.
POLISH_STEPS = 6
POLISH_TOL = 1e-10
STEPS_BETWEEN_SHRINKS = 8
# So many outer steps in a row that lower the objective by no more than rounding: nothing is left to gain.
MOST_IDLE = 10
ROUNDING = 1e-15
# A block holds the free variables and about so many violators: few rows are asked for that never move.
VIOLATORS = 64
# How much cheaper the cube of a factorisation is than the square of the pair steps.
WALKS_PER_PAIR_STEP = 60
# Rounding may keep a block's gap above its goal; the outer loop then goes on with another block.
MOST_ROUNDS = 20


@njit
def dot(x, y):
    """``x . y``. (Numba takes seconds to compile NumPy's own sums.)"""
    total = 0.0
    for t in range(x.shape[0]):
        total += x[t] * y[t]
    return total


@njit
def total_of(x):
    """Sum of the entries."""
    total = 0.0
    for t in range(x.shape[0]):
        total += x[t]
    return total


@njit
def size_of(beta):
    """``sum |beta|``, the scale of the objective."""
    total = 0.0
    for t in range(beta.shape[0]):
        total += abs(beta[t])
    return total


@njit
def scan(f, beta, low, high, active, n_active):
    """Return the smallest f among variables that can rise and the largest among those that can fall."""
    smallest = np.inf
    largest = -np.inf
    for a in range(n_active):
        t = active[a]
        if beta[t] < high[t] and f[t] < smallest:
            smallest = f[t]
        if beta[t] > low[t] and f[t] > largest:
            largest = f[t]
    return smallest, largest


@njit
def count_free(beta, low, high, active, n_active):
    """Number of active variables strictly inside their box."""
    count = 0
    for a in range(n_active):
        t = active[a]
        if low[t] < beta[t] < high[t]:
            count += 1
    return count


@njit
def shrink(f, beta, low, high, active, n_active, smallest, largest):
    """Drop variables that are stuck at a bound and satisfied from the active ones; return how many stay."""
    kept = 0
    for a in range(n_active):
        t = active[a]
        stuck_low = beta[t] <= low[t] and f[t] > largest
        stuck_high = beta[t] >= high[t] and f[t] < smallest
        if not (stuck_low or stuck_high):
            active[kept] = t
            kept += 1
    return kept


@njit
def choose_block(f, beta, low, high, active, n_active, taken, block, size):
    """Fill `block` with at most `size` variables, the worst violators and the free ones; returns how many.

    All free variables enter if they fit, so that a step on their common face is one of the whole problem.
    """
    if n_active <= size:
        for a in range(n_active):
            block[a] = active[a]
        return n_active
    rising = np.empty(n_active)
    falling = np.empty(n_active)
    nearest = np.empty(n_active)
    free = 0
    for a in range(n_active):
        t = active[a]
        rising[a] = f[t] if beta[t] < high[t] else np.inf
        falling[a] = -f[t] if beta[t] > low[t] else np.inf
        free += low[t] < beta[t] < high[t]
    count = 0
    quota = max(1, size // 8 if free > size // 2 else (size - free) // 2)
    count = _take_smallest(rising, active, taken, block, count, min(size, count + quota))
    count = _take_smallest(falling, active, taken, block, count, min(size, count + quota))
    # Those nearest to violating come first when the free variables do not all fit.
    middle = 0.5 * (f[block[0]] + f[block[count - 1]])
    for a in range(n_active):
        t = active[a]
        nearest[a] = -abs(f[t] - middle) if low[t] < beta[t] < high[t] else np.inf
    count = _take_smallest(nearest, active, taken, block, count, size)
    for b in range(count):
        taken[block[b]] = False
    return count


@njit
def select(values, rank):
    """Return the value that would stand at `rank` if `values` were sorted; reorders them (quickselect)."""
    left = 0
    right = values.shape[0] - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i = left
        j = right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            right = j
        elif rank >= i:
            left = i
        else:
            break
    return values[rank]


@njit
def _take_smallest(key, active, taken, block, count, limit):
    """Append to `block` the untaken variables with the smallest finite keys, ties by position."""
    wanted = limit - count
    n = key.shape[0]
    if wanted <= 0:
        return count
    finite = 0
    for a in range(n):
        if taken[active[a]]:
            key[a] = np.inf
        elif key[a] < np.inf:
            finite += 1
    if finite == 0:
        return count
    bar = np.inf
    if finite > wanted:
        bar = select(key.copy(), wanted - 1)
    for a in range(n):
        if key[a] < bar and count < limit:
            block[count] = active[a]
            taken[active[a]] = True
            count += 1
    # Ties at the bar come in the order of their positions.
    for a in range(n):
        if key[a] == bar and key[a] < np.inf and count < limit:
            block[count] = active[a]
            taken[active[a]] = True
            count += 1
    return count


@njit
def factor(A):
    """Cholesky factor of A in its upper triangle, in place; tiny pivots are lifted to keep going.

    A lifted pivot makes the solution long in a direction of no curvature, and the caller's walk to the
    nearest bound does the rest.
    """
    n = A.shape[0]
    floor = 0.0
    for i in range(n):
        if A[i, i] > floor:
            floor = A[i, i]
    floor *= 1e-13
    for i in range(n):
        row = A[i, i:]
        k = 0
        while k + 3 < i:
            r0 = A[k, i:]
            r1 = A[k + 1, i:]
            r2 = A[k + 2, i:]
            r3 = A[k + 3, i:]
            a0 = r0[0]
            a1 = r1[0]
            a2 = r2[0]
            a3 = r3[0]
            for j in range(row.shape[0]):
                row[j] -= a0 * r0[j] + a1 * r1[j] + a2 * r2[j] + a3 * r3[j]
            k += 4
        while k < i:
            r0 = A[k, i:]
            a0 = r0[0]
            for j in range(row.shape[0]):
                row[j] -= a0 * r0[j]
            k += 1
        pivot = row[0]
        if not pivot > floor:
            pivot = floor if floor > 0.0 else 1.0
        root = np.sqrt(pivot)
        scale = 1.0 / root
        for j in range(row.shape[0]):
            row[j] *= scale
        row[0] = root


@njit
def solve_factored(U, x):
    """Overwrite x with the solution of ``U' U x = x``."""
    n = x.shape[0]
    for i in range(n):
        row = U[i, i:]
        rest = x[i:]
        rest[0] /= row[0]
        solved = rest[0]
        for j in range(1, row.shape[0]):
            rest[j] -= row[j] * solved
    for i in range(n - 1, -1, -1):
        row = U[i, i:]
        rest = x[i:]
        total = rest[0]
        for j in range(1, row.shape[0]):
            total -= row[j] * rest[j]
        rest[0] = total / row[0]


@njit
def face_step(K, f, beta, low, high):
    """Walk towards the optimum over the free variables, as far as the box allows; True if it was reached."""
    m = f.shape[0]
    free = np.empty(m, np.int64)
    n_free = 0
    for t in range(m):
        if low[t] < beta[t] < high[t]:
            free[n_free] = t
            n_free += 1
    if n_free < 2:
        return True
    A = np.empty((n_free, n_free))
    for a in range(n_free):
        for c in range(n_free):
            A[a, c] = K[free[a], free[c]]
    factor(A)
    step = np.empty(n_free)
    ones = np.ones(n_free)
    for a in range(n_free):
        step[a] = -f[free[a]]
    solve_factored(A, step)
    solve_factored(A, ones)
    shift = total_of(step) / total_of(ones)
    excess = 0.0
    for a in range(n_free):
        step[a] -= shift * ones[a]
        excess += step[a]
    # The step has to keep the sum of beta to the last bit that matters.
    for a in range(n_free):
        step[a] -= excess / n_free
    change = np.zeros(m)
    for a in range(n_free):
        row = K[free[a]]
        move = step[a]
        for c in range(m):
            change[c] += move * row[c]
    slope = 0.0
    curvature = 0.0
    for a in range(n_free):
        slope += step[a] * f[free[a]]
        curvature += step[a] * change[free[a]]
    if not slope < 0.0:
        return True
    # One, but for rounding; less where the kernel is not positive definite.
    best = -slope / curvature if curvature > 0.0 else np.inf
    length = min(best, _room(free[:n_free], step, beta, low, high))
    if length == np.inf:
        return True
    for a in range(n_free):
        t = free[a]
        reached = beta[t] + length * step[a]
        if length < best:
            if step[a] > 0.0 and (high[t] - beta[t]) / step[a] <= length:
                reached = high[t]
            elif step[a] < 0.0 and (low[t] - beta[t]) / step[a] <= length:
                reached = low[t]
        beta[t] = min(max(reached, low[t]), high[t])
    for c in range(m):
        f[c] += length * change[c]
    return length == best


@njit
def _room(free, step, beta, low, high):
    """How many times `step` fits into the box."""
    room = np.inf
    for a in range(free.shape[0]):
        t = free[a]
        if step[a] > 0.0:
            room = min(room, (high[t] - beta[t]) / step[a])
        elif step[a] < 0.0:
            room = min(room, (low[t] - beta[t]) / step[a])
    return room


@njit
def pair_steps(K, f, beta, low, high, tol, max_steps):
    """SMO on the block: the most violating riser with the partner of greatest second-order gain.

    Returns the number of steps and the gap that is left.
    """
    m = f.shape[0]
    diagonal = np.empty(m)
    for t in range(m):
        diagonal[t] = K[t, t]
    steps = 0
    while True:
        i = -1
        smallest = np.inf
        largest = -np.inf
        for t in range(m):
            if f[t] < smallest and beta[t] < high[t]:
                smallest = f[t]
                i = t
            if f[t] > largest and beta[t] > low[t]:
                largest = f[t]
        gap = largest - smallest
        if i < 0 or not gap >= tol or steps >= max_steps:
            return steps, gap
        row_i = K[i]
        # Gains are difference^2 / curvature, compared crosswise: no division in the loop.
        j = i
        best = 0.0
        best_curvature = 1.0
        for t in range(m):
            difference = f[t] - smallest
            curvature = max(diagonal[i] + diagonal[t] - 2.0 * row_i[t], SMALLEST_CURVATURE)
            gain = difference * difference
            if gain * best_curvature > best * curvature and difference > 0.0 and beta[t] > low[t]:
                best = gain
                best_curvature = curvature
                j = t
        step = (f[j] - smallest) / best_curvature
        room_i = high[i] - beta[i]
        room_j = beta[j] - low[j]
        if step < room_i and step < room_j:
            beta[i] += step
            beta[j] -= step
        else:
            step = min(room_i, room_j)
            beta[i] = high[i] if room_i <= room_j else beta[i] + step
            beta[j] = low[j] if room_j <= room_i else beta[j] - step
        row_j = K[j]
        for t in range(m):
            f[t] += step * (row_i[t] - row_j[t])
        steps += 1


@njit
def solve_block(K, f, beta, low, high, tol, max_steps):
    """Alternate pair steps and face steps until the block's own gap is below tol."""
    m = f.shape[0]
    everyone = np.arange(m)
    steps = 0
    burst = m
    for _ in range(MOST_ROUNDS):
        done, gap = pair_steps(K, f, beta, low, high, tol, min(burst, max_steps - steps))
        steps += done
        if gap < tol or steps >= max_steps:
            break
        # Every walk that ends at a bound clears one variable out of the way. Where many are, pair steps alone
        # would crawl; the walks may take about as long as the pair steps did.
        work = 0
        while work < WALKS_PER_PAIR_STEP * burst * m:
            n_free = count_free(beta, low, high, everyone, m)
            if face_step(K, f, beta, low, high):
                break
            work += n_free * n_free * n_free
        else:
            burst *= 2
    return steps


@njit
def add_rows(rows, slot_of, block, change, f, active, n_active):
    """``f += K[:, block] change`` on the active variables, four rows at a time."""
    n = f.shape[0]
    used = np.empty(block.shape[0], np.int64)
    count = 0
    for a in range(block.shape[0]):
        if change[a] != 0.0:
            used[count] = a
            count += 1
    k = 0
    while k < count:
        width = min(4, count - k)
        c0 = change[used[k]]
        c1 = change[used[k + 1]] if width > 1 else 0.0
        c2 = change[used[k + 2]] if width > 2 else 0.0
        c3 = change[used[k + 3]] if width > 3 else 0.0
        r0 = rows[slot_of[block[used[k]]]]
        r1 = rows[slot_of[block[used[k + 1 if width > 1 else k]]]]
        r2 = rows[slot_of[block[used[k + 2 if width > 2 else k]]]]
        r3 = rows[slot_of[block[used[k + 3 if width > 3 else k]]]]
        if n_active == n:
            for t in range(n):
                f[t] += c0 * r0[t] + c1 * r1[t] + c2 * r2[t] + c3 * r3[t]
        else:
            for a in range(n_active):
                t = active[a]
                f[t] += c0 * r0[t] + c1 * r1[t] + c2 * r2[t] + c3 * r3[t]
        k += 4


@njit
def block_step(rows, slot_of, f, beta, low, high, active, n_active, block, tol, max_steps):
    """Solve the block's own problem and carry the change to f.

    Returns the pair steps taken and by how much the objective fell.
    """
    m = block.shape[0]
    K = np.empty((m, m))
    for a in range(m):
        row = rows[slot_of[block[a]]]
        for c in range(m):
            K[a, c] = row[block[c]]
    change, steps, gain = solve_on(K, block, f, beta, low, high, tol, max_steps)
    add_rows(rows, slot_of, block, change, f, active, n_active)
    return steps, gain


@njit
def solve_on(K, block, f, beta, low, high, tol, max_steps):
    """Solve for the block's beta, K being its Gram matrix; f is left to the caller.

    Returns the change of beta, the pair steps taken, and by how much the objective fell.
    """
    m = block.shape[0]
    after = np.empty(m)
    moved = np.empty(m)
    block_low = np.empty(m)
    block_high = np.empty(m)
    for a in range(m):
        t = block[a]
        after[a] = f[t]
        moved[a] = beta[t]
        block_low[a] = low[t]
        block_high[a] = high[t]
    steps = solve_block(K, after, moved, block_low, block_high, tol, max_steps)
    change = np.empty(m)
    gain = 0.0
    for a in range(m):
        t = block[a]
        change[a] = moved[a] - beta[t]
        gain -= 0.5 * change[a] * (f[t] + after[a])
        beta[t] = moved[a]
    return change, steps, gain


@njit
def advance(rows, slot_of, f, beta, low, high, active, block, taken, counters, tol, max_steps):
    """Take outer steps until the machine converges, runs out of steps, or asks for Gram rows.

    `rows[slot_of[t]]` is row t of the Gram matrix; a negative slot means it is not there. When
    NEEDS_ROWS comes back, ``block[:counters[N_BLOCK]]`` names the rows, and the same call continues.
    """
    n = f.shape[0]
    while True:
        n_active = counters[N_ACTIVE]
        if counters[N_BLOCK] == 0:
            smallest, largest = scan(f, beta, low, high, active, n_active)
            gap = largest - smallest
            if gap < tol:
                polished = gap < min(tol, POLISH_TOL) or counters[N_POLISH] >= POLISH_STEPS
                if n_active < n:
                    return SHRUNK
                if polished:
                    return CONVERGED
                counters[N_POLISH] += 1
            if counters[N_STEPS] >= max_steps:
                return CONVERGED if gap < tol and n_active == n else STOPPED
            counters[N_OUTER] += 1
            if counters[N_OUTER] % STEPS_BETWEEN_SHRINKS == 0 and gap >= tol:
                n_active = shrink(f, beta, low, high, active, n_active, smallest, largest)
                counters[N_ACTIVE] = n_active
            free = count_free(beta, low, high, active, n_active)
            size = VIOLATORS + free if gap < tol else VIOLATORS + free + free // 2
            if gap < tol and size > block.shape[0] and n > block.shape[0]:
                return CONVERGED
            size = min(size, block.shape[0])
            counters[N_BLOCK] = choose_block(f, beta, low, high, active, n_active, taken, block, size)
        chosen = block[: counters[N_BLOCK]]
        for t in chosen:
            if slot_of[t] < 0:
                return NEEDS_ROWS
        smallest, largest = scan(f, beta, low, high, active, n_active)
        gap = largest - smallest
        goal = max(0.1 * gap, 0.1 * tol) if gap >= tol else 0.1 * POLISH_TOL
        allowed = max_steps - counters[N_STEPS]
        steps, gain = block_step(rows, slot_of, f, beta, low, high, active, n_active, chosen, goal, allowed)
        counters[N_STEPS] += steps
        counters[N_BLOCK] = 0
        if gain > ROUNDING * size_of(beta):
            counters[N_IDLE] = 0
        elif gap >= tol:
            counters[N_IDLE] += 1
            if counters[N_IDLE] == MOST_IDLE:
                return STALLED
