"""ResizableSelector: a fitted selector that knows other numbers of features gives them without a search."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import IntArray
from infoprop.selection._base import BaseFeatureSelector, Selection, checked_weights
from infoprop.selection._columns import AUTO, ColumnChoice, choose_columns
from infoprop.selection._containers import is_frame
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._validation import ValidationPlan
from infoprop.selection.running._routing import route_fit


class ResizableSelector(BaseFeatureSelector):
    """A selector whose search knows what it would choose for other numbers of features.

    It writes `_sizes` and `_selection_at`; :meth:`at` does the rest.
    """

    _rows: SubsetEvaluator

    @abstractmethod
    def _sizes(self) -> range:
        """Return the numbers of features (groups) that the fitted selector knows a choice for."""

    @abstractmethod
    def _selection_at(self, choice: ColumnChoice) -> Selection:
        """Return what the fitted selector would choose if told to take `choice.n_select` groups."""

    def _resized(self, size: int) -> dict[str, Any]:
        """Return parameters of a selector that is told to take `size` features (groups)."""
        return {"n_features_to_select": size}

    def at(
        self, n_features: int, X: Any = None, y: Any = None, sample_weight: Any = None, **fit_params: Any
    ) -> Self:
        """Return a fitted selector for another number of features, from the same search.

        Nothing is searched again; the classifier is trained on the features that the search has for that
        number.

        Parameters
        ----------
        n_features : int
            Number of features (groups), among those that the search has passed.
        X, y : {array-like, sparse matrix, data frame} and array-like, default=None
            Rows to train on. Default: those of :meth:`fit`, as long as the selector was not pickled.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows given.
        **fit_params : dict
            Further arguments for the classifier's fit, with the rows given.

        Returns
        -------
        selector
            Of the same class, fitted.
        """
        check_is_fitted(self)
        size = self._checked_size(n_features)
        rows = self._rows_to_train_on(X, y, sample_weight, fit_params)
        other: Self = clone(self).set_params(**self._resized(size))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        choice = choose_columns(self.groups, self.keep, size, None, self._input_names())
        for name, value in self._learned(self._selection_at(choice), rows, choice).items():
            setattr(other, name, value)
        other._rows = rows
        return other

    def _checked_size(self, n_features: Any) -> int:
        sizes = self._sizes()
        try:
            return check_integer(
                "n_features", n_features, f"{type(self).__name__}.at", low=sizes[0], high=sizes[-1]
            )
        except ParameterError as error:
            if not isinstance(n_features, int | np.integer) or not 0 < n_features < sizes[0]:
                raise
            raise ParameterError(
                f"{error} The search did not go further; fit with n_features_to_select={n_features} for that."
            ) from None

    def _rows_to_train_on(self, X: Any, y: Any, sample_weight: Any, parameters: Any) -> SubsetEvaluator:
        owner = f"{type(self).__name__}.at"
        if (X is None) != (y is None):
            raise ParameterError(f"{owner} takes X and y together: pass both, or neither.")
        if X is None:
            rows: SubsetEvaluator | None = getattr(self, "_rows", None)
            if rows is None:
                raise ParameterError(
                    f"{owner} needs rows to train on: those of fit are not pickled or copied with the "
                    "selector. Pass X and y."
                )
            if sample_weight is not None or parameters:
                raise ParameterError(f"{owner} takes sample_weight and fit parameters only with X and y.")
            return rows
        checked, y = checked_training_rows(self, X, y, reset=False, **self._check_options())
        weights = checked_weights(sample_weight, len(y))
        estimator = self._prototype(is_sparse=sparse.issparse(checked))
        routed = route_fit(self, estimator, weights, parameters)
        training = LabelledRows(X if is_frame(X) else checked, y, weights)
        plan = ValidationPlan((), shares_from_all=False)
        return SubsetEvaluator(
            estimator, training, routed.estimator, plan, None, self._input_names(), self.n_jobs
        )

    def _ranked_sizes(self) -> range:
        """Return every number of groups that a ranking of all of them knows: those always kept, and more."""
        choice = choose_columns(self.groups, self.keep, AUTO, None, self._input_names())
        return range(choice.fewest, choice.groups.n_groups + 1)

    def _ranked_at(self, choice: ColumnChoice) -> tuple[IntArray, IntArray]:
        """Return the best `choice.n_select` groups, ascending, and all groups, by `feature_ranking_`."""
        labels = choice.groups.labels[self.feature_ranking_]
        _, first = np.unique(labels, return_index=True)
        order = labels[np.sort(first)]
        return np.sort(order[: choice.n_select]), order

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_rows", None)
        return state

    def _finish(self, evaluator: SubsetEvaluator, choice: ColumnChoice, seed: int) -> None:
        super()._finish(evaluator, choice, seed)
        self._rows = evaluator
