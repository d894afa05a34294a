"""Folds that are the same for rows in any order, and for a row of weight two as for the row twice."""

from typing import Any

import numpy as np

from infoprop._core._row_keys import KeyArray, copy_numbers, row_keys, salted
from infoprop._core._typing import IntArray

# Above this many copies per distinct row the data are a table of counts, and to hold out all copies of a row
# would ask for answers at points never seen; below it, copies that cross the split would be training rows.
COPIES_OF_A_COUNT_TABLE = 10


def random_units(X: Any, classes: IntArray, seed: int) -> KeyArray:
    """Number what is moved as one: shape (n_samples,). The numbers sort in random order.

    All copies of a row are one unit, unless the rows of the class repeat so often that they are a table of
    counts; then each copy is a unit.
    """
    units = row_keys(X, classes, seed)
    for number in np.unique(classes):
        rows = np.flatnonzero(classes == number)
        if len(rows) > COPIES_OF_A_COUNT_TABLE * len(np.unique(units[rows])):
            units[rows] = salted(units[rows], copy_numbers(units[rows]))
    return units


def fold_numbers(units: KeyArray, classes: IntArray, n_folds: int) -> IntArray:
    """Deal the units of each class out to folds: shape (n_samples,), from zero without gaps.

    The only unit of a class is always trained on and gets -1.
    """
    folds = np.full(len(classes), -1, dtype=np.intp)
    dealt = 0
    for number in np.unique(classes):
        rows = np.flatnonzero(classes == number)
        distinct, unit = np.unique(units[rows], return_inverse=True)
        if len(distinct) > 1:
            # Classes go on where the last one stopped, so that folds are of nearly equal size.
            folds[rows] = (unit + dealt) % n_folds
            dealt += len(distinct)
    return folds
