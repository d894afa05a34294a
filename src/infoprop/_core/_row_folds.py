"""RowFolds, and the splits that any `validation` names: the one rule by which rows are dealt to folds."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._folds import fold_numbers, random_units
from infoprop._core._training_rows import refuse_unusable
from infoprop._core._typing import IntArray, LabelArray

_OWNER = "RowFolds"


class RowFolds:
    """Folds by class that keep copies of a row, and row groups, together, whatever the order of the rows.

    Everything in infoprop that takes a number of folds deals its rows by this rule. The splitter goes
    wherever scikit-learn takes one, so that others can be judged in the same way.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, 2 or more. There are fewer if no more rows differ.
    random_state : int, default=0
        Which of the ways to deal them.

    Notes
    -----
    The only row of a class, copies or not, is always trained on. If no class has two different rows, there
    is a single split, which trains on all rows and asks all of them. Where the rows of a class repeat more
    than ten times on average, they are taken for a table of counts, and each copy is dealt by itself.

    With row groups (`groups` of :meth:`split`: subjects, donors), all rows of a group are in one fold, with
    copies of them in other groups. Groups may have rows of several classes; folds then have about the same
    part of each. A group that is the only one with rows of a class is always trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection import RowFolds
    >>> X, y = np.repeat(np.arange(6.0), 2)[:, None], np.repeat([0, 1], 6)
    >>> [sorted(X[test, 0].tolist()) for _, test in RowFolds(3).split(X, y)]
    [[0.0, 0.0, 5.0, 5.0], [1.0, 1.0, 3.0, 3.0], [2.0, 2.0, 4.0, 4.0]]
    """

    def __init__(self, n_splits: int = 5, *, random_state: int = 0) -> None:
        self.n_splits = check_integer("n_splits", n_splits, _OWNER, low=2)
        self.random_state = check_integer("random_state", random_state, _OWNER, low=0)

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield rows to train on and rows to ask.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.
        groups : array-like of shape (n_samples,), default=None
            Row groups: a label for every row.

        Yields
        ------
        train, test : ndarray
            Numbers of rows.
        """
        numbers = self._numbers(X, y, groups)
        rows = np.arange(len(numbers))
        if numbers.max() < 1:
            yield rows, rows
            return
        for fold in range(numbers.max() + 1):
            yield rows[numbers != fold], rows[numbers == fold]

    def get_n_splits(self, X: Any, y: Any, groups: Any = None) -> int:
        """Return how many there are, which takes the rows."""
        return max(1, int(self._numbers(X, y, groups).max()) + 1)

    def _numbers(self, X: Any, y: Any, groups: Any) -> IntArray:
        refuse_unusable(X, y)
        X = _as_numbers(check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False))
        y = column_or_1d(y)
        check_consistent_length(X, y)
        _, codes = np.unique(y, return_inverse=True)
        return fold_numbers(random_units(X, codes, self.random_state, groups), codes, self.n_splits)


def row_splits(
    validation: Any, X: Any, y: LabelArray, *, seed: int = 0, row_groups: Any = None
) -> list[tuple[IntArray, IntArray]]:
    """Return the splits that a `validation` names: rows to train on, rows to ask.

    Parameters
    ----------
    validation : int, splitter or iterable of splits
        A number of folds means :class:`RowFolds`.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    seed : int, default=0
        Of our own folds.
    row_groups : array-like of shape (n_samples,), default=None
        Rows that stay together.
    """
    is_number = isinstance(validation, Integral) and not isinstance(validation, bool)
    folds = RowFolds(int(validation), random_state=seed) if is_number else check_cv(validation, y)
    return list(folds.split(X, y, row_groups))


def row_group_parameters(estimator: Any, row_groups: Any) -> dict[str, Any]:
    """Arguments of fit by which an estimator that deals rows to folds itself is told their row groups.

    Classifiers and selectors of this library say so by `_deals_rows`; searches of scikit-learn take `groups`
    for their splitters. Steps of a pipeline are asked one by one.

    Parameters
    ----------
    estimator : estimator
    row_groups : array-like of shape (n_samples,), or None

    Raises
    ------
    UnsupportedEstimatorError
        With metadata routing, if a step of a pipeline deals rows and does not request them.
    """
    if row_groups is None:
        return {}
    if isinstance(estimator, Pipeline):
        told = {
            f"{name}__{key}": value
            for name, step in estimator.steps
            for key, value in row_group_parameters(step, row_groups).items()
        }
        return _requested(estimator, told) if get_config()["enable_metadata_routing"] else told
    if isinstance(estimator, GridSearchCV | RandomizedSearchCV):
        return {"groups": row_groups} if hasattr(estimator.cv, "split") else {}
    deals = getattr(estimator, "_deals_rows", None)
    return {"groups": row_groups} if deals is not None and deals() else {}


def _requested(pipeline: Pipeline, told: dict[str, Any]) -> dict[str, Any]:
    """The same with metadata routing, where steps get what they request, by one name for all."""
    for argument, row_groups in told.items():
        name = argument.partition("__")[0]
        if pipeline.named_steps[name].get_metadata_routing().fit.requests.get("groups") is not True:
            raise UnsupportedEstimatorError(
                f"Row groups are given, and the step {name!r} deals rows to folds of its own. With metadata "
                "routing it must ask for them: call its set_fit_request(groups=True)."
            )
        return {"groups": row_groups}
    return {}


def inner_folds(
    X: Any, classes: IntArray, n_folds: int, seed: int, row_groups: Any = None
) -> list[tuple[IntArray, IntArray]]:
    """Folds within training rows; none if a class could not both train and be asked in all of them.

    Parameters
    ----------
    X : {ndarray, CSR} of shape (n_samples, n_features)
    classes : ndarray of shape (n_samples,)
        Numbers of the classes.
    n_folds, seed : int
    row_groups : array-like of shape (n_samples,), default=None
    """
    numbers = fold_numbers(random_units(X, classes, seed, row_groups), classes, n_folds)
    if numbers.min() < 0:
        return []
    splits = [
        (np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)) for fold in np.unique(numbers)
    ]
    # Row groups with rows of several classes can leave a fold nothing of a class to train on.
    n_classes = len(np.unique(classes))
    return splits if all(len(np.unique(classes[train])) == n_classes for train, _ in splits) else []


def _as_numbers(X: Any) -> Any:
    """Rows with texts as rows of numbers that are equal where the texts are."""
    if sparse.issparse(X) or X.dtype.kind not in "OUS":
        return X
    columns = [np.unique(column.astype(str), return_inverse=True)[1] for column in X.T]
    return np.column_stack(columns).astype(np.float64)
