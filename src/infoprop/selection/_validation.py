"""Where the confusion table comes from: held-out rows, out-of-fold predictions, or rows given."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, overload

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_consistent_length

from infoprop._core._checks import check_integer, check_number
from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop._core._folds import fold_numbers, held_out_rows, random_units
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
    split_parameters : dict
        Arguments of a splitter's split. Row groups (`groups`) stay together in our own splits, too.
    """
    used = np.flatnonzero(weights > 0.0)
    if has_given:
        return ValidationPlan((Split(used, None),), shares_from_all=False)
    if validation is None:
        return ValidationPlan((Split(used, used[:0]),), shares_from_all=False)
    if isinstance(validation, Real) or validation == LEAVE_ONE_OUT:
        rows = take_rows(X, None if len(used) == len(y) else used)
        units = random_units(rows, _codes(y[used]), seed, _of_rows(split_parameters.get("groups"), y, used))
        return _own_plan(validation, units, y[used], weights[used], used)
    pairs = check_cv(validation).split(X, y, **split_parameters)
    is_used = weights > 0.0
    sides = [(_kept(train, is_used), _kept(test, is_used)) for train, test in pairs]
    splits = tuple(Split(train, test) for train, test in sides if len(test))
    if not splits:
        raise ParameterError("The 'validation' splitter leaves no row with a weight to predict.")
    return ValidationPlan(splits, shares_from_all=True)


def _codes(y: LabelArray) -> IntArray:
    return np.unique(y, return_inverse=True)[1]


def _of_rows(row_groups: Any, y: LabelArray, rows: IntArray) -> Any:
    """Row groups of some rows, None if there are none."""
    if row_groups is None:
        return None
    check_consistent_length(row_groups, y)
    return np.asarray(row_groups)[rows]


def _own_plan(
    validation: Any, units: KeyArray, y: LabelArray, weights: FloatArray, rows: IntArray
) -> ValidationPlan:
    classes = _codes(y)
    if isinstance(validation, Integral | str):
        n_folds = len(units) if validation == LEAVE_ONE_OUT else int(validation)
        splits: Sequence[Split] = FoldSplits(rows, fold_numbers(units, classes, n_folds))
    else:
        mask = held_out_rows(units, classes, weights, float(validation))
        splits = (Split(rows[~mask], rows[mask]),) if mask.any() else ()
    if not splits:
        raise DataError(
            f"No row can be held out for validation (n_samples={len(y)}): no class has two different rows, "
            "or rows of two row groups. Give more rows",
            Parameter("X_val", ", or pass X_val and y_val to fit"),
            ".",
        )
    return ValidationPlan(splits, shares_from_all=isinstance(splits, FoldSplits))


def _kept(rows: Any, is_used: BoolArray) -> IntArray:
    rows = np.asarray(rows)
    kept: IntArray = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp, copy=False)
    return kept[is_used[kept]]
