"""Where the confusion table comes from: held-out rows, out-of-fold predictions, or rows given."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, overload

import numpy as np
from sklearn.model_selection import check_cv

from infoprop._core._checks import check_integer, check_number
from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop._core._folds import fold_numbers, random_units
from infoprop._core._row_keys import KeyArray
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.selection._containers import take_rows

GIVEN = "given"
LEAVE_ONE_OUT = "loo"


@dataclass(frozen=True)
class Split:
    """Rows to train on, and rows to predict (None: those given to fit)."""

    train: IntArray
    test: IntArray | None


@dataclass(frozen=True)
class FoldSplits(Sequence[Split]):
    """One split for each fold, made when asked for: all of them at once may be as many as there are rows.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        Numbers of the rows in use.
    folds : ndarray of shape (n_rows,)
        Their folds, from zero without gaps; -1 for a row that is always trained on.
    """

    rows: IntArray
    folds: IntArray

    def __len__(self) -> int:
        return int(self.folds.max(initial=-1)) + 1

    @overload
    def __getitem__(self, number: int) -> Split: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Split, ...]: ...
    def __getitem__(self, number: int | slice) -> Split | tuple[Split, ...]:
        if isinstance(number, slice):
            return tuple(self[fold] for fold in range(len(self))[number])
        is_asked = self.folds == range(len(self))[number]
        return Split(self.rows[~is_asked], self.rows[is_asked])


@dataclass(frozen=True)
class ValidationPlan:
    """The splits whose predictions are pooled, and whose machine shares the credit.

    `shares_from_all` says that one more machine, trained on all rows, gives the shares; otherwise the
    machine of the only split does.
    """

    splits: Sequence[Split]
    shares_from_all: bool


def check_validation(
    validation: Any,
    has_given: bool,
    owner: str,
    *,
    may_be_none: bool = False,
    words: Collection[str] = (),
) -> None:
    """Refuse what `validation` cannot be, before any work; `words` are those that the selector knows."""
    if has_given or (may_be_none and validation is None):
        return
    if isinstance(validation, str) and validation in words:
        return
    if isinstance(validation, str):
        if validation != GIVEN:
            raise _refused(validation, owner, words)
        raise ParameterError(
            f"{owner}(validation='given') needs the rows to count on: fit(X, y, X_val=..., y_val=...)."
        )
    if isinstance(validation, bool | np.bool_) or validation is None:
        raise _refused(validation, owner, words)
    if isinstance(validation, Integral):
        check_integer("validation", validation, owner, low=2)
    elif isinstance(validation, Real):
        check_number("validation", validation, owner, low=0.0, high=1.0, low_open=True, high_open=True)
    elif not (hasattr(validation, "split") or hasattr(validation, "__iter__")):
        raise _refused(validation, owner, words)


def _refused(validation: Any, owner: str, words: Collection[str] = ()) -> ParameterError:
    known = "".join(f"{word!r}, " for word in words)
    return ParameterError(
        f"The 'validation' parameter of {owner} must be {known}a fraction of rows to hold out (a float "
        "between 0 and 1), a number of folds (2 or more), a cross-validation splitter, an iterable of "
        f"splits, or 'given' with X_val and y_val passed to fit. Got {validation!r}."
    )


def plan_validation(
    validation: Any,
    X: Any,
    y: LabelArray,
    weights: FloatArray,
    *,
    has_given: bool,
    seed: int,
    split_parameters: dict[str, Any],
) -> ValidationPlan:
    """Draw the splits. A row of weight zero is on neither side.

    Parameters
    ----------
    validation : object
        See :func:`check_validation`. "loo" leaves out one row, with its copies, at a time. None
        trains on all rows and counts none.
    X : {ndarray, CSR} of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
        At least zero.
    """
    used = np.flatnonzero(weights > 0.0)
    if has_given:
        return ValidationPlan((Split(used, None),), shares_from_all=False)
    if validation is None:
        return ValidationPlan((Split(used, used[:0]),), shares_from_all=False)
    if isinstance(validation, Real) or validation == LEAVE_ONE_OUT:
        rows = take_rows(X, None if len(used) == len(y) else used)
        return _own_plan(validation, rows, y[used], weights[used], used, seed)
    pairs = check_cv(validation, y, classifier=True).split(X, y, **split_parameters)
    is_used = weights > 0.0
    sides = [(_kept(train, is_used), _kept(test, is_used)) for train, test in pairs]
    splits = tuple(Split(train, test) for train, test in sides if len(test))
    if not splits:
        raise ParameterError("The 'validation' splitter leaves no row with a weight to predict.")
    return ValidationPlan(splits, shares_from_all=True)


def _own_plan(
    validation: Any, X: Any, y: LabelArray, weights: FloatArray, rows: IntArray, seed: int
) -> ValidationPlan:
    _, classes = np.unique(y, return_inverse=True)
    units = random_units(X, classes, seed)
    if isinstance(validation, Integral | str):
        n_folds = len(units) if validation == LEAVE_ONE_OUT else int(validation)
        splits: Sequence[Split] = FoldSplits(rows, fold_numbers(units, classes, n_folds))
    else:
        mask = held_out_rows(units, classes, weights, float(validation))
        splits = (Split(rows[~mask], rows[mask]),) if mask.any() else ()
    if not splits:
        raise DataError(
            f"No row can be held out for validation (n_samples={len(y)}): no class has two different rows. "
            "Give more rows",
            Parameter("X_val", ", or pass X_val and y_val to fit"),
            ".",
        )
    return ValidationPlan(splits, shares_from_all=isinstance(splits, FoldSplits))


def _kept(rows: Any, is_used: BoolArray) -> IntArray:
    rows = np.asarray(rows)
    kept: IntArray = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp, copy=False)
    return kept[is_used[kept]]


def held_out_rows(units: KeyArray, classes: IntArray, weights: FloatArray, fraction: float) -> BoolArray:
    """Choose units that hold about `fraction` of the weight of each class: a mask of shape (n_samples,).

    At least one unit of each class stays for training, so a class with a single row is never held out. At
    least one unit is held out, if any class has two.
    """
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
