"""Votes of nearest neighbours on many subsets of the columns, one query at a time.

A query's squared differences to all training rows, column by column, are computed once and added up for each
subset; they take no more memory than the rows, whatever the number of queries and subsets.
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit, unowned_view


class Voters(NamedTuple):
    """Who votes and who asks.

    Attributes
    ----------
    columns : (n_columns, n_rows)
        Training rows, transposed.
    codes, folds : (n_rows,)
        Their class numbers and folds.
    queries : (n_queries, n_columns)
    query_folds : (n_queries,)
        Rows of the same fold do not vote.
    scales : (n_scales, n_columns)
        What differences are multiplied by: one for each fold, or one for all.
    per_unit : float
        Units in a squared distance of one, to which differences are rounded; zero leaves them as they are.
    is_weighted : bool
        Whether a vote counts as one over its distance; rows at distance zero then vote alone.
    """

    columns: np.ndarray
    codes: np.ndarray
    folds: np.ndarray
    queries: np.ndarray
    query_folds: np.ndarray
    scales: np.ndarray
    per_unit: float
    is_weighted: bool


class Workspace(NamedTuple):
    """Where it is worked out.

    Attributes
    ----------
    differences : (n_columns, n_rows)
        Squared differences of the query.
    opened, standing, total : (n_rows,)
        Squared distances on no column, on the columns that stand, and on those asked about.
    bits : (n_rows,)
        The last as whole numbers: distances are never negative, so they order as their bits do.
    rows, distances : (n_neighbors,)
        The neighbours.
    vote_counts : (n_classes,)
        Their votes.
    """

    differences: np.ndarray
    opened: np.ndarray
    standing: np.ndarray
    total: np.ndarray
    bits: np.ndarray
    rows: np.ndarray
    distances: np.ndarray
    vote_counts: np.ndarray


@njit
def measure(voters, i, workspace):
    """Write the squared differences of query i in every column, and who may vote on it.

    ``((x_k - t_k) scale_k)^2``, in whole units if there are units: sums of these are exact, and so do not
    depend on the order in which columns come.
    """
    fold = voters.query_folds[i]
    scales = voters.scales[fold % voters.scales.shape[0]]
    for k in range(voters.columns.shape[0]):
        rows, out = voters.columns[k], workspace.differences[k]
        x, scale = voters.queries[i, k], scales[k]
        per_unit = voters.per_unit
        if per_unit > 0.0:
            for j in range(rows.shape[0]):
                step = (x - rows[j]) * scale
                out[j] = np.floor(step * step * per_unit + 0.5)
        else:
            for j in range(rows.shape[0]):
                step = (x - rows[j]) * scale
                out[j] = step * step
    opened, folds = workspace.opened, voters.folds
    for j in range(folds.shape[0]):
        opened[j] = np.inf if folds[j] == fold else 0.0


@njit
def add_one(start, first, out):
    """``out = start + first``, row by row."""
    for j in range(start.shape[0]):
        out[j] = start[j] + first[j]


@njit
def add_two(start, first, second, out):
    """``out = start + first + second``."""
    for j in range(start.shape[0]):
        out[j] = start[j] + first[j] + second[j]


@njit
def add_four(start, first, second, third, fourth, out):
    """``out = start + first + second + third + fourth``; several at a time save trips to memory."""
    for j in range(start.shape[0]):
        out[j] = start[j] + first[j] + second[j] + third[j] + fourth[j]


@njit
def add_columns(start, columns, differences, out):
    """Add the differences of `columns`, at least one, to distances; in ascending order of the columns."""
    n_columns = columns.shape[0]
    t = 0
    while t + 4 <= n_columns:
        a, b, c, d = columns[t], columns[t + 1], columns[t + 2], columns[t + 3]
        add_four(start, differences[a], differences[b], differences[c], differences[d], out)
        start = out
        t += 4
    if t + 2 <= n_columns:
        add_two(start, differences[columns[t]], differences[columns[t + 1]], out)
        start = out
        t += 2
    if t < n_columns:
        add_one(start, differences[columns[t]], out)


@njit
def first_nearest(bits):
    """Number of the nearest row, the first of equals."""
    n_rows = bits.shape[0]
    least = bits[0]
    for j in range(n_rows):
        least = min(least, bits[j])
    # To look at all rows is faster than to stop at the first: only loops without exits run on vectors.
    first = n_rows
    for j in range(n_rows):
        first = min(first, j if bits[j] == least else n_rows)
    return first


@njit
def take_nearest(total, rows, distances):
    """Write the nearest rows, by distance and number, and their distances; return how many there are."""
    count = 0
    for j in range(total.shape[0]):
        distance = total[j]
        if distance == np.inf or (count == rows.shape[0] and distance >= distances[count - 1]):
            continue
        if count < rows.shape[0]:
            count += 1
        place = count - 1
        while place > 0 and distances[place - 1] > distance:
            distances[place] = distances[place - 1]
            rows[place] = rows[place - 1]
            place -= 1
        distances[place] = distance
        rows[place] = j
    return count


@njit
def most_votes(vote_counts):
    """Class with the most votes, the first of equals; -1 if there is no vote."""
    best = 0
    for c in range(vote_counts.shape[0]):
        if vote_counts[c] > vote_counts[best]:
            best = c
    return best if vote_counts[best] > 0.0 else -1


@njit
def elected(voters, workspace):
    """Class that the nearest rows by `workspace.total` elect; -1 if no row may vote."""
    codes = voters.codes
    if workspace.rows.shape[0] == 1:
        nearest = first_nearest(workspace.bits)
        return codes[nearest] if workspace.total[nearest] < np.inf else -1
    rows, distances, vote_counts = workspace.rows, workspace.distances, workspace.vote_counts
    count = take_nearest(workspace.total, rows, distances)
    for c in range(vote_counts.shape[0]):
        vote_counts[c] = 0.0
    for t in range(count):
        if not voters.is_weighted:
            vote_counts[codes[rows[t]]] += 1.0
        elif distances[0] > 0.0:
            vote_counts[codes[rows[t]]] += 1.0 / np.sqrt(distances[t])
        elif distances[t] == 0.0:
            vote_counts[codes[rows[t]]] += 1.0
    return most_votes(vote_counts)


@njit
def commonest(voters, workspace):
    """Most frequent class of the rows that may vote; -1 if there is none."""
    vote_counts = workspace.vote_counts
    for c in range(vote_counts.shape[0]):
        vote_counts[c] = 0.0
    for j in range(voters.codes.shape[0]):
        if workspace.opened[j] == 0.0:
            vote_counts[voters.codes[j]] += 1.0
    return most_votes(vote_counts)


@njit
def fill_votes(voters, starts, columns, workspace, out):
    """Write the class that each query is given on each subset: (n_subsets, n_queries).

    Subset t holds ``columns[starts[t]:starts[t + 1]]``. Costs
    ``O(n_queries n_rows (n_columns + n_subsets + columns))``.
    """
    voters, starts, columns, workspace, out = unowned_view((voters, starts, columns, workspace, out))
    for i in range(out.shape[1]):
        measure(voters, i, workspace)
        for t in range(out.shape[0]):
            if starts[t] == starts[t + 1]:
                out[t, i] = commonest(voters, workspace)
            else:
                add_columns(
                    workspace.opened,
                    columns[starts[t] : starts[t + 1]],
                    workspace.differences,
                    workspace.total,
                )
                out[t, i] = elected(voters, workspace)


@njit
def fill_grown_votes(voters, columns, candidates, workspace, out):
    """Write the class each query is given on `columns` and one candidate more: (n_candidates, n_queries).

    The distances on `columns` are kept while candidates come and go. Costs
    ``O(n_queries n_rows (n_columns + n_candidates))``.
    """
    voters, columns, candidates, workspace, out = unowned_view((voters, columns, candidates, workspace, out))
    for i in range(out.shape[1]):
        measure(voters, i, workspace)
        start = workspace.opened
        if columns.shape[0]:
            add_columns(start, columns, workspace.differences, workspace.standing)
            start = workspace.standing
        for t in range(out.shape[0]):
            add_one(start, workspace.differences[candidates[t]], workspace.total)
            out[t, i] = elected(voters, workspace)
