"""Votes: what nearest neighbours say on many subsets of the columns at once."""

import numpy as np

from infoprop._core._typing import BoolArray, IntArray
from infoprop.neighbors._rows import NeighborRows
from infoprop.neighbors._votes_fast import fill_votes


def votes(
    rows: NeighborRows, masks: BoolArray, n_neighbors: int = 1, *, is_weighted: bool = False
) -> IntArray:
    """Class that the nearest training rows of other folds give to every test row, on every subset.

    ``d(i, j)^2 = sum_k mask_k (scale_k (x_ik - t_jk))^2``; neighbours are ordered by distance, then by row
    number; of classes with equally many votes the first wins. On a subset without columns that is the most
    frequent class of the rows that may vote.

    Parameters
    ----------
    rows : NeighborRows
    masks : ndarray of shape (n_masks, n_columns)
        Subsets of the columns.
    n_neighbors : int, default=1
        Rows that vote; all if there are fewer.
    is_weighted : bool, default=False
        Whether a vote counts as one over its distance; rows at distance zero then vote alone.

    Returns
    -------
    ndarray of shape (n_masks, n_test)
        Class numbers; -1 where no row may vote.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [0.1, 1.0], [0.9, 0.1], [1.0, 0.9]])
    >>> own = np.arange(4)
    >>> rows = NeighborRows(X, np.array([0, 0, 1, 1]), own, X, own, np.ones((1, 2)), 2)
    >>> votes(rows, np.array([[True, False], [False, True]]))
    array([[0, 0, 1, 1],
           [1, 1, 0, 0]])
    """
    out = np.empty((len(masks), len(rows.X_test)), dtype=np.intp)
    fill_votes(
        np.ascontiguousarray(rows.X_test, dtype=np.float64),
        np.ascontiguousarray(rows.test_folds, dtype=np.intp),
        rows.blocks,
        rows.block_folds,
        np.ascontiguousarray(rows.codes, dtype=np.intp),
        np.ascontiguousarray(rows.scales, dtype=np.float64),
        rows.per_unit,
        np.ascontiguousarray(masks, dtype=np.bool_),
        bool(is_weighted),
        int(n_neighbors),
        rows.n_classes,
        out,
    )
    return out
