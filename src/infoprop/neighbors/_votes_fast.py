"""Votes of nearest neighbours on many subsets of the columns, one query at a time.

Training rows are kept in blocks, shape (n_blocks, n_columns, BLOCK): sums run along a block, which stays in
the nearest cache, and a query's distances to all rows in all columns take no more memory than the rows.
Distances are squared and never negative, so they order as their bits do.
"""

import numpy as np

from infoprop._core._jit import njit

BLOCK = 64


@njit
def fill_differences(query, blocks, scale, per_unit, differences):
    """Squared differences in every column, ``((x_k - t_k) scale_k)^2``, in whole units if there are units.

    Whole units make sums exact, so that they do not depend on the order in which columns come.

    Parameters
    ----------
    query : (n_columns,)
    blocks : (n_blocks, n_columns, BLOCK)
        Training rows.
    scale : (n_columns,)
    per_unit : float
        Units in a squared distance of one; zero for distances as they are.
    differences : (n_blocks, n_columns, BLOCK)
        Written here.
    """
    for b in range(blocks.shape[0]):
        for k in range(blocks.shape[1]):
            rows = blocks[b, k]
            out = differences[b, k]
            x, s = query[k], scale[k]
            if per_unit > 0.0:
                for j in range(BLOCK):
                    step = (x - rows[j]) * s
                    out[j] = np.floor(step * step * per_unit + 0.5)
            else:
                for j in range(BLOCK):
                    step = (x - rows[j]) * s
                    out[j] = step * step


@njit
def fill_open(fold, folds, n_rows, standing):
    """Distances before any column counts: zero, and infinite for rows of the same fold and for padding.

    `folds` and `standing` have shape (n_blocks, BLOCK); the second is written.
    """
    for b in range(folds.shape[0]):
        for j in range(BLOCK):
            is_open = b * BLOCK + j < n_rows and folds[b, j] != fold
            standing[b, j] = 0.0 if is_open else np.inf


@njit
def add_column(differences, column, standing):
    """Add a column's squared differences to distances: (n_blocks, BLOCK), in place."""
    for b in range(standing.shape[0]):
        total = standing[b]
        added = differences[b, column]
        for j in range(BLOCK):
            total[j] += added[j]


@njit
def first_nearest(distances):
    """Number of the nearest row, the first of equals, and its distance: (n_blocks, BLOCK)."""
    bits = distances.view(np.int64)
    best, best_block = bits[0, 0], 0
    for b in range(bits.shape[0]):
        block = bits[b]
        least = block[0]
        for j in range(BLOCK):
            least = min(least, block[j])
        if least < best:
            best, best_block = least, b
    for j in range(BLOCK):
        if bits[best_block, j] == best:
            return best_block * BLOCK + j, distances[best_block, j]
    return 0, np.inf


@njit
def take_nearest(distances, rows, found):
    """Write the nearest rows, ordered by distance and number, and their distances; return how many there are.

    `rows` and `found` have shape (n_neighbors,).
    """
    count = 0
    for b in range(distances.shape[0]):
        for j in range(BLOCK):
            distance = distances[b, j]
            if distance == np.inf or (count == rows.shape[0] and distance >= found[count - 1]):
                continue
            if count < rows.shape[0]:
                count += 1
            place = count - 1
            while place > 0 and found[place - 1] > distance:
                found[place] = found[place - 1]
                rows[place] = rows[place - 1]
                place -= 1
            found[place] = distance
            rows[place] = b * BLOCK + j
    return count


@njit
def winner(distances, codes, is_weighted, rows, found, ballot):
    """Class that the nearest rows elect, the first of equals; -1 if there is no row.

    Parameters
    ----------
    distances : (n_blocks, BLOCK)
        Squared; infinite where a row may not vote.
    codes : (n_rows,)
        Class numbers of the rows.
    is_weighted : bool
        Whether a vote counts as one over its distance; rows at distance zero then vote alone.
    rows, found : (n_neighbors,)
        Room for the neighbours.
    ballot : (n_classes,)
        Room for the votes.
    """
    if rows.shape[0] == 1:
        nearest, distance = first_nearest(distances)
        return codes[nearest] if distance < np.inf else -1
    count = take_nearest(distances, rows, found)
    if count == 0:
        return -1
    for c in range(ballot.shape[0]):
        ballot[c] = 0.0
    for t in range(count):
        if not is_weighted:
            ballot[codes[rows[t]]] += 1.0
        elif found[0] > 0.0:
            ballot[codes[rows[t]]] += 1.0 / np.sqrt(found[t])
        elif found[t] == 0.0:
            ballot[codes[rows[t]]] += 1.0
    best = 0
    for c in range(ballot.shape[0]):
        if ballot[c] > ballot[best]:
            best = c
    return best


@njit
def commonest(standing, codes, ballot):
    """Most frequent class of the rows that may vote, the first of equals; -1 if there is no row."""
    for c in range(ballot.shape[0]):
        ballot[c] = 0.0
    for t in range(codes.shape[0]):
        if standing[t // BLOCK, t % BLOCK] < np.inf:
            ballot[codes[t]] += 1.0
    best = 0
    for c in range(ballot.shape[0]):
        if ballot[c] > ballot[best]:
            best = c
    return best if ballot[best] > 0.0 else -1


@njit
def fill_votes(
    queries,
    query_folds,
    blocks,
    folds,
    codes,
    scales,
    per_unit,
    masks,
    is_weighted,
    n_neighbors,
    n_classes,
    out,
):
    """Write the class that each query is given on each subset: (n_masks, n_queries).

    Costs ``O(n_queries n_rows (n_columns + sum of the masks))``.

    Parameters
    ----------
    queries : (n_queries, n_columns)
    query_folds : (n_queries,)
    blocks : (n_blocks, n_columns, BLOCK)
        Training rows, the last block padded.
    folds : (n_blocks, BLOCK)
    codes : (n_rows,)
    scales : (n_scales, n_columns)
        One for each fold, or one for all.
    per_unit : float
    masks : (n_masks, n_columns)
    """
    differences = np.empty_like(blocks)
    standing = np.empty(folds.shape)
    distances = np.empty(folds.shape)
    rows = np.empty(n_neighbors, dtype=np.int64)
    found = np.empty(n_neighbors)
    ballot = np.empty(n_classes)
    for i in range(queries.shape[0]):
        fold = query_folds[i]
        fill_differences(queries[i], blocks, scales[fold % scales.shape[0]], per_unit, differences)
        fill_open(fold, folds, codes.shape[0], standing)
        for t in range(masks.shape[0]):
            is_empty = True
            distances[:] = standing
            for k in range(masks.shape[1]):
                if masks[t, k]:
                    add_column(differences, k, distances)
                    is_empty = False
            if is_empty:
                out[t, i] = commonest(standing, codes, ballot)
            else:
                out[t, i] = winner(distances, codes, is_weighted, rows, found, ballot)
