"""The one rule by which rows are dealt to folds: by class, copies of a row together, row groups together.

The same for rows in any order; without row groups, the same for a row of weight two as for the row twice.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from infoprop._core._exceptions import ParameterError
from infoprop._core._row_keys import KeyArray, copy_numbers, row_keys, salted
from infoprop._core._typing import BoolArray, FloatArray, IntArray

# Above this many copies per distinct row the data are a table of counts, and to hold out all copies of a row
# would ask for answers at points never seen; below it, copies that cross the split would be training rows.
COPIES_OF_A_COUNT_TABLE = 10


def random_units(X: Any, classes: IntArray, seed: int, row_groups: Any = None) -> KeyArray:
    """Number what is moved as one: shape (n_samples,). The numbers sort in random order.

    All copies of a row are one unit, unless the rows of the class repeat so often that they are a table of
    counts; then each copy is a unit. Units with rows of the same row group are one, and may then have rows of
    several classes.
    """
    units = row_keys(X, classes, seed)
    for number in np.unique(classes):
        rows = np.flatnonzero(classes == number)
        if len(rows) > COPIES_OF_A_COUNT_TABLE * len(np.unique(units[rows])):
            units[rows] = salted(units[rows], copy_numbers(units[rows]))
    return units if row_groups is None else _joined(units, _group_numbers(row_groups, len(units)))


def _group_numbers(row_groups: Any, n_rows: int) -> IntArray:
    groups = np.asarray(row_groups)
    if groups.shape != (n_rows,):
        raise ParameterError(
            f"Row groups are one label for each of the {n_rows} rows. Got an array of shape {groups.shape}."
        )
    return np.unique(groups.astype(str), return_inverse=True)[1]


def _joined(units: KeyArray, groups: IntArray) -> KeyArray:
    """Give all units that row groups connect the smallest of their numbers."""
    _, unit = np.unique(units, return_inverse=True)
    n_units = int(unit.max()) + 1
    n_nodes = n_units + int(groups.max()) + 1
    # SciPy before 1.13 looks for parts by indices of 32 bits only.
    ends = unit.astype(np.int32), (n_units + groups).astype(np.int32)
    edges = sparse.coo_array((np.ones(len(unit)), ends), shape=(n_nodes, n_nodes))
    n_parts, part = connected_components(edges, directed=False)
    smallest = np.full(n_parts, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(smallest, part[unit], units)
    joined: KeyArray = smallest[part[unit]]
    return joined


def fold_numbers(units: KeyArray, classes: IntArray, n_folds: int) -> IntArray:
    """Deal the units of each class out to folds: shape (n_samples,), from zero without gaps.

    The only unit of a class is always trained on and gets -1.
    """
    if _has_several_classes(units, classes):
        return _fold_numbers_of_groups(units, classes, n_folds)
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


def held_out_rows(units: KeyArray, classes: IntArray, weights: FloatArray, fraction: float) -> BoolArray:
    """Choose units that hold about `fraction` of the weight of each class: a mask of shape (n_samples,).

    At least one unit of each class stays for training, so a class with a single row is never held out. At
    least one unit is held out, if any class has two.
    """
    if _has_several_classes(units, classes):
        return _held_out_groups(units, classes, weights, fraction)
    mask = np.zeros(len(classes), dtype=bool)
    for number in np.unique(classes):
        rows = np.flatnonzero(classes == number)
        _, unit = np.unique(units[rows], return_inverse=True)
        weight = np.bincount(unit, weights=weights[rows])
        # A unit goes where its middle falls, which for single rows is rounding to the nearest number.
        taken = np.cumsum(weight) - weight / 2.0 <= fraction * weight.sum()
        taken[-1] = False
        mask[rows] = taken[unit]
    return mask if mask.any() else _one_unit(units, classes, weights)


def _one_unit(units: KeyArray, classes: IntArray, weights: FloatArray) -> BoolArray:
    """First unit of the heaviest class that can spare one."""
    weight = np.bincount(classes, weights=weights)
    for number in np.argsort(-weight, kind="stable"):
        own = np.unique(units[classes == number])
        if len(own) > 1:
            return np.asarray((classes == number) & (units == own[0]))
    return np.zeros(len(classes), dtype=bool)


def _has_several_classes(units: KeyArray, classes: IntArray) -> bool:
    """Whether a unit has rows of more than one class, as row groups may have."""
    n_apart = sum(len(np.unique(units[classes == number])) for number in np.unique(classes))
    return n_apart > len(np.unique(units))


def _rates(units: KeyArray, classes: IntArray, weights: FloatArray) -> tuple[IntArray, FloatArray]:
    """The unit of every row, and the part of every class that each unit holds: (n_units, n_classes)."""
    _, unit = np.unique(units, return_inverse=True)
    _, label = np.unique(classes, return_inverse=True)
    rates = np.zeros((int(unit.max()) + 1, int(label.max()) + 1))
    np.add.at(rates, (unit, label), weights)
    return unit, rates / rates.sum(axis=0)


def _fold_numbers_of_groups(units: KeyArray, classes: IntArray, n_folds: int) -> IntArray:
    """Deal the largest units first, each to the fold that has least of its classes."""
    unit, rates = _rates(units, classes, np.ones(len(units)))
    has_class = rates > 0.0
    is_only = (has_class & (has_class.sum(axis=0) == 1)).any(axis=1)
    load = np.zeros((min(n_folds, len(rates)), rates.shape[1]))
    folds = np.full(len(rates), -1, dtype=np.intp)
    for number in np.argsort(-rates.sum(axis=1), kind="stable"):
        if not is_only[number]:
            fold = np.lexsort((load.sum(axis=1), (load @ rates[number]).round(12)))[0]
            load[fold] += rates[number]
            folds[number] = fold
    return folds[unit]


def _held_out_groups(units: KeyArray, classes: IntArray, weights: FloatArray, fraction: float) -> BoolArray:
    """Take units, in random order, as long as that brings the parts held out nearer to `fraction`."""
    unit, rates = _rates(units, classes, weights)
    left = (rates > 0.0).sum(axis=0)
    held, taken = np.zeros(rates.shape[1]), np.zeros(len(rates), dtype=bool)
    for number, rate in enumerate(rates):
        has_class = rate > 0.0
        gain = ((held - fraction) ** 2).sum() - ((held + rate - fraction) ** 2).sum()
        # The first that can be spared is taken in any case: nothing held out would count nothing.
        if (left[has_class] > 1).all() and (gain > 0.0 or not taken.any()):
            taken[number] = True
            held += rate
            left[has_class] -= 1
    return taken[unit]
