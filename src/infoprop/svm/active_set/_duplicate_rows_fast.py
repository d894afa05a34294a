"""Parts of a Gram matrix, and rows in it that the kernel cannot tell apart."""

from infoprop._core._jit import njit


@njit
def gather_half(K, face, shift, A):
    """``A = K[face, face] + shift``, from the diagonal on to the right.

    Returns how many entries equal the one on the diagonal of their row.
    """
    m = A.shape[0]
    count = 0
    for a in range(m):
        row = K[face[a]]
        into = A[a]
        own = row[face[a]] + shift
        into[a] = own
        for c in range(a + 1, m):
            value = row[face[c]] + shift
            into[c] = value
            count += value == own
    return count


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
