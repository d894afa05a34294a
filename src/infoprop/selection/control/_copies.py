"""Shuffled copies of all columns, which no class can be told from: they show how far luck alone gets."""

from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from infoprop._core._folds import random_units
from infoprop._core._typing import IntArray, LabelArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._containers import is_frame, take_columns, take_rows
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator


@dataclass(frozen=True)
class CopiedColumns:
    """Columns beside shuffled copies of them, all in random order.

    Attributes
    ----------
    evaluator : SubsetEvaluator
        Of columns and copies.
    choice : ColumnChoice
        Their groups: a copy of a group is a group; what is kept has no copy.
    places : ndarray of shape (1 + n_copies, n_groups)
        Number in `choice` of each group and of its copies; that of itself for a copy of what is kept.
    """

    evaluator: SubsetEvaluator
    choice: ColumnChoice
    places: IntArray


def copied_columns(
    evaluator: SubsetEvaluator, choice: ColumnChoice, orders: IntArray, seed: int
) -> CopiedColumns:
    """Put copies beside the columns: one of all of them for each of the `orders` of rows.

    Parameters
    ----------
    evaluator : SubsetEvaluator
    choice : ColumnChoice
    orders : ndarray of shape (n_copies, n_samples)
        Which row each row of a copy is taken from; see :func:`copy_orders`.
    seed : int
        Draws the order of the columns: of equal ones an elimination drops the last, and being a copy must not
        count.
    """
    groups, data = choice.groups, evaluator.training
    if not len(orders):
        return CopiedColumns(evaluator, choice, np.arange(groups.n_groups)[None])
    tested = np.setdiff1d(np.arange(groups.n_groups), choice.keep)
    own = groups.members(tested)
    blocks = [data.X, *(take_rows(take_columns(data.X, own), order) for order in orders)]
    labels = [groups.labels, *(groups.labels[own] + r * groups.n_groups for r in range(1, len(orders) + 1))]
    order = np.random.default_rng(seed).permutation(sum(map(len, labels)))
    names = tuple(f"x{k}" for k in range(len(order)))
    both = ColumnGroups.from_specification(np.concatenate(labels)[order].tolist(), names)
    numbers = np.array([int(name) for name in both.names])
    places = np.empty((1 + len(orders), groups.n_groups), dtype=np.intp)
    places.ravel()[numbers] = np.arange(len(numbers))
    places[:, choice.keep] = places[0, choice.keep]
    X = take_columns(_side_by_side(blocks), order)
    training = LabelledRows(_renamed(X, names), data.y, data.sample_weight)
    return CopiedColumns(
        replace(evaluator, training=training, feature_names=names, given=None),
        ColumnChoice(both, places[0, choice.keep], None, None),
        places,
    )


def copy_orders(X: Any, y: LabelArray, rows: IntArray, row_groups: Any, n_copies: int, seed: int) -> IntArray:
    """Draw which row each row of a copy is taken from: (n_copies, n_samples).

    All copies of a row are taken from copies of one row, and rows of a group from rows of a group as far as
    groups are of one size. What is drawn depends on what the rows hold, not on their order.

    Parameters
    ----------
    X : {ndarray, CSR} of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    rows : ndarray
        Rows in use; others stay where they are.
    row_groups : array-like of shape (n_samples,) or None
    n_copies : int
    seed : int

    Examples
    --------
    >>> X = np.arange(6.0)[:, None]
    >>> order = copy_orders(X, np.arange(6) % 2, np.arange(6), list("aabbcc"), n_copies=1, seed=0)[0]
    >>> (order // 2).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    _, classes = np.unique(y[rows], return_inverse=True)
    distinct, first, unit = np.unique(
        random_units(take_rows(X, rows), classes, seed), return_index=True, return_inverse=True
    )
    generator = np.random.default_rng([seed, n_copies])
    orders = np.tile(np.arange(len(y)), (n_copies, 1))
    for order in orders:
        if row_groups is None:
            order[rows] = rows[first[generator.permutation(len(distinct))[unit]]]
            continue
        _, group = np.unique(np.asarray(row_groups)[rows], return_inverse=True)
        # Groups in random order, and again in another, row by row.
        mixed = generator.permutation(len(distinct))[unit]
        n_groups = int(group.max()) + 1
        place, other = generator.permutation(n_groups)[group], generator.permutation(n_groups)[group]
        order[rows[np.lexsort((unit, place))]] = rows[np.lexsort((mixed, other))]
    return orders


def _side_by_side(blocks: list[Any]) -> Any:
    if is_frame(blocks[0]):
        frames = [nw.from_native(block, eager_only=True) for block in blocks]
        # Rows would be put back in the order of their index.
        parts = [
            nw.maybe_reset_index(frame).rename({name: f"{number}:{name}" for name in frame.columns})
            for number, frame in enumerate(frames)
        ]
        return nw.concat(parts, how="horizontal").to_native()
    return sparse.hstack(blocks, format="csr") if sparse.issparse(blocks[0]) else np.hstack(blocks)


def _renamed(X: Any, names: tuple[str, ...]) -> Any:
    if not is_frame(X):
        return X
    frame = nw.from_native(X, eager_only=True)
    return frame.rename(dict(zip(frame.columns, names, strict=True))).to_native()
