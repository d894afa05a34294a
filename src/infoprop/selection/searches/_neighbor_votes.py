"""Nearest neighbours among some of the training rows, asked about all rows that the splits test."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.neighbors import NeighborRows, votes
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._moving import finite_numbers, parts_of
from infoprop.selection._validation import FoldSplits
from infoprop.selection.searches._neighbors import (
    class_codes,
    fewest_voters,
    fold_scales,
    folds_of,
    has_fast_neighbors,
    is_linear,
)


def neighbor_votes(
    evaluator: SubsetEvaluator, voters: list[IntArray]
) -> list[Callable[[BoolArray], IntArray]] | None:
    """Let groups of training rows vote on whatever the splits test, each group by itself.

    Parameters
    ----------
    evaluator : SubsetEvaluator
        Holds the rows, the splits, and a classifier of nearest neighbours.
    voters : list of ndarray
        Numbers of the rows of each group. In a split those vote that it does not test.

    Returns
    -------
    list of callable or None
        One for each group: from subsets of the columns, shape (n_masks, n_columns), to class numbers of the
        tested rows of all splits, end to end, shape (n_masks, n_tested). None if the classifier is another,
        or has to be trained: scalers that cut off, rows that are no numbers, splits that are no folds, fewer
        rows in a group than the classifier asks.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.selection._preparation import prepared_rows
    >>> from infoprop.selection.searches._neighbor_votes import neighbor_votes
    >>> owner = DirectedSearchSelector(validation=5, random_state=0)
    >>> nearest = KNeighborsClassifier(1)
    >>> rows, _ = prepared_rows(owner, nearest, *load_iris(return_X_y=True), None, {})
    >>> first, second = neighbor_votes(rows, [np.arange(100), np.arange(50, 150)])
    >>> np.unique(first(np.ones((1, 4), dtype=bool)))
    array([0, 1])
    """
    is_plain = all(value is None for value in evaluator.fit_parameters.values())
    folds = _folds(evaluator)
    if folds is None or not is_plain or not has_fast_neighbors(evaluator.estimator):
        return None
    scalers, classifier = parts_of(evaluator.estimator)
    X = finite_numbers(evaluator.training.X)
    if X is None or sparse.issparse(X) or not all(is_linear(scaler) for scaler in scalers):
        return None
    fold = np.full(len(X), -1, dtype=np.intp)
    fold[folds.rows] = folds.folds
    if any(fewest_voters(fold[rows]) < classifier.n_neighbors for rows in voters):
        return None
    tested = np.concatenate([split.test for split in evaluator.plan.splits])
    codes = class_codes(evaluator.classes, evaluator.training.y)
    groups = [
        NeighborRows(
            X[rows],
            codes[rows],
            fold[rows],
            X[tested],
            fold[tested],
            _scales(scalers, X[rows], fold[rows], len(folds)),
            len(evaluator.classes),
        )
        for rows in voters
    ]
    asked = {"n_neighbors": int(classifier.n_neighbors), "is_weighted": classifier.weights == "distance"}
    return [partial(votes, group, **asked) for group in groups]


def _folds(evaluator: SubsetEvaluator) -> FoldSplits | None:
    splits = evaluator.plan.splits
    if len(splits) != 1:
        return folds_of(splits)
    (held_out,) = splits
    if held_out.test is None:
        return None
    rows = np.concatenate([held_out.train, held_out.test])
    return FoldSplits(rows, np.repeat([-1, 0], [len(held_out.train), len(held_out.test)]))


def _scales(scalers: list[Any], X: FloatArray, folds: IntArray, n_folds: int) -> FloatArray:
    """What scalers multiply columns by in every fold, whether rows of X are in it or not."""
    if not scalers:
        return np.ones((1, X.shape[1]))
    # Fold 0 is made one without rows: what it is multiplied by holds wherever all of X vote.
    shifted = np.where(folds >= 0, folds + 1, -1)
    if shifted.max() < 0:
        shifted[0] = 1
    own = fold_scales(scalers, X, shifted)
    scales = np.tile(own[0], (n_folds, 1))
    there = np.unique(folds[folds >= 0])
    scales[there] = own[there + 1]
    return scales
