"""What a comparison of methods is to do: everything checked, folds drawn, words resolved."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop._core._training_rows import refuse_unusable
from infoprop._core._typing import LabelArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._base import BaseFeatureSelector
from infoprop.selection._containers import is_frame
from infoprop.selection._defaults import scaled_machines
from infoprop.selection._trainability import check_trainable
from infoprop.selection._validation import Split, plan_validation
from infoprop.selection.comparison._choosing import check_method
from infoprop.selection.running._fingerprint import fingerprint
from infoprop.selection.running._journal import check_checkpoint, remembered_seed

OWNER = "compare_selectors"
AUTO = "auto"
MOST_AUTOMATIC = 100
"""Largest size of ``sizes="auto"``."""


@dataclass(frozen=True)
class Nested:
    """All that the tasks of a comparison have in common.

    Attributes
    ----------
    methods : dict from str to selector, callable or None
    X, y
        Rows and classes.
    checked : {ndarray, CSR}
        The rows as numbers, by which they are dealt to folds.
    estimator : classifier
    sizes : tuple of int or None
    splits : sequence of Split
        The outer folds.
    inner_validation : int or None
    columns : ColumnGroups
        Features, and the columns that belong to them.
    groups : object
        The same as it was given.
    row_groups : ndarray of shape (n_samples,), or None
        Rows that stay together.
    seed : int
    """

    methods: dict[str, Any]
    X: Any
    y: LabelArray
    checked: Any
    estimator: Any
    sizes: tuple[int, ...] | None
    splits: Sequence[Split]
    inner_validation: int | None
    columns: ColumnGroups
    groups: Any
    row_groups: LabelArray | None
    seed: int

    @property
    def tasks(self) -> list[tuple[int, str]]:
        """Fold and method of every task: fold by fold, so that an interruption leaves whole folds."""
        return list(product(range(len(self.splits)), self.methods))

    def fingerprint(self) -> str:
        """Return what a checkpoint is known by."""
        return fingerprint(
            rows=self.X,
            classes=self.y,
            methods=self.methods,
            estimator=self.estimator,
            sizes=self.sizes,
            splits=list(self.splits),
            inner_validation=self.inner_validation,
            groups=self.columns.labels,
            row_groups=self.row_groups,
            random_state=self.seed,
        )


@dataclass(frozen=True)
class Settings:
    """How methods are to be compared, in the words of :func:`~infoprop.selection.compare_selectors`."""

    estimator: Any
    sizes: Any
    validation: Any
    inner_validation: Any
    groups: Any
    row_groups: Any
    random_state: Any
    checkpoint: Any


def plan_nested(methods: Any, X: Any, y: Any, settings: Settings) -> Nested:
    """Check everything, resolve what is given in words, and draw the folds."""
    _check_methods(methods, settings.groups)
    is_sparse = sparse.issparse(X)
    estimator = scaled_machines(is_sparse) if settings.estimator is None else settings.estimator
    if not is_classifier(estimator):
        raise UnsupportedEstimatorError(
            f"The 'estimator' of {OWNER} must be a classifier. Got {estimator!r}."
        )
    if settings.inner_validation is not None:
        check_integer("inner_validation", settings.inner_validation, OWNER, low=2)
    check_checkpoint(settings.checkpoint, OWNER)
    refuse_unusable(X, y)
    checked = check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)
    y = column_or_1d(y)
    check_consistent_length(checked, y)
    check_classification_targets(y)
    rows = X if is_frame(X) else checked
    own = [method for method in methods.values() if isinstance(method, BaseFeatureSelector)]
    for classifier in (estimator, *(method._prototype(is_sparse=is_sparse) for method in own)):
        check_trainable(classifier, rows, y, None, OWNER)
    row_groups = None if settings.row_groups is None else column_or_1d(settings.row_groups)
    check_consistent_length(checked, row_groups)
    columns = ColumnGroups.from_specification(settings.groups, _names(X, checked.shape[1]))
    seed = _seed(settings)
    return Nested(
        methods=dict(methods),
        X=rows,
        y=y,
        checked=checked,
        estimator=estimator,
        sizes=_resolved(settings.sizes, columns.n_groups),
        splits=_outer_folds(settings.validation, checked, y, row_groups, seed),
        inner_validation=settings.inner_validation,
        columns=columns,
        groups=settings.groups,
        row_groups=row_groups,
        seed=seed,
    )


def _seed(settings: Settings) -> int:
    seed = int(check_random_state(settings.random_state).randint(np.iinfo(np.int32).max))
    if settings.random_state is not None:
        return seed
    return remembered_seed(settings.checkpoint, seed, OWNER)


def _check_methods(methods: Any, groups: Any) -> None:
    if not isinstance(methods, Mapping) or not methods or not all(isinstance(name, str) for name in methods):
        raise ParameterError(
            f"The 'methods' parameter of {OWNER} must be a mapping from names to selectors, with at least "
            f"one. Got {methods!r}."
        )
    for name, method in methods.items():
        check_method(name, method, groups)


def _names(X: Any, n_columns: int) -> tuple[str, ...]:
    return tuple(str(name) for name in X.columns) if is_frame(X) else tuple(f"x{k}" for k in range(n_columns))


def _resolved(sizes: Any, n_features: int) -> tuple[int, ...] | None:
    if sizes is None:
        return None
    if isinstance(sizes, str):
        if sizes != AUTO:
            raise ParameterError(f"The 'sizes' parameter of {OWNER} must be 'auto', whole numbers, or None.")
        return automatic_sizes(n_features)
    wanted = [sizes] if not isinstance(sizes, Iterable) else list(sizes)
    checked = {check_integer("sizes", size, OWNER, low=1, high=n_features) for size in wanted}
    if not checked:
        raise ParameterError(f"The 'sizes' parameter of {OWNER} must hold at least one number. Got none.")
    return tuple(sorted(checked))


def automatic_sizes(n_features: int) -> tuple[int, ...]:
    """Return 1, 2, 5, 10, ... below the number of features and up to :data:`MOST_AUTOMATIC`.

    Examples
    --------
    >>> automatic_sizes(30)
    (1, 2, 5, 10, 20)
    """
    steps = (1, 2, 5, 10, 20, 50, MOST_AUTOMATIC)
    return tuple(size for size in steps if size < n_features) or (1,)


def _outer_folds(
    validation: Any, X: Any, y: LabelArray, row_groups: LabelArray | None, seed: int
) -> Sequence[Split]:
    is_number = isinstance(validation, int | np.integer) and not isinstance(validation, bool)
    if is_number:
        check_integer("validation", validation, OWNER, low=2)
    elif isinstance(validation, str) or not (hasattr(validation, "split") or hasattr(validation, "__iter__")):
        raise ParameterError(
            f"The 'validation' parameter of {OWNER} must be a number of folds (2 or more), a "
            f"cross-validation splitter, or an iterable of splits. Got {validation!r}."
        )
    told = {} if row_groups is None else {"groups": row_groups}
    plan = plan_validation(
        validation, X, y, np.ones(len(y)), has_given=False, seed=seed, split_parameters=told
    )
    for number, split in enumerate(plan.splits):
        if len(np.unique(y[split.train])) < 2:
            raise DataError(
                f"The training rows of outer fold {number} of {OWNER} hold a single class; a classifier "
                "needs two. Give fewer folds or more rows."
            )
    return plan.splits
