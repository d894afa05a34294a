"""What groups of columns are worth to the machines of an elimination, and which are worth least.

The formula is that of `_ranking_fast`, which serves loops that are compiled in one piece.
"""

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.metrics._indicators_fast import DECIMALS
from infoprop.svm._sensitivity import sensitivity_shares


def group_worth(
    sensitivities: FloatArray, totals: FloatArray, scale: FloatArray, group_of: IntArray, n_groups: int
) -> FloatArray:
    """``sum_q scale_q P[q, k]``, P being :func:`sensitivity_shares`, over the columns k of each group.

    Parameters
    ----------
    sensitivities : array of shape (n_machines, n_columns)
    totals : array of shape (n_machines,)
        What shares are relative to; zero for machines that share evenly.
    scale : array of shape (n_machines,)
        What each machine has to share.
    group_of : array of shape (n_columns,)
    n_groups : int

    Returns
    -------
    array of shape (n_groups,)

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection.elimination._ranking import group_worth
    >>> sensitivities = np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    >>> group_worth(sensitivities, sensitivities.sum(axis=1), np.array([1.0, 0.3]), np.array([0, 1, 1]), 2)
    array([0.85, 0.45])
    """
    # Machine after machine: a product by BLAS would round differently from one number of columns to another.
    worth = (scale[:, None] * sensitivity_shares(sensitivities, totals)).sum(axis=0)
    return np.bincount(group_of, weights=worth, minlength=n_groups).astype(np.float64)


def worst_groups(worth: FloatArray, groups: IntArray, count: int) -> IntArray:
    """Return the `count` of `groups` that are worth least, the least first.

    Worth is compared to twelve decimals; of equal groups the one with the higher number goes first.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection.elimination._ranking import worst_groups
    >>> worst_groups(np.array([0.2, 0.1, 0.1, 0.0]), np.array([0, 1, 2]), 2)
    array([2, 1])
    """
    if count == 0:
        return groups[:0]
    compared = np.rint(worth[groups] * DECIMALS)
    # Most eliminations drop one of many: only what may be among the worst is put in order.
    near = compared <= np.partition(compared, count - 1)[count - 1]
    groups, compared = groups[near], compared[near]
    return groups[np.lexsort((-groups, compared))[:count]]
