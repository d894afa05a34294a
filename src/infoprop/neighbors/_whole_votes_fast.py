"""The vote of the nearest neighbour alone, with distances and row numbers in one whole number.

A squared distance of u units to row j is kept as ``u n_slots + j``, with `n_slots` a power of two above every
row number: the least of these numbers is that of the nearest row, and of the first one among equals. One pass
over the rows adds a column and finds it.
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import borrowed, njit
from infoprop.neighbors._votes_fast import add_columns

# Farther than every row that may vote.
FAR = 2**61


class WholeRoom(NamedTuple):
    """Where it is worked out.

    Attributes
    ----------
    differences : (n_columns, n_rows)
        Squared differences of the query, in units times `n_slots`.
    opened, standing : (n_rows,)
        Row numbers and squared distances on no column, and on columns that are there.
    n_slots : int
    """

    differences: np.ndarray
    opened: np.ndarray
    standing: np.ndarray
    n_slots: int


@njit
def measure_whole(voters, i, room):
    """Write the squared differences of query i in every column, and who may vote on it."""
    fold = voters.query_folds[i]
    scales = voters.scales[fold % voters.scales.shape[0]]
    per_unit, n_slots = voters.per_unit, float(room.n_slots)
    for k in range(voters.columns.shape[0]):
        rows, out = voters.columns[k], room.differences[k]
        x, scale = voters.queries[i, k], scales[k]
        for j in range(rows.shape[0]):
            step = (x - rows[j]) * scale
            out[j] = np.int64(np.floor(step * step * per_unit + 0.5) * n_slots)
    opened, folds = room.opened, voters.folds
    for j in range(folds.shape[0]):
        opened[j] = j + (FAR if folds[j] == fold else 0)


@njit
def least_sum(start, added):
    """Least entry of ``start + added``."""
    least = start[0] + added[0]
    for j in range(start.shape[0]):
        least = min(least, start[j] + added[j])
    return least


@njit
def class_of(least, codes, n_slots):
    """Class of the row that a number stands for; -1 if the row may not vote."""
    return codes[least & (n_slots - 1)] if least < FAR else -1


@njit
def fill_whole_votes(voters, starts, columns, room, out):
    """Write the class of the nearest row of each query on each subset: (n_subsets, n_queries).

    Subset t holds ``columns[starts[t]:starts[t + 1]]``, at least one.
    """
    voters, starts, columns, room, out = borrowed((voters, starts, columns, room, out))
    for i in range(out.shape[1]):
        measure_whole(voters, i, room)
        for t in range(out.shape[0]):
            start, first, last = room.opened, starts[t], starts[t + 1] - 1
            if first < last:
                add_columns(start, columns[first:last], room.differences, room.standing)
                start = room.standing
            least = least_sum(start, room.differences[columns[last]])
            out[t, i] = class_of(least, voters.codes, room.n_slots)


@njit
def fill_whole_grown_votes(voters, columns, candidates, room, out):
    """Write the class of the nearest row on `columns` and one candidate more: (n_candidates, n_queries)."""
    voters, columns, candidates, room, out = borrowed((voters, columns, candidates, room, out))
    for i in range(out.shape[1]):
        measure_whole(voters, i, room)
        start = room.opened
        if columns.shape[0]:
            add_columns(start, columns, room.differences, room.standing)
            start = room.standing
        for t in range(out.shape[0]):
            least = least_sum(start, room.differences[candidates[t]])
            out[t, i] = class_of(least, voters.codes, room.n_slots)
