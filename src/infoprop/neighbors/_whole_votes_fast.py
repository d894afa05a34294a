"""Votes of few nearest neighbours, with distances and row numbers in one whole number.

A squared distance of u units to row j is kept as ``u n_slots + j``, with `n_slots` a power of two above every
row number: the least of these numbers is that of the nearest row, and of the first one among equals. One pass
over the rows adds a column and finds it, one more pass finds the next.
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit, unowned_view
from infoprop.neighbors._votes_fast import add_columns, add_one, most_votes

# Farther than every row that may vote, and than every row.
FAR = 2**61
NOBODY = 2**63 - 1


class WholeWorkspace(NamedTuple):
    """Where it is worked out.

    Attributes
    ----------
    differences : (n_columns, n_rows)
        Squared differences of the query, in units times `n_slots`.
    opened, standing, total : (n_rows,)
        Row numbers and squared distances on no column, on columns that are there, and on those asked about.
    n_slots : int
    n_neighbors : int
    vote_counts : (n_classes,)
        Votes.
    """

    differences: np.ndarray
    opened: np.ndarray
    standing: np.ndarray
    total: np.ndarray
    n_slots: int
    n_neighbors: int
    vote_counts: np.ndarray


@njit
def measure_whole(voters, i, workspace):
    """Write the squared differences of query i in every column, and who may vote on it."""
    fold = voters.query_folds[i]
    scales = voters.scales[fold % voters.scales.shape[0]]
    per_unit, n_slots = voters.per_unit, float(workspace.n_slots)
    for k in range(voters.columns.shape[0]):
        rows, out = voters.columns[k], workspace.differences[k]
        x, scale = voters.queries[i, k], scales[k]
        for j in range(rows.shape[0]):
            step = (x - rows[j]) * scale
            out[j] = np.int64(np.floor(step * step * per_unit + 0.5) * n_slots)
    opened, folds = workspace.opened, voters.folds
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
def least_above(total, bound):
    """Least entry above a bound; no two entries are equal."""
    least = NOBODY
    for j in range(total.shape[0]):
        least = min(least, total[j] if total[j] > bound else NOBODY)
    return least


@njit
def nearest_class(start, added, codes, n_slots):
    """Class of the nearest row by ``start + added``; -1 if no row may vote."""
    least = least_sum(start, added)
    return codes[least & (n_slots - 1)] if least < FAR else -1


@njit
def elected_class(voters, start, added, workspace):
    """Class that the nearest rows by ``start + added`` elect; -1 if no row may vote."""
    codes, n_slots, vote_counts = voters.codes, workspace.n_slots, workspace.vote_counts
    add_one(start, added, workspace.total)
    for c in range(vote_counts.shape[0]):
        vote_counts[c] = 0.0
    least, nearest = -1, 0
    for t in range(workspace.n_neighbors):
        least = least_above(workspace.total, least)
        units = least // n_slots
        nearest = units if t == 0 else nearest
        # Rows at distance zero vote alone where distances count.
        if least >= FAR or (voters.is_weighted and nearest == 0 and units > 0):
            break
        weight = 1.0 / np.sqrt(float(units)) if voters.is_weighted and units > 0 else 1.0
        vote_counts[codes[least & (n_slots - 1)]] += weight
    return most_votes(vote_counts)


@njit
def fill_whole_votes(voters, starts, columns, workspace, out):
    """Write the class that each query is given on each subset: (n_subsets, n_queries).

    Subset t holds ``columns[starts[t]:starts[t + 1]]``, at least one.
    """
    voters, starts, columns, workspace, out = unowned_view((voters, starts, columns, workspace, out))
    for i in range(out.shape[1]):
        measure_whole(voters, i, workspace)
        for t in range(out.shape[0]):
            start, first, last = workspace.opened, starts[t], starts[t + 1] - 1
            if first < last:
                add_columns(start, columns[first:last], workspace.differences, workspace.standing)
                start = workspace.standing
            added = workspace.differences[columns[last]]
            if workspace.n_neighbors == 1:
                out[t, i] = nearest_class(start, added, voters.codes, workspace.n_slots)
            else:
                out[t, i] = elected_class(voters, start, added, workspace)


@njit
def fill_whole_grown_votes(voters, columns, candidates, workspace, out):
    """Write the class each query is given on `columns` and one candidate more: (n_candidates, n_queries)."""
    voters, columns, candidates, workspace, out = unowned_view((voters, columns, candidates, workspace, out))
    for i in range(out.shape[1]):
        measure_whole(voters, i, workspace)
        start = workspace.opened
        if columns.shape[0]:
            add_columns(start, columns, workspace.differences, workspace.standing)
            start = workspace.standing
        for t in range(out.shape[0]):
            added = workspace.differences[candidates[t]]
            if workspace.n_neighbors == 1:
                out[t, i] = nearest_class(start, added, voters.codes, workspace.n_slots)
            else:
                out[t, i] = elected_class(voters, start, added, workspace)
