"""Votes: what nearest neighbours say on many subsets of the columns at once."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from infoprop._core._blas import one_blas_thread
from infoprop._core._stopping import stoppable
from infoprop._core._typing import BoolArray, IntArray
from infoprop.neighbors._product_votes_fast import fill_product_votes
from infoprop.neighbors._rows import NeighborRows
from infoprop.neighbors._votes_fast import Voters, Workspace, fill_grown_votes, fill_votes
from infoprop.neighbors._whole_votes_fast import WholeWorkspace, fill_whole_grown_votes, fill_whole_votes

Result = TypeVar("Result")

# Up to here, a pass over the rows for each neighbour is faster than one that keeps them sorted.
FEW = 16

# Products are worth it from so many subsets on, if one of so many entries of their masks is set.
MANY = 8
SPARSE = 8

# Distances of a query that are held at a time: they stay in the fast memory of one core.
BLOCK_DISTANCES = 1 << 17

# Differences of two rows in a column: so many take tens of milliseconds, and need not listen for Ctrl-C. To
# have them done by another thread takes as long as all that a search over few rows asks for at a time.
SHORT = 30_000_000


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
    masks = np.asarray(masks, dtype=np.bool_)
    if _suits_products(rows, masks, n_neighbors):
        return _stoppable_if_long(partial(_product_votes, rows, masks), rows, masks.size)
    starts = np.concatenate([[0], masks.sum(axis=1).cumsum()]).astype(np.intp)
    columns = np.nonzero(masks)[1]
    out = np.empty((len(masks), len(rows.X_test)), dtype=np.intp)
    voters = _voters(rows, is_weighted)
    if _is_whole(rows, n_neighbors) and masks.any(axis=1).all():
        whole = _whole_workspace(rows, n_neighbors)
        work = partial(fill_whole_votes, voters, starts, columns, whole, out)
    else:
        work = partial(fill_votes, voters, starts, columns, _workspace(rows, n_neighbors), out)
    _stoppable_if_long(work, rows, len(columns))
    return out


def _stoppable_if_long(work: Callable[[], Result], rows: NeighborRows, n_columns: int) -> Result:
    """Do what adds so many columns to all distances."""
    is_short = len(rows.X_train) * len(rows.X_test) * n_columns <= SHORT
    return work() if is_short else stoppable(work)


def _suits_products(rows: NeighborRows, masks: BoolArray, n_neighbors: int) -> bool:
    """Whether matrix products, which add zeros, too, are faster than adding columns: for many large subsets.

    They add exactly only what is in units.
    """
    return (
        n_neighbors == 1
        and rows.per_unit > 0.0
        and len(masks) >= MANY
        and bool(masks.any(axis=1).all())
        and masks.size <= SPARSE * int(masks.sum())
    )


def _product_votes(rows: NeighborRows, masks: BoolArray) -> IntArray:
    n_rows, n_masks = len(rows.X_train), len(masks)
    voters, workspace = _voters(rows, False), _workspace(rows, 1)
    out = np.empty((n_masks, len(rows.X_test)), dtype=np.intp)
    size = max(MANY, BLOCK_DISTANCES // n_rows)
    with one_blas_thread():
        for start in range(0, n_masks, size):
            block = np.ascontiguousarray(masks[start : start + size].T, dtype=np.float64)
            distances = np.empty((n_rows + 1, block.shape[1]))
            nearest = np.empty(block.shape[1], dtype=np.intp)
            fill_product_votes(voters, block, workspace, distances, nearest, out[start : start + size])
    return out


def grown_votes(
    rows: NeighborRows,
    columns: IntArray,
    candidates: IntArray,
    n_neighbors: int = 1,
    *,
    is_weighted: bool = False,
) -> IntArray:
    """Votes on `columns` with each of the `candidates` added: (n_candidates, n_test).

    The answers are those of :func:`votes`; distances on `columns` are added up once.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [0.1, 1.0], [0.9, 0.1], [1.0, 0.9]])
    >>> own = np.arange(4)
    >>> rows = NeighborRows(X, np.array([0, 0, 1, 1]), own, X, own, np.ones((1, 2)), 2)
    >>> grown_votes(rows, np.array([], dtype=int), np.array([1]))
    array([[1, 1, 0, 0]])
    """
    out = np.empty((len(candidates), len(rows.X_test)), dtype=np.intp)
    standing, added = (np.ascontiguousarray(numbers, dtype=np.intp) for numbers in (columns, candidates))
    voters = _voters(rows, is_weighted)
    if _is_whole(rows, n_neighbors):
        whole = _whole_workspace(rows, n_neighbors)
        work = partial(fill_whole_grown_votes, voters, standing, added, whole, out)
    else:
        work = partial(fill_grown_votes, voters, standing, added, _workspace(rows, n_neighbors), out)
    _stoppable_if_long(work, rows, len(standing) + len(added))
    return out


def _is_whole(rows: NeighborRows, n_neighbors: int) -> bool:
    """Whether distances are in units, and neighbours so few that they are found one by one."""
    return n_neighbors <= FEW and rows.per_unit > 0.0


def _voters(rows: NeighborRows, is_weighted: bool) -> Voters:
    return Voters(
        np.ascontiguousarray(rows.X_train.T, dtype=np.float64),
        np.ascontiguousarray(rows.codes, dtype=np.intp),
        np.ascontiguousarray(rows.train_folds, dtype=np.intp),
        np.ascontiguousarray(rows.X_test, dtype=np.float64),
        np.ascontiguousarray(rows.test_folds, dtype=np.intp),
        np.ascontiguousarray(rows.scales, dtype=np.float64),
        rows.per_unit,
        bool(is_weighted),
    )


def _whole_workspace(rows: NeighborRows, n_neighbors: int) -> WholeWorkspace:
    n_rows = len(rows.X_train)
    return WholeWorkspace(
        np.empty((rows.n_columns, n_rows), dtype=np.int64),
        np.empty(n_rows, dtype=np.int64),
        np.empty(n_rows, dtype=np.int64),
        np.empty(n_rows, dtype=np.int64),
        rows.n_slots,
        int(n_neighbors),
        np.empty(rows.n_classes),
    )


def _workspace(rows: NeighborRows, n_neighbors: int) -> Workspace:
    n_rows = len(rows.X_train)
    total = np.empty(n_rows)
    return Workspace(
        np.empty((rows.n_columns, n_rows)),
        np.empty(n_rows),
        np.empty(n_rows),
        total,
        total.view(np.int64),
        np.empty(min(int(n_neighbors), n_rows), dtype=np.intp),
        np.empty(min(int(n_neighbors), n_rows)),
        np.empty(rows.n_classes),
    )
