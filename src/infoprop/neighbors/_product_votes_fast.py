"""The vote of the nearest neighbour on many subsets, by matrix products: differences of a query times masks.

Differences in whole units make the products exact, in whatever order BLAS adds, so these votes are those of
adding columns one by one.
"""

import numpy as np

from infoprop._core._jit import njit, unowned_view
from infoprop.neighbors._votes_fast import measure


@njit
def find_nearest(distances, opened, least, nearest):
    """Write the number of the nearest row on each subset, the first of equals; -1 if no row may vote.

    Rows are gone through one by one, all subsets at a time: that runs on vectors without looking for a place.

    Parameters
    ----------
    distances : (n_rows, n_subsets)
    opened : (n_rows,)
        Zero for rows that may vote.
    least, nearest : (n_subsets,)
        Distances and numbers, written.
    """
    for t in range(nearest.shape[0]):
        least[t] = np.inf
        nearest[t] = -1
    for j in range(distances.shape[0]):
        if opened[j] == 0.0:
            row = distances[j]
            for t in range(nearest.shape[0]):
                is_nearer = row[t] < least[t]
                least[t] = row[t] if is_nearer else least[t]
                nearest[t] = j if is_nearer else nearest[t]


@njit
def fill_product_votes(voters, masks, workspace, distances, nearest, out):
    """Write the class of the nearest row of each query on each subset: (n_subsets, n_queries).

    Costs ``O(n_queries n_rows n_columns n_subsets)``, in the steps of a matrix product.

    Parameters
    ----------
    voters : Voters
        With distances in units.
    masks : (n_columns, n_subsets)
        Ones for the columns of a subset, at least one, and zeros.
    workspace : Workspace
    distances : (n_rows + 1, n_subsets)
        Holds the squared distances of a query; the last row is for the least of them.
    nearest : (n_subsets,)
        Holds the numbers of the nearest rows.
    """
    voters, masks, workspace, distances, nearest, out = unowned_view(
        (voters, masks, workspace, distances, nearest, out)
    )
    n_rows = voters.codes.shape[0]
    products, least = distances[:n_rows], distances[n_rows]
    for i in range(out.shape[1]):
        measure(voters, i, workspace)
        np.dot(workspace.differences.T, masks, products)
        find_nearest(products, workspace.opened, least, nearest)
        for t in range(out.shape[0]):
            out[t, i] = voters.codes[nearest[t]] if nearest[t] >= 0 else -1
