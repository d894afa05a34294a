"""Complementary halves of the rows, many times."""

from typing import Any

import numpy as np

from infoprop._core._exceptions import DataError
from infoprop._core._folds import held_out_rows, random_units
from infoprop._core._typing import BoolArray, FloatArray, LabelArray


def half_masks(
    X: Any, y: LabelArray, weights: FloatArray, row_groups: Any, n_pairs: int, seed: int
) -> BoolArray:
    """Split the rows into two halves, each with half of every class: masks of shape (n_pairs, n_samples).

    As in all validation of selectors, copies of a row, or rows of a group, go together, the order of the rows
    does not matter, and a row of weight two is two rows.

    Parameters
    ----------
    X : {ndarray, CSR} of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
        Greater than zero.
    row_groups : array-like of shape (n_samples,) or None
    n_pairs : int
    seed : int

    Examples
    --------
    >>> X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 1, 1])
    >>> masks = half_masks(X, y, np.ones(6), None, n_pairs=3, seed=0)
    >>> masks[:, :2].sum(axis=1), masks[:, 2:].sum(axis=1)
    (array([1, 1, 1]), array([2, 2, 2]))
    """
    _, classes = np.unique(y, return_inverse=True)
    generator = np.random.default_rng(seed)
    distinct, unit = np.unique(random_units(X, classes, seed, row_groups), return_inverse=True)
    if len(distinct) < 2:
        raise DataError("All rows are of one row group, so that they cannot be split into halves.")
    shuffled = (generator.permutation(len(distinct))[unit] for _ in range(n_pairs))
    halves = [held_out_rows(units.astype(np.uint64), classes, weights, 0.5) for units in shuffled]
    for half in halves:
        _check_half(y, half)
        _check_half(y, ~half)
    return np.array(halves)


def _check_half(y: LabelArray, half: BoolArray) -> None:
    if len(np.unique(y[half])) < 2:
        raise DataError(
            "Both halves of the rows need two classes, and a half would have fewer "
            f"(n_samples={len(y)}): give more rows, at least two different ones of each class."
        )
