"""Which columns are worth shaping, told from their tables alone."""

from typing import Any

import numpy as np
from scipy.special import xlogy

from infoprop._core._typing import BoolArray, FloatArray
from infoprop.shaping._policy_fast import line_losses
from infoprop.shaping._tables import ValueTables
from infoprop.shaping._threads import blocks, map_blocks

_LINE_PARAMETERS = 2.0


def is_worth_shaping(
    tables: ValueTables, positive: int, found: FloatArray, width: FloatArray, n_jobs: Any = None
) -> BoolArray:
    r"""Whether local probabilities predict rows they have not seen better than a straight line does.

    Both sides estimate the log-loss on new rows, in nats. Local probabilities: every row is left out of its
    own window, which leaves :math:`\tilde p = P / (W + 1)` for a positive row and
    :math:`1 - \tilde p = (W - P) / (W + 1)` for a negative one, for P positives among W rows. The line
    :math:`\log \mathrm{odds} = a + b v`: its loss on the rows it was fitted to, plus its two parameters
    (Akaike). A column with at most two distinct values is worth it: shaping moves them along a line.

    Parameters
    ----------
    tables : ValueTables
        What was counted.
    positive : int
        Number of the positive class.
    found, width : array of shape (n_distinct,)
        Positives P and rows W in the window of every entry.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    array of shape (n_features,)
    """
    positives, negatives = tables.one_vs_rest(positive)
    there = ~tables.is_missing
    left_out = _loss(positives * there, found, width) + _loss(negatives * there, width - found, width)
    local = np.add.reduceat(left_out, tables.starts[:-1])
    line = np.empty(tables.n_features)
    parts = (tables.starts, tables.values, positives, negatives)
    map_blocks(lambda first, last: line_losses(*parts, first, last, line), blocks(tables.starts), n_jobs)
    few = np.add.reduceat(there.astype(np.intp), tables.starts[:-1]) <= 2
    return np.asarray(few | (local < line + _LINE_PARAMETERS))


def _loss(weights: FloatArray, like: FloatArray, width: FloatArray) -> FloatArray:
    """Log-loss of rows of these weights with `like` rows of their class in their window, each its own."""
    # Differences of weights may fall below the row's own by rounding.
    like = np.where(weights > 0.0, np.maximum(like, weights), 1.0)
    return np.asarray(xlogy(weights, (width + 1.0) / like))
